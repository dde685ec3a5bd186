//! The files in which a user and a project choose how skills are offered: rules 9.9 and 9.12. In memory and on the disk.
//! What writes is the binary's.

use crate::common;

use common::ground::{Ground, briefs, changed, ground, table};
use common::path;
use common::property::check;
use pretty_assertions::assert_eq;
use proptest::prelude::*;
use skilltree::discovery::{Choices, Store};
use skilltree::{
    Dialect, FsPath, IncrementalDiscovery, MemFs, Places, PromptRequest, Visibility, World, discover, prompt, why,
};
use std::sync::Arc;

const USER: &str = "/c/skilltree.yaml";
const PROJECT: &str = "/p/.skilltree/skilltree.yaml";
const PROJECT_ROOT: &str = "/p/skilltree.yaml";

/// Skills of each kind, and these files.
fn place(files: &[(&str, &str)]) -> Ground {
    let mut text = String::new();
    for (key, field) in [("git-log", ""), ("git-pr", ""), ("mine", "disable-model-invocation: true\n"), ("tea", "")] {
        let head =
            format!("//- /p/.claude/skills/{key}/SKILL.md\n---\nname: {key}\ndescription: About {key}.\n{field}");
        text.push_str(&format!("{head}---\nText.\n"));
    }
    for (file, yaml) in files {
        text.push_str(&format!("//- {file}\n{yaml}\n"));
    }
    with_places(ground(&text))
}

fn with_places(mut ground: Ground) -> Ground {
    ground.places.user_choices = Some(path(USER));
    ground.places.project_choices = vec![path(PROJECT), path(PROJECT_ROOT)];
    ground
}

/// Thousands of findings on one long line do not each hold a copy of it.
#[test]
fn findings_on_one_long_line() {
    let text = format!("{{{}}}", vec!["\"k\": 1"; 5_000].join(","));
    let held = place(&[(PROJECT, &text)]).of("a long line", "claude", |_, catalog| {
        let lines = catalog.findings().iter().map(|finding| finding.line_text.as_ref().map_or(0, String::len));
        (lines.clone().count(), lines.sum::<usize>())
    });
    assert!(held.0 >= 5_000 && held.1 < 2 << 20, "{held:?}");
}

/// A table like that of `claude`, which reads settings of the user and of an administrator.
fn with_settings() -> Arc<Dialect> {
    changed(
        "claude",
        "
settings:
  files:
    - {base: home, path: settings.json}
    - {base: managed, path: settings.json}
  keys:
    - {key: off, role: disabled}
    - {key: set, role: overrides}
",
    )
}

/// Which skills are not offered in full, and the findings.
#[track_caller]
fn gives(case: &str, ground: &Ground, dialect: &Arc<Dialect>, expect: &[&str], findings: &[&str]) {
    let got = ground.ask(case, |world| {
        let catalog = discover(world, dialect);
        let words = catalog.skills().iter().map(|skill| (skill.visibility(), &skill.key));
        let words = words.filter(|(visibility, _)| *visibility != Visibility::Full);
        let words = words.map(|(visibility, key)| format!("{key} {}", visibility.as_str()));
        (words.collect::<Vec<_>>(), briefs(catalog.findings()))
    });
    let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    assert_eq!(got, (owned(expect), owned(findings)), "{case}");
}

