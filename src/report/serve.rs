//! The JSON of served skills, with the field names of the Skills extension of the Model Context Protocol.

use crate::package::serve::{ServedChild, ServedEntry};
use crate::text::escape::visible;
use crate::text::json::Json;

impl ServedEntry {
    /// A skill as it is listed: `{uri, frontmatter, resources: [{uri, digest, size}]}`.
    pub fn to_json(&self) -> Json {
        let resources = self.resources.iter().map(|file| {
            Json::map([
                ("uri", Json::from(file.uri.as_str())),
                ("digest", Json::from(file.digest.to_string())),
                ("size", Json::Number(file.size.to_string())),
            ])
        });
        Json::map([
            ("uri", Json::from(self.uri.as_str())),
            ("frontmatter", self.frontmatter.clone()),
            ("resources", Json::List(resources.collect())),
        ])
    }
}

impl ServedChild {
    /// What stands in a folder: `[{uri, name, mimeType}]`.
    pub fn all_to_json(children: &[ServedChild]) -> Json {
        let rows = children.iter().map(|child| {
            Json::map([
                ("uri", Json::from(child.uri.as_str())),
                ("name", Json::from(visible(&child.name).as_ref())),
                ("mimeType", Json::from(child.mime)),
            ])
        });
        Json::List(rows.collect())
    }
}
