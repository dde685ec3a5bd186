//! The real binary without a command, and what it says of skills beyond the search. Each step that it suggests works.
#![cfg(unix)]

use crate::common;

use crate::program::{Place, field, holds, last_suggested, texts};
use common::Tree;
use pretty_assertions::assert_eq;

fn skill(name: &str) -> String {
    format!("---\nname: {name}\ndescription: Makes {name}.\n---\nBoil water.\n")
}

fn place(files: &[(&str, &str)]) -> Place {
    Place::of(Tree::default().with_dir("/project/.git").with_dir("/home").files(files))
}

fn numbers(place: &Place, words: &[&str]) -> Vec<String> {
    let (code, json) = place.json(words);
    assert_eq!(code, Some(0), "{json}");
    let names = texts(&json, "clients", "dialect");
    let row = |(at, name): (usize, &&str)| {
        let number = |what: &str| field(&json, &format!("clients.{at}.{what}"));
        format!("{name} {} {} {}", number("seen"), number("used"), number("lost"))
    };
    names.iter().enumerate().map(row).collect()
}

#[test]
fn clients_and_findings() {
    let (tea, web, deep) = (skill("tea"), skill("web"), skill("deep"));
    let place = place(&[
        ("/home/.gemini/settings.json", "{}"),
        ("/home/.claude/skills/tea/SKILL.md", &tea),
        ("/project/.agents/skills/lost/SKILL.md", "---\nname: lost\n---\n"),
        ("/project/.claude/skills/a/b/c/deep/SKILL.md", &deep),
        ("/project/packages/web/.claude/skills/web/SKILL.md", &web),
    ]);
    let expect = ["agentskills 3 2 1", "claude 2 1 1", "gemini 1 0 1"];
    assert_eq!(numbers(&place, &[]), expect);
    let (_, json) = place.json(&[]);
    assert_eq!(field(&json, "findings"), "{\"errors\":1,\"warnings\":0}");
    assert_eq!(field(&json, "nested.0").trim_matches('"'), place.named("project/packages/web"));
    let said = place.say(&[]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    let expect = [
        "CLIENT       SEEN  USED  LOST\n",
        "agentskills  3     2     1\n",
        "1 folder of the project has skills",
        "  packages/web\n",
        "1 error:\n  .agents/skills/lost/SKILL.md",
        "missing field `description`",
        "\nNext: `skilltree check",
    ];
    holds("an overview", &said.out, &expect);
    assert!(said.out.lines().all(|line| line.chars().count() <= 80), "{}", said.out);
    let next = place.pasted(last_suggested(&said.out));
    assert_eq!(next.code, Some(1), "there is an error");
    holds("the step", &next.out, &["error[description-missing]", "lost/SKILL.md"]);
    holds("one more dialect, if it is named", &place.say(&["--dialect", "codex"]).out, &["codex "]);
    let help = place.say(&["--help"]);
    assert_eq!(help.code, Some(0));
    holds("help", &help.out, &["Usage", "Without a command"]);
}

/// The usual dialect counts where it is among the clients alone.
#[test]
fn one_client_does_not_differ() {
    let (tea, cup) = (skill("tea"), skill("cup"));
    let mut files = vec![("/home/.codex/skills/tea/SKILL.md", &*tea)];
    let cases = [(1, "0", "list "), (3, "2", "matrix --diff --dialects agentskills,claude,codex`")];
    for (clients, different, step) in cases {
        let place = place(&files);
        let (_, json) = place.json(&[]);
        assert_eq!(
            (texts(&json, "clients", "dialect").len(), field(&json, "different").as_str()),
            (clients, different)
        );
        let said = place.say(&[]);
        holds("the step", &said.out, &[&format!("Next: `skilltree {step}")]);
        assert_eq!(place.pasted(last_suggested(&said.out)).code, Some(0), "{}", said.out);
        files.push(("/home/.claude/skills/cup/SKILL.md", &cup));
    }
}

/// Those below the project are told although the project and the home directory have no trace of their client.
#[test]
fn only_skills_below_the_project() {
    let place = place(&[("/project/packages/web/.claude/skills/web/SKILL.md", &skill("web"))]);
    assert_eq!(numbers(&place, &[]), ["agentskills 0 0 0"]);
    let (_, json) = place.json(&[]);
    assert_eq!(field(&json, "nested"), format!("[{:?}]", place.named("project/packages/web")));
    let said = place.say(&[]);
    holds("in text", &said.out, &["1 folder of the project has skills", "packages/web\n"]);
    holds("the step", &place.pasted(last_suggested(&said.out)).out, &["web"]);
}

#[test]
fn the_next_step_works() {
    let (tea, web) = (skill("tea"), skill("web"));
    let fine: &[(&str, &str)] = &[("/project/.claude/skills/tea/SKILL.md", &tea)];
    let nested = [fine, &[("/project/packages/web/.claude/skills/web/SKILL.md", web.as_str())]].concat();
    let differ = [fine, &[("/home/.gemini/skills/web/SKILL.md", web.as_str())]].concat();
    for (files, step) in [
        (fine, "skilltree list"),
        (&nested, "skilltree matrix --touch packages/web"),
        (&differ, "skilltree matrix --diff --dialects agentskills,claude,gemini"),
    ] {
        let place = place(files);
        let said = place.say(&[]);
        holds(step, &said.out, &[&format!("\nNext: `{step}`\n")]);
        let pasted = place.pasted(step);
        assert_eq!(pasted.code, Some(0), "{}", pasted.err);
        holds(step, &pasted.out, &["tea"]);
    }
}

#[test]
fn nothing_at_all() {
    let place = place(&[]);
    let said = place.say(&[]);
    assert_eq!((said.code, said.err.as_str()), (Some(0), ""));
    holds("where it looked", &said.out, &["no skills found", ".claude/skills", "does not exist", "help: to create"]);
    let made = place.pasted(last_suggested(&said.out));
    assert_eq!(made.code, Some(0), "{}", made.err);
    holds("it is seen", &place.say(&[]).out, &["agentskills", "  1     1     0", "Next: `skilltree "]);
    assert_eq!(numbers(&self::place(&[("/home/.codex/x", "")]), &[]), ["codex 0 0 0"], "a client without skills");
    let missing = place.say(&["--project", "nope"]);
    assert_eq!(missing.code, Some(2));
}

/// Skills below the project are told with the option that brings them into play.
#[test]
fn folders_below_the_project() {
    let (tea, web) = (skill("tea"), skill("web"));
    let file = "/project/packages/web/.claude/skills/web/SKILL.md";
    let place = place(&[("/project/.claude/skills/tea/SKILL.md", &tea), (file, &web)]);
    let claude = |words: &[&str]| place.say(&[&["--dialect", "claude"], words].concat());
    let check = claude(&["check"]);
    assert_eq!(check.code, Some(0), "a note: {}", check.out);
    let step = "skilltree list --dialect claude --touch packages/web";
    holds("a check", &check.out, &["note[nested-source]", "web/SKILL.md", &format!("`{step}`")]);
    holds("the step", &place.pasted(step).out, &["web", "Makes web."]);
    for asked in ["web", "packages/web/.claude/skills/web"] {
        let why = claude(&["why", asked]);
        assert_eq!(why.code, Some(0), "{asked}: {}", why.err);
        holds(asked, &why.out, &["skipped [nested-source]", "--touch packages/web`"]);
        let line = why.out.lines().find(|line| line.contains("--touch")).expect("a step");
        holds(asked, &place.pasted(last_suggested(line)).out, &[": in-use\n"]);
    }
    let other = place.say(&["why", "web"]);
    let says =
        ["`agentskills` does not look for skills in folders below the project", "as the project: `skilltree why /"];
    holds("a dialect without such sources", &other.out, &says);
    holds("which works", &place.pasted(last_suggested(&other.out)).out, &[": in-use\n"]);
    let list = claude(&["list"]);
    assert_eq!(list.err, "", "a list does not look there");
}

/// A name that only other dialects have.
#[test]
fn in_other_dialects() {
    let (tea, pot) = (skill("tea"), skill("pot"));
    let place = place(&[("/home/.sven/skills/tea/SKILL.md", &tea), ("/project/.gen/skills/pot/SKILL.md", &pot)]);
    let why = place.say(&["why", "tea"]);
    assert_eq!(why.code, Some(1));
    let says = ["no skill or file `tea` was found", "note: `tea` is in use in `sven`: `skilltree why tea"];
    holds("not found", &why.err, &says);
    let line = why.err.lines().find(|line| line.contains("is in use in")).expect("a line");
    holds("the step", &place.pasted(last_suggested(line)).out, &[": in-use\n"]);
    let why = place.say(&["why", "pot"]);
    assert_eq!(why.code, Some(0));
    let hidden = [("elsewhere.0.dialect", "\"gencode\""), ("elsewhere.0.model", "false"), ("elsewhere.1", "-")];
    place.fields("JSON says where it is hidden", &["why", "pot"], 0, &hidden);
    place.fields("and not where it is in use", &["why", "tea"], 1, &[("elsewhere.0.model", "-")]);
    let says = ["skipped [not-in-source]", "\n`pot` is hidden from the model in `gencode`: `skilltree why pot"];
    holds("not in use", &why.out, &says);
    let (_, json) = place.json(&["why", "pot"]);
    assert_eq!(texts(&json, "elsewhere", "dialect"), ["gencode"]);
    holds("the step", &place.pasted(last_suggested(&why.out)).out, &[": hidden\n"]);
    // One that is hidden here is asked for where it is not, and nowhere else.
    let hidden = skill("jam").replace("description:", "disable-model-invocation: true\ndescription:");
    place.write("project/.claude/skills/jam/SKILL.md", &hidden);
    let (_, json) = place.json(&["why", "jam"]);
    let others = texts(&json, "elsewhere", "dialect");
    assert!(others.contains(&"goose") && !others.contains(&"claude"), "{others:?}");
    for other in others {
        place.check(other, &["why", "jam", "--dialect", other], 0, &[": in-use"], &[]);
    }
    // A dialect may reach a file through a symlink.
    place.write("project/shared/mug/SKILL.md", &skill("mug"));
    std::fs::create_dir_all(place.at("project/.kilo")).unwrap();
    std::os::unix::fs::symlink("../shared", place.at("project/.kilo/skills")).unwrap();
    for asked in ["mug", "shared/mug/SKILL.md", "shared/mug", "./shared"] {
        let (_, json) = place.json(&["why", asked, "--dialect", "gemini"]);
        assert_eq!(texts(&json, "elsewhere", "dialect"), ["kilo"], "{asked}");
    }
    for options in [&[][..], &["--budget", "0"]] {
        let own = place.say(&[&["why", "tea", "--dialect", "sven"], options].concat());
        let outcome = if options.is_empty() { "in-use" } else { "left-out" };
        assert!(own.out.contains(outcome) && !own.out.contains("is in use in `"), "{}", own.out);
    }
}