#[test]
fn what_the_words_do() {
    let claude = table("claude");
    let user = |skills: &str| place(&[(USER, &format!("skills:\n{skills}"))]);
    gives("no file", &place(&[]), &claude, &["mine user-only"], &[]);
    gives("an empty file", &place(&[(USER, "")]), &claude, &["mine user-only"], &[]);
    gives("no entries", &place(&[(USER, "skills:")]), &claude, &["mine user-only"], &[]);
    gives("off", &user("  tea: off"), &claude, &["mine user-only", "tea off"], &[]);
    gives("quoted", &user("  'tea': \"off\""), &claude, &["mine user-only", "tea off"], &[]);
    gives("for the user only", &user("  tea: user-only"), &claude, &["mine user-only", "tea user-only"], &[]);
    gives("by name", &user("  tea: name-only"), &claude, &["mine user-only", "tea name-only"], &[]);
    gives("pinned", &user("  tea: pinned"), &claude, &["mine user-only", "tea pinned"], &[]);
    gives("not beyond the frontmatter", &user("  mine: pinned"), &claude, &["mine user-only"], &[]);
    gives("narrower than the frontmatter", &user("  mine: off"), &claude, &["mine off"], &[]);
    let both = ["git-log name-only", "git-pr name-only", "mine user-only"];
    gives("a pattern", &user("  \"git-*\": name-only"), &claude, &both, &[]);
    gives("one character", &user("  git-p?: off\n  te?a: off"), &claude, &["git-pr off", "mine user-only"], &[]);
    let last = "  '*': off\n  git-*: full\n  git-log: name-only";
    gives("the last one counts", &user(last), &claude, &["git-log name-only", "mine off", "tea off"], &[]);

    let asked = |case: &str, budget: Option<usize>| {
        user("  tea: pinned\n  git-log: name-only").ask(case, |world| {
            let ask = PromptRequest { budget, ..PromptRequest::default() };
            prompt(world, &discover(world, &claude), &ask)
        })
    };
    let all = asked("the prompt", None);
    assert_eq!(all.shortened_to_fit, 0, "not the budget, but the user shortens it");
    let small = asked("a small budget", Some(all.cost - 1));
    assert_eq!((small.shortened.len(), small.shortened_to_fit), (2, 1), "{}", small.list);
    let (list, shortened, shown) = (all.list, all.shortened, all.shown);
    assert!(list.ends_with("- tea: About tea.\n- git-log\n- git-pr: About git-pr."), "{list}");
    assert_eq!(
        (shortened, shown),
        (vec!["git-log".to_owned()], ["tea", "git-log", "git-pr"].map(str::to_owned).to_vec())
    );
    let said = user("  tea: name-only\n  git-*: off").ask("the reasons", |world| {
        let catalog = discover(world, &claude);
        ["tea", "git-pr"].map(|key| why(world, &catalog, key, &PromptRequest::default()).remove(0).message)
    });
    let by_name = "`tea` is in use, and listed by its name only: set to `name-only` by the entry `tea` \
                   (`/c/skilltree.yaml`, line 2)";
    let off = "`git-pr` is disabled: set to `off` by the entry `git-*` (`/c/skilltree.yaml`, line 3)";
    assert_eq!(said, [by_name, off]);
}

#[test]
fn the_project_narrows_after_the_user() {
    let claude = table("claude");
    let both = |user: &str, project: &str| {
        place(&[(USER, &format!("skills: {{tea: {user}}}")), (PROJECT, &format!("skills: {{tea: {project}}}"))])
    };
    gives("narrower", &both("name-only", "off"), &claude, &["mine user-only", "tea off"], &[]);
    gives("wider", &both("off", "name-only"), &claude, &["mine user-only", "tea off"], &[]);
    gives("than what is pinned", &both("pinned", "user-only"), &claude, &["mine user-only", "tea user-only"], &[]);
    let refused = "warning choice-refused /p/.skilltree/skilltree.yaml";
    let found = [&*format!("{refused}:1:15")];
    gives("full is ignored", &both("off", "full"), &claude, &["mine user-only", "tea off"], &found);
    gives("pinned is ignored", &both("full", "pinned"), &claude, &["mine user-only"], &found);
    let more = place(&[(PROJECT, "dialect: sven\nroots: [/x]\nskills:\n  tea: off")]);
    let found = [&*format!("{refused}:1:1"), &*format!("{refused}:2:1")];
    gives("neither roots nor dialect", &more, &claude, &["mine user-only", "tea off"], &found);
    let chosen = more.ask("nor are they told", Choices::read);
    assert_eq!((chosen.dialect, chosen.roots.len()), (None, 0));
    let (first, second) = ((PROJECT, "skills: {tea: off}"), (PROJECT_ROOT, "skills: {git-pr: off}"));
    let both = ["git-pr off", "mine user-only", "tea off"];
    gives("two files of a folder", &place(&[first, second]), &claude, &both, &[]);
    let narrower = |case, hidden, plain, word| {
        let files =
            [(PROJECT, hidden), (PROJECT_ROOT, plain)].map(|(file, word)| (file, format!("skills: {{tea: {word}}}")));
        let files = files.each_ref().map(|(file, yaml)| (*file, &yaml[..]));
        gives(case, &place(&files), &claude, &["mine user-only", word], &[]);
    };
    narrower("the first narrows more", "off", "name-only", "tea off");
    narrower("the second narrows more", "name-only", "user-only", "tea user-only");
    let broken = format!("error store-corrupt {PROJECT}:2:1");
    let half = place(&[(PROJECT, "skills: ["), second]);
    gives("one of two cannot be read", &half, &claude, &["git-pr off", "mine user-only"], &[&broken]);
    let mut twice = place(&[(PROJECT, "skills: {tea: full}")]);
    twice.places.project_choices = vec![path(PROJECT), path(PROJECT)];
    let found = format!("{refused}:1:15");
    gives("a file that is named twice", &twice, &claude, &["mine user-only"], &[&found]);
    let mut above = place(&[second, ("/skilltree.yaml", "skills: {tea: off}")]);
    above.places.project_choices.push(path("/skilltree.yaml"));
    gives("not one of a folder above", &above, &claude, &["git-pr off", "mine user-only"], &[]);
    gives("the second one", &place(&[second]), &claude, &["git-pr off", "mine user-only"], &[]);
}

