//! The toolsets that a skill declares: which file each is, and what is none. In memory and on the disk.

use crate::common;

use common::ground::{Ground, briefs, ground};
use common::{Machine, tree};
use pretty_assertions::assert_eq;
use skilltree::loading::ToolsetPlans;
use skilltree::{Error, FsPath, MemFs, Places, World, dialect, discover};

/// A skill `s` in the project that declares these, with these files.
fn skill(toolsets: &str, files: &str) -> Ground {
    let manifest = format!("---\nname: s\ndescription: A skill.\ntoolsets: {toolsets}\n---\nText.\n");
    let mut ground = ground(&format!("//- /p/.agent/skills/s/SKILL.md\n{manifest}{files}"));
    ground.host.trust = true;
    ground
}

/// The file and the export of each plan, or why there is no answer; and the findings.
#[track_caller]
fn planned(case: &str, ground: &Ground) -> (Vec<String>, Vec<String>) {
    ground.of(case, "agent-base", |world, catalog| {
        let Some(skill) = catalog.get("s") else { panic!("{case}: no skill") };
        match ToolsetPlans::of(world, catalog, skill) {
            Ok(found) => {
                let plans = found.plans.iter().map(|plan| {
                    let file = plan.file.relative_to(&plan.dir).unwrap_or("outside");
                    format!("{file} {} {:?}{}", plan.export, plan.language, if plan.brings_zod { " zod" } else { "" })
                });
                (plans.collect(), briefs(&found.findings))
            }
            Err(error) => (vec![error.code().to_owned()], Vec::new()),
        }
    })
}

/// What one toolset comes to, with these files in the skill's folder.
#[track_caller]
fn check(case: &str, spec: &str, files: &[&str], expect: &str) {
    let files: String = files.iter().map(|file| format!("//- /p/.agent/skills/s/{file}\n")).collect();
    let (plans, findings) = planned(case, &skill(&format!("[\"{spec}\"]"), &files));
    let got = plans.into_iter().chain(findings).collect::<Vec<_>>().join("; ");
    assert_eq!(got, expect, "{case}");
}

const MISSING: &str = "error toolset-missing /p/.agent/skills/s/SKILL.md";
const INVALID: &str = "error toolset-invalid /p/.agent/skills/s/SKILL.md";

#[test]
fn which_file_is_meant() {
    let index = "toolsets/index:X";
    check("the document's form", index, &["toolsets/index.ts"], "toolsets/index.ts X TypeScript");
    check("as it is written", "a/b.js:X", &["a/b.js", "a/b.js.ts"], "a/b.js X JavaScript");
    check("an ending that is not ours is written out", "a.b:X", &["a.b.py"], "a.b.py X Python");
    check("the index of a folder", "toolsets:X", &["toolsets/index.mjs"], "toolsets/index.mjs X JavaScript");
    check("a file before an index", "t:X", &["t/index.ts", "t.cjs"], "t.cjs X JavaScript");
    check(
        "TypeScript before what it was made into",
        index,
        &["toolsets/index.ts", "toolsets/index.js"],
        "toolsets/index.ts X TypeScript",
    );
    check("white space counts nowhere", " toolsets/index : X ", &["toolsets/index.py"], "toolsets/index.py X Python");
    check("a dot at its beginning", "./t:X", &["t.ts"], "t.ts X TypeScript");
    check("Python or TypeScript: nobody knows", index, &["toolsets/index.py", "toolsets/index.ts"], INVALID);
    check(
        "with its ending, it is known",
        "toolsets/index.py:X",
        &["toolsets/index.py", "toolsets/index.ts"],
        "toolsets/index.py X Python",
    );
    check("nothing there", index, &["toolsets/other.ts"], MISSING);
    check("a folder without an index", "toolsets:X", &["toolsets/other.ts"], MISSING);
    check("a language without tools", "t.sh:X", &["t.sh"], INVALID);
    check("no language", "t.txt:X", &["t.txt"], INVALID);
    check("no export", "t.ts", &["t.ts"], INVALID);
    check("an empty export", "t.ts:", &["t.ts"], INVALID);
    check("an empty path", ":X", &["t.ts"], INVALID);
    check("above the skill", "../x:Y", &["t.ts"], INVALID);
    check("above and back", "a/../../s/t:Y", &["t.ts"], INVALID);
    check("in the skill, by a detour", "a/../t:Y", &["t.ts", "a/b"], INVALID);
    check("absolute", "/p/.agent/skills/s/t.ts:Y", &["t.ts"], INVALID);
    check("the folder itself", ".:Y", &["index.ts"], "index.ts Y TypeScript");
    check("the folder with another name's ending", ".:Y", &["../s.ts"], INVALID);
}

#[test]
fn why_a_path_is_refused() {
    let path = "write a path inside the skill's folder, without `..` and `\\`";
    for (spec, why) in [
        ("../x:Y", "leads outside of the skill's folder"),
        ("a/../../s/t:Y", "leads outside of the skill's folder"),
        ("a/../a/t:Y", "does not have a plain path"),
        ("a\\\\t:Y", "does not have a plain path"),
        ("/p/.agent/skills/s/t.ts:Y", "is not in a folder of the skill"),
    ] {
        let ground = skill(&format!("[\"{spec}\"]"), "//- /p/.agent/skills/s/a/t.ts\n");
        ground.of(spec, "agent-base", |world, catalog| {
            let found = ToolsetPlans::of(world, catalog, catalog.get("s").unwrap()).unwrap();
            let told =
                found.findings.iter().map(|found| (found.message.clone(), found.help.clone())).collect::<Vec<_>>();
            let spec = spec.replace("\\\\", "\\");
            assert_eq!(told, [(format!("the toolset `{spec}` {why}"), Some(path.to_owned()))]);
        });
    }
}

