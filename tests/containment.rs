//! Links that a project ships are followed within its repository and into the sources that the user trusts, and
//! nowhere else. Every case is asked in memory and on the disk.

use crate::common;
use crate::parts::{Part, part};

use common::ground::{Ground, SOURCES, ground, table, told};
use common::path;
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;
use skilltree::{
    Caller, CheckRequest, Code, IncrementalDiscovery, LoadRequest, MemFs, PromptRequest, World, check, commands,
    discover, load, prompt, why,
};

/// What must not be shown to anybody.
const SECRET: &str = "---\nname: secret\ndescription: CANARY\n---\nCANARY\n";

/// The folders that travel with a project and are not among [`SOURCES`].
const MORE: &[(&str, &str)] = &[
    ("agentskills", "/p/.claude/skills"),
    ("agent-base", "/p/src/_bundled_skills"),
    ("gencode", "/p/.gen/plugins/x/skills"),
    ("pegasus", "/p/skills"),
    ("daycare", "/p/packages/daycare/sources/skills"),
    ("codex", "/p/.codex/skills"),
];

/// The folders of each dialect that travel with a project.
fn of_projects() -> impl Iterator<Item = &'static (&'static str, &'static str)> {
    SOURCES.iter().chain(MORE).filter(|(_, source)| source.starts_with("/p/"))
}

/// All that any answer about these skills says.
fn everything(world: &World<'_>, catalog: &skilltree::Catalog) -> String {
    let mut all = catalog.to_json(world, &commands(catalog, &[])).to_string();
    all.push_str(&prompt(world, catalog, &PromptRequest::default()).text);
    for skill in catalog.skills() {
        for caller in [Caller::Model, Caller::User] {
            if let Ok(loaded) = load(world, catalog, skill, &LoadRequest::new(caller)) {
                all.push_str(&loaded.text);
            }
        }
    }
    let checked = check(world, catalog.dialect(), &[], &CheckRequest { strict: true });
    all + &checked.map(|found| format!("{found:?}")).unwrap_or_default()
}

/// What a catalog says, after a look that nothing shows the secret.
#[track_caller]
fn kept_out(case: &str, dialect: &str, ground: &Ground) -> Vec<String> {
    let (told, shown) = ground.of(case, dialect, |world, catalog| (told(catalog), everything(world, catalog)));
    assert!(!shown.contains("CANARY"), "{case}: {shown}");
    told
}

fn file(path: &str) -> String {
    format!("//- {path}\n{SECRET}")
}

fn link(path: &str, target: &str) -> String {
    format!("//- {path} link={target}\n")
}

#[test]
fn a_link_out_of_the_project_is_refused_in_every_dialect() {
    // Hermes Agent has no folders in a project.
    let has_one = |name: &&str| *name == "hermes" || of_projects().any(|(dialect, _)| dialect == name);
    assert!(NAMES.iter().all(has_one));
    for (dialect, source) in of_projects() {
        let case = format!("{dialect}: {source}");
        let secrets = format!("{}{}", file("/x/key"), file("/x/secret/SKILL.md"));

        let skill = ground(&format!("{secrets}{}", link(&format!("{source}/secret/SKILL.md"), "/x/key")));
        // Codex reads no SKILL.md that is a symlink, wherever it leads.
        let table = skilltree::dialect(dialect).expect("a dialect");
        let refused = match part(&table, "scan.linked_files").text() {
            "no" => "warning link-ignored",
            _ => "error leads-out",
        };
        // Continue follows no symlinks to folders.
        let mut rules = part(&table, "sources").rows();
        let is_own = |rule: &Part| rule.at("base").text() == "project" && source.ends_with(rule.at("path").text());
        let of_folder = match rules.any(|rule| is_own(&rule) && rule.at("linked_folders").text() == "ignored") {
            true => "warning link-ignored",
            false => "warning leads-out",
        };
        let finding = format!("{refused} {source}/secret/SKILL.md");
        assert_eq!(kept_out(&format!("{case}: a file"), dialect, &skill), [finding]);

        let cased = ground(&format!("{secrets}{}", link(&format!("{source}/secret/skill.md"), "/x/key"))).repaired();
        let mut findings = vec![format!("{refused} {source}/secret/skill.md")];
        if part(&table, "scan.linked_files").text() == "yes" {
            findings.insert(0, format!("warning file-name-case {source}/secret/skill.md"));
        }
        let mut got = kept_out(&format!("{case}: a file in another letter case"), dialect, &cased);
        got.sort_by_key(|line| !line.starts_with("warning"));
        assert_eq!(got, findings);

        let folder = ground(&format!("{secrets}{}", link(&format!("{source}/secret"), "/x/secret")));
        let finding = format!("{of_folder} {source}/secret");
        assert_eq!(kept_out(&format!("{case}: a folder"), dialect, &folder), [finding]);

        let chain = format!("{}{}", link(&format!("{source}/secret"), "/p/inside"), link("/p/inside", "/x/secret"));
        let finding = format!("{of_folder} {source}/secret");
        let chain = ground(&format!("{secrets}{chain}"));
        assert_eq!(kept_out(&format!("{case}: a link to a link"), dialect, &chain), [finding]);

        let root = ground(&format!("{secrets}{}", link(source, "/x")));
        let finding = format!("warning leads-out {source}");
        assert_eq!(kept_out(&format!("{case}: the source itself"), dialect, &root), [finding]);
    }
}

