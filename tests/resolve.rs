//! Which skill wins, in which order, and who may have it: topics 3, 7, 8 and 9 of the rules. In memory and on the disk.

use crate::common;
#[path = "resolve/lookup.rs"]
mod lookup;

use common::ground::{Ground, ground, told};
use common::path;
use pretty_assertions::assert_eq;
use skilltree::Caller;
use skilltree::discovery::FileStatus;
use std::fmt::Write as _;

/// `PATH: FIELDS`, one skill a line; `h:` and `p:` are home and project, with the folder of their source.
#[track_caller]
fn skills(lines: &[&str]) -> Ground {
    let mut text = String::new();
    for line in lines {
        let (at, fields) = line.split_once(": ").unwrap_or((line, "description: D"));
        writeln!(text, "//- {}/SKILL.md\n---\n{}\n---", long(at), fields.replace("; ", "\n")).expect("text can grow");
    }
    ground(&text)
}

fn long(at: &str) -> String {
    let (base, rest) = at.split_once('/').unwrap_or((at, ""));
    let (owner, source) = base.split_once('.').unwrap_or((base, "agents"));
    format!("/{owner}/.{source}/skills/{rest}")
}

fn short(line: &str) -> String {
    line.replace("/SKILL.md", "").replace("/p/.", "p.").replace("/h/.", "h.").replace("/skills/", "/")
}

#[track_caller]
fn check(dialect: &str, case: &str, lines: &[&str], expect: &[&str]) {
    let got = skills(lines).of(case, dialect, |_, catalog| told(catalog).iter().map(|l| short(l)).collect::<Vec<_>>());
    assert_eq!(got, expect, "{case} ({dialect})");
}

const T: &str = "name: t; description: D";

#[test]
fn precedence() {
    check(
        "sven",
        "rule 2.3: the project beats home",
        &["h.sven/t", "p.agents/t"],
        &["t = p.agents/t", "t < h.sven/t by p.agents/t"],
    );
    check(
        "sven",
        "rule 2.3: at home .sven is lowest",
        &["h.sven/t", "h.agents/t", "h.claude/t"],
        &["t = h.claude/t", "t < h.agents/t by h.claude/t", "t < h.sven/t by h.claude/t"],
    );
    check(
        "sven",
        "rule 2.3: in the project .sven is highest",
        &["p.sven/t", "p.agents/t", "p.claude/t"],
        &["t = p.sven/t", "t < p.agents/t by p.sven/t", "t < p.claude/t by p.sven/t"],
    );
    check(
        "sven",
        "rule 7.1: keys are paths, whatever the names",
        &["p.sven/a: name: x; description: D", "h.sven/b: name: x; description: D"],
        &["a = p.sven/a", "b = h.sven/b"],
    );
    check("sven", "rule 7.8: keys mind letter case", &["p.sven/T", "h.sven/t"], &["T = p.sven/T", "t = h.sven/t"]);
    let t = |at: &str| format!("{at}/t: {T}");
    check(
        "agentskills",
        "rule 2.1: project beats home, .agents beats .claude",
        &[&t("h.claude"), &t("h.agents"), &t("p.claude"), &t("p.agents")],
        &[
            "t = p.agents/t",
            "t < h.agents/t by p.agents/t",
            "t < h.claude/t by p.agents/t",
            "t < p.claude/t by p.agents/t",
        ],
    );
    check(
        "agentskills",
        "rule 7.1: the key is the name",
        &["p.agents/x: name: t; description: D"],
        &["t = p.agents/x", "error name-mismatch p.agents/x:2:7"],
    );
    check(
        "agentskills",
        "rule 6.2: blanks in quotes are a part of the name",
        &["p.agents/t: name: '  t '; description: D"],
        &["  t  = p.agents/t", "error name-invalid p.agents/t:2:7", "error name-mismatch p.agents/t:2:7"],
    );
    check(
        "agentskills",
        "rule 7.1: without a name the folder's",
        &["p.agents/a/t: description: D"],
        &["t = p.agents/a/t", "error name-missing p.agents/a/t"],
    );
    check(
        "agentskills",
        "rule 8.2: within a source the first by path wins",
        &[&format!("p.agents/b/t: {T}"), &format!("p.agents/a/t: {T}")],
        &["t = p.agents/a/t", "t < p.agents/b/t by p.agents/a/t"],
    );
    let copied = [format!("p.agents/t-copy: {T}"), format!("p.agents/t: {T}")];
    check(
        "agentskills",
        "rule 8.2: paths are compared folder by folder",
        &[&copied[0], &copied[1]],
        &["t = p.agents/t", "t < p.agents/t-copy by p.agents/t", "error name-mismatch p.agents/t-copy:2:7"],
    );
}

