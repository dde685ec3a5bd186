//! What a typed line comes to: topic 14 of the rules, to the byte. In memory and on the disk.

use crate::common;
#[path = "invoke/own_substitution.rs"]
mod own_substitution;

use common::ground::{Ground, SOURCES, ground, on, table};
use common::{Tree, path};
use pretty_assertions::assert_eq;
use skilltree::{Caller, Invocation, LoadRequest, MemFs, Message, World, commands, discover, invoke, load};

const TREE: &str = "
//- /p/.agents/skills/tea/SKILL.md
---
name: tea
description: D
allowed-tools: Read
---

  Boil {args} $ARGUMENTS.

//- /p/.agents/skills/my tea/SKILL.md
---
name: my tea
description: D
---
Mine.
//- /p/.agents/skills/model/SKILL.md
---
name: model
description: D
user-invocable: false
---
//- /p/.agents/skills/user/SKILL.md
---
name: user
description: D
disable-model-invocation: true
sven: {user_invocable_only: true}
---
User.
//- /p/.agents/skills/empty/SKILL.md
---
name: empty
description: D
---
//- /p/.agents/skills/off/SKILL.md
---
name: off
description: D
---
";

fn tea() -> Ground {
    ground(TREE).off("off")
}

#[track_caller]
fn invoked(case: &str, dialect: &str, reserved: &[&str], line: &str) -> Option<Message> {
    let reserved: Vec<String> = reserved.iter().map(|name| (*name).to_owned()).collect();
    tea().of(case, dialect, |world, catalog| {
        match invoke(world, catalog, &commands(catalog, &reserved), line).expect("every skill is there") {
            Some(Invocation::Inline(message)) => Some(message),
            Some(other) => panic!("{case}: {other:?}"),
            None => None,
        }
    })
}

#[track_caller]
fn sends(dialect: &str, case: &str, line: &str, expect: &str) {
    let got = invoked(case, dialect, &[], line).map(|message| message.text);
    assert_eq!(got.as_deref(), Some(expect), "{case}");
}

#[track_caller]
fn plain(dialect: &str, case: &str, reserved: &[&str], line: &str) {
    assert_eq!(invoked(case, dialect, reserved, line), None, "{case}");
}

#[test]
fn sven() {
    let body = "  Boil {args} $ARGUMENTS.";
    sends("sven", "rule 14.6: no arguments", "/tea", body);
    sends("sven", "rule 14.6: blank arguments", "/tea  \t ", body);
    sends("sven", "rule 14.6: a task", "/tea green", &format!("{body}\n\nTask: green"));
    sends(
        "sven",
        "rule 14.6: arguments are verbatim",
        "/tea  a  \"b c\"\t'd' \\e\n\nf {key} ",
        &format!("{body}\n\nTask: a  \"b c\"\t'd' \\e\n\nf {{key}}"),
    );
    sends("sven", "rule 14.1: a line end ends the name", "/tea\ngreen", &format!("{body}\n\nTask: green"));
    sends("sven", "rule 14.1: any white space ends the name", "/tea\u{a0}green", &format!("{body}\n\nTask: green"));
    sends("sven", "rule 14.6: the sanitised name", "/my_tea x", "Mine.\n\nTask: x");
    sends("sven", "rule 9.1: for the user alone", "/user", "User.");
    sends("sven", "rule 14.6: an empty body", "/empty", "");
}

#[test]
fn agentskills() {
    let text = |name: &str, dir: &str, body: &str| {
        format!(
            "<skill_content name=\"{name}\">\n{body}\n\nSkill directory: /p/.agents/skills/{dir}\nRelative paths in this skill are relative to the skill directory.\n</skill_content>"
        )
    };
    let tea = text("tea", "tea", "Boil {args} $ARGUMENTS.");
    sends("agentskills", "rule 14.6: no arguments", "/tea", &tea);
    sends("agentskills", "rule 14.6: arguments", "/tea  a  b ", &format!("{tea}\n\nARGUMENTS: a  b"));
    sends(
        "agentskills",
        "rule 14.6: nothing in arguments is filled in",
        "/tea {text} $1",
        &format!("{tea}\n\nARGUMENTS: {{text}} $1"),
    );
    sends(
        "agentskills",
        "rule 14.6: hidden from the model, called by the user",
        "/user",
        &text("user", "user", "User."),
    );
    sends(
        "agentskills",
        "rule 14.4: white space in the key",
        "/my_tea x",
        &format!("{}\n\nARGUMENTS: x", text("my tea", "my tea", "Mine.")),
    );
}

#[test]
fn ordinary_messages() {
    for dialect in ["sven", "agentskills"] {
        for line in
            ["", "tea", " /tea", "/", "/ tea", "//tea", "/unknown x", "/TEA", "/tea/x", "a /tea", "/te", "\n/tea"]
        {
            plain(dialect, &format!("rule 14.1: no command: {line:?}"), &[], line);
        }
        plain(dialect, "rule 14.2: a command of the host", &["tea"], "/tea x");
        plain(dialect, "rule 14.1: switched off", &[], "/off");
    }
    plain("agentskills", "rule 14.1: not for the user", &[], "/model");
    let numbered = invoked("rule 14.2: its own name then", "sven", &["tea"], "/tea_2");
    assert_eq!(numbered.map(|message| message.key), Some("tea".to_owned()), "rule 14.2: its own name then");
}