#[test]
fn settings_choices_and_the_host() {
    let dialect = with_settings();
    let tea_off = ("/h/settings.json", "{\"off\": [\"tea\"], \"set\": {\"git-pr\": \"user-invocable-only\"}}");
    let managed = ("/m/settings.json", "{\"off\": [\"tea\"]}");
    let with = |files: &[(&str, &str)], skills: &str| {
        let user = format!("skills:\n{skills}");
        let mut ground = place(&[files, &[(USER, &user[..])]].concat());
        ground.places.managed = Some(path("/m"));
        ground
    };
    let set = ["git-pr user-only", "mine user-only", "tea off"];
    gives("settings", &with(&[tea_off], ""), &dialect, &set, &[]);
    gives("a choice undoes", &with(&[tea_off], "  '*': full"), &dialect, &["mine user-only"], &[]);
    let pinned = ["git-pr user-only", "mine user-only", "tea pinned"];
    gives("a choice pins", &with(&[tea_off], "  tea: pinned"), &dialect, &pinned, &[]);
    gives("a narrow choice undoes nothing", &with(&[tea_off], "  '*e*': name-only"), &dialect, &set, &[]);
    let narrower = ["git-pr off", "mine user-only", "tea off"];
    gives("a choice narrows", &with(&[tea_off], "  git-pr: off"), &dialect, &narrower, &[]);
    let stays = ["mine user-only", "tea off"];
    gives("an administrator's stays", &with(&[managed], "  '*': full"), &dialect, &stays, &[]);
    gives("even where both say so", &with(&[tea_off, managed], "  '*': full"), &dialect, &stays, &[]);
    let mut hosted = with(&[managed], "  git-pr: user-only\n  git-log: name-only");
    hosted.host.on.extend(["tea", "git-pr", "git-log"].map(str::to_owned));
    gives("the host beats all", &hosted, &dialect, &["git-log name-only", "mine user-only"], &[]);
    hosted.host.off.insert("mine".to_owned());
    gives("both ways", &hosted, &dialect, &["git-log name-only", "mine off"], &[]);
}

#[test]
fn dialect_and_roots() {
    let told = |yaml: &str| {
        let chosen = place(&[(USER, yaml)]).ask(yaml, Choices::read);
        (chosen.dialect, chosen.roots.iter().map(ToString::to_string).collect::<Vec<_>>().join(" "))
    };
    let some = |text: &str| Some(text.to_owned());
    assert_eq!(told("dialect: claude"), (some("claude"), String::new()));
    assert_eq!(told("dialect: ./own.yaml"), (some("/c/own.yaml"), String::new()));
    assert_eq!(told("dialect: ~/own.yaml"), (some("/h/own.yaml"), String::new()));
    assert_eq!(told("dialect: /own.yaml"), (some("/own.yaml"), String::new()));
    assert_eq!(told("dialect:"), (None, String::new()));
    assert_eq!(told("roots: [a, ../b, ~/c, /d]"), (None, "/c/a /b /h/c /d".to_owned()));
}