/// In daycare a key has the label of its source, and is not unique all the same (rule 8.1).
#[test]
fn one_id_of_two_skills() {
    let files = ["/p/.daycare/skills", "/p/.daycare/skills/skill", "/r/a/t", "/r/b/t", "/x/a/t", "/x/b/t"];
    let file = |dir: &str| format!("//- {dir}/SKILL.md\n---\nname: {}\ndescription: D\n---\n", path(dir).name());
    let mut ground = ground(&files.map(file).concat()).roots(&["/r/a", "/r/b"]);
    ground.places.registered = ["/x/a/t", "/x/b/t"].map(|dir| ("x".to_owned(), path(dir))).to_vec();
    let got = ground.of("rule 8.1", "daycare", |_, catalog| told(catalog));
    let expect = [
        "config:skill = p.daycare/skills",
        "root:t = /r/b/t",
        "plugin:x/t = /x/a/t",
        "config:skill < p.daycare/skill by p.daycare/skills",
        "root:t < /r/a/t by /r/b/t",
        "plugin:x/t < /x/b/t by /x/a/t",
    ];
    assert_eq!(got.iter().map(|line| short(line)).collect::<Vec<_>>(), expect, "rule 8.1");
}

/// The folder itself comes before a symlink to it, whichever is registered first (rule 3.9).
#[test]
fn one_registered_skill_twice() {
    let mut ground = ground("//- /x/t/SKILL.md\n---\nname: t\ndescription: D\n---\n//- /x/a link=t\n");
    for paths in [["/x/a", "/x/t"], ["/x/t", "/x/a"]] {
        ground.places.registered = paths.map(|at| ("x".to_owned(), path(at))).to_vec();
        let got = ground.of("rule 3.9", "daycare", |_, catalog| told(catalog));
        assert_eq!(got, ["plugin:x/t = /x/t/SKILL.md", "note same-file /x/a/SKILL.md"], "rule 3.9");
    }
}

/// The first by path wins elsewhere (rule 8.2); a later registration replaces an earlier one here.
#[test]
fn ties() {
    let twins = |dialect: &str, root: &str, expect: &[&str]| {
        let one = |dir: &str, fields: &str| format!("//- {root}/{dir}/SKILL.md\n---\nname: t\n{fields}\n---\n");
        let tree = ground(&(one("a", "description: A") + &one("b", "description: B") + &one("c", "description: C")));
        let got = tree.of("rule 8.2", dialect, |_, catalog| told(catalog));
        let expect: Vec<String> = expect.iter().map(|line| line.replace('@', root)).collect();
        assert_eq!(got, expect, "rule 8.2: the last by path ({dialect}, {root})");
    };
    let last = &["t = @/c/SKILL.md", "t < @/a/SKILL.md by @/c/SKILL.md", "t < @/b/SKILL.md by @/c/SKILL.md"];
    for (dialect, root) in [("pegasus", "/p/skills"), ("pegasus", "/p/data/skills"), ("agent-base", "/p/.agent/skills")]
    {
        twins(dialect, root, last);
    }
}

#[test]
fn order() {
    check(
        "sven",
        "rule 8.4: by key in bytes, over all sources",
        &["p.sven/b", "h.sven/a", "p.agents/B", "h.agents/b-c", "h.agents/b/c"],
        &["B = p.agents/B", "a = h.sven/a", "b = p.sven/b", "b-c = h.agents/b-c", "b/c = h.agents/b/c"],
    );
    let s = |at: &str, name: &str| format!("{at}/{name}: name: {name}; description: D");
    check(
        "agentskills",
        "rule 8.4: sources from low to high, then name",
        &[&s("p.agents", "a"), &s("p.claude", "c"), &s("h.agents", "z"), &s("h.claude", "y"), &s("h.claude", "x")],
        &["x = h.claude/x", "y = h.claude/y", "z = h.agents/z", "c = p.claude/c", "a = p.agents/a"],
    );
    check(
        "agentskills",
        "rule 8.4: a replaced skill keeps its place",
        &[&s("h.claude", "m"), &s("h.agents", "a"), &s("p.agents", "m"), &s("p.agents", "b")],
        &["m = p.agents/m", "a = h.agents/a", "b = p.agents/b", "m < h.claude/m by p.agents/m"],
    );
    check(
        "agentskills",
        "rule 8.4: the place is that of the lowest of three",
        &[&s("h.claude", "m"), &s("h.agents", "m"), &s("p.agents", "m"), &s("h.claude", "z"), &s("h.claude", "a")],
        &[
            "a = h.claude/a",
            "m = p.agents/m",
            "z = h.claude/z",
            "m < h.agents/m by p.agents/m",
            "m < h.claude/m by p.agents/m",
        ],
    );
    check(
        "agentskills",
        "rule 8.4: an invalid one gives no place",
        &["h.claude/m: name: m", &s("h.agents", "a"), &s("p.agents", "m")],
        &["a = h.agents/a", "m = p.agents/m", "error description-missing h.claude/m"],
    );
}

