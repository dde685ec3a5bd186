//! The WASM module through its JavaScript wrapper: what it answers to the steps of every case of `testdata` is what the
//! library answers here, in each runtime that is there and however files are given; nothing makes it trap or grow; and
//! the guide's example runs. `SKILLTREE_WASM` names the module, which `.ci/wasm` makes; without it these are skipped.
#![cfg(all(unix, feature = "receipts"))]

use crate::common;
use crate::receipt::receipts_of;
use crate::receipt::sessions::{made, sessions};
use crate::transcript::{Stage, cases, completed, copied, each_step};
use common::runtimes::runtime;
use common::skip::skip;
use common::{TempDir, root};
use pretty_assertions::assert_eq;
use skilltree::author::Matrix;
use skilltree::dialect::NAMES;
use skilltree::offer::{SearchIndex, SearchRequest};
use skilltree::record::ReplayRequest;
use skilltree::{
    Caller, Catalog, CheckRequest, Diagnostic, Error, Invocation, Json, LoadRequest, Places, PromptRequest,
    SelectRequest, Why, World, check, commands, discover, invoke, load, prompt, select, why,
};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::path::{Path, PathBuf};
use std::process::Command;

/// How many calls the module is to bear without growing.
const CALLS: &str = "100000";

/// The module, where there is one.
fn module() -> Option<PathBuf> {
    let named = std::env::var_os("SKILLTREE_WASM").filter(|named| !named.is_empty()).map(PathBuf::from);
    match &named {
        None => skip("SKILLTREE_WASM names no module"),
        Some(module) => assert!(module.is_file(), "SKILLTREE_WASM names no file: {}", module.display()),
    }
    named
}

fn node() -> Option<PathBuf> {
    let is_there = Command::new("node").arg("--version").output().is_ok_and(|told| told.status.success());
    if !is_there {
        skip("there is no node");
    }
    is_there.then(|| PathBuf::from("node"))
}

/// What a program prints that is to succeed.
#[track_caller]
fn printed(program: &mut Command) -> String {
    let output = program.output().unwrap_or_else(|error| panic!("{program:?}: {error}"));
    let errors = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{program:?}: {errors}");
    String::from_utf8(output.stdout).expect("UTF-8")
}

/// One step: what is asked of the wrapper, and what the library answers.
struct Step {
    case: String,
    ask: Json,
    answer: Json,
}

/// The words of a step, its options, and the arguments, which go on to the end of the line.
struct Words<'a> {
    plain: Vec<&'a str>,
    options: Vec<(&'a str, &'a str)>,
}

