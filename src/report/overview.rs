//! The JSON of the overview, and of the dialects in which a skill is in use.

use crate::author::elsewhere::Elsewhere;
use crate::author::overview::{ClientOverview, Overview};
use crate::fs::Fs;
use crate::text::json::{Fields, Json};

impl Overview {
    /// The overview.
    pub fn to_json(&self, fs: &dyn Fs) -> Json {
        let client = |client: &ClientOverview| {
            Fields::default()
                .text("dialect", &client.dialect)
                .number("seen", client.seen)
                .number("used", client.used)
                .number("lost", client.lost)
                .done()
        };
        let findings = Fields::default().number("errors", self.errors).number("warnings", self.warnings).done();
        Fields::default()
            .put("clients", Json::list(&self.clients, client))
            .number("different", self.different)
            .put("findings", findings)
            .put("nested", Json::list(&self.nested, |folder| super::path(fs, folder)))
            .done()
    }
}

impl Elsewhere {
    /// The dialects in which a skill is in use, each with the SKILL.md.
    pub fn all_to_json(fs: &dyn Fs, found: &[Elsewhere]) -> Json {
        Json::list(found, |one| {
            Fields::default().text("dialect", &one.dialect).put("path", super::path(fs, &one.path)).done()
        })
    }
}
