//! The rules that authors get from other linters, and what this project has in their place: the rules about skills of
//! `agnix` (the crate `agnix-rules`, 0.60.3) and the tests of `skills-ref`, the reference library of the specification.
//! Each is named by its identifier and a description of our own. `UPDATE=1` writes the table into `src/rules.md`.

use crate::common;

use common::ground::{on, table};
use common::{Tree, path, tree};
use pretty_assertions::assert_eq;
use skilltree::{CheckRequest, Code, World, check};
use std::collections::BTreeSet;

const BEGIN: &str = "<!-- The tables are written by `UPDATE=1 cargo test --all-features rules_elsewhere::`. -->\n";
const END: &str = "\n<!-- End of the tables. -->";

/// One rule of another linter.
struct Row {
    id: &'static str,
    /// What it asks for, in our words.
    about: &'static str,
    here: Here,
    dialect: &'static str,
    strict: bool,
}

/// What this project has in its place.
enum Here {
    /// A finding with this code, an example that gives it, and one that does not.
    Finding { code: &'static str, bad: String, good: String },
    /// The example is fine here too.
    Accepted(String),
    /// Another answer than `check` says it.
    Answer(&'static str),
    /// Nothing, and why.
    Declined(&'static str),
}

impl Row {
    fn of(mut self, dialect: &'static str) -> Row {
        self.dialect = dialect;
        self
    }

    fn strict(mut self) -> Row {
        self.strict = true;
        self
    }
}

fn row(id: &'static str, about: &'static str, here: Here) -> Row {
    Row { id, about, here, dialect: "agentskills", strict: false }
}

fn found(id: &'static str, about: &'static str, code: &'static str, bad: String, good: String) -> Row {
    row(id, about, Here::Finding { code, bad, good })
}

fn accepted(id: &'static str, about: &'static str, text: String) -> Row {
    row(id, about, Here::Accepted(text))
}

fn answer(id: &'static str, about: &'static str, by: &'static str) -> Row {
    row(id, about, Here::Answer(by))
}

fn declined(id: &'static str, about: &'static str, reason: &'static str) -> Row {
    row(id, about, Here::Declined(reason))
}

/// A skill with these fields.
fn fields(fields: &str) -> String {
    format!("---\n{fields}\n---\nBoil water.\n")
}

/// A skill with these fields besides a name and a description.
fn with(more: &str) -> String {
    fields(&format!("name: tea\ndescription: Brews tea. Use when tea is wanted.\n{more}"))
}

fn fine() -> String {
    fields("name: tea\ndescription: Brews tea. Use when tea is wanted.")
}

/// A skill with this text.
fn body(text: &str) -> String {
    format!("---\nname: tea\ndescription: Brews tea. Use when tea is wanted.\n---\n{text}\n")
}

/// A skill of this name in the folder of this name.
fn named(name: &str) -> String {
    format!("//- /s/{name}/SKILL.md\n---\nname: {name}\ndescription: Brews tea.\n---\nBoil water.\n")
}

const NO_DIALECT: &str = "No dialect describes this client.";
const STYLE: &str = "It is a matter of style, from which no wrong result follows in a client.";
const HOME_PATH: &str = "Most such paths are examples, and which of the others exist elsewhere cannot be known.";
const GRANTS: &str = "Which tools a skill is granted is decided by the user, who sees the list.";
const SHADOWED: &str = "`list` and `why` show each skill that another of the same name shadows.";
const BUDGET: &str = "`prompt` reports with `left-out` each skill that does not fit.";
const UPLOAD: &str = "Only an upload to another product refuses it, and none of the clients described here.";

fn agnix() -> Vec<Row> {
    let mut rows = agent_skills();
    rows.extend(claude());
    rows.extend(other_clients());
    rows
}

fn agent_skills() -> Vec<Row> {
    let long_body = |line: &str, lines: usize| body(&format!("{line}\n").repeat(lines));
    let chain = |entry: &str| {
        let entry = body(&format!("See [kinds](kinds.md){entry}."));
        format!("//- /s/tea/SKILL.md\n{entry}//- /s/tea/kinds.md\nSee [heat](heat.md).\n//- /s/tea/heat.md\nHot.\n")
    };
    let no_trigger = "A description is judged by the model that reads it, not by the words in it.";
    let scripts = "`check` does not read scripts: their language and purpose are open.";
    let mentioned = "Clients list the files of a skill to the model, so that a file needs no mention.";
    let pinning = "Whether a command pins its packages is a policy of the author, and no fault of a skill.";
    vec![
        found("AS-001", "a file without frontmatter", "frontmatter-missing", "Boil water.\n".into(), fine()),
        found("AS-002", "no name", "name-missing", fields("description: Brews tea."), fine()),
        found("AS-003", "no description", "description-missing", fields("name: tea"), fine()),
        found("AS-004", "the form of a name", "name-invalid", named("Tea_Pot"), named("tea-pot")),
        found("AS-005", "a hyphen at an end of a name", "name-invalid", named("tea-"), named("tea")),
        found("AS-006", "two hyphens in a row", "name-invalid", named("tea--pot"), named("tea-pot")),
        found("AS-008", "an empty description", "description-missing", fields("name: tea\ndescription: ''"), fine()),
        declined("AS-009", "angle brackets in a description", UPLOAD),
        found(
            "AS-011",
            "an empty compatibility",
            "empty-value",
            with("compatibility: ''"),
            with("compatibility: A pot."),
        ),
        found("AS-012", "more than 500 lines", "too-long", long_body("Boil.", 501), long_body("Boil.", 500)),
        found("AS-013", "references over several files", "reference-nested", chain(""), chain(", [heat](heat.md)"))
            .strict(),
        declined("AS-015", "the size of an upload", UPLOAD),
        found("AS-016", "frontmatter that cannot be parsed", "yaml", "---\n- tea\n---\nBoil water.\n".into(), fine()),
        found(
            "AS-017",
            "a name unlike its folder's",
            "name-mismatch",
            fields("name: pot\ndescription: Brews tea."),
            fine(),
        ),
        declined("AS-020", "a description that does not say when", no_trigger),
        found(
            "AS-021",
            "more than 5 000 tokens",
            "too-long",
            long_body(&"Boil. ".repeat(40), 90),
            long_body("Boil.", 90),
        ),
        declined("AS-022", "a script that asks its user", scripts),
        declined("AS-023", "a file that no text mentions", mentioned),
        declined("AS-024", "a command that fetches an unpinned package", pinning),
        answer("AS-025", "the same name in two sources", SHADOWED),
        declined("AS-026", "a reference that does not say when to follow it", STYLE),
        found(
            "AS-027",
            "a placeholder as the description",
            "description-placeholder",
            fields("name: tea\ndescription: '[TODO: describe it]'"),
            fields("name: tea\ndescription: Keeps a TODO list."),
        ),
    ]
}

fn claude() -> Vec<Row> {
    let models = "The names of models are an open set, which changes from month to month.";
    let agents = "Users define agents of their own, so that every name may be one.";
    let effects = "What a skill does to the world cannot be told from its name.";
    let tools = "Servers and plugins add tools, so that every name may be one.";
    let hooks = "Hooks are kept as data, and no part of this library reads them.";
    let task = "Whether a text is a task is for its reader to judge.";
    let hint = "A skill without a hint takes its arguments all the same.";
    let both_forms = "The client reads a list and a text with commas alike.";
    let label = "In this client the folder is what a skill is called by, and its name is a label.";
    let argument = "Only the author knows whether `$1` in code stands for an argument.";
    let paragraph = "The client takes the first line; where a description is required, `description-missing` says so.";
    let prose = "An exclamation mark before a code span is also plain prose.";
    let legacy = "`why` names a file for commands with `command-file`; it works like a skill.";
    let rows = vec![
        declined("CC-SK-001", "a model that is not known", models),
        found("CC-SK-002", "an unknown context", "wrong-type", with("context: frok"), with("context: fork")),
        found(
            "CC-SK-004",
            "an agent without a fork",
            "no-effect",
            with("agent: Explore"),
            with("agent: Explore\ncontext: fork"),
        ),
        declined("CC-SK-005", "an agent that is not known", agents),
        declined("CC-SK-006", "a skill with side effects that the model may call", effects),
        declined("CC-SK-007", "a grant of the whole shell", GRANTS),
        declined("CC-SK-008", "a tool that is not known", tools),
        declined("CC-SK-010", "hooks of the wrong form", hooks),
        declined("CC-SK-013", "a fork whose text is no task", task),
        found(
            "CC-SK-014",
            "a flag that hides from the model, and is none",
            "wrong-type",
            with("disable-model-invocation: maybe"),
            with("disable-model-invocation: yes"),
        ),
        found(
            "CC-SK-015",
            "a flag that hides from the user, and is none",
            "wrong-type",
            with("user-invocable: maybe"),
            with("user-invocable: off"),
        ),
        declined("CC-SK-016", "arguments without a hint", hint),
        found("CC-SK-017", "an unknown field", "unknown-field", with("cups: 2"), with("license: MIT")).strict(),
        found("CC-SK-018", "an unknown effort", "unknown-value", with("effort: turbo"), with("effort: xhigh")),
        declined("CC-SK-019", "patterns of files that are no list", both_forms),
        found("CC-SK-020", "an unknown shell", "unknown-value", with("shell: zsh"), with("shell: bash")),
        declined("CC-SK-021", "a path in somebody's home directory", HOME_PATH),
        declined("CC-SK-022", "a name with a reserved prefix", label),
        declined("CC-SK-023", "a placeholder for an argument in code", argument),
        declined("CC-SK-024", "no description", paragraph),
        answer("CC-SK-025", "a list that is larger than its budget", BUDGET),
        answer("CC-SK-027", "a command file of the older form", legacy),
        declined("CC-SK-028", "a command that is not run where it stands", prose),
        declined("CC-SK-030", "a reserved word in a name", UPLOAD),
        declined("CC-SK-031", "an XML tag in a name or a description", UPLOAD),
        declined("CC-SK-032", "a description that is not in the third person", STYLE),
        declined("CC-SK-033", "a name that says little", STYLE),
        declined("CC-SK-034", "a long file without a table of contents", STYLE),
    ];
    rows.into_iter().map(|row| row.of("claude")).collect()
}

fn other_clients() -> Vec<Row> {
    let secret = "Secrets are found by tools that are made for it, in all files of a repository.";
    let shown = "A file that nobody needs costs nothing: it is read only if the model opens it.";
    let sidecar = |text: &str| {
        format!("//- /p/.agents/skills/tea/SKILL.md\n{}//- /p/.agents/skills/tea/agents/openai.yaml\n{text}\n", fine())
    };
    let missing = |text: &str| format!("//- /s/tea/SKILL.md\n{}//- /s/tea/scripts/boil.py\n", body(text));
    vec![
        declined("AMP-SK-001", "a field that Amp does not read", NO_DIALECT),
        declined("AMP-SK-002", "a skill that another hides in Amp", NO_DIALECT),
        found(
            "AMP-SK-003",
            "a skill that is too deep to be found",
            "too-deep",
            format!("//- /p/.claude/skills/a/tea/SKILL.md\n{}", fine()),
            format!("//- /p/.claude/skills/tea/SKILL.md\n{}", fine()),
        )
        .of("claude"),
        found(
            "CL-SK-001",
            "a field that Cline does not read",
            "unknown-field",
            with("model: opus"),
            with("license: MIT"),
        )
        .of("cline")
        .strict(),
        declined(
            "CL-SK-004",
            "a skill without text in Cline",
            "The table of `cline` names it as not described: the skill is listed, and has nothing to load.",
        ),
        found(
            "CP-SK-001",
            "a field that Copilot does not read",
            "unknown-field",
            with("model: opus"),
            with("context: fork"),
        )
        .of("copilot")
        .strict(),
        declined("CP-SK-002", "a grant of the whole shell in Copilot", GRANTS),
        found(
            "CR-SK-001",
            "a field that Cursor does not read",
            "unknown-field",
            with("model: opus"),
            with("paths: src/**"),
        )
        .of("cursor")
        .strict(),
        found(
            "CX-SK-001",
            "a field that Codex does not read",
            "unknown-field",
            with("model: opus"),
            with("license: MIT"),
        )
        .of("codex")
        .strict(),
        answer("CX-SK-004", "a list that is larger than its budget in Codex", BUDGET),
        found(
            "CX-SK-006",
            "a file beside SKILL.md that Codex ignores",
            "sidecar-ignored",
            sidecar("policy: allow"),
            sidecar("policy:\n  allow_implicit_invocation: false"),
        )
        .of("codex"),
        declined("CX-SK-007", "documents for people in a skill's folder", shown),
        declined("KR-SK-001", "a field that Kiro does not read", NO_DIALECT),
        declined("KR-SK-002", "a description that says little in Kiro", NO_DIALECT),
        found(
            "OC-SK-001",
            "a field that OpenCode does not read",
            "unknown-field",
            with("model: opus"),
            with("license: MIT"),
        )
        .of("opencode")
        .strict(),
        answer("OC-SK-002", "the same name in two sources of OpenCode", SHADOWED),
        declined("WS-SK-001", "a field that Windsurf does not read", NO_DIALECT),
        found("XP-SK-001", "a field of one client alone", "unknown-field", with("context: fork"), with("license: MIT"))
            .strict(),
        declined("XP-SK-002", "a path in somebody's home directory", HOME_PATH),
        declined("XP-SK-003", "a secret in a file", secret),
        found(
            "XP-SK-004",
            "backslashes in a path",
            "reference-missing",
            missing("Run `scripts\\boil.py`."),
            missing("Run `scripts/boil.py`."),
        ),
        declined("GRK-SK-001", "advice on tools in Grok", NO_DIALECT),
        declined("GRK-SK-002", "a flag that Grok ignores", NO_DIALECT),
    ]
}

fn skills_ref() -> Vec<Row> {
    let listed = "`list --json` gives the fields of each skill.";
    let prompt = "`prompt` writes the list, and its tests hold its form.";
    let upper = "`SKILL.md` goes before a name in another letter case in the same folder.";
    let gone = "`check` fails with the error `file-system`.";
    let file = "The path of a file is checked as a SKILL.md.";
    let normalised = "A name is compared as it is written (rule 7.3), because clients and file systems do so.";
    let long = |chars: usize| "w".repeat(chars);
    let described = |chars: usize| fields(&format!("name: tea\ndescription: {}", long(chars)));
    let needs = |chars: usize| with(&format!("compatibility: {}", long(chars)));
    let small = || format!("//- /s/tea/skill.md\n{}", fine());
    let no_skill = || "//- /s/README.md\nTea.\n".to_owned();
    vec![
        accepted("parser::valid_frontmatter", "plain frontmatter", fine()),
        found(
            "parser::missing_frontmatter",
            "a file without frontmatter",
            "frontmatter-missing",
            "Tea.\n".into(),
            fine(),
        ),
        found(
            "parser::unclosed_frontmatter",
            "frontmatter without an end",
            "frontmatter-unclosed",
            "---\nname: tea\n".into(),
            fine(),
        ),
        found(
            "parser::invalid_yaml",
            "YAML that is not valid",
            "yaml-repaired",
            with("license: [MIT"),
            with("license: MIT"),
        ),
        found("parser::non_dict_frontmatter", "frontmatter that is no map", "yaml", "---\ntea\n---\n".into(), fine()),
        answer("parser::read_valid_skill", "the fields of a skill", listed),
        answer("parser::read_with_metadata", "metadata of a skill", listed),
        found("parser::missing_skill_md", "a folder without a SKILL.md", "no-skill", no_skill(), fine()),
        found("parser::missing_name", "no name", "name-missing", fields("description: Brews tea."), fine()),
        found("parser::missing_description", "no description", "description-missing", fields("name: tea"), fine()),
        answer("parser::find_skill_md_prefers_uppercase", "two files whose names differ in letter case", upper),
        found("parser::find_skill_md_accepts_lowercase", "a file skill.md", "file-name-case", small(), fine()),
        found("parser::find_skill_md_returns_none_when_missing", "nothing to find", "no-skill", no_skill(), fine()),
        found("parser::read_properties_with_lowercase_skill_md", "reading skill.md", "file-name-case", small(), fine()),
        accepted("parser::read_with_allowed_tools", "a list of tools", with("allowed-tools: Bash(git:*) Read")),
        answer("prompt::empty_list", "a list of no skills", prompt),
        answer("prompt::single_skill", "a list of one skill", prompt),
        answer("prompt::multiple_skills", "a list of several skills", prompt),
        answer("prompt::special_characters_escaped", "special characters in a list", prompt),
        accepted("validator::valid_skill", "a skill without fault", fine()),
        answer("validator::nonexistent_path", "a path that does not exist", gone),
        answer("validator::not_a_directory", "a path that is no folder", file),
        found("validator::missing_skill_md", "a folder without a SKILL.md", "no-skill", no_skill(), fine()),
        found(
            "validator::invalid_name_uppercase",
            "capital letters in a name",
            "name-invalid",
            named("Tea"),
            named("tea"),
        ),
        found("validator::name_too_long", "a long name", "too-long", named(&long(65)), named(&long(64))),
        found("validator::name_leading_hyphen", "a hyphen first", "name-invalid", named("-tea"), named("tea")),
        found("validator::name_consecutive_hyphens", "two hyphens", "name-invalid", named("te--a"), named("te-a")),
        found(
            "validator::name_invalid_characters",
            "other characters in a name",
            "name-invalid",
            named("te_a"),
            named("te-a"),
        ),
        found(
            "validator::name_directory_mismatch",
            "a name unlike its folder's",
            "name-mismatch",
            fields("name: pot\ndescription: Brews tea."),
            fine(),
        ),
        found("validator::unexpected_fields", "an unknown field", "unknown-field", with("colour: green"), fine())
            .strict(),
        accepted("validator::valid_with_all_fields", "all fields", with("license: MIT\nmetadata:\n  author: me")),
        accepted(
            "validator::allowed_tools_accepted",
            "tools with patterns",
            with("allowed-tools: Bash(jq:*) Bash(git:*)"),
        ),
        accepted("validator::i18n_chinese_name", "a Chinese name", named("茶道")),
        accepted("validator::i18n_russian_name_with_hyphens", "a Russian name with a hyphen", named("чай-вода")),
        accepted("validator::i18n_russian_lowercase_valid", "a Russian name", named("чай")),
        found(
            "validator::i18n_russian_uppercase_rejected",
            "Russian capital letters",
            "name-invalid",
            named("ЧАЙ"),
            named("чай"),
        ),
        found("validator::description_too_long", "a long description", "too-long", described(1_025), described(1_024)),
        accepted("validator::valid_compatibility", "a compatibility", with("compatibility: Needs a kettle.")),
        found("validator::compatibility_too_long", "a long compatibility", "too-long", needs(501), needs(500)),
        declined("validator::nfkc_normalization", "a name that is the same after normalisation", normalised),
    ]
}

/// The codes of an example: a tree, or a SKILL.md in the folder `tea`. A tree with a project is checked by its sources.
fn codes(row: &Row, example: &str) -> Vec<&'static str> {
    let tree =
        if example.starts_with("//- ") { tree(example) } else { Tree::default().with("/s/tea/SKILL.md", example) };
    let paths = if example.contains("//- /p/") { Vec::new() } else { vec![path("/s")] };
    let (memory, ground) = (tree.mem(), on(tree));
    let world = World::new(&memory, &ground.places, &());
    let found = check(&world, &table(row.dialect), &paths, &CheckRequest { strict: row.strict }).expect("it is there");
    found.iter().map(|finding| finding.code.as_str()).collect()
}

#[test]
fn each_rule_is_answered_once() {
    let (agnix, skills_ref) = (agnix(), skills_ref());
    assert_eq!((agnix.len(), skills_ref.len()), (73, 40), "the rules of the two");
    let mut ids = BTreeSet::new();
    for row in agnix.iter().chain(&skills_ref) {
        let id = row.id;
        assert!(ids.insert(id), "{id} is there twice");
        match &row.here {
            Here::Finding { code, bad, good } => {
                assert!(Code::named(code).is_some(), "{id}: no code `{code}`");
                let (with, without) = (codes(row, bad), codes(row, good));
                assert!(with.contains(code), "{id}: {with:?} from {bad}");
                assert!(!without.contains(code), "{id}: {without:?} from {good}");
            }
            Here::Accepted(example) => assert_eq!(codes(row, example), Vec::<&str>::new(), "{id}: {example}"),
            Here::Answer(sentence) | Here::Declined(sentence) => assert!(sentence.ends_with('.'), "{id}: {sentence}"),
        }
    }
}

/// The rows in Markdown.
fn markdown(title: &str, rows: &[Row]) -> String {
    let mut lines = vec![format!("| {title} | what it is about | here |"), "|---|---|---|".to_owned()];
    for row in rows {
        let strict = if row.strict { " in strict checks" } else { "" };
        let dialect = if row.dialect == "agentskills" { String::new() } else { format!(" (`{}`)", row.dialect) };
        let here = match &row.here {
            Here::Finding { code, .. } => format!("`{code}`{strict}{dialect}"),
            Here::Accepted(_) => "No finding either.".to_owned(),
            Here::Answer(by) => (*by).to_owned(),
            Here::Declined(reason) => format!("Declined. {reason}"),
        };
        lines.push(format!("| {} | {} | {here} |", row.id, row.about));
    }
    lines.join("\n")
}

#[test]
fn the_page_has_the_tables() {
    let file = crate::common::root().join("src/rules.md");
    let text = std::fs::read_to_string(&file).expect("the page can be read");
    let (before, rest) = text.split_once(BEGIN).expect("where the tables begin");
    let (now, after) = rest.split_once(END).expect("where the tables end");
    let expected = format!("{}\n\n{}", markdown("`agnix`", &agnix()), markdown("`skills-ref`", &skills_ref()));
    if std::env::var_os("UPDATE").is_some() {
        std::fs::write(&file, format!("{before}{BEGIN}{expected}{END}{after}")).expect("the page can be written");
        return;
    }
    assert_eq!(now, expected, "`UPDATE=1` writes the tables");
}
