//! States, their stores and changes: topics 8 and 9 of the rules. In memory and on the disk. What writes is the
//! binary's.

use crate::common;

use common::ground::{Ground, briefs, ground, table};
use common::{Machine, path};
use pretty_assertions::assert_eq;
use skilltree::discovery::{StateChange, States, Store};
use skilltree::fs::FsCall;
use skilltree::{Caller, Error, FsError, MemFs, Places, State, World, discover};

/// A skill `tea` in the project, and two stores; an empty text is no file.
#[track_caller]
fn stores(user: &str, project: &str) -> Ground {
    let mut text = "//- /p/.gen/skills/tea/SKILL.md\n---\nname: tea\n---\nBoil water.\n".to_owned();
    for (file, store) in [("/h/.gen/skills.json", user), ("/p/.gen/skills.json", project)] {
        if !store.is_empty() {
            text.push_str(&format!("//- {file}\n{store}\n"));
        }
    }
    ground(&text)
}

/// The state of `tea`, who gives it, and the findings.
#[track_caller]
fn given(case: &str, user: &str, project: &str, expect: &str, findings: &[&str]) {
    given_on(case, &stores(user, project), expect, findings);
}

#[track_caller]
fn given_on(case: &str, ground: &Ground, expect: &str, findings: &[&str]) {
    let (got, found) = ground.of(case, "gencode", |world, catalog| {
        let rows = catalog.state_rows(&States::read(world, catalog.dialect()));
        let row = rows.first().expect("a row");
        let skill = catalog.get("tea").expect("the skill");
        let who = match (skill.is_for(Caller::User), skill.is_for(Caller::Model)) {
            (true, true) => "user+model",
            (true, false) => "user",
            (false, true) => "model",
            (false, false) => "nobody",
        };
        let store = row.store.map_or("default", Store::as_str);
        (format!("{} {} {store} {who}", row.state.symbol(), row.state.as_str()), briefs(catalog.findings()))
    });
    assert_eq!((got.as_str(), found), (expect, findings.iter().map(|&finding| finding.to_owned()).collect()), "{case}");
}