impl<'a> Words<'a> {
    fn of(text: &'a str) -> Words<'a> {
        let (text, args) = text.split_once("--args ").map_or((text, None), |(text, args)| (text, Some(args)));
        let mut words = Words { plain: Vec::new(), options: args.map(|args| ("args", args)).into_iter().collect() };
        let mut rest = text.split_whitespace();
        while let Some(word) = rest.next() {
            match word.strip_prefix("--") {
                Some(flag @ ("no-body" | "diff" | "strict")) => words.options.push((flag, "")),
                Some(name) => words.options.push((name, rest.next().unwrap_or_default())),
                None => words.plain.push(word),
            }
        }
        words
    }

    fn all(&self, name: &str) -> Vec<String> {
        self.options.iter().filter(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()).collect()
    }

    fn one(&self, name: &str) -> Option<String> {
        self.all(name).into_iter().next()
    }

    fn number(&self, name: &str) -> Option<usize> {
        self.one(name).map(|number| number.parse().expect("a number"))
    }

    fn json(&self) -> Json {
        let fields = self.options.iter().map(|(name, value)| match *name {
            "already" | "dialects" | "recent" => (*name, Json::from(self.all(name).as_slice())),
            "budget" | "limit" | "window" | "max" => (*name, Json::Number((*value).to_owned())),
            "diff" | "strict" => (*name, Json::Bool(true)),
            "no-body" => ("body", Json::Bool(false)),
            "query" => (*name, Json::from(value.replace('_', " "))),
            _ => (*name, Json::from(*value)),
        });
        Json::map(fields)
    }
}

/// A step in the words of the wrapper, and its answer; none for what the module does not answer.
fn asked(world: &World<'_>, catalog: &Catalog, reserved: &[String], step: &str) -> Option<(Json, Json)> {
    let (word, rest) = step.split_once(' ').unwrap_or((step, ""));
    let words = Words::of(rest);
    let joined = words.plain.join(" ");
    let size = PromptRequest {
        budget: words.number("budget"),
        window: words.number("window"),
        query: words.one("query").map(|query| query.replace('_', " ").into()),
    };
    let list = |method: &str, args: &[Json]| Json::from([&[Json::from(method)], args].concat());
    let named = |text: &str| [Json::from(text), words.json()];
    let caller = if words.one("as").as_deref() == Some("model") { Caller::Model } else { Caller::User };
    let (ask, answer) = match word {
        "list" | "json" | "skill" | "tree" => {
            (list("list", &[]), Ok(catalog.to_json(world, &commands(catalog, reserved))))
        }
        "prompt" => (list("prompt", &[words.json()]), Ok(prompt(world, catalog, &size).to_json())),
        "load" => {
            let mut how = LoadRequest::new(caller);
            (how.args, how.already_loaded) = (words.one("args").unwrap_or_default(), words.all("already"));
            let loaded = catalog.locate(world, &joined, caller).and_then(|skill| load(world, catalog, skill, &how));
            let view = catalog
                .locate(world, &joined, caller)
                .ok()
                .and_then(|skill| catalog.load_view(world, &skill.key, Ok(skill)));
            (list("load", &named(&joined)), loaded.map(|loaded| loaded.to_json(world.fs, view.as_deref())))
        }
        "invoke" => {
            let told = invoke(world, catalog, &commands(catalog, reserved), rest);
            let told = told.map(|told| Invocation::line_json(world.fs, told.as_ref(), rest));
            (list("invoke", &[Json::from(rest)]), told)
        }
        "match" => {
            let ask = SelectRequest { query: joined.clone(), recent: words.all("recent"), max: words.number("max") };
            (list("match", &named(&joined)), select(world, catalog, &ask).map(|told| told.to_json()))
        }
        "search" => {
            let mut request = SearchRequest::new(&joined, caller);
            request.limit = words.number("limit").unwrap_or(request.limit);
            let index = match words.one("no-body") {
                Some(_) => SearchIndex::new(catalog),
                None => SearchIndex::with_bodies(world, catalog),
            };
            (list("search", &named(&joined)), Ok(index.search(&request).to_json(world.fs)))
        }
        "why" => {
            let told = why(world, catalog, &joined, &size);
            (list("why", &named(&joined)), Ok(Why::all_to_json(world.fs, &joined, &told)))
        }
        "matrix" => {
            let dialects: Vec<_> = match words.all("dialects").as_slice() {
                [] => NAMES.iter().filter_map(|name| skilltree::dialect(name)).collect(),
                names => names.iter().filter_map(|name| skilltree::dialect(name)).collect(),
            };
            let mut found = Matrix::of(world, &dialects, &size);
            if words.one("diff").is_some() {
                found.keep_differences();
            }
            let told = Json::parse(&found.json_text(world.fs).to_string()).expect("JSON");
            (list("matrix", &[words.json()]), Ok(told))
        }
        "check" => {
            let paths: Vec<_> = words.plain.iter().map(|word| common::path(word)).collect();
            let ask = CheckRequest { strict: words.one("strict").is_some() };
            let found = check(world, catalog.dialect(), &paths, &ask);
            let named: Vec<Json> = words.plain.iter().map(|path| Json::from(*path)).collect();
            let found = found.map(|found| Json::map([("findings", Diagnostic::all_to_json(world.fs, &found))]));
            (list("check", &[named.into(), words.json()]), found)
        }
        "call" => {
            let arguments = Json::parse(rest).ok()?;
            let answer = skilltree::call(world, catalog, rest);
            let view = catalog.call_view(world, rest, answer.as_ref().map(skilltree::Invocation::key));
            let told = Invocation::answer_json(world.fs, answer.as_ref(), view.as_deref());
            (list("call", &[arguments]), Ok(told))
        }
        "complete" => {
            let commands = commands(catalog, reserved);
            (list("complete", &[Json::from(rest)]), Ok(skilltree::Command::all_to_json(&commands.complete(rest))))
        }
        "tool" => (list("tool", &[]), skilltree::tool(catalog).map(|tool| tool.to_json())),
        _ => return None,
    };
    Some((ask, answer.unwrap_or_else(|error: Error| Json::map([("error", error.to_json())]))))
}

fn places(places: &Places) -> Json {
    let path = |path: &Option<skilltree::FsPath>| path.as_ref().map(|path| path.as_str().to_owned());
    let registered = places
        .registered
        .iter()
        .map(|(id, path)| Json::map([("id", Json::from(id.as_str())), ("path", Json::from(path.as_str()))]));
    let flags = [("onlyRoots", places.only_roots), ("followLinksOut", places.follow_links_out)];
    Json::map(flags.map(|(name, flag)| (name, Json::Bool(flag))))
        .with("project", path(&places.project))
        .with("home", path(&places.home))
        .with("bundled", path(&places.bundled))
        .with("config", path(&places.config))
        .with("user", path(&places.user))
        .with("managed", path(&places.managed))
        .with("touched", Some(places.touched.iter().map(|file| Json::from(file.as_str())).collect::<Vec<_>>()))
        .with("active", path(&places.active))
        .with("mount", places.mount.as_deref())
        .with("registered", Some(registered.collect::<Vec<_>>()))
        .with("roots", Some(places.roots.iter().map(|root| Json::from(root.as_str())).collect::<Vec<_>>()))
}

fn host(machine: &common::Machine, reserved: &[String]) -> Json {
    let list =
        |set: &std::collections::BTreeSet<String>| set.iter().map(|one| one.as_str().into()).collect::<Vec<Json>>();
    let held: Vec<Json> = machine.held.iter().map(|held| Json::from(held.tag())).collect();
    let variables = machine.variables.iter().map(|(name, value)| (name, Json::from(value.as_str())));
    let ranks = machine.ranks.iter().map(|(key, rank)| (key, Json::Number(rank.to_string())));
    let unreadable: Vec<Json> = machine.unreadable.iter().map(|path| Json::from(path.as_str())).collect();
    Json::map([
        ("enable", list(&machine.on).into()),
        ("disable", list(&machine.off).into()),
        ("programs", list(&machine.bins).into()),
        ("environment", list(&machine.envs).into()),
        ("trust", Json::Bool(machine.trust)),
        ("permissions", held.into()),
        ("variables", Json::map(variables)),
        ("ranks", Json::map(ranks)),
        ("unreadable", unreadable.into()),
        ("reserved", Json::from(reserved)),
    ])
}

/// Every case with what is asked of it, for the wrapper; every step with its answer, for this side; and the copies of
/// cases with symlinks, which the wrapper reads.
fn questions() -> (Json, Vec<Vec<Step>>, Vec<TempDir>) {
    let (mut asked_of, mut expected, mut copies) = (Vec::new(), Vec::new(), Vec::new());
    let mut add = |root: &Path, dialect: &str, places: Json, host: Json, steps: Vec<Step>| {
        let asks: Vec<Json> = steps.iter().map(|step| step.ask.clone()).collect();
        asked_of.push(Json::map([
            ("root", Json::from(root.to_string_lossy().as_ref())),
            ("dialect", dialect.into()),
            ("places", places),
            ("host", host),
            ("steps", asks.into()),
        ]));
        expected.push(steps);
    };
    for dir in cases() {
        let (mut steps, mut given) = (Vec::new(), None);
        each_step(&dir, &mut |stage: &Stage<'_>, step| {
            let catalog = discover(&stage.world, &stage.dialect);
            let told = asked(&stage.world, &catalog, stage.reserved, step);
            let case = format!("{}: {step}", dir.display());
            steps.extend(told.map(|(ask, answer)| Step { case: case.clone(), ask, answer }));
            steps.extend(receipts_of(stage, step).map(|receipt| {
                let ask = Json::from([Json::from("replay"), receipt.to_json()].to_vec());
                let told = receipt.replay(stage.world.fs, &ReplayRequest::default());
                let answer = told.to_json(&|path| path.to_string());
                Step { case: format!("{case}, again"), ask, answer }
            }));
            given = Some((
                stage.dialect.name().to_owned(),
                places(stage.world.places),
                host(stage.machine, stage.reserved),
            ));
        });
        if let Some((dialect, places, host)) = given {
            let copy = completed(&dir);
            add(copy.as_ref().map_or(&dir, TempDir::path), &dialect, places, host, steps);
            copies.extend(copy);
        }
    }
    let dir = root().join("testdata/one-tree");
    let (fs, machine) = (copied(&dir), common::Machine::default());
    let places_of_all = Places {
        project: Some(common::path("/project")),
        roots: vec![common::path("/skills")],
        only_roots: true,
        ..Places::default()
    };
    for name in NAMES {
        let world = World::new(&fs, &places_of_all, &machine);
        let catalog = discover(&world, &skilltree::dialect(name).expect("a dialect"));
        let lines = [
            "list",
            "prompt",
            "load brew --as model --args green tea",
            "invoke /brew green tea",
            "search brewing a hot drnk",
            "search brewing a hot drink --as model --limit 2",
            "search warm the pot --no-body",
            "search warm the pot",
            "search spaceship",
            "why steep",
            "check",
        ];
        let steps = lines.iter().filter_map(|line| {
            let (ask, answer) = asked(&world, &catalog, &[], line)?;
            Some(Step { case: format!("one-tree, {name}: {line}"), ask, answer })
        });
        add(&dir, name, places(&places_of_all), host(&machine, &[]), steps.collect());
    }
    let dir = root().join("testdata/matrix");
    let copy = completed(&dir);
    let fs = copied(&dir);
    let places_of_both =
        Places { project: Some(common::path("/project")), home: Some(common::path("/home")), ..Places::default() };
    let world = World::new(&fs, &places_of_both, &machine);
    let catalog = discover(&world, &skilltree::dialect("claude").expect("a dialect"));
    let lines = ["matrix", "matrix --diff --dialects sven --dialects claude", "matrix --budget 300"];
    let steps = lines.iter().filter_map(|line| {
        let (ask, answer) = asked(&world, &catalog, &[], line)?;
        Some(Step { case: format!("matrix: {line}"), ask, answer })
    });
    add(
        copy.as_ref().map_or(&dir, TempDir::path),
        "claude",
        places(&places_of_both),
        host(&machine, &[]),
        steps.collect(),
    );
    copies.extend(copy);
    (Json::from(asked_of), expected, copies)
}