#[test]
fn a_folder_above_the_source_may_be_the_link() {
    let above = ground(&format!("{}{}", file("/x/skills/secret/SKILL.md"), link("/p/.agents", "/x")));
    assert_eq!(kept_out("the folder above", "agentskills", &above), ["warning leads-out /p/.agents/skills"]);
}

#[test]
fn the_tree_of_a_project_is_its_repository() {
    #[track_caller]
    fn check(case: &str, project: &str, home: &str, tree: &str, expect: &[&str]) {
        let mut ground = ground(tree);
        ground.places.project = Some(path(project));
        ground.places.home = Some(path(home));
        assert_eq!(ground.of(case, "sven", |_, catalog| told(catalog)), expect, "{case}");
    }
    let shared =
        |target: &str| format!("{}{}", file("/r/shared/tea/SKILL.md"), link("/r/app/.sven/skills/tea", target));
    let used = "tea = /r/app/.sven/skills/tea/SKILL.md";
    let refused = "warning leads-out /r/app/.sven/skills/tea";
    let with = |more: &str, target: &str| format!("{more}{}", shared(target));
    check(
        "a folder of the same repository",
        "/r/app",
        "/h",
        &with("//- /r/.git/HEAD\n", "../../../shared/tea"),
        &[used],
    );
    check("a worktree or submodule", "/r/app", "/h", &with("//- /r/.git\ngitdir: x\n", "/r/shared/tea"), &[used]);
    check("no repository", "/r/app", "/h", &with("", "/r/shared/tea"), &[refused]);
    check(
        "the nearest repository",
        "/r/app",
        "/h",
        &with("//- /r/.git/HEAD\n//- /r/app/.git/HEAD\n", "/r/shared/tea"),
        &[refused],
    );
    check(
        "a repository of the home directory",
        "/r/app",
        "/r",
        &with("//- /r/.git/HEAD\n", "/r/shared/tea"),
        &[refused],
    );
    check("one above the home directory", "/r/app", "/r/h", &with("//- /r/.git/HEAD\n", "/r/shared/tea"), &[refused]);
    check("one of the whole machine", "/r/app", "/h", &with("//- /.git/HEAD\n", "/r/shared/tea"), &[refused]);
    check(
        "a project within the home directory",
        "/r/app",
        "/r/h",
        &with("//- /r/app/.git/HEAD\n", "/r/shared/tea"),
        &[refused],
    );

    let inside = format!("{}{}", file("/p/docs/tea.md"), link("/p/.sven/skills/tea/SKILL.md", "../../../docs/tea.md"));
    check("a file of the project", "/p", "/h", &inside, &["tea = /p/.sven/skills/tea/SKILL.md"]);
    let by_link = format!("{inside}{}", link("/alias", "/p"));
    check("a project that is named by a link", "/alias", "/h", &by_link, &["tea = /alias/.sven/skills/tea/SKILL.md"]);
    let own = format!("{}{}", file("/x/tea/SKILL.md"), link("/h/.sven/skills/tea", "/x/tea"));
    let both = ["tea = /h/.sven/skills/tea/SKILL.md"];
    check("the home directory as the project", "/h", "/h", &own, &both);
}