#[test]
fn lower_in_use() {
    check(
        "sven",
        "rule 8.3: an invalid one shadows nothing",
        &["h.sven/t", "p.sven/t: name: x"],
        &["t = h.sven/t", "error description-missing p.sven/t", "note lower-in-use p.sven/t"],
    );
    check(
        "sven",
        "rule 8.3: an unmet one shadows nothing",
        &["h.sven/t", "p.sven/t: description: D; sven: {requires_bins: [no]}"],
        &["t = h.sven/t", "warning unmet-requirement p.sven/t", "note lower-in-use p.sven/t"],
    );
    check(
        "sven",
        "rule 8.3: an invalid one below says nothing of it",
        &["h.sven/t: name: x", "p.sven/t"],
        &["t = p.sven/t", "error description-missing h.sven/t"],
    );
    check(
        "sven",
        "rule 8.3: two invalid ones above",
        &["h.sven/t", "p.agents/t: name: x", "p.sven/t: name: x"],
        &[
            "t = h.sven/t",
            "error description-missing p.agents/t",
            "note lower-in-use p.agents/t",
            "error description-missing p.sven/t",
            "note lower-in-use p.sven/t",
        ],
    );
    check("sven", "rule 8.3: nothing below", &["p.sven/t: name: x"], &["error description-missing p.sven/t"]);
    check(
        "agentskills",
        "rule 8.3: by the name that it gives itself",
        &["h.agents/t: name: t; description: D", "p.agents/x: name: t"],
        &[
            "t = h.agents/t",
            "error description-missing p.agents/x",
            "note lower-in-use p.agents/x",
            "error name-mismatch p.agents/x:2:7",
        ],
    );
    let said = skills(&["h.sven/t", "p.sven/t: name: x"]).of("rule 8.3: it says which", "sven", |_, catalog| {
        catalog.findings().iter().find(|f| f.code.as_str() == "lower-in-use").map(|f| f.message.clone())
    });
    assert!(
        said.as_ref().is_some_and(|m| m.contains("`/h/.sven/skills/t/SKILL.md`")),
        "rule 8.3: it says which: {said:?}"
    );
}

#[test]
fn disabled() {
    let got = skills(&["h.sven/t", "p.sven/t"]).off("t").of(
        "rule 8.3: a disabled one hides the lower",
        "sven",
        |_, catalog| {
            let found = [Caller::Model, Caller::User]
                .map(|caller| catalog.find("t", caller).map_err(|error| error.code()).err());
            (told(catalog).iter().map(|line| short(line)).collect::<Vec<_>>(), found)
        },
    );
    assert_eq!(got.0, ["t = p.sven/t", "t < h.sven/t by p.sven/t"], "rule 8.3: a disabled one hides the lower");
    assert_eq!(got.1, [Some("disabled"); 2], "rule 9.1: it is refused, not unknown");
    let mut both = skills(&["p.sven/t"]).off("t");
    both.host.on.insert("t".into());
    let found =
        both.of("rule 9.4: enable beats disable", "sven", |_, catalog| catalog.find("t", Caller::Model).is_ok());
    assert!(found, "rule 9.4: enable beats disable");
}

#[test]
fn nothing_vanishes() {
    let ground = skills(&[
        "h.sven/t",
        "p.sven/t",
        "p.sven/bad: name: x",
        "p.sven/hidden: description: D; sven: {user_invocable_only: true}",
    ])
    .off("hidden");
    let got = ground.of("rule 8.5: the account", "sven", |_, catalog| {
        let mut seen: Vec<_> = catalog
            .seen()
            .map(|seen| {
                let status = match seen.status {
                    FileStatus::InUse(_) => "in use".to_owned(),
                    FileStatus::Shadowed(lost) => format!("by {}", lost.by),
                    FileStatus::Skipped(code) => code.to_string(),
                    _ => String::new(),
                };
                short(&format!("{} {}: {status}", seen.path, seen.key.unwrap_or("-")))
            })
            .collect();
        seen.sort();
        seen
    });
    assert_eq!(
        got,
        [
            "h.sven/t t: by p.sven/t",
            "p.sven/bad bad: description-missing",
            "p.sven/hidden hidden: in use",
            "p.sven/t t: in use"
        ]
    );
}
