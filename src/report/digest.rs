//! The JSON of what is known by digests: approvals, served skills, with the field names of the Skills extension of the
//! Model Context Protocol, and what is put back into a session.

use crate::diagnostic::Diagnostic;
use crate::fs::Fs;
use crate::package::approve::{Changes, Review};
use crate::package::serve::{ServedChild, ServedEntry};
use crate::path::FsPath;
use crate::record::session::Reattached;
use crate::report::path;
use crate::text::escape::visible;
use crate::text::json::{Fields, Json};

impl Review {
    /// `approve`: the key and the file of a skill, where its folder was read what is in it and what has changed since the last
    /// approval, and whether it is approved now.
    pub fn approval_json(
        fs: &dyn Fs,
        (key, file): (&str, &FsPath),
        reviewed: Option<(&Review, &Changes)>,
        is_approved: bool,
        store: &FsPath,
    ) -> Json {
        let contents = reviewed.map(|(review, _)| &review.contents);
        let target = |target: &Option<FsPath>| target.as_ref().map(|target| path(fs, target));
        let files = contents.map(|contents| {
            Json::list(&contents.files, |file| {
                Json::map([
                    ("name", Json::from(file.name.as_str())),
                    ("digest", Json::from(file.digest.to_string())),
                    ("size", Json::Number(file.size.to_string())),
                ])
                .with("target", target(&file.target))
            })
        });
        let others = contents.map(|contents| {
            Json::list(&contents.others, |other| {
                let kind = Json::from(other.kind.as_str());
                Json::map([("name", Json::from(other.name.as_str())), ("kind", kind)])
                    .with("target", target(&other.target))
            })
        });
        let changes = reviewed.map(|(_, changes)| {
            Json::list(&changes.all, |change| {
                Fields::default()
                    .text("what", change.part.as_str())
                    .text("change", change.kind.as_str())
                    .text("text", change.text.as_str())
                    .done()
            })
        });
        let about = reviewed.map(|(review, _)| [&*review.contents.findings, &*review.facts].concat());
        Json::map([("key", Json::from(key)), ("path", path(fs, file))])
            .with("digest", contents.map(|contents| contents.digest().to_string()))
            .with("files", files)
            .with("others", others)
            .with("first", reviewed.map(|(_, changes)| changes.is_first))
            .with("changes", changes)
            .with("approved", Some(is_approved))
            .with("store", Some(path(fs, store)))
            .with("findings", Some(Diagnostic::all_to_json(fs, &about.unwrap_or_default())))
    }
}

impl ServedEntry {
    /// A skill as it is listed: `{uri, frontmatter, resources: [{uri, digest, size}]}`.
    pub fn to_json(&self) -> Json {
        let resources = Json::list(&self.resources, |file| {
            Json::map([
                ("uri", Json::from(file.uri.as_str())),
                ("digest", Json::from(file.digest.to_string())),
                ("size", Json::Number(file.size.to_string())),
            ])
        });
        Json::map([
            ("uri", Json::from(self.uri.as_str())),
            ("frontmatter", self.frontmatter.clone()),
            ("resources", resources),
        ])
    }
}

impl ServedChild {
    /// What stands in a folder: `[{uri, name, mimeType, description?}]`, a description for a SKILL.md alone.
    pub fn all_to_json(children: &[ServedChild]) -> Json {
        Json::list(children, |child| {
            Fields::default()
                .text("uri", &child.uri)
                .text("name", &visible(&child.name))
                .text("mimeType", child.mime)
                .done()
                .with("description", child.description.as_deref())
        })
    }
}

impl Reattached {
    /// `session FILE reattach`.
    pub fn to_json(&self) -> Json {
        let missing =
            Json::list(&self.missing, |one| Fields::default().text("key", &one.key).text("reason", &one.reason).done());
        Fields::default()
            .text("text", &self.text)
            .flag("listed", self.is_listed)
            .texts("keys", &self.keys)
            .texts("shortened", &self.shortened)
            .texts("left_out", &self.left_out)
            .put("missing", missing)
            .number("cost", self.cost)
            .number("budget", self.budget)
            .done()
    }
}
