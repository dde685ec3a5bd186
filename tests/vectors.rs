//! What real clients listed when they were run, as `testdata/vectors` has it: each case is a small tree with what each
//! client listed there, and the client's dialect must list the same. Observations that do not hold are named in
//! `different.json`, each with its reason.

use crate::common::ground::changed;
use crate::common::{Tree, root};
use pretty_assertions::assert_eq;
use skilltree::model::{ParsedFrontmatters, Reading};
use skilltree::offer::ListedSkill;
use skilltree::{Code, Dialect, Fs, FsPath, Json, Places, PromptRequest, World, dialect, discover};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;

/// Where the laboratory lays out the tree of a case.
const ROOT: &str = "/mnt";
/// At least so many of a hundred observations of each client hold.
const LEAST_PERCENT: usize = 95;

/// How many entries of a list are shown where it differs from another.
const MAX_SHOWN: usize = 5;

/// One entry of a list. What a client does not tell is `None`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Listed {
    pub(crate) name: String,
    pub(crate) path: Option<String>,
    pub(crate) description: Option<String>,
}

/// The folders in which a client looks for skills, below the project and below the home directory.
pub(crate) struct Client {
    name: String,
    folders: [(&'static str, String); 2],
    /// The window of the model that the client was started with, in tokens, if its list depends on it.
    window: Option<usize>,
}

pub(crate) fn text<'j>(json: &'j Json, field: &str) -> Option<&'j str> {
    json.get(field).and_then(Json::as_text)
}

pub(crate) fn list<'j>(json: &'j Json, field: &str) -> &'j [Json] {
    match json.get(field) {
        Some(Json::List(items)) => items,
        _ => &[],
    }
}

pub(crate) fn map(json: &Json) -> &[(String, Json)] {
    match json {
        Json::Map(pairs) => pairs,
        _ => &[],
    }
}

