//! In: a dialect's source table and the places. Out: the sources to scan, lowest precedence first.
//! Absent: any look at the disk; a folder that is not there is found out by the scan.

use crate::dialect::{Base, Dialect, SourceRule};
use crate::skill::{Level, Source};
use crate::world::Places;
use std::sync::Arc;

/// The sources, from lowest to highest precedence. Places that are absent have none.
pub(crate) fn sources(dialect: &Dialect, places: &Places) -> Vec<Arc<Source>> {
    let mut all = Vec::new();
    if !places.only_roots {
        all.extend(dialect.sources.iter().filter_map(|rule| from_rule(rule, places)));
    }
    all.extend(places.roots.iter().map(|root| Source {
        label: "root".to_owned(),
        scope: "extra".to_owned(),
        level: Level::Extra,
        root: root.clone(),
        rank: 0,
    }));
    for (rank, source) in all.iter_mut().enumerate() {
        source.rank = rank;
    }
    all.into_iter().map(Arc::new).collect()
}

fn from_rule(rule: &SourceRule, places: &Places) -> Option<Source> {
    let base = match rule.base {
        Base::Home => places.home.as_ref(),
        Base::Project => places.project.as_ref(),
    }?;
    Some(Source {
        label: rule.label.clone(),
        scope: rule.scope.clone(),
        level: rule.level,
        root: base.join(&rule.path).ok()?,
        rank: 0,
    })
}