#[test]
fn what_is_wrong_with_a_file() {
    let claude = table("claude");
    let is_found = |case: &str, yaml: &str, expect: &[&str], findings: &[&str]| {
        for (file, shown) in [(USER, "/c/skilltree.yaml"), (PROJECT, PROJECT)] {
            let findings: Vec<String> = findings.iter().map(|finding| finding.replace('@', shown)).collect();
            let findings: Vec<&str> = findings.iter().map(String::as_str).collect();
            gives(
                &format!("{case}: {file}"),
                &place(&[(file, yaml)]),
                &claude,
                &[&["mine user-only"], expect].concat(),
                &findings,
            );
        }
    };
    is_found("an unknown word", "skills:\n  tea: of", &["tea off"], &["warning state-unknown @:2:8"]);
    is_found("no word", "skills:\n  tea:\n    - off", &["tea off"], &["warning state-unknown @:3:5"]);
    is_found("an alias", "skills:\n  x: &a off\n  tea: *a", &["tea off"], &[]);
    is_found("a flag", "skills: {tea: false}", &["tea off"], &["warning state-unknown @:1:15"]);
    is_found("an unknown key", "skill: {tea: off}", &[], &["warning unknown-field @:1:1"]);
    is_found("no map of skills", "skills: [tea]", &[], &["warning wrong-type @:1:9"]);
    is_found("a key that is a list", "skills:\n  [a]: off\n  tea: off", &["tea off"], &["warning wrong-type @:2:3"]);
    is_found("a key twice", "skills: {tea: off, tea: name-only}", &["tea off"], &["error duplicate-key @:1:20"]);
    let twice = "skills: {tea: name-only, \"t*\": user-only, tea: off}";
    is_found("a restriction that comes second", twice, &["tea off"], &["error duplicate-key @:1:43"]);
    is_found(
        "a key twice elsewhere",
        "x: {tea: off, tea: off}",
        &[],
        &["warning unknown-field @:1:1", "error duplicate-key @:1:15"],
    );
    is_found("no map", "- tea", &[], &["error store-corrupt @:1:1"]);
    is_found("no YAML", "skills: {tea: off\n", &[], &["error store-corrupt @:3:1"]);
    is_found("two documents", "skills: {tea: off}\n---\na: b", &[], &["error store-corrupt @:2:1"]);
    is_found("too large", &" ".repeat(1_048_577), &[], &["error store-corrupt @"]);
    let long = format!("skills:\n  {}: off\n  tea: off", "x".repeat(257));
    is_found("a long pattern", &long, &["tea off"], &["warning wrong-type @:2:3"]);
    let many = (0..1_001).map(|n| format!("  x{n}: off\n")).collect::<String>();
    let many = format!("skills:\n  tea: off\n{many}");
    is_found("too many entries", &many, &["tea off"], &["error too-many-patterns @:1002:3"]);

    let helps = |yaml: &str| {
        let found = place(&[(USER, yaml)]).of(yaml, "claude", |_, catalog| catalog.findings().to_vec());
        found.into_iter().map(|finding| finding.help.unwrap_or_default()).collect::<Vec<_>>().join("; ")
    };
    assert_eq!(helps("skils: {}"), "did you mean `skills`?");
    assert_eq!(helps("x: {}"), "the keys are `dialect`, `roots` and `skills`");
    assert_eq!(helps("skills: {tea: nameonly}"), "write `name-only`");
    assert_eq!(helps("skills: {tea: 7}"), "write one of the five");
    for (yaml, at) in
        [("dialect: [a]", "1:10"), ("roots: ~/x", "1:8"), ("roots: [a, [b], ]", "1:12"), ("roots: [null]", "1:9")]
    {
        let found = format!("warning wrong-type /c/skilltree.yaml:{at}");
        gives(yaml, &place(&[(USER, yaml)]), &claude, &["mine user-only"], &[&found]);
    }
}

#[test]
fn symlinks_of_the_project_stay_in_it() {
    let claude = table("claude");
    let tea = "//- /p/.claude/skills/tea/SKILL.md\n---\ndescription: Makes tea.\n---\n";
    let linked = |file: &str, target: &str| {
        let files = "//- /p/own.yaml\nskills: {tea: off}\n//- /secret.yaml\nskills: {tea: off}\n";
        with_places(ground(&format!("{tea}//- {file} link={target}\n{files}")))
    };
    gives("within the project", &linked(PROJECT, "/p/own.yaml"), &claude, &["tea off"], &[]);
    let refused = format!("error store-corrupt {PROJECT}");
    gives("out of the project", &linked(PROJECT, "/secret.yaml"), &claude, &[], &[&refused]);
    gives("nowhere", &linked(PROJECT, "/p/missing.yaml"), &claude, &[], &[&refused]);
    gives("the user's own", &linked(USER, "/secret.yaml"), &claude, &["tea off"], &[]);
}

