//! The JSON of what the user has approved of a skill.

use super::path;
use crate::diagnostic::Diagnostic;
use crate::fs::Fs;
use crate::package::approve::{Changes, Review};
use crate::path::FsPath;
use crate::text::json::Json;

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
            let files = contents.files.iter().map(|file| {
                Json::map([
                    ("name", Json::from(file.name.as_str())),
                    ("digest", Json::from(file.digest.to_string())),
                    ("size", Json::Number(file.size.to_string())),
                ])
                .with("target", target(&file.target))
            });
            Json::List(files.collect())
        });
        let others = contents.map(|contents| {
            let others = contents.others.iter().map(|other| {
                let kind = Json::from(other.what.as_str());
                Json::map([("name", Json::from(other.name.as_str())), ("kind", kind)])
                    .with("target", target(&other.target))
            });
            Json::List(others.collect())
        });
        let changes = reviewed.map(|(_, changes)| {
            let changes = changes.all.iter().map(|change| {
                Json::map([
                    ("what", Json::from(change.part.as_str())),
                    ("change", Json::from(change.kind.as_str())),
                    ("text", Json::from(change.text.as_str())),
                ])
            });
            Json::List(changes.collect())
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