#[test]
fn what_the_user_trusts_may_be_led_to() {
    let home = ground(&format!(
        "{}{}",
        file("/h/.sven/skills/tea/SKILL.md"),
        link("/p/.sven/skills/brew", "/h/.sven/skills/tea")
    ));
    let told_of = |case: &str, ground: &Ground| ground.of(case, "sven", |_, catalog| told(catalog));
    let expect = ["brew = /p/.sven/skills/brew/SKILL.md", "note same-file /h/.sven/skills/tea/SKILL.md"];
    assert_eq!(told_of("a skill of the home directory", &home), expect);

    let dotfiles = ground(&format!(
        "{}{}{}",
        file("/x/tea/SKILL.md"),
        link("/h/.sven/skills", "/x"),
        link("/p/.sven/skills/brew", "/x/tea")
    ));
    let expect = ["brew = /p/.sven/skills/brew/SKILL.md", "note same-file /h/.sven/skills/tea/SKILL.md"];
    assert_eq!(told_of("the real folder of a home source", &dotfiles), expect);

    let named =
        ground(&format!("{}{}", file("/x/tea/SKILL.md"), link("/p/.sven/skills/brew", "/x/tea"))).roots(&["/x"]);
    let expect = ["tea = /x/tea/SKILL.md", "note same-file /p/.sven/skills/brew/SKILL.md"];
    assert_eq!(told_of("a named root", &named), expect);

    let mut bundled = ground(&format!("{}{}", file("/x/tea/SKILL.md"), link("/p/data/skills/brew", "/x/tea")));
    bundled.places.bundled = Some(path("/x"));
    let got = bundled.of("a named bundle", "pegasus", |_, catalog| catalog.skills().len());
    assert_eq!(got, 1);

    let mut option = ground(&format!("{}{}", file("/x/tea/SKILL.md"), link("/p/.sven/skills/tea", "/x/tea")));
    option.places.follow_links_out = true;
    assert_eq!(told_of("by option", &option), ["tea = /p/.sven/skills/tea/SKILL.md"]);

    let own = ground(&format!("{}{}", file("/x/tea/SKILL.md"), link("/h/.sven/skills/tea", "/x/tea")));
    assert_eq!(told_of("a link of the home directory", &own), ["tea = /h/.sven/skills/tea/SKILL.md"]);
}

#[test]
fn plugins_of_a_project_lie_in_it() {
    let list = |base: &str| {
        format!(
            "//- {base}/plugins/installed_plugins.json\n{{\"plugins\": {{\"x@y\": [{{\"installPath\": \"/x\"}}]}}}}\n"
        )
    };
    let tree = |base: &str| format!("{}{}", file("/x/skills/secret/SKILL.md"), list(base));
    let of_project = ground(&tree("/p/.gen"));
    // The path in the list is one of the machine, which a tree on the disk is not the root of.
    let memory = of_project.tree.mem();
    let world = World::new(&memory, &of_project.places, &of_project.host);
    let catalog = discover(&world, &table("gencode"));
    assert_eq!(told(&catalog), ["warning leads-out /x/skills"]);
    assert!(!everything(&world, &catalog).contains("CANARY"));

    let of_home = ground(&tree("/h/.gen")).tree.mem();
    let catalog = discover(&World::new(&of_home, &of_project.places, &of_project.host), &table("gencode"));
    assert_eq!(told(&catalog), ["x:secret = /x/skills/secret/SKILL.md"]);

    let installed = list("/p/.gen").replace("/x\"", "/h/.gen/plugins/cache/x\"");
    let fs = ground(&format!("{}{installed}", file("/h/.gen/plugins/cache/x/skills/tea/SKILL.md"))).tree.mem();
    let catalog = discover(&World::new(&fs, &of_project.places, &of_project.host), &table("gencode"));
    assert_eq!(told(&catalog), ["x:secret = /h/.gen/plugins/cache/x/skills/tea/SKILL.md"]);

    let folder = format!("{}{}", file("/x/a/skills/secret/SKILL.md"), link("/p/.gen/plugins", "/x"));
    assert_eq!(kept_out("the folder of plugins", "gencode", &ground(&folder)), ["warning leads-out /p/.gen/plugins"]);
}

