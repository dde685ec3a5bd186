//! Tells the model which skills have changed since the instructions were sent: a client asks for these only once, so the
//! changes are added to the next answer of a tool that is about skills.

use super::engine::locked;
use rmcp::model::{CallToolResult, ContentBlock};
use skilltree::{Caller, Catalog, Skill, visible};
use std::collections::BTreeMap;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};

/// How many skills are named in one message.
const MAX_NAMED: usize = 20;

/// The skills that the model was told about.
#[derive(Default)]
pub(super) struct Told {
    catalog: Mutex<Option<Catalog>>,
    mentions_find: AtomicBool,
}

impl Told {
    /// Records that the client has the instructions for a catalog, `None` for instructions without skills; and whether
    /// they mention the tool that searches.
    pub(super) fn instructions(&self, catalog: Option<Catalog>, mentions_find: bool) {
        *locked(&self.catalog) = catalog;
        self.mentions_find.fetch_or(mentions_find, Ordering::SeqCst);
    }

    /// Whether a client was told of the tool that searches, which exists from then on.
    pub(super) fn mentions_find(&self) -> bool {
        self.mentions_find.load(Ordering::SeqCst)
    }

    /// Adds what is new since the last time to the result of a call, and remembers it as told.
    pub(super) fn add_news(&self, catalog: &Catalog, result: &mut CallToolResult) {
        let before = locked(&self.catalog).replace(catalog.clone());
        if let Some(news) = news(before.as_ref(), catalog) {
            result.content.push(ContentBlock::text(news));
        }
    }
}

/// What has changed from one catalog to another for the model; `None` for nothing.
fn news(before: Option<&Catalog>, now: &Catalog) -> Option<String> {
    if before == Some(now) {
        return None;
    }
    let (before, now) = (before.map(offered).unwrap_or_default(), offered(now));
    let mut lines = Vec::new();
    for (key, skill) in &now {
        let what = match before.get(key) {
            None => "New",
            Some(old) if old.description() != skill.description() => "Changed",
            Some(_) => continue,
        };
        lines.push(format!("- {what}: {}: {}", visible(key), visible(&skill.brief())));
    }
    let gone = before.keys().filter(|key| !now.contains_key(*key));
    lines.extend(gone.map(|key| format!("- Removed: {}", visible(key))));
    let more = lines.len().saturating_sub(MAX_NAMED);
    lines.truncate(MAX_NAMED);
    if 0 < more {
        lines.push(format!("- and {more} more"));
    }
    (!lines.is_empty()).then(|| format!("The skills have changed:\n{}", lines.join("\n")))
}

fn offered(catalog: &Catalog) -> BTreeMap<&str, &Skill> {
    let skills = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model));
    skills.map(|skill| (skill.key.as_str(), skill)).collect()
}
