//! Which script of a skill is run, by what and where, and which is not: in memory and on the disk.

use crate::common;

use common::ground::{Ground, ground, on, skill};
use common::path;
use pretty_assertions::assert_eq;
use skilltree::loading::{Interpreter, ScriptPlan};

const TREE: &str = r#"
//- /h/.agents/skills/pdf/SKILL.md
---
name: pdf
description: Fills forms.
---
Run it.
//- /h/.agents/skills/pdf/scripts/fill.py
//- /h/.agents/skills/pdf/scripts/sub/x.sh
//- /h/.agents/skills/pdf/scripts/scripts/x.sh
//- /h/.agents/skills/pdf/scripts/in.py link=../lib/real.py
//- /h/.agents/skills/pdf/scripts/bare link=../lib/real.py
//- /h/.agents/skills/pdf/scripts/out.py link=/etc/out.py
//- /h/.agents/skills/pdf/scripts/other.py link=../../pdf-too/scripts/own.py
//- /h/.agents/skills/pdf/scripts/nowhere.py link=absent.py
//- /h/.agents/skills/pdf/scripts/round.py link=round.py
//- /h/.agents/skills/pdf/scripts/queue.py other
//- /h/.agents/skills/pdf/scripts/linked link=../lib
//- /h/.agents/skills/pdf/lib/back link=../scripts
//- /h/.agents/skills/pdf/scripts/theirs.sh link=nested/theirs.sh
//- /h/.agents/skills/pdf/scripts/there link=nested
//- /h/.agents/skills/pdf/scripts/text.sh link=../SKILL.md
//- /h/.agents/skills/pdf/scripts/away link=/etc
//- /h/.agents/skills/pdf/scripts/node_modules/dep/run.js
//- /h/.agents/skills/pdf/scripts/nested/SKILL.md
---
name: nested
description: Lies among scripts.
---
//- /h/.agents/skills/pdf/scripts/nested/theirs.sh
//- /h/.agents/skills/pdf/lib/real.py
//- /h/.agents/skills/pdf/top.sh
//- /h/.agents/skills/pdf-too/SKILL.md
---
name: pdf-too
description: Its name begins alike.
---
//- /h/.agents/skills/pdf-too/scripts/own.py
//- /h/.agents/skills/none/SKILL.md
---
name: none
description: Has no scripts.
---
//- /etc/out.py
"#;

/// `name file by`, or why not.
#[track_caller]
fn planned(ground: &Ground, case: &str, (dialect, key): (&str, &str), asked: &str, args: &[String]) -> String {
    let plan = |plan: ScriptPlan| {
        assert_eq!(plan.args, args, "{case}");
        assert_eq!(plan.key, key, "{case}");
        assert!(plan.file.starts_with(&plan.dir), "{case}");
        let by = match plan.interpreter {
            Interpreter::Itself => "itself".to_owned(),
            Interpreter::Line { program, arguments } => format!("{program} {arguments:?}"),
            Interpreter::Language(language) => format!("{language:?}"),
            _ => String::new(),
        };
        format!("{} {} {by}", plan.name, plan.file)
    };
    ground.of(case, dialect, |world, catalog| {
        let skill = catalog.find_any(key).unwrap_or_else(|error| panic!("{case}: {error}"));
        ScriptPlan::of(world, catalog, skill, asked, args)
            .map_or_else(|error| format!("{}: {error}", error.code()), plan)
    })
}