#[test]
fn which_state_a_skill_has() {
    let is = |state: &str| format!("{{\"skills\": {{\"tea\": \"{state}\"}}}}");
    let (disable, enable, active) = (is("disable"), is("enable"), is("active"));
    given("rule 9.7: no store: the default", "", "", "◐ enable default user", &[]);
    given("rule 9.7: another skill's", r#"{"skills": {"TEA": "active"}}"#, "", "◐ enable default user", &[]);
    given("rule 9.7: an empty store", r#"{"skills": {}}"#, "", "◐ enable default user", &[]);
    given("rule 9.6: disable: nobody", &disable, "", "○ disable user nobody", &[]);
    given("rule 9.6: enable: the user", &enable, "", "◐ enable user user", &[]);
    given("rule 9.6: active: the model too", "", &active, "● active project user+model", &[]);
    given("rule 9.7: the project beats the user", &active, &disable, "○ disable project nobody", &[]);
    given("rule 9.7: the project beats the user, upwards", &disable, &active, "● active project user+model", &[]);
    given("rule 9.7: skill by skill", &active, r#"{"skills": {"x": "disable"}}"#, "● active user user+model", &[]);
    let (home, project) = ("warning state-unknown /h/.gen/skills.json", "warning state-unknown /p/.gen/skills.json");
    given("rule 9.6: not known: disable", &is("Active"), "", "○ disable user nobody", &[home]);
    given("rule 9.6: no text: disable", "", r#"{"skills": {"tea": true}}"#, "○ disable project nobody", &[project]);
    given(
        "rule 9.7: the last of two wins",
        r#"{"skills": {"tea": "disable", "tea": "active"}}"#,
        "",
        "● active user user+model",
        &["error duplicate-key /h/.gen/skills.json"],
    );
    let (home, project) = ("error store-corrupt /h/.gen/skills.json", "error store-corrupt /p/.gen/skills.json");
    given("rule 9.7: corrupt: no JSON", "{", "", "◐ enable default user", &[home]);
    given("rule 9.7: corrupt: a list", "", "[]", "◐ enable default user", &[project]);
    given("rule 9.7: corrupt: no skills", "", "{}", "◐ enable default user", &[project]);
    given("rule 9.7: corrupt: skills are a list", "", r#"{"skills": []}"#, "◐ enable default user", &[project]);
    given("rule 9.7: corrupt: the other one counts", &active, "x", "● active user user+model", &[project]);

    let tree = |more: &str| ground(&format!("//- /p/.gen/skills/tea/SKILL.md\n---\nname: tea\n---\n{more}"));
    let nowhere = tree("//- /p/.gen/skills.json link=nowhere\n");
    given_on("rule 9.7: corrupt: a broken symlink", &nowhere, "◐ enable default user", &[project]);
    let folder = tree("//- /p/.gen/skills.json dir\n");
    given_on("rule 9.7: corrupt: a folder", &folder, "◐ enable default user", &[project]);
    let huge = tree("//- /p/.gen/skills.json sparse=5000000\n");
    given_on("rule 9.7: corrupt: too large", &huge, "◐ enable default user", &[project]);
    let mut off = stores("", &active);
    off.host.off.insert("tea".to_owned());
    given_on("rule 9.4: the host's word counts", &off, "○ disable default nobody", &[]);
    let mut on = stores(&disable, "");
    on.host.on.insert("tea".to_owned());
    given_on("rule 9.4: the host's word counts, upwards", &on, "◐ enable default user", &[]);
}

/// What a change writes: the path, the bytes, and how many it replaces.
#[track_caller]
fn changed(
    case: &str,
    ground: &Ground,
    change: StateChange,
    store: Store,
    expect: Result<(&str, &str, Option<&str>), &str>,
) {
    let got = ground.of(case, "gencode", |world, catalog| {
        let skill = catalog.find_any("tea").expect("the skill");
        States::set(world, catalog.dialect(), skill, change, store).map_err(|error| error.code().to_owned()).map(
            |write| {
                let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
                (write.path.to_string(), text(write.bytes), write.expected.map(text))
            },
        )
    });
    let expect = expect
        .map(|(path, bytes, replaces)| (path.to_owned(), bytes.to_owned(), replaces.map(str::to_owned)))
        .map_err(str::to_owned);
    assert_eq!(got, expect, "{case}");
}

#[test]
fn what_a_change_writes() {
    let (user, project) = ("/h/.gen/skills.json", "/p/.gen/skills.json");
    let written = |state: &str| format!("{{\n  \"skills\": {{\n    \"tea\": \"{state}\"\n  }}\n}}");
    let (disable, enable, active) = (written("disable"), written("enable"), written("active"));
    let to = StateChange::To;
    let none = stores("", "");
    changed("rule 9.8: a first one", &none, to(State::Active), Store::Project, Ok((project, &active, None)));
    changed("rule 9.8: the user's", &none, to(State::Disabled), Store::User, Ok((user, &disable, None)));
    changed("rule 9.8: next to the default", &none, StateChange::Next, Store::User, Ok((user, &active, None)));

    let both = stores("{\"skills\": {\"tea\": \"active\"}}", "{\"skills\": {\"tea\": \"disable\"}}");
    let held = |state: &str| format!("{{\"skills\": {{\"tea\": \"{state}\"}}}}\n");
    let (was_active, was_disable) = (held("active"), held("disable"));
    changed(
        "rule 9.8: next, in the project",
        &both,
        StateChange::Next,
        Store::Project,
        Ok((project, &enable, Some(&was_disable))),
    );
    changed(
        "rule 9.8: next, in the user's",
        &both,
        StateChange::Next,
        Store::User,
        Ok((user, &disable, Some(&was_active))),
    );
    let below = stores("{\"skills\": {\"tea\": \"active\"}}", "");
    changed(
        "rule 9.8: next to the user's, in the project",
        &below,
        StateChange::Next,
        Store::Project,
        Ok((project, &disable, None)),
    );
    let corrupt_below = stores("{", "");
    changed(
        "rule 9.7: a corrupt one says nothing",
        &corrupt_below,
        StateChange::Next,
        Store::Project,
        Ok((project, &active, None)),
    );

    let rich = "{\"version\": 1.50, \"skills\": {\"z\": 7, \"a:\\u00e9\": \"often\"}, \"more\": [null]}";
    let kept = "{\n  \"version\": 1.50,\n  \"skills\": {\n    \"a:é\": \"often\",\n    \"tea\": \"enable\",\n    \"z\": 7\n  },\n  \"more\": [\n    null\n  ]\n}";
    let held = format!("{rich}\n");
    let rich = stores("", rich);
    changed("rule 9.8: all else stays", &rich, to(State::Enabled), Store::Project, Ok((project, kept, Some(&held))));

    for (case, text) in
        [("no JSON", "{"), ("a list", "[]"), ("no skills", "{}"), ("skills are text", "{\"skills\": \"\"}")]
    {
        let case = format!("rule 9.8: never over a corrupt one: {case}");
        changed(&case, &stores("", text), to(State::Active), Store::Project, Err("store-corrupt"));
        changed(&case, &stores(text, ""), StateChange::Next, Store::User, Err("store-corrupt"));
        changed(&case, &stores("", text), to(State::Active), Store::User, Ok((user, &active, None)));
    }
    let mut homeless = stores("", "");
    homeless.places.home = None;
    changed("rule 9.8: no home", &homeless, to(State::Active), Store::User, Err("no-store"));
    changed(
        "rule 9.8: no home, in the project",
        &homeless,
        StateChange::Next,
        Store::Project,
        Ok((project, &active, None)),
    );
}

#[test]
fn a_link_stays_one_and_does_not_lead_out_of_the_project() {
    let text = "{\n  \"skills\": {\n    \"tea\": \"active\"\n  }\n}";
    let held = Some("{\"skills\": {}}\n");
    let tree = |more: &str| {
        ground(&format!(
            "//- /p/.gen/skills/tea/SKILL.md\n---\nname: tea\n---\n//- /q/one.json\n{{\"skills\": {{}}}}\n\
             //- /p/own/one.json\n{{\"skills\": {{}}}}\n{more}"
        ))
    };
    let to = StateChange::To(State::Active);
    let user = tree("//- /h/.gen/skills.json link=/q/one.json\n");
    changed("rule 9.8: the user's link is followed", &user, to, Store::User, Ok(("/q/one.json", text, held)));
    let inside = tree("//- /p/.gen/skills.json link=../own/one.json\n");
    changed("rule 9.8: a link inside", &inside, to, Store::Project, Ok(("/p/own/one.json", text, held)));
    let outside = tree("//- /p/.gen/skills.json link=/q/one.json\n");
    changed("rule 9.8: a link out of the project", &outside, to, Store::Project, Err("file-system"));
    let nowhere = tree("//- /p/.gen/skills.json link=/q/none.json\n");
    changed("rule 9.8: a broken symlink", &nowhere, to, Store::Project, Err("store-corrupt"));

    let mut folder = ground("//- /q/skills/tea/SKILL.md\n---\nname: tea\n---\n//- /p/.gen link=/q\n");
    folder.places.roots = vec![path("/q/skills")];
    changed("rule 9.8: a folder that is a link out", &folder, to, Store::Project, Err("file-system"));
    folder.places.project = Some(path("/q"));
    changed("rule 9.8: a project without any", &folder, to, Store::Project, Ok(("/q/.gen/skills.json", text, None)));
    let mut linked = ground("//- /real/.gen/skills/tea/SKILL.md\n---\nname: tea\n---\n//- /l link=/real\n");
    linked.places.project = Some(path("/l"));
    changed(
        "rule 9.8: a project that is a link",
        &linked,
        to,
        Store::Project,
        Ok(("/real/.gen/skills.json", text, None)),
    );
}

#[test]
fn a_store_that_is_not_here_yet() {
    let mut fs = MemFs::new();
    fs.file("/p/.gen/skills/tea/SKILL.md", "---\nname: tea\n---\n");
    let store = path("/p/.gen/skills.json");
    fs.fault(FsCall::Read, "/p/.gen/skills.json", FsError::Pending(store.clone()));
    fs.fault(FsCall::Canonical, "/p/.gen/skills.json", FsError::Pending(store.clone()));
    let places = Places { project: Some(path("/p")), ..Places::default() };
    let (machine, table) = (Machine::default(), table("gencode"));
    let world = World::new(&fs, &places, &machine);
    let catalog = discover(&world, &table);
    assert_eq!((catalog.pending(), catalog.findings().len()), (&[store.clone()][..], 0), "it is asked for");
    let tea = catalog.find_any("tea").expect("the skill");
    let refused = States::set(&world, &table, tea, StateChange::Next, Store::Project);
    assert_eq!(refused, Err(Error::Fs(FsError::Pending(store))), "and not taken for an empty one");
}

#[test]
fn a_dialect_without_states() {
    let ground = ground("//- /p/.agents/skills/tea/SKILL.md\n---\nname: tea\ndescription: Tea.\n---\n");
    ground.of("none", "agentskills", |world, catalog| {
        let tea = catalog.find_any("tea").expect("the skill");
        let refused = States::set(world, catalog.dialect(), tea, StateChange::Next, Store::Project);
        assert_eq!(refused.map_err(|error| error.code()), Err("not-in-dialect"));
        assert_eq!(catalog.state_rows(&States::read(world, catalog.dialect())), []);
    });
}

#[test]
fn the_cycle() {
    let check = |state: State, mark: char, next: State| assert_eq!((state.symbol(), state.next()), (mark, next), "19");
    check(State::Disabled, '○', State::Enabled);
    check(State::Enabled, '◐', State::Active);
    check(State::Active, '●', State::Disabled);
}