/// The same with its keys in order, as JavaScript puts those that are numbers first.
fn sorted(json: &Json) -> Json {
    match json {
        Json::List(items) => Json::List(items.iter().map(sorted).collect()),
        Json::Map(fields) => {
            let mut fields: Vec<_> = fields.iter().map(|(key, value)| (key.clone(), sorted(value))).collect();
            fields.sort_by(|a, b| a.0.cmp(&b.0));
            Json::Map(fields)
        }
        other => other.clone(),
    }
}

/// Holds the wrapper's answers in a runtime against the library's.
#[track_caller]
fn answers_the_same(mut program: Command, module: &Path) {
    let (asked, expected, _copies) = questions();
    let folder = TempDir::new("wasm");
    let input = folder.path().join("questions.json");
    std::fs::write(&input, asked.to_string()).expect("a file can be written");
    let told = printed(program.arg(root().join("tests/wasm/same.mjs")).arg(module).arg(&input));
    let Ok(Json::List(told)) = Json::parse(told.trim_end()) else { panic!("no list: {told}") };
    assert_eq!(told.len(), expected.len(), "cases");
    let mut held = 0;
    for (told, steps) in told.iter().zip(&expected) {
        let Json::Map(ways) = told else { panic!("no map: {told}") };
        held += ways.len() * steps.len();
        for (way, told) in ways {
            let Json::List(told) = told else { panic!("no list: {told}") };
            assert_eq!(told.len(), steps.len(), "{way}");
            // A host that is asked for folders is not asked for those above a source, and so does not tell that the root of
            // the source is a symlink, whose target `codex` shows.
            let is_asked = way == "functions" || way == "promises";
            let is_told = |case: &str| !(is_asked && case.contains("codex/links"));
            for (told, step) in told.iter().zip(steps).filter(|(_, step)| is_told(&step.case)) {
                assert_eq!(
                    format!("{:#}", sorted(told)),
                    format!("{:#}", sorted(&step.answer)),
                    "{way}: {}",
                    step.case
                );
            }
        }
    }
    assert!(held > 2_000, "answers held: {held}");
}