#[test]
fn names_of_scripts() {
    let ground = ground(TREE);
    let check = |case: &str, asked: &str, expect: &str| {
        assert_eq!(planned(&ground, case, ("agentskills", "pdf"), asked, &[]), expect, "{case}");
    };
    let folder = "/h/.agents/skills/pdf";
    check("a name", "fill.py", &format!("fill.py {folder}/scripts/fill.py Python"));
    check("with its folder", "scripts/fill.py", &format!("fill.py {folder}/scripts/fill.py Python"));
    check("deeper", "sub/x.sh", &format!("sub/x.sh {folder}/scripts/sub/x.sh Shell"));
    check("the exact name first", "scripts/x.sh", &format!("scripts/x.sh {folder}/scripts/scripts/x.sh Shell"));
    check("a link inside", "in.py", &format!("in.py {folder}/lib/real.py Python"));
    check("the real name's ending", "bare", &format!("bare {folder}/lib/real.py Python"));

    check("behind a linked folder", "linked/real.py", &format!("linked/real.py {folder}/lib/real.py Python"));
    check(
        "a folder that leads back",
        "linked/back/fill.py",
        &format!("linked/back/fill.py {folder}/scripts/fill.py Python"),
    );
    check("from here", "./fill.py", &format!("fill.py {folder}/scripts/fill.py Python"));
    check("from here, with its folder", "./scripts/fill.py", &format!("fill.py {folder}/scripts/fill.py Python"));

    let has = "it has `bare`, `fill.py`, `in.py`, `linked/real.py`, `scripts/x.sh`, `sub/x.sh`";
    let no = |asked: &str, rest: &str| format!("no-script: the skill `pdf` has no script `{asked}`{rest}");
    check("nothing like it", "frobnicate", &no("frobnicate", &format!("; {has}")));
    check("nearly", "fil.py", &no("fil.py", "; did you mean `fill.py` or `in.py`?"));
    check("another letter case", "FILL.PY", &no("FILL.PY", "; did you mean `fill.py`?"));
    check("a folder", "sub", &no("sub", ": that is a folder; did you mean `sub/x.sh`?"));
    check("a FIFO", "queue.py", &no("queue.py", &format!(": that is not a regular file; {has}")));
    check("a dangling link", "nowhere.py", &no("nowhere.py", &format!(": that is a broken symlink; {has}")));
    check("a link to itself", "round.py", &no("round.py", &format!(": that is a broken symlink; {has}")));
    let theirs = format!(": that is a file of another skill; {has}");
    check("another skill's", "nested/theirs.sh", &no("nested/theirs.sh", &theirs));
    check("a package's", "node_modules/dep/run.js", &no("node_modules/dep/run.js", &theirs));
    check("a link to another skill's", "theirs.sh", &no("theirs.sh", &theirs));
    check("a linked folder of another skill", "there/theirs.sh", &no("there/theirs.sh", &theirs));
    check("the skill's own text", "text.sh", &no("text.sh", &theirs));

    let outside = |asked: &str| {
        let rule = "name a script by its path below `scripts/`, without `..`; no symlink may lead out of the skill";
        format!("outside: `{asked}` is outside the scripts of the skill `pdf`; {rule}")
    };
    for asked in ["../top.sh", "scripts/../../top.sh", "sub/../../top.sh", "./../top.sh", "/etc/out.py", ".."] {
        let shown = asked.strip_prefix("scripts/").or(asked.strip_prefix("./")).unwrap_or(asked);
        check(asked, asked, &outside(shown));
    }
    let not_plain = |asked: &str| {
        let rule =
            "name a script by its path below `scripts/`, with one `/` between names and without `.`, `..` and `\\`";
        format!("not-plain: `{asked}` is not a plain path, so it is not a script of the skill `pdf`; {rule}")
    };
    for asked in ["sub/../fill.py", "sub//x.sh", "sub/./x.sh", "fill.py/", "", ".", "sub\\x.sh"] {
        check(asked, asked, &not_plain(asked));
    }
    check("the folder alone", "scripts/", &not_plain(""));
    check("a NUL", "fill.py\0", &not_plain("fill.py\\u{0}"));
    check("a link out", "out.py", &outside("out.py"));
    check("a link to a skill beside it", "other.py", &outside("other.py"));
    check("behind a folder that leads out", "away/out.py", &outside("away/out.py"));

    let none = planned(&ground, "no folder", ("agentskills", "none"), "x.sh", &[]);
    assert_eq!(none, "no-script: the skill `none` has no script `x.sh`; it has none");
    let own = planned(&ground, "nested", ("agentskills", "nested"), "theirs.sh", &[]);
    assert_eq!(
        own, "no-script: the skill `nested` has no script `theirs.sh`; it has none",
        "it lies beside its SKILL.md"
    );
}

