//! The JSON of the overview, and of the dialects in which a skill is in use.

use crate::explain::elsewhere::Elsewhere;
use crate::explain::overview::{ClientOverview, Overview};
use crate::fs::Fs;
use crate::text::json::{Fields, Json};

/// The overview.
pub fn overview(fs: &dyn Fs, overview: &Overview) -> Json {
    let client = |client: &ClientOverview| {
        Fields::default()
            .text("dialect", &client.dialect)
            .number("seen", client.seen)
            .number("used", client.used)
            .number("lost", client.lost)
            .done()
    };
    let findings = Fields::default().number("errors", overview.errors).number("warnings", overview.warnings).done();
    Fields::default()
        .put("clients", Json::list(&overview.clients, client))
        .number("different", overview.different)
        .put("findings", findings)
        .put("nested", Json::list(&overview.nested, |folder| super::path(fs, folder)))
        .done()
}

/// The dialects in which a skill is in use, each with the SKILL.md.
pub fn elsewhere(fs: &dyn Fs, found: &[Elsewhere]) -> Json {
    Json::list(found, |one| {
        Fields::default().text("dialect", &one.dialect).put("path", super::path(fs, &one.path)).done()
    })
}