#[test]
fn node_answers_as_the_library_does() {
    if let (Some(module), Some(node)) = (module(), node()) {
        answers_the_same(Command::new(node), &module);
    }
}

#[test]
fn deno_answers_as_the_library_does() {
    if let (Some(module), Some(deno)) = (module(), runtime("deno")) {
        let mut program = Command::new(deno);
        // In `/dev`, where trees of tests may be made, Deno reads nothing without all permissions.
        program.args(["run", "--quiet", "--no-config", "--allow-all"]).env("DENO_NO_UPDATE_CHECK", "1");
        answers_the_same(program, &module);
    }
}

#[test]
fn bun_answers_as_the_library_does() {
    if let (Some(module), Some(bun)) = (module(), runtime("bun")) {
        answers_the_same(Command::new(bun), &module);
    }
}

#[test]
fn nothing_makes_it_trap_or_grow() {
    if let (Some(module), Some(node)) = (module(), node()) {
        printed(Command::new(node).arg(root().join("tests/wasm/hostile.mjs")).arg(module).arg(CALLS));
    }
}

/// Receipts that were made here are replayed there.
#[test]
#[allow(clippy::print_stdout, reason = "the harness shows what a test prints only if the test fails")]
fn sessions_replay_in_the_module() {
    let (Some(module), Some(node)) = (module(), node()) else { return };
    let seed = common::property::seed();
    println!("repeat with: {}", common::property::command("sessions_replay_in_the_module", seed));
    let folder = TempDir::new("sessions");
    let input = folder.path().join("sessions.ndjson");
    let mut lines = BufWriter::new(File::create(&input).expect("a file can be made"));
    for n in 0..sessions() {
        let made = made(&mut common::Random(seed.wrapping_add(n)));
        let files = Json::map(made.files.into_iter().map(|(file, text)| (file, Json::from(text))));
        let receipts: Vec<Json> = made.receipts.iter().map(skilltree::record::Receipt::to_json).collect();
        let line = Json::map([("files", files), ("receipts", receipts.into())]);
        writeln!(lines, "{line}").expect("a line can be written");
    }
    lines.flush().expect("the file can be written");
    let told = printed(Command::new(node).arg(root().join("tests/wasm/replay.mjs")).arg(module).arg(&input));
    let answers: u64 = told.trim().parse().expect("a number of answers");
    assert!(answers > 2 * sessions(), "{answers} answers");
}