#[test]
fn names_that_are_listed() {
    let ground = ground(TREE);
    let names = |case: &str, key: &str| {
        ground
            .of(case, "agentskills", |world, catalog| ScriptPlan::names(world, catalog, catalog.find_any(key).unwrap()))
    };
    assert_eq!(names("all", "pdf"), ["bare", "fill.py", "in.py", "linked/real.py", "scripts/x.sh", "sub/x.sh"]);
    assert_eq!(names("none", "none"), Vec::<String>::new());

    let skill = "//- /h/.agents/skills/l/SKILL.md\n---\nname: l\ndescription: d\n---\n";
    let linked = |case: &str, target: &str, names: &[&str], file: &str| {
        let dir = "/h/.agents/skills/l";
        let more = format!("//- {dir}/scripts link={target}\n//- {dir}/bin/x.sh\n//- /h/.agents/skills/k/bin/x.sh\n");
        let ground = common::ground::ground(&format!("{skill}{more}"));
        let got =
            ground.of(case, "agentskills", |world, catalog| ScriptPlan::names(world, catalog, &catalog.skills()[0]));
        assert_eq!(got, names, "{case}");
        let got = planned(&ground, case, ("agentskills", "l"), file, &[]);
        assert!(got.starts_with(if names.is_empty() { "outside: " } else { file }), "{case}: {got}");
    };
    linked("a linked folder", "bin", &["x.sh"], "x.sh");
    linked("the skill's own folder", ".", &["bin/x.sh"], "bin/x.sh");
    linked("another skill's folder", "../k/bin", &[], "x.sh");
    linked("the folder above", "..", &[], "k/bin/x.sh");
}

#[test]
fn a_manifest_may_list_them() {
    let with = |list: &str| {
        let fields = format!("name: tea\ndescription: Makes tea.\nscripts: {list}");
        let dir = "/h/skills/tea";
        let tree = common::Tree::default().with(&format!("{dir}/SKILL.md"), skill(&fields, ""));
        on(["a.sh", "b.sh", "sub/c.sh"].iter().fold(tree, |tree, name| tree.with(&format!("{dir}/scripts/{name}"), "")))
            .roots(&["/h/skills"])
    };
    // Whether its table knows the field or not.
    let check = |list: &str, names: &[&str], asked: &str, expect: &str| {
        for dialect in skilltree::dialect::NAMES {
            let (ground, case) = (with(list), format!("{list}, {dialect}"));
            let (key, got) = ground.of(&case, dialect, |world, catalog| {
                let skill = &catalog.skills()[0];
                (skill.key.clone(), ScriptPlan::names(world, catalog, skill))
            });
            assert_eq!(got, names, "{case}");
            let got = planned(&ground, &case, (dialect, &key), asked, &[]).replace(&format!("`{key}`"), "`tea`");
            assert!(got.starts_with(expect), "{case}: {got}");
        }
    };
    check("[a.sh, sub/c.sh]", &["a.sh", "sub/c.sh"], "a.sh", "a.sh /h");
    check(
        "[scripts/a.sh, ./b.sh, ./scripts/sub/c.sh]",
        &["a.sh", "b.sh", "sub/c.sh"],
        "scripts/sub/c.sh",
        "sub/c.sh /h",
    );
    let not = "script-not-listed: the skill `tea` does not list `b.sh` among its scripts, so it does not run; it lists";
    check("[a.sh]", &["a.sh"], "b.sh", &format!("{not} `a.sh`"));
    check("[a.sh, gone.sh]", &["a.sh"], "scripts/b.sh", &format!("{not} `a.sh`, `gone.sh`"));
    check("[a.sh, gone.sh]", &["a.sh"], "gone.sh", "no-script: ");
    check("[]", &[], "b.sh", &format!("{not} none"));
    let many = "[1.sh, 2.sh, 3.sh, 4.sh, 5.sh, 6.sh, 7.sh, 8.sh, 9.sh, 10.sh, 11.sh, 12.sh]";
    let named = "`1.sh`, `2.sh`, `3.sh`, `4.sh`, `5.sh`, `6.sh`, `7.sh`, `8.sh`, `9.sh`, `10.sh` and 2 more";
    check(many, &[], "b.sh", &format!("{not} {named}"));
    let unclear = "script-not-listed: the field `scripts` of the skill `tea` is not a list of names, so none of its scripts runs, including `a.sh`; write";
    for list in ["{a: a.sh}", "true", "no", "3", "[a.sh, {b: b.sh}]", "[a.sh, [b.sh]]", "[a.sh, ~]", "[true]"] {
        check(list, &[], "a.sh", unclear);
    }
    check("&list [a.sh]\nallowed-tools: x", &["a.sh"], "a.sh", "a.sh /h");
    check("[a.sh, &b b.sh, *b]", &["a.sh", "b.sh"], "b.sh", "b.sh /h");
    check("[nan, inf]", &[], "a.sh", "script-not-listed: the skill `tea` does not list `a.sh`");
    check("','", &[], "a.sh", "script-not-listed: ");
    check(
        "'true'",
        &[],
        "a.sh",
        "script-not-listed: the skill `tea` does not list `a.sh` among its scripts, so it does not run; it lists `true`",
    );
    for nothing in ["", "~", "''"] {
        check(nothing, &["a.sh", "b.sh", "sub/c.sh"], "a.sh", "a.sh /h");
    }
    check("a.sh", &["a.sh"], "b.sh", &format!("{not} `a.sh`"));
    check("[a.sh, ../x.sh]", &["a.sh"], "../x.sh", "outside: ");
}

