//! In: a setup, and what was found. Out: where skills were looked for, when there are none. Absent: the search itself.

use crate::setup::Setup;
use skilltree::{Base, Catalog, Fs, FsPath, Kind, visible};

/// Says that there are no skills, with each place that was looked in and whether it is there. Nothing when there are.
pub(crate) fn no_skills(setup: &Setup, catalog: &Catalog) -> String {
    if !catalog.skills().is_empty() {
        return String::new();
    }
    let places = places(setup);
    let name = visible(&setup.dialect.name);
    if places.is_empty() {
        return format!("no skills found: the dialect `{name}` has no place to look in\n");
    }
    let mut out = format!("no skills found; the dialect `{name}` looks in:\n");
    for place in places {
        let there = match setup.files().look(&place) {
            Ok(Some(look)) if look.kind != Kind::Missing => "exists, and has no skill that could be used",
            Ok(_) => "does not exist",
            Err(_) => "cannot be read",
        };
        out.push_str(&format!("  {}: {there}\n", visible(&setup.fs.spell(&place))));
    }
    out
}

/// The folders and files that are looked at, lowest precedence first.
fn places(setup: &Setup) -> Vec<FsPath> {
    let places = &setup.places;
    let base = |base| match base {
        Base::Home => places.home.as_ref(),
        Base::Project => places.project.as_ref(),
        Base::Bundled => places.bundled.as_ref(),
        Base::Config => places.config.as_ref(),
        Base::User => places.user.as_ref(),
        _ => None,
    };
    let mut all = Vec::new();
    for rule in setup.dialect.sources.iter().filter(|_| !places.only_roots) {
        let otherwise = || Some((places.project.as_ref()?, rule.otherwise.as_deref()?));
        let place = base(rule.base).map(|base| (base, &*rule.path)).or_else(otherwise);
        all.extend(place.and_then(|(base, path)| base.join(path).ok()));
        let is_registered = rule.base == Base::Registered;
        all.extend(places.registered.iter().filter(|_| is_registered).map(|(_, path)| path.clone()));
    }
    all.extend(places.roots.iter().cloned());
    all
}