#[test]
fn the_wrapper_keeps_its_promises() {
    if let (Some(module), Some(node)) = (module(), node()) {
        printed(Command::new(node).arg(root().join("tests/wasm/wrapper.mjs")).arg(module));
    }
}

/// `.ci/wasm` makes the slim module beside the full one.
#[test]
fn the_slim_module_answers_as_the_full_one_does() {
    let (Some(module), Some(node)) = (module(), node()) else { return };
    let slim = module.with_file_name("skilltree-slim.wasm");
    if !slim.is_file() {
        return skip("there is no slim module beside the one that SKILLTREE_WASM names");
    }
    printed(Command::new(node).arg(root().join("tests/wasm/slim.mjs")).arg(module).arg(slim));
}

/// The first block of this language in the guide's page on JavaScript.
fn block(language: &str) -> String {
    let page = std::fs::read_to_string(root().join("src/guide/javascript.md")).expect("the page");
    let (_, code) = page.split_once(&format!("```{language}\n")).expect("a block");
    code.split_once("```").expect("its end").0.to_owned()
}

/// What is said behind `// →` is what is printed.
#[test]
fn the_example_of_the_guide_runs() {
    let code = block("js");
    let promised: Vec<&str> = code.lines().filter_map(|line| line.split_once("// → ")).map(|(_, told)| told).collect();
    assert!(!promised.is_empty(), "it promises something");
    let (Some(module), Some(node)) = (module(), node()) else { return };
    let folder = TempDir::new("readme");
    let put = |name: &str, bytes: Vec<u8>| std::fs::write(folder.path().join(name), bytes).expect("it can be written");
    put("skilltree.mjs", std::fs::read(root().join("src/wasm/skilltree.mjs")).expect("the wrapper"));
    put("skilltree.wasm", std::fs::read(module).expect("the module"));
    put("example.mjs", code.clone().into_bytes());
    let told = printed(Command::new(node).arg(folder.path().join("example.mjs")));
    assert_eq!(told.lines().collect::<Vec<_>>(), promised);
}

/// The types say what the wrapper has: the compiler holds an example that uses all of it against them.
#[test]
fn the_types_fit() {
    let Some(tsc) = runtime("tsc") else { return };
    let options = [
        "--noEmit",
        "--strict",
        "--target",
        "es2022",
        "--module",
        "nodenext",
        "--lib",
        "es2023,dom,dom.asynciterable,esnext",
    ];
    printed(Command::new(tsc).args(options).arg(root().join("tests/wasm/types.mts")));
}
