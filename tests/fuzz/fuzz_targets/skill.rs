//! A whole SKILL.md in every skill system. Each finding names a place that is there and speaks in one line, what is
//! found is in the catalog or named in a finding, the JSON of every answer is JSON, and the prompt keeps its budget.
#![no_main]

use libfuzzer_sys::fuzz_target;
use skilltree::dialect::NAMES;
use skilltree::{
    Caller, Catalog, CheckRequest, Diagnostic, Dialect, FsPath, Json, LoadRequest, MemFs, Places, PromptRequest, World,
    check, commands, dialect, discover, load, prompt, why,
};
use std::sync::Arc;

fuzz_target!(|bytes: &[u8]| {
    for dialect in NAMES.iter().filter_map(|name| dialect(name)) {
        let (mut fs, places) = (MemFs::new(), places());
        fs.file(&format!("{}/tea/SKILL.md", root(&dialect)), bytes);
        let world = World::new(&fs, &places, &());
        let catalog = discover(&world, &dialect);
        found_or_named(&catalog);
        let findings = check(&world, &dialect, &[], &CheckRequest { strict: true }).expect("sources are there");
        findings.iter().chain(catalog.findings()).for_each(|finding| is_sound(finding, bytes));
        answers_are_json(&world, &catalog);
        budget_is_kept(&world, &catalog);
        let loaded =
            catalog.skills().iter().map(|skill| load(&world, &catalog, skill, &LoadRequest::new(Caller::User)));
        for loaded in loaded.flatten() {
            assert!(!loaded.text.contains('\0'), "{loaded:?}");
        }
    }
});

fn places() -> Places {
    let at = |text: &str| Some(FsPath::new(text).expect("a path"));
    Places { home: at("/home"), project: at("/project"), ..Places::default() }
}

/// The first folder in which the dialect looks for skills.
fn root(dialect: &Arc<Dialect>) -> String {
    let (fs, places) = (MemFs::new(), places());
    let searched = World::new(&fs, &places, &()).searched_places(dialect);
    searched.iter().find(|place| place.holds_skills).expect("a folder").path.to_string()
}

fn found_or_named(catalog: &Catalog) {
    let is_seen = catalog.seen().any(|seen| seen.path.as_str().ends_with("/tea/SKILL.md"));
    let is_named = catalog.findings().iter().any(|finding| finding.path.as_str().ends_with("/tea/SKILL.md"));
    assert!(is_seen || is_named, "the file has vanished");
}

fn is_sound(finding: &Diagnostic, bytes: &[u8]) {
    assert!(!finding.message.is_empty() && !finding.message.contains(char::is_control), "{finding:?}");
    let (Some(at), Ok(text)) = (finding.at, std::str::from_utf8(bytes)) else { return };
    let line = text.strip_prefix('\u{feff}').unwrap_or(text).split('\n').nth(at.line - 1);
    let line = line.unwrap_or_else(|| panic!("no such line: {finding:?}"));
    assert!(at.column <= line.chars().count() + 1, "no such column: {finding:?}");
}

fn answers_are_json(world: &World<'_>, catalog: &Catalog) {
    let list = catalog.to_json(world, &commands(catalog, &[])).to_string();
    assert_eq!(Json::parse(&list).map(|json| json.to_string()), Ok(list));
    let request = PromptRequest::default();
    let _ = why(world, catalog, "tea", &request);
}

fn budget_is_kept(world: &World<'_>, catalog: &Catalog) {
    for budget in [0, 60, 500] {
        let prompt = prompt(world, catalog, &PromptRequest { budget: Some(budget), ..PromptRequest::default() });
        assert_eq!(prompt.cost, prompt.list.chars().count(), "the cost at {budget}");
        assert_eq!(prompt.shown.is_empty(), prompt.text.is_empty(), "no skill, no text");
        let listed = catalog.skills().iter().filter(|skill| skill.is_for(Caller::Model)).count();
        assert_eq!(prompt.shown.len() + prompt.left_out.len(), listed, "each is shown or left out");
    }
}