#[test]
fn stores_and_knowledge_of_a_project_lie_in_it() {
    let store = format!(
        "//- /x/store\n{{\"skills\": {{\"tea\": \"CANARY\"}}}}\n{}//- /p/.gen/skills/tea/SKILL.md\n---\nname: tea\n---\nBoil.\n",
        link("/p/.gen/skills.json", "/x/store")
    );
    let got = kept_out("states", "gencode", &ground(&store));
    assert_eq!(got, ["tea = /p/.gen/skills/tea/SKILL.md", "error store-corrupt /p/.gen/skills.json"]);

    let knowledge = format!(
        "//- /x/tea.md\n---\nsubsystem: CANARY\n---\n{}//- /p/.sven/skills/tea/SKILL.md\n---\ndescription: T\nknowledge: [tea.md]\n---\nBoil.\n",
        link("/p/.sven/knowledge", "/x")
    );
    kept_out("knowledge", "sven", &ground(&knowledge));
}

#[test]
fn why_names_the_link() {
    let tree = format!("{}{}", file("/x/secret/SKILL.md"), link("/p/.sven/skills/secret", "/x/secret"));
    let got = ground(&tree).of("why", "sven", |world, catalog| {
        let asked = ["secret", ".sven/skills/secret/SKILL.md", "/p/.sven/skills"];
        asked.map(|asked| {
            let why = why(world, catalog, asked, &PromptRequest::default());
            why.iter().map(|why| (why.code, why.path.to_string())).collect::<Vec<_>>()
        })
    });
    let expect = vec![(Some(Code::LeadsOut), "/p/.sven/skills/secret".to_owned())];
    assert_eq!(got, [expect.clone(), expect.clone(), expect]);
}

/// A tree in memory with a skill of the project, which is a folder of its own or a link to the secret.
fn swapped(is_link: bool) -> MemFs {
    let mut fs = MemFs::new();
    fs.file("/x/tea/SKILL.md", SECRET).file("/x/key", SECRET);
    match is_link {
        true => fs
            .link("/p/.sven/skills/tea", "/x/tea")
            .dir("/p/.sven/skills/cup")
            .link("/p/.sven/skills/cup/SKILL.md", "/x/key"),
        false => fs
            .file("/p/.sven/skills/tea/SKILL.md", "---\ndescription: Tea\n---\nBoil.\n")
            .file("/p/.sven/skills/cup/SKILL.md", "---\ndescription: Cup\n---\nPour.\n"),
    };
    fs
}

#[test]
fn a_link_that_comes_later_is_refused_too() {
    let places = ground("").places;
    let (before, after) = (swapped(false), swapped(true));
    let catalog = discover(&World::new(&before, &places, &()), &table("sven"));
    let world = World::new(&after, &places, &());
    for skill in catalog.skills() {
        let error = load(&world, &catalog, skill, &LoadRequest::new(Caller::Model)).expect_err("it is refused");
        assert_eq!(error.code(), "gone");
        assert!(error.to_string().contains("leads out of the project"), "{error}");
        assert!(catalog.body(&world, skill).is_err());
    }
    let mut live = IncrementalDiscovery::new(table("sven"));
    live.refresh(&World::new(&before, &places, &()));
    let catalog = live.refresh(&world);
    assert!(!everything(&world, &catalog).contains("CANARY"));
    assert_eq!(
        told(&catalog),
        ["error leads-out /p/.sven/skills/cup/SKILL.md", "warning leads-out /p/.sven/skills/tea"]
    );
}