#[test]
fn what_runs_it() {
    let check = |case: &str, name: &str, bytes: &[u8], expect: &str| {
        let dir = "/h/.agents/skills/tea";
        let tree = common::Tree::default().with(&format!("{dir}/SKILL.md"), skill("name: tea\ndescription: d", ""));
        let ground = on(tree.with(&format!("{dir}/scripts/{name}"), bytes));
        let got = planned(&ground, case, ("agentskills", "tea"), name, &[]);
        let got = got.strip_prefix(&format!("{name} {dir}/scripts/{name} ")).unwrap_or(&got);
        assert_eq!(got.split("; start").next(), Some(expect), "{case}");
    };
    for (name, language) in [
        ("x.py", "Python"),
        ("x.PY", "Python"),
        ("x.sh", "Shell"),
        ("x.bash", "Shell"),
        ("x.js", "JavaScript"),
        ("x.mjs", "JavaScript"),
        ("x.cjs", "JavaScript"),
        ("x.ts", "TypeScript"),
        ("x.mts", "TypeScript"),
        ("x.cts", "TypeScript"),
        ("x.d.ts", "TypeScript"),
    ] {
        check(name, name, b"", language);
    }
    check("a line", "x", b"#!/bin/sh\necho", "/bin/sh []");
    check("a line without an end", "x", b"#!/bin/sh", "/bin/sh []");
    check("blanks round it", "x", b"#! \t/bin/sh \t\r\necho", "/bin/sh []");
    check("a BOM before it", "x", b"\xef\xbb\xbf#!/bin/sh\n", "/bin/sh []");
    check("its rest is one argument", "x", b"#!/bin/sh -e  -x\n", "/bin/sh [\"-e  -x\"]");
    check("the line beats the ending", "x.py", b"#!/usr/bin/perl\n", "/usr/bin/perl []");
    check("a line further down is none", "x.py", b"\n#!/usr/bin/perl\n", "Python");
    check("env", "x", b"#!/usr/bin/env python3\n", "python3 []");
    check("env with arguments", "x", b"#!/usr/bin/env python3 -u\n", "python3 [\"-u\"]");
    check("env -S", "x", b"#!/usr/bin/env -S deno run -A\n", "deno [\"run\", \"-A\"]");
    check("env -S, tight", "x", b"#!/usr/bin/env -Sdeno run\n", "deno [\"run\"]");
    check("env that unquotes", "x", b"#!/usr/bin/env -S a 'b c'\n", "/usr/bin/env [\"-S a 'b c'\"]");
    check("env that assigns", "x", b"#!/usr/bin/env A=b sh\n", "/usr/bin/env [\"A=b sh\"]");
    check("env with an option", "x", b"#!/usr/bin/env -i sh\n", "/usr/bin/env [\"-i sh\"]");
    check("ELF", "x", b"\x7fELF\x02", "itself");
    check("PE", "x.exe", b"MZ\x90", "itself");
    check("Mach-O", "x", b"\xcf\xfa\xed\xfe", "itself");

    let no = |name: &str, reason: &str| format!("no-interpreter: cannot tell how to run `{name}`: {reason}");
    let none = "it has no `#!` line, no known file extension, and is not a binary program";
    check("nothing says it", "x", b"echo\n", &no("x", none));
    check("nothing at all", "x", b"", &no("x", none));
    check("an ending that is none of ours", "x.txt", b"x", &no("x.txt", none));
    check("an ending alone", ".py", b"x", &no(".py", none));
    check("an empty line", "x.py", b"#!\n", &no("x.py", "its `#!` line does not name a program"));
    check("env of nothing", "x.py", b"#!/usr/bin/env\n", &no("x.py", "its `#!` line does not name a program"));
    check("env -S of nothing", "x.py", b"#!/usr/bin/env -S \n", &no("x.py", "its `#!` line does not name a program"));
    let relative = no("x.py", "its `#!` line does not name the program by its full path");
    check("a name", "x.py", b"#!python3\n", &relative);
    check("a relative path", "x.py", b"#!./python3\n", &relative);
    check("no text", "x.py", b"#!/bin/\xff\n", &no("x.py", "its `#!` line is not UTF-8"));
    let long = [b"#!/bin/sh ".as_slice(), &[b'x'; 2_000], b"\n"].concat();
    check("a long line", "x", &long, &no("x", "its `#!` line is longer than 1,024 bytes"));
}