#[test]
fn a_refresh_follows_the_choices() {
    let mut live = IncrementalDiscovery::new(table("claude"));
    let ground = place(&[]);
    let mut fs = ground.tree.mem();
    let mut look = |fs: &MemFs| {
        let world = World::new(fs, &ground.places, &());
        let (refreshed, fresh) = (live.refresh(&world), discover(&world, &table("claude")));
        assert_eq!(refreshed.skills(), fresh.skills());
        refreshed.get("tea").map(|skill| skill.visibility().as_str())
    };
    assert_eq!(look(&fs), Some("full"));
    fs.file(USER, "skills: {tea: name-only}");
    assert_eq!(look(&fs), Some("name-only"));
    fs.file(PROJECT, "skills: {tea: off}");
    assert_eq!(look(&fs), Some("off"));
}

/// What the file holds after `tea` (or another key) is given this visibility; the code of the error, if there is one.
fn written(old: Option<&str>, key: &str, visibility: Visibility) -> Result<String, &'static str> {
    let mut fs = place(&[]).tree.mem();
    fs.file(&format!("/p/.claude/skills/{key}/SKILL.md"), "---\ndescription: D.\n---\n");
    if let Some(old) = old {
        fs.file(USER, old);
    }
    let places = place(&[]).places;
    let world = World::new(&fs, &places, &());
    let catalog = discover(&world, &table("claude"));
    let write =
        Choices::set(&world, catalog.get(key).unwrap(), visibility, Store::User).map_err(|error| error.code())?;
    assert_eq!((write.path.as_str(), write.expected.as_deref()), (USER, old.map(str::as_bytes)));
    Ok(String::from_utf8(write.bytes).unwrap())
}

#[test]
fn an_entry_is_changed_in_its_line() {
    let name_only = |old: &str| written(Some(old), "tea", Visibility::NameOnly);
    let table: &[(&str, &str)] = &[
        ("", "skills:\n  tea: name-only\n"),
        ("# mine\n", "# mine\nskills:\n  tea: name-only\n"),
        ("dialect: claude", "dialect: claude\nskills:\n  tea: name-only\n"),
        ("skills:", "skills:\n  tea: name-only\n"),
        ("skills:   # none\nroots: []\n", "skills:   # none\n  tea: name-only\nroots: []\n"),
        ("skills: {}\n", "skills: {tea: name-only}\n"),
        ("skills:\n  tea: off  # why\n  x: off\n", "skills:\n  tea: name-only  # why\n  x: off\n"),
        ("skills:\n  'tea': \"off\"\n", "skills:\n  'tea': name-only\n"),
        ("skills:\n  tea:\n  x: off\n", "skills:\n  tea: name-only\n  x: off\n"),
        (
            "skills:\n    # a\n    x: off # b\n    # c\nroots: []\n",
            "skills:\n    # a\n    x: off # b\n    tea: name-only\n    # c\nroots: []\n",
        ),
        ("skills:\n  x: off", "skills:\n  x: off\n  tea: name-only\n"),
        ("skills:\r\n  x: off\r\n", "skills:\r\n  x: off\r\n  tea: name-only\r\n"),
        ("\u{feff}skills:\n  x: off\n", "\u{feff}skills:\n  x: off\n  tea: name-only\n"),
        ("skills: {x: off, tea: off}\n", "skills: {x: off, tea: name-only}\n"),
        ("skills: {x: off}\n", "skills: {x: off, tea: name-only}\n"),
        // A pattern after the entry would count instead of it.
        ("skills:\n  tea: off # a\n  t*: off\n", "skills:\n  t*: off\n  tea: name-only\n"),
        ("skills:\n  t*: off\n  tea: off\n", "skills:\n  t*: off\n  tea: name-only\n"),
        ("skills:\n  tea: name-only\n", "skills:\n  tea: name-only\n"),
    ];
    for (old, new) in table {
        assert_eq!(name_only(old).as_deref(), Ok(*new), "{old:?}");
    }
    let refused = [
        "- tea\n",
        "skills: [tea]\n",
        "skills: {tea: off\n",
        "{dialect: claude}\n",
        "skills: ~\n",
        "skills: {x: off,}\n...\n",
        "dialect: claude\n...\n",
        "skills: {tea: off, t*: off}\n",
        "? skills\n: x: off\n  y: |\n    off\n---\n",
    ];
    for old in refused {
        assert_eq!(name_only(old), Err("store-corrupt"), "{old:?}");
    }
    assert_eq!(written(None, "tea", Visibility::Off).as_deref(), Ok("skills:\n  tea: off\n"), "no file");
    for key in ["true", "off", "1", "a b", "a: b", "#a", "\"", "日本"] {
        let quoted = skilltree::Json::from(key);
        let expect = format!("skills:\n  {quoted}: pinned\n");
        assert_eq!(written(None, key, Visibility::Pinned).as_deref(), Ok(&*expect), "{key:?}");
    }
}