#[cfg(target_os = "linux")]
#[test]
fn what_proc_shows_is_no_file_for_anybody() {
    use skilltree::OsFs;
    let folder = common::TempDir::new("proc");
    let skill = folder.path().join(".sven/skills/env");
    std::fs::create_dir_all(&skill).expect("a folder can be made");
    std::os::unix::fs::symlink("/proc/self/environ", skill.join("SKILL.md")).expect("a link can be made");
    let home = path(folder.path().to_str().expect("UTF-8"));
    let places = skilltree::Places { home: Some(home), ..Default::default() };
    let fs = OsFs::new();
    let catalog = discover(&World::new(&fs, &places, &()), &table("sven"));
    let codes: Vec<Code> = catalog.findings().iter().map(|finding| finding.code).collect();
    assert_eq!(codes, [Code::NotAFile]);
}

#[test]
fn what_is_checked_may_be_a_repository_too() {
    #[track_caller]
    fn codes(case: &str, ground: &Ground, named: &str) -> Vec<String> {
        ground.ask(case, |world| {
            let found = check(world, &table("sven"), &[path(named)], &CheckRequest::default()).expect("it is there");
            found.iter().map(|finding| format!("{} {}", finding.code, finding.path)).collect()
        })
    }
    let secret = "//- /x/secret/SKILL.md\nCANARY\n";
    let clone = ground(&format!("{secret}{}", link("/clone/skills/tea", "/x/secret")));
    assert_eq!(codes("a tree elsewhere", &clone, "/clone"), ["no-skill /clone", "leads-out /clone/skills/tea"]);
    let file = ground(&format!("{secret}{}", link("/clone/tea/SKILL.md", "/x/secret/SKILL.md")));
    assert_eq!(codes("a file elsewhere", &file, "/clone/tea/SKILL.md"), ["leads-out /clone/tea/SKILL.md"]);
    let shipped = ground(&format!("{secret}{}", link("/p/tea", "/x")));
    assert_eq!(
        codes("a link of the project, by its name", &shipped, "/p/tea"),
        ["leads-out /p/tea", "no-skill /p/tea"]
    );
    // A plugin that is not read lies in a folder of the user all the same.
    let plugin = "//- /h/.gemini/extensions/plug/skills/tea/SKILL.md\n---\nname: tea\ndescription: D\n---\n";
    let linked = link("/p/.gemini/skills/tea", "/h/.gemini/extensions/plug/skills/tea");
    ground(&format!("{plugin}{linked}")).ask("rule 3.7: a link to a plugin", |world| {
        let (client, named) = (table("gemini"), path("/p/.gemini/skills/tea/SKILL.md"));
        assert_eq!(discover(world, &client).skills().len(), 1);
        assert_eq!(check(world, &client, &[named], &CheckRequest::default()), Ok(Vec::new()));
    });
    let own = ground(&format!("{secret}{}", link("/mine", "/x")));
    assert_eq!(
        codes("a link of the user's, by its name", &own, "/mine"),
        ["frontmatter-missing /mine/secret/SKILL.md"]
    );
    let home = ground(&format!("{secret}{}", link("/h/.sven/skills/tea", "/x/secret")));
    let expect = ["frontmatter-missing /h/.sven/skills/tea/SKILL.md"];
    assert_eq!(codes("a source of the user's", &home, "/h/.sven/skills"), expect);
}

/// What a project's settings file says that names a folder, by dialect.
fn naming(dialect: &str, folder: &str) -> String {
    match dialect {
        "opencode" => format!("//- /p/opencode.json\n{{\n  \"skills\": {{\n    \"paths\": [\"{folder}\"]\n  }}\n}}\n"),
        _ => format!(
            "//- /p/.vscode/settings.json\n{{\n  \"chat.agentSkillsLocations\": {{\n    \"{folder}\": true\n  }}\n}}\n"
        ),
    }
}