#[test]
fn limits_of_arguments() {
    let ground = ground(TREE);
    let check = |case: &str, args: &[String], expect: &str| {
        let got = planned(&ground, case, ("agentskills", "pdf"), "fill.py", args);
        assert!(got.starts_with(expect), "{case}: {got}");
    };
    let args = |count: usize, len: usize| vec!["x".repeat(len); count];
    check("as many as may be", &args(100, 1), "fill.py ");
    check("one more", &args(101, 1), "too-many-arguments: a script takes at most 100 arguments, got 101;");
    check("as long as may be", &args(4, 1_024), "fill.py ");
    let long = "arguments-too-long: the arguments of a script take at most 4096 bytes in total, got 4097;";
    check("a byte more", &[args(4, 1_024), args(1, 1)].concat(), long);
    check("bytes count, not letters", &["é".repeat(2_049)], "arguments-too-long: ");
    check("empty ones", &args(100, 0), "fill.py ");
    let nul = "bad-arguments: argument 2 contains a NUL character, which cannot be passed to a program";
    check("a NUL", &["a".to_owned(), "b\0c".to_owned()], nul);
}

#[test]
fn only_what_is_trusted_and_on() {
    let text = "//- /p/.agents/skills/tea/SKILL.md\n---\nname: tea\ndescription: d\n---\n\
                //- /p/.agents/skills/tea/scripts/x.sh\n";
    let tea = ("agentskills", "tea");
    let mut ground = ground(text);
    let untrusted = "untrusted: the skill `tea` comes with the project and is not trusted";
    assert!(planned(&ground, "untrusted", tea, "x.sh", &[]).starts_with(untrusted));
    let absent = planned(&ground, "untrusted, absent", tea, "y.sh", &[]);
    assert!(absent.starts_with(untrusted), "nothing is told of it: {absent}");
    ground.host.trust = true;
    assert!(planned(&ground, "trusted", tea, "x.sh", &[]).starts_with("x.sh /p"));
    let ground = ground.off("tea");
    assert_eq!(planned(&ground, "off", tea, "x.sh", &[]), "disabled: the skill `tea` is disabled");
}