pub(crate) fn read(path: &str) -> Json {
    let text = fs::read_to_string(root().join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
    Json::parse(&text).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// The clients of the laboratory.
pub(crate) fn clients() -> Vec<Client> {
    let pins = read("tests/lab/clients.json");
    let client = |(name, pin): &(String, Json)| {
        let folder = |top| (top, format!("{top}/{}", text(pin, top).expect("a pin has folders")));
        let window = match pin.get("window") {
            Some(Json::Number(tokens)) => Some(tokens.parse().expect("a number of tokens")),
            _ => None,
        };
        Client { name: name.clone(), folders: [folder("project"), folder("home")], window }
    };
    map(&pins).iter().map(client).collect()
}

/// The cases by name.
pub(crate) fn cases() -> BTreeMap<String, Json> {
    let folder = "testdata/vectors/cases";
    let names = fs::read_dir(root().join(folder)).expect("there are cases");
    let names = names.map(|entry| entry.expect("a name").file_name().into_string().expect("a name in UTF-8"));
    names.map(|name| (name.trim_end_matches(".json").to_owned(), read(&format!("{folder}/{name}")))).collect()
}

impl Client {
    /// The name of the client, which is that of its dialect.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    fn filled(&self, text: &str) -> String {
        let filled = |text: String, (top, folder): &(&str, String)| text.replace(&format!("{{{top}}}"), folder);
        self.folders.iter().fold(text.to_owned(), filled).replace("{root}", ROOT)
    }

    fn inside(&self, path: &str) -> String {
        format!("{ROOT}/{}", self.filled(path))
    }

    /// The path in the case of a path in the tree.
    fn outside(&self, path: &FsPath) -> String {
        let path = path.as_str().strip_prefix(ROOT).unwrap_or(path.as_str()).trim_start_matches('/');
        let own = self.folders.iter().find_map(|(top, folder)| {
            let below = path.strip_prefix(folder.as_str())?.strip_prefix('/')?;
            Some(format!("{{{top}}}/{below}"))
        });
        own.unwrap_or_else(|| path.to_owned())
    }

    /// The tree of a case, as this client gets it.
    fn tree(&self, case: &Json) -> Tree {
        let start = text(case, "start").unwrap_or("project");
        let mut tree = Tree::default().with_dir(&self.inside("home")).with_dir(&self.inside(start));
        for folder in list(case, "repositories").iter().filter_map(Json::as_text) {
            tree = tree.with(&self.inside(&format!("{folder}/.git/HEAD")), "ref: refs/heads/main\n");
        }
        for file in list(case, "files") {
            let path = self.inside(text(file, "path").expect("a file has a path"));
            tree = match (text(file, "link"), text(file, "base64"), text(file, "text")) {
                (Some(target), _, _) => tree.with_link(&path, &self.filled(target)),
                (_, Some(coded), _) => tree.with(&path, decoded(coded)),
                (_, _, Some(whole)) => {
                    let mut whole = self.filled(whole);
                    if let Some(repeated) = file.get("repeated") {
                        let Some(Json::Number(times)) = repeated.get("times") else { panic!("a number of times") };
                        whole += &text(repeated, "text").expect("a text").repeat(times.parse().expect("a number"));
                    }
                    tree.with(&path, whole)
                }
                _ => panic!("a file has a link, a text or bytes: {file}"),
            };
        }
        tree
    }

    /// What the dialect of the client lists for a case, in memory and on the disk.
    pub(crate) fn list(&self, name: &str, case: &Json) -> Vec<Listed> {
        let table = dialect(&self.name).expect("the client has a dialect");
        let tree = self.tree(case);
        let listed = self.list_by(&table, case, &tree.mem(), None);
        #[cfg(unix)]
        assert_eq!(self.list_by(&table, case, &tree.disk().0, None), listed, "{}: {name}: disk and memory", self.name);
        let parsed = ParsedFrontmatters::default();
        let shared = self.list_by(&table, case, &tree.mem(), Some(&parsed));
        assert_eq!(shared, listed, "{}: {name}: parsed for this dialect and for all", self.name);
        listed
    }

    /// Whether a restriction holds here that the client misses, as the file is written.
    #[cfg(target_os = "linux")]
    pub(crate) fn misses_a_restriction(&self, case: &Json) -> bool {
        let (table, fs, places) = (dialect(&self.name), self.tree(case).mem(), self.places(case));
        let world = World::new(&fs, &places, &()).with_reading(Some(Reading::Faithful));
        let catalog = discover(&world, &table.expect("the client has a dialect"));
        catalog.findings().iter().any(|finding| finding.code == Code::RestrictionMissed)
    }

    /// Where the client was started.
    fn places(&self, case: &Json) -> Places {
        let at = |path: &str| FsPath::new(&self.inside(path)).expect("a path");
        Places {
            project: Some(at(text(case, "start").unwrap_or("project"))),
            home: Some(at("home")),
            // The clients were started in a project that is trusted.
            follow_links_out: true,
            ..Places::default()
        }
    }

    /// What a dialect lists for a case whose tree is in this file system.
    fn list_by(
        &self,
        table: &Arc<Dialect>,
        case: &Json,
        fs: &dyn Fs,
        parsed: Option<&ParsedFrontmatters>,
    ) -> Vec<Listed> {
        let places = self.places(case);
        let world = World::new(fs, &places, &()).with_reading(Some(Reading::Faithful));
        let world = parsed.map_or(world, |parsed| world.with_parsed(parsed));
        let catalog = discover(&world, table);
        let ask = PromptRequest { window: self.window, ..PromptRequest::default() };
        let listed = ListedSkill::all(&world, &catalog, &ask);
        let listed = listed.into_iter().map(|skill| Listed {
            name: skill.key,
            path: Some(self.outside(&skill.path)),
            description: Some(skill.description),
        });
        listed.collect()
    }
}

fn decoded(coded: &str) -> Vec<u8> {
    let digit = |c: u8| match c {
        b'A'..=b'Z' => Some(c - b'A'),
        b'a'..=b'z' => Some(c - b'a' + 26),
        b'0'..=b'9' => Some(c - b'0' + 52),
        b'+' => Some(62),
        b'/' => Some(63),
        _ => None,
    };
    let digits: Vec<u32> = coded.bytes().filter_map(digit).map(u32::from).collect();
    let bytes = digits.chunks(4).flat_map(|four| {
        let bits = four.iter().enumerate().fold(0, |bits, (at, digit)| bits | digit << (26 - 6 * at));
        bits.to_be_bytes().into_iter().take(four.len() * 3 / 4)
    });
    bytes.collect()
}

/// How an observation and the list of a dialect differ; `None` if they do not.
pub(crate) fn difference(seen: &Json, mut ours: Vec<Listed>) -> Option<String> {
    let offered = list(seen, "skills").iter().filter(|skill| skill.get("hidden").or(skill.get("error")).is_none());
    let listed = offered.map(|skill| Listed {
        name: text(skill, "name").unwrap_or_default().to_owned(),
        path: text(skill, "path").map(str::to_owned),
        description: text(skill, "description").map(str::to_owned),
    });
    let mut theirs: Vec<Listed> = listed.collect();
    // Which of several skills of one name the client uses is not determined, nor is whether it lists it where not each of them
    // would be listed.
    let undetermined: Vec<&str> = list(seen, "undetermined").iter().filter_map(Json::as_text).collect();
    let names = |list: &[Listed]| list.iter().map(|one| one.name.clone()).collect::<Vec<_>>();
    let (in_ours, in_theirs) = (names(&ours), names(&theirs));
    ours.retain(|one| !undetermined.contains(&&*one.name) || in_theirs.contains(&one.name));
    theirs.retain(|one| !undetermined.contains(&&*one.name) || in_ours.contains(&one.name));
    if seen.get("ordered") != Some(&Json::Bool(true)) {
        // Skills of one name are sorted by what the client tells of them.
        if theirs.iter().all(|told| told.path.is_none()) {
            ours.iter_mut().for_each(|one| one.path = None);
        }
        ours.sort();
        theirs.sort();
    }
    // What the client does not tell is not compared.
    for (one, told) in ours.iter_mut().zip(&mut theirs) {
        if undetermined.contains(&&*told.name) {
            (told.path, told.description) = (None, None);
        }
        one.path = one.path.take().filter(|_| told.path.is_some());
        one.description = one.description.take().filter(|_| told.description.is_some());
    }
    (ours != theirs).then(|| {
        // Of lists in different orders the names, and else what the other has not.
        let shown = |list: &[Listed], other: &[Listed]| {
            if other.len() == list.len() && list.iter().all(|one| other.contains(one)) {
                return format!("{:?}", list.iter().map(|one| &one.name).collect::<Vec<_>>());
            }
            let mut text = String::new();
            for one in list.iter().filter(|one| !other.contains(one)).take(MAX_SHOWN) {
                let description = one.description.as_deref().unwrap_or_default();
                let (start, chars): (String, usize) =
                    (description.chars().take(60).collect(), description.chars().count());
                let _ = write!(text, "\n    {:?} {} {start:?} ({chars})", one.name, one.path.as_deref().unwrap_or("-"));
            }
            text
        };
        format!("the client lists {}\n  and the dialect lists {}", shown(&theirs, &ours), shown(&ours, &theirs))
    })
}

#[test]
fn every_dialect_lists_what_its_client_listed() {
    let (clients, cases, reasons) = (clients(), cases(), read("testdata/vectors/different.json"));
    let only = std::env::var("SKILLTREE_VECTORS").ok();
    let (mut problems, mut table) = (String::new(), BTreeMap::<String, (usize, usize)>::new());
    for (name, case) in &cases {
        for seen in list(case, "seen").iter().filter(|seen| seen.get("superseded").is_none()) {
            let id = text(seen, "client").expect("an observation has a client");
            let client = clients.iter().find(|client| id.split('@').next() == Some(&client.name));
            let Some(client) = client.filter(|client| dialect(&client.name).is_some()) else { continue };
            if only.as_ref().is_some_and(|only| *only != client.name) {
                continue;
            }
            let found = difference(seen, client.list(name, case));
            let row = table.entry(id.to_owned()).or_default();
            *row = (row.0 + usize::from(found.is_none()), row.1 + 1);
            let reason = reasons.get(&client.name).and_then(|of_client| text(of_client, name));
            match (found, reason) {
                (Some(found), None) => _ = writeln!(problems, "{name}: {id}: {found}"),
                (None, Some(_)) => _ = writeln!(problems, "{name}: {id}: holds, but `different.json` has a reason"),
                (Some(_), Some(_)) | (None, None) => {}
            }
        }
    }
    for (id, (held, all)) in &table {
        if held * 100 < all * LEAST_PERCENT {
            let _ = writeln!(problems, "{id}: {held} of {all} observations hold; at least {LEAST_PERCENT} of 100 must");
        }
    }
    assert!(problems.is_empty(), "{problems}\n{table:#?}");
}

#[test]
fn a_table_names_the_version_that_was_run_and_on_how_many_cases() {
    let (pins, cases) = (read("tests/lab/clients.json"), cases());
    for (name, pin) in map(&pins) {
        let counts = |seen: &&Json| {
            seen.get("superseded").is_none()
                && text(seen, "client").is_some_and(|id| id.split('@').next() == Some(name))
        };
        let count: usize = cases.values().map(|case| list(case, "seen").iter().filter(counts).count()).sum();
        let file = format!("src/dialect/builtin/{name}.yaml");
        let written = fs::read_to_string(root().join(&file)).expect("the dialect has a file");
        assert!(
            written.contains(&format!(", {count} cases, ")),
            "{file} does not say that the client was run on {count} cases"
        );
        let table = dialect(name).expect("a dialect");
        let [_, package, version] = table.proven_client().unwrap_or_else(|| panic!("{name} is not said to be proven"));
        assert_eq!((Some(package), Some(version)), (text(pin, "package"), text(pin, "version")), "{name}");
    }
}

/// Faults planted in the tables of dialects: the client, and what its table says instead.
const PLANTED: &[(&str, &str)] = &[
    ("claude", "scan: {depth: 2}"),
    ("claude", "description_fallback: first-paragraph"),
    ("claude", "prompt: {max_description: 1537}"),
    ("codex", "scan: {skipped_parts: []}"),
    ("codex", "scan: {depth: 5}"),
    ("codex", "prompt: {escape: xml}"),
    ("opencode", "order: key"),
    ("opencode", "undescribed: yes"),
    ("gemini", "header: {closing: {before: nothing, after: blanks}}"),
    ("gemini", "name_dashes: \"\""),
    ("gemini", "order: key"),
    ("copilot-cli", "scan: {nested: yes}"),
    ("copilot-cli", "prompt: {budget: {chars: 14900}}"),
    ("pi", "header: {other_scalars: yes}"),
    ("pi", "limits: [{role: description, max_chars: 1023, over: skip}]"),
    ("qwen", "header: {invalid_yaml: tolerant}"),
    ("kilo", "scan: {links_out: yes}"),
    ("kimi", "equal_keys: shadow"),
    ("vibe", "header: {duplicate_keys: no}"),
    ("cline", "missing_frontmatter: skip"),
    ("continue", "scan: {depth: null}"),
];

#[test]
fn a_fault_in_a_table_is_found() {
    let (clients, cases, reasons) = (clients(), cases(), read("testdata/vectors/different.json"));
    let mut missed = Vec::new();
    for (name, parts) in PLANTED {
        let (table, client) = (changed(name, parts), clients.iter().find(|client| client.name == *name));
        let client = client.expect("a client of the laboratory");
        let is_found = cases.iter().any(|(case_name, case)| {
            let is_known = reasons.get(name).and_then(|of_client| text(of_client, case_name)).is_some();
            let mut seen = list(case, "seen")
                .iter()
                .filter(|seen| text(seen, "client").is_some_and(|id| id.split('@').next() == Some(name)) && !is_known);
            seen.any(|seen| difference(seen, client.list_by(&table, case, &client.tree(case).mem(), None)).is_some())
        });
        if !is_found {
            missed.push(format!("{name}: {parts}"));
        }
    }
    assert!(missed.is_empty(), "no case tells of {missed:#?}");
}

/// WASI can start no programs.
#[cfg(not(target_family = "wasm"))]
mod runners {
    use crate::common::root;
    use crate::common::skip::skip;
    use pretty_assertions::assert_eq;
    use std::process::Command;

    /// A loader of a line, which knows one folder and takes the names of folders for those of skills.
    const LOADER: &str = "import json, pathlib; print(json.dumps([{'name': path.parent.name, 'path': str(path)} \
        for path in sorted(pathlib.Path('.agents/skills').rglob('SKILL.md'))]))";

    #[test]
    fn the_cases_are_valid_and_both_runners_tell_the_same() {
        let has = |program: &str| Command::new(program).arg("--version").output().is_ok();
        for program in ["python3", "node"] {
            if !has(program) {
                return skip(format_args!("no {program}"));
            }
        }
        let run = |words: &[&str]| {
            let output =
                Command::new(words[0]).args(&words[1..]).current_dir(root()).output().expect("it can be started");
            let told = String::from_utf8_lossy(&output.stdout).into_owned();
            assert!(output.status.success(), "{words:?}: {told}{}", String::from_utf8_lossy(&output.stderr));
            told
        };
        run(&["python3", "tests/vectors/check.py"]);
        let asked = ["--client", "codex", "--case", "order-*", "--like", "--", "python3", "-c", LOADER];
        let of = |program, runner| run(&[&[program, runner][..], &asked].concat());
        let (one, other) = (of("python3", "tests/vectors/run.py"), of("node", "tests/vectors/run.mjs"));
        assert_eq!(one, other);
        assert!(one.contains("codex@"), "{one}");
    }
}