#[test]
fn an_empty_entry_is_found() {
    let ground = skill("[\"\", \"a:X\"]", "//- /p/.agent/skills/s/a.ts\n");
    assert_eq!(planned("the others go on", &ground).0, ["a.ts X TypeScript"]);
    ground.of("an empty entry", "agent-base", |_, catalog| {
        let told: Vec<&str> = catalog.findings().iter().map(|found| found.message.as_str()).collect();
        assert_eq!(told, ["a toolset of `toolsets` is empty"]);
    });
}

#[test]
fn links_stay_inside() {
    let within = |link: &str| {
        skill("[\"t/index:X\"]", &format!("//- /p/.agent/skills/s/real/index.ts\n//- /p/out/index.ts\n{link}"))
    };
    let link = |at: &str, to: &str| format!("//- /p/.agent/skills/s/{at} link={to}\n");
    let (plans, findings) = planned("inside", &within(&link("t", "/p/.agent/skills/s/real")));
    assert_eq!((plans, findings), (vec!["real/index.ts X TypeScript".to_owned()], vec![]));
    let outside = (vec![], vec![INVALID.to_owned()]);
    assert_eq!(planned("a folder outside", &within(&link("t", "/p/out"))), outside);
    assert_eq!(planned("a file outside", &within(&link("t/index.ts", "/p/out/index.ts"))), outside);
    let text = "//- /p/.agent/skills/s/real/a.py\n//- /p/.agent/skills/s/real/a.txt\n";
    let linked = |to: &str| {
        skill("[\"t/index:X\"]", &format!("{text}{}", link("t/index.ts", &format!("/p/.agent/skills/s/real/{to}"))))
    };
    assert_eq!(planned("the language of what it leads to", &linked("a.py")).0, ["real/a.py X Python"]);
    assert_eq!(planned("which has to be one", &linked("a.txt")), outside);
    let (plans, findings) = planned("nowhere", &within(&link("t/index.ts", "/p/none.ts")));
    assert_eq!((plans, findings), (vec![], vec![MISSING.to_owned()]));
}

#[test]
fn a_skill_may_bring_zod() {
    let with = |files: &[&str], expect: &str| check(expect, "t/index:X", &[files, &["t/index.ts"]].concat(), expect);
    with(&[], "t/index.ts X TypeScript");
    with(&["node_modules/zod/package.json"], "t/index.ts X TypeScript zod");
    with(&["t/node_modules/zod/package.json"], "t/index.ts X TypeScript zod");
    with(&["other/node_modules/zod/package.json"], "t/index.ts X TypeScript");
    with(&["../node_modules/zod/package.json"], "t/index.ts X TypeScript");
    with(&["../zod/package.json", "node_modules/zod link=../../zod"], "t/index.ts X TypeScript");
}

#[test]
fn each_toolset_for_itself() {
    let files = "//- /p/.agent/skills/s/a.ts\n//- /p/.agent/skills/s/b.py\n";
    let (plans, findings) = planned("several", &skill("[\"a:X\", \"nope:Y\", \"b:Z\", \"a:X\", \"odd\"]", files));
    assert_eq!(plans, ["a.ts X TypeScript", "b.py Z Python"]);
    assert_eq!(findings, [MISSING, INVALID]);
    assert_eq!(planned("none", &skill("[]", files)), (vec![], vec![]));
}

#[test]
fn only_what_may_be_run() {
    let mut ground = skill("[\"a:X\"]", "//- /p/.agent/skills/s/a.ts\n");
    ground.host.trust = false;
    assert_eq!(planned("not trusted", &ground).0, ["untrusted"]);
    let mut none = skill("[]", "");
    none.host.trust = false;
    assert_eq!(planned("nothing to trust", &none), (vec![], vec![]));

    let ground = skill("[\"a:X\"]", "//- /p/.agent/skills/s/a.ts\n").off("s");
    assert_eq!(planned("switched off", &ground).0, ["disabled"]);
}

#[test]
fn the_manifest_is_read_again() {
    let manifest = |toolset: &str| format!("---\nname: s\ndescription: A skill.\ntoolsets: [\"{toolset}\"]\n---\n");
    let mut fs: MemFs = tree("//- /r/s/a.ts\n//- /r/s/b.ts\n").mem();
    fs.file("/r/s/SKILL.md", manifest("a:X"));
    let places = Places { roots: vec![FsPath::new("/r").unwrap()], ..Places::default() };
    let (host, table) = (Machine { trust: true, ..Machine::default() }, dialect("agent-base").unwrap());
    let catalog = discover(&World::new(&fs, &places, &host), &table);
    fs.file("/r/s/SKILL.md", manifest("b:X"));
    let skill = catalog.get("s").unwrap();
    let found = ToolsetPlans::of(&World::new(&fs, &places, &host), &catalog, skill).unwrap();
    assert_eq!(found.plans.iter().map(|plan| plan.file.as_str()).collect::<Vec<_>>(), ["/r/s/b.ts"]);
    let gone = ToolsetPlans::of(&World::new(&MemFs::new(), &places, &host), &catalog, skill);
    assert!(matches!(gone, Err(Error::SkillGone { .. } | Error::Fs(_))), "{gone:?}");
}