#[test]
fn variables_that_it_requires() {
    let fields = "description: d\nsven:\n  requires_env: [TEA_KEY, TEA_URL]\n  requires_bins: [sh]";
    let dir = "/h/.sven/skills/tea";
    let tree = common::Tree::default().with(&format!("{dir}/SKILL.md"), skill(fields, ""));
    let mut ground = on(tree.with(&format!("{dir}/scripts/x.sh"), ""));
    ground.host.envs = ["TEA_KEY", "TEA_URL"].map(str::to_owned).into();
    ground.host.bins = ["sh".to_owned()].into();
    let plan = ground.of("variables", "sven", |world, catalog| {
        ScriptPlan::of(world, catalog, &catalog.skills()[0], "x.sh", &[]).map(|plan| plan.variables)
    });
    assert_eq!(plan, Ok(vec!["TEA_KEY".to_owned(), "TEA_URL".to_owned()]));
    // Where the dialect has no such requirement, they are let through all the same.
    for (value, expect) in
        [("[TEA_KEY, {a: b}, TEA_URL]", &["TEA_KEY", "TEA_URL"][..]), ("A, B", &["A", "B"]), ("{a: b}", &[])]
    {
        let text = skill(&format!("name: tea\ndescription: d\nrequires_env: {value}"), "");
        let dir = "/h/.agent/skills/tea";
        let tree = common::Tree::default().with(&format!("{dir}/SKILL.md"), text);
        let ground = on(tree.with(&format!("{dir}/scripts/x.sh"), ""));
        let plan = ground.of(value, "agent-base", |world, catalog| {
            ScriptPlan::of(world, catalog, &catalog.skills()[0], "x.sh", &[]).map(|plan| plan.variables)
        });
        assert_eq!(plan, Ok(expect.iter().map(|name| (*name).to_owned()).collect()), "{value}");
    }
}

#[test]
fn it_is_read_as_it_is_now() {
    let ground = ground(TREE);
    let mut fs = ground.tree.mem();
    let table = common::ground::table("agentskills");
    let catalog = skilltree::discover(&skilltree::World::new(&fs, &ground.places, &ground.host), &table);
    let skill = catalog.find_any("pdf").unwrap();
    let plan = |fs: &skilltree::MemFs| {
        let world = skilltree::World::new(fs, &ground.places, &ground.host);
        ScriptPlan::of(&world, &catalog, skill, "fill.py", &[]).map_err(|error| error.code())
    };
    assert!(plan(&fs).is_ok());
    fs.link("/h/.agents/skills/pdf/scripts/fill.py", "/etc/out.py");
    assert_eq!(plan(&fs), Err("outside"), "swapped for a link");
    fs.remove("/h/.agents/skills/pdf/SKILL.md");
    assert_eq!(plan(&fs), Err("gone"));
}

/// daycare: a registered file may be alone, and what is used is the copy.
#[test]
fn skills_without_a_folder_and_copies() {
    let mut ground = on(common::Tree::default()
        .with("/plug/tool.md", skill("name: tool\ndescription: d", ""))
        .with("/plug/scripts/x.sh", "")
        .with("/p/skills/tea/SKILL.md", skill("name: tea\ndescription: d", ""))
        .with("/p/skills/tea/scripts/x.sh", "")
        .with("/active/core--tea/SKILL.md", skill("name: tea\ndescription: d", ""))
        .with("/active/core--tea/scripts/x.sh", ""));
    ground.places.registered = vec![("plug".to_owned(), path("/plug/tool.md"))];
    ground.places.bundled = Some(path("/p/skills"));
    let keys = ground.of("keys", "daycare", |_, catalog| common::ground::keys(catalog));
    assert_eq!(keys, ["core:tea", "plugin:plug/tool"]);
    let alone = planned(&ground, "alone", ("daycare", "plugin:plug/tool"), "x.sh", &[]);
    let beside = "that is a file of another skill; it has none";
    assert_eq!(alone, format!("no-script: the skill `plugin:plug/tool` has no script `x.sh`: {beside}"));
    let found = planned(&ground, "found", ("daycare", "core:tea"), "x.sh", &[]);
    assert_eq!(found, "x.sh /p/skills/tea/scripts/x.sh Shell");
    ground.places.active = Some(path("/active"));
    let copy = planned(&ground, "copy", ("daycare", "core:tea"), "x.sh", &[]);
    assert_eq!(copy, "x.sh /active/core--tea/scripts/x.sh Shell");
}