#[test]
fn the_projects_file_is_never_widened_nor_outside() {
    let set = |ground: &Ground, visibility| {
        ground.of("the project's file", "claude", |world, catalog| {
            let write = Choices::set(world, catalog.get("tea").unwrap(), visibility, Store::Project);
            write.map(|write| write.path).map_err(|error| error.code())
        })
    };
    assert_eq!(set(&place(&[]), Visibility::Off), Ok(path(PROJECT)));
    assert_eq!(set(&place(&[(PROJECT_ROOT, "")]), Visibility::Off), Ok(path(PROJECT_ROOT)), "the file that is there");
    for wide in [Visibility::Full, Visibility::Pinned] {
        assert_eq!(set(&place(&[]), wide), Err("bad-arguments"), "{wide:?}");
    }
    let tea = "//- /p/.claude/skills/tea/SKILL.md\n---\ndescription: Makes tea.\n---\n";
    let linked = with_places(ground(&format!("{tea}//- /p/.skilltree link=/out\n//- /out dir\n")));
    assert_eq!(set(&linked, Visibility::Off), Err("file-system"), "a symlink out of the project");
    let nowhere = MemFs::new();
    let places = Places::default();
    let catalog = place(&[]).tree.mem();
    let own = Places { project: FsPath::new("/p").ok(), ..Places::default() };
    let catalog = discover(&World::new(&catalog, &own, &()), &table("claude"));
    let error = Choices::set(&World::new(&nowhere, &places, &()), &catalog.skills()[0], Visibility::Off, Store::User);
    assert_eq!(error.map_err(|error| error.code()), Err("no-store"));
}

/// Whatever entries and comments there are, an entry can be added and changed, and everything else stays.
#[test]
fn every_block_of_entries_can_be_changed() {
    let line = prop_oneof![
        ("[a-z*?]{1,4}", 0..5_usize, "( # [a-z]{0,3})?")
            .prop_map(|(key, at, comment)| { format!("  \"{key}\": {}{comment}\n", Visibility::ALL[at].as_str()) }),
        Just("\n".to_owned()),
        Just("  # a comment\n".to_owned()),
    ];
    let files = proptest::collection::vec(line, 0..8);
    check("every_block_of_entries_can_be_changed", 256, (files, 0..5_usize), |(lines, at)| {
        let mut once = std::collections::HashSet::new();
        let lines: Vec<&String> =
            lines.iter().filter(|line| !line.contains('"') || once.insert(line.split('"').nth(1))).collect();
        let old =
            format!("dialect: claude\nskills:\n{}# end\n", lines.iter().map(|line| line.as_str()).collect::<String>());
        let visibility = Visibility::ALL[at];
        let new = written(Some(&old), "tea", visibility).map_err(TestCaseError::fail)?;
        let is_kept = |line: &&str| !line.starts_with("  \"tea\"");
        let kept: Vec<&str> = old.lines().filter(is_kept).collect();
        let now: Vec<&str> = new.lines().filter(|line| is_kept(line) && !line.starts_with("  tea:")).collect();
        prop_assert_eq!(kept, now);
        let again = written(Some(&new), "tea", visibility).map_err(TestCaseError::fail)?;
        prop_assert_eq!(again, new);
        Ok(())
    });
}