#[test]
fn a_folder_that_the_projects_settings_name_is_not_opened_outside() {
    let secrets = format!(
        "{}{}{}{}",
        file("/x/secret/SKILL.md"),
        file("/h/.ssh/secret/SKILL.md"),
        file("/secret/SKILL.md"),
        link("/p/linked", "/h/.ssh")
    );
    let own = "---\nname: own\ndescription: Own.\n---\nOwn.\n";
    let own = format!("//- /p/more/own/SKILL.md\n{own}//- /h/.agents/skills/own/SKILL.md\n{own}");
    for (dialect, settings) in [("opencode", "/p/opencode.json"), ("copilot", "/p/.vscode/settings.json")] {
        let asked = |folder: &str| ground(&format!("{secrets}{own}{}", naming(dialect, folder)));
        let refused = format!("warning leads-out {settings}:3:1");
        // VS Code takes no absolute paths, and no `~` alone.
        let absolute: &[&str] = if dialect == "opencode" { &["/", "/x", "~", "/h/.ssh"] } else { &[] };
        for folder in ["~/.ssh", "~/", "../x", "..", ".", "linked", "~/../x", "more/../../x"].iter().chain(absolute) {
            let case = format!("{dialect}: {folder}");
            let told = kept_out(&case, dialect, &asked(folder));
            assert!(told.contains(&refused), "{case}: {told:?}");
        }
        for folder in ["more", "./more", "~/.agents/skills", "missing"] {
            let case = format!("{dialect}: {folder}");
            let told = kept_out(&case, dialect, &asked(folder));
            assert!(!told.contains(&refused), "{case}: {told:?}");
            assert_eq!(told.iter().any(|line| line.starts_with("own = ")), true, "{case}: {told:?}");
        }
        // The user may allow it, but not the whole project or what contains it.
        for (folder, is_opened) in [("~/.ssh", true), ("../x", true), (".", false), ("..", false), ("linked", true)] {
            let mut ground = asked(folder);
            ground.places.follow_links_out = true;
            let told = ground.of(folder, dialect, |_, catalog| told(catalog));
            assert_eq!(
                told.iter().any(|line| line.starts_with("secret = ")),
                is_opened,
                "{dialect} {folder}: {told:?}"
            );
            assert_eq!(told.contains(&refused), !is_opened, "{dialect} {folder}: {told:?}");
        }
    }
    // What the user's own settings name is read.
    let text = "//- /h/.config/opencode/opencode.json\n{\"skills\": {\"paths\": [\"/x\"]}}\n";
    let told = ground(&format!("{secrets}{text}")).of("the user's", "opencode", |_, catalog| told(catalog));
    assert_eq!(told, ["secret = /x/secret/SKILL.md"]);
}

#[test]
fn a_folder_that_becomes_a_link_after_it_was_named_is_refused() {
    let settings = naming("opencode", "more");
    let mut ground = ground(&format!(
        "{}//- /p/more/own/SKILL.md\n---\nname: own\ndescription: O.\n---\n{settings}",
        file("/x/secret/SKILL.md")
    ));
    assert_eq!(kept_out("a folder", "opencode", &ground), ["own = /p/more/own/SKILL.md"]);
    ground.tree = common::tree(&format!("{}{settings}{}", file("/x/secret/SKILL.md"), link("/p/more", "/x")));
    assert_eq!(kept_out("a link", "opencode", &ground), ["warning leads-out /p/opencode.json:3:1"]);
}

#[test]
fn a_source_above_the_project_is_no_link_out_either() {
    // Outside of a repository, the folders above the project are not in its tree.
    for repository in ["//- /r/.git/HEAD\n\n", ""] {
        for dialect in NAMES {
            let sources = [".claude/skills", ".agents/skills", ".codex/skills", ".cursor/skills", ".goose/skills"];
            let links = sources.map(|source| link(&format!("/r/{source}"), "/x")).concat();
            let tree = format!("{repository}{}{links}//- /r/p dir\n", file("/x/secret/SKILL.md"));
            let mut ground = ground(&tree);
            ground.places.project = Some(path("/r/p"));
            kept_out(&format!("{dialect}: {repository:?}"), dialect, &ground);
        }
    }
}