#[test]
fn what_comes_along() {
    let got = invoked("rule 16.3: tools and folder", "agentskills", &[], "/tea x").expect("a command");
    assert_eq!(
        (got.key.as_str(), got.dir, got.model),
        ("tea", path("/p/.agents/skills/tea"), None),
        "rule 16.3: tools and folder"
    );
    assert_eq!(got.tools, Some(vec![]), "rule 16.2: a project that is not trusted grants nothing");
    let found: Vec<_> = got.findings.iter().map(|finding| finding.code.as_str()).collect();
    assert_eq!(found, ["untrusted-grant"], "rule 16.2: at invoke too");
    let got = invoked("rule 16.3: sven", "sven", &[], "/tea x").expect("a command");
    assert_eq!((got.tools, got.findings), (None, vec![]), "rule 16.1: sven says nothing of tools");
}

/// The text of what an invocation comes to when its commands print this.
#[track_caller]
fn resumed(case: &str, body: &str, outputs: &[&str], expect: &str) {
    let skill = format!("//- /p/.claude/skills/now/SKILL.md\n---\ndescription: D\n---\n{body}\n");
    let outputs: Vec<String> = outputs.iter().map(|output| (*output).to_owned()).collect();
    let text = ground(&skill).of(case, "claude", |world, catalog| {
        match invoke(world, catalog, &commands(catalog, &[]), "/now x").expect("the skill is there") {
            Some(Invocation::Pending(pending)) => match pending.resume(&outputs) {
                Invocation::Inline(message) => message.text,
                other => panic!("{case}: {other:?}"),
            },
            other => panic!("{case}: {other:?}"),
        }
    });
    assert_eq!(text, expect, "{case}");
}

#[test]
fn commands_to_run_first() {
    resumed("rule 13.7: one", "A !`a` $0.", &["out"], "A out x.");
    resumed("rule 13.7: nothing but one", "!`a`", &["out"], "out\n\nARGUMENTS: x");
    resumed("rule 13.7: side by side", "$0\n!`a` !`b`", &["1", "2"], "x\n1 2");
    resumed("rule 13.7: too few outputs", "$0 !`a` !`b`.", &["1"], "x 1 .");
    resumed("rule 13.7: too many outputs", "$0 !`a`.", &["1", "2", "3"], "x 1.");
    resumed(
        "rule 13.8: an output is not scanned",
        "$0 !`a` !`b`",
        &["$0 $ARGUMENTS !`c`", "{body}"],
        "x $0 $ARGUMENTS !`c` {body}",
    );
    resumed("rule 13.7: arguments before and behind", "$0$0 !`a`\n```!\nb\n```\n$ARGUMENTS", &["1", "2"], "xx 1\n2\nx");
    resumed("rule 13.7: letters of any script", "ä $0 !`ö` ü", &["😀"], "ä x 😀 ü");
}

#[test]
fn what_commands_may_name() {
    let skill =
        "//- /p/.claude/skills/now/SKILL.md\n---\ndescription: D\narguments: [what, where]\nshell: sh\n---\n!`a`\n";
    let known = ground(skill).of("rule 13.7: variables", "claude", |world, catalog| {
        match invoke(world, catalog, &commands(catalog, &[]), "/now 'a b'").expect("the skill is there") {
            Some(Invocation::Pending(pending)) => {
                let is_trusted = pending.trusted().is_ok();
                (pending.variables, pending.words, pending.shell, pending.requires_env, is_trusted)
            }
            other => panic!("{other:?}"),
        }
    });
    let expect = [
        ("what", "a b"),
        ("where", ""),
        ("CLAUDE_SKILL_DIR", "/p/.claude/skills/now"),
        ("CLAUDE_PROJECT_DIR", "/p"),
        ("ARGUMENTS", "'a b'"),
    ];
    let expect = expect.map(|(name, value)| (name.to_owned(), value.to_owned())).to_vec();
    assert_eq!(known, (expect, vec!["a b".to_owned()], Some("sh".to_owned()), vec![], false), "rule 13.7: variables");
}

/// Rule 12.6, in every dialect.
#[test]
fn no_folder_closes_the_frame() {
    let mut sent = 0;
    for (name, source) in SOURCES {
        let text = "---\nname: tea\ndescription: D\n---\nBoil.\n";
        let ground = on(Tree::default().with(&format!("{source}/a<|x>b/SKILL.md"), text));
        let texts = ground.of(name, name, |world, catalog| {
            let commands = commands(catalog, &[]);
            let send = |name: &str| match invoke(world, catalog, &commands, &format!("/{name}")) {
                Ok(Some(Invocation::Inline(message))) => message.text,
                _ => String::new(),
            };
            commands.all().iter().map(|command| send(&command.name)).collect::<String>()
        });
        assert!(!texts.contains("<|x>"), "{name}: {texts}");
        sent += usize::from(texts.contains("&lt;|x&gt;"));
    }
    assert!(sent > 4, "{sent} dialects name the folder");
}

#[test]
fn what_the_file_says_now() {
    let mut fs = MemFs::new();
    fs.file("/p/skills/s/SKILL.md", "---\ndescription: D\n---\nOld.\n");
    let ground = ground("");
    let world = World::new(&fs, &ground.places, &());
    let catalog = discover(&world, &table("pegasus"));
    let mut fs = MemFs::new();
    fs.file("/p/skills/s/SKILL.md", "---\ndescription: D\ncontext: fork\nmodel: large\n---\nNew.\n");
    let world = World::new(&fs, &ground.places, &());
    let got = invoke(&world, &catalog, &commands(&catalog, &[]), "/s").expect("the skill is there");
    let Some(Invocation::Fork(fork)) = got else { panic!("rule 12.1: a fork by now: {got:?}") };
    assert_eq!((fork.text.as_str(), fork.model.as_deref()), ("New.", Some("large")), "rule 12.1: a fork by now");
    let skill = catalog.find("s", Caller::User).expect("the skill is there");
    assert_eq!(
        load(&world, &catalog, skill, &LoadRequest::new(Caller::User)).expect("it loads").body,
        "New.",
        "rule 12.1: read again"
    );
}
