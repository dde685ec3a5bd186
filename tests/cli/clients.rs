//! What real clients do, by the cases in the folder that `SKILLTREE_CLIENTS` names (`cases.json`): each case is a small
//! tree, and what the client lists, shows to the model, offers to the user and loads there. The program must say the
//! same, as a project that the user trusts. Nothing of the cases is copied here. Those that do not hold are named, each with its reason.
#![cfg(unix)]

use crate::common;

use crate::program::BINARY;
use common::TempDir;
use common::skip::real_data;
use pretty_assertions::assert_eq;
use skilltree::Json;
use std::fs;
use std::path::Path;
use std::process::Command;

/// The cases that do not hold: the client, the name of the case, and why. Runs of OpenCode 1.18.33 refute those by which the last
/// source wins: the client does not determine the winner. They hold all the same, as the last one is used here.
const DIFFERENT: &[(&str, &str, &str)] = &[
    ("codex", "roots, scopes and equal names all kept", "the case expects the folder of the administrator at `/etc`"),
    ("opencode", "the section of the prompt", "skills that ship with a client are not modelled"),
    ("opencode", "an unknown name", "skills that ship with a client are not modelled"),
    ("gemini", "untrusted folder: workspace folders skipped", "trust in a folder is not modelled"),
    (
        "copilot",
        "only exact true and false are booleans",
        "a flag that hides a skill holds for the model however it is written",
    ),
    (
        "cursor",
        "no header: loaded, described by the first heading",
        "a run of the Cursor SDK 1.0.32: a description is required",
    ),
    (
        "cursor",
        "links: personal folder link may leave the root, project link may not",
        "a run of the Cursor SDK 1.0.32: a link of the project may leave it",
    ),
    (
        "cursor",
        "CLI: surfaces, user-invocable, empty and bad files",
        "a flag that hides a skill holds for the user however it is written",
    ),
    (
        "claude",
        "plugin names: folder, header name, root file",
        "the case names plugins that no file of the client does",
    ),
];

fn cases() -> Option<Vec<Json>> {
    let folder = real_data("SKILLTREE_CLIENTS", "cases")?;
    let text = fs::read_to_string(folder.join("cases.json")).expect("the cases can be read");
    let Ok(Json::List(cases)) = Json::parse(&text) else { panic!("the cases are a list") };
    Some(cases)
}

/// A case that was written to the disk.
struct Scene<'c> {
    case: &'c Json,
    root: TempDir,
    dialect: &'c str,
}

/// What a command said.
struct Said {
    is_ok: bool,
    out: String,
    /// Both outputs.
    all: String,
}

fn text<'j>(json: &'j Json, field: &str) -> Option<&'j str> {
    json.get(field).and_then(Json::as_text)
}

fn list<'j>(json: &'j Json, field: &str) -> &'j [Json] {
    match json.get(field) {
        Some(Json::List(items)) => items,
        _ => &[],
    }
}

/// The prompt, followed by itself with the paths of sources in place of their short names: some cases have the one, some the
/// other.
fn in_both_forms(prompt: &str) -> String {
    let names = prompt.lines().filter_map(|line| line.strip_prefix("- `")?.strip_suffix('`')?.split_once("` = `"));
    let in_full = |prompt: String, (name, path): (&str, &str)| {
        prompt.replace(&format!("(file: {name}/"), &format!("(file: {path}/"))
    };
    format!("{prompt}\n{}", names.fold(prompt.to_owned(), in_full))
}

fn pairs<'j>(json: &'j Json, field: &str) -> &'j [(String, Json)] {
    match json.get(field) {
        Some(Json::Map(pairs)) => pairs,
        _ => &[],
    }
}

impl<'c> Scene<'c> {
    fn new(case: &'c Json) -> Scene<'c> {
        let root = TempDir::new("client");
        let client = text(case, "client").expect("a case has a client");
        let dialect = if client == "copilot-vscode" { "copilot" } else { client };
        let scene = Scene { case, root, dialect };
        let at = |path: &str| scene.root.path().join(path);
        fs::create_dir_all(at("home")).expect("a folder can be made");
        fs::create_dir_all(at(scene.cwd())).expect("a folder can be made");
        for (path, contents) in pairs(case, "files") {
            let file = at(path);
            fs::create_dir_all(file.parent().expect("a file has a folder")).expect("a folder can be made");
            let contents = contents.as_text().expect("a file has a text").replace("$ROOT", &scene.named());
            fs::write(file, contents).expect("a file can be written");
        }
        for (path, target) in pairs(case, "links") {
            let link = at(path);
            fs::create_dir_all(link.parent().expect("a link has a folder")).expect("a folder can be made");
            std::os::unix::fs::symlink(at(target.as_text().expect("a link has a target")), link)
                .expect("a link can be made");
        }
        // What the case says of the running editor's settings, its settings file can say as well.
        if let Some(settings) = case.get("host").and_then(|host| host.get("settings")).filter(|_| dialect == "copilot")
        {
            fs::create_dir_all(at("project/.vscode")).expect("a folder can be made");
            fs::write(at("project/.vscode/settings.json"), settings.to_string()).expect("a file can be written");
        }
        if let Some(repository) = text(case, "git_root") {
            fs::create_dir_all(at(repository).join(".git")).expect("a folder can be made");
        }
        scene
    }

    fn cwd(&self) -> &'c str {
        text(self.case, "cwd").expect("a case has a working directory")
    }

    fn named(&self) -> String {
        self.root.path().to_string_lossy().into_owned()
    }

    fn say(&self, touched: &[String], words: &[&str]) -> Said {
        let mut command = Command::new(BINARY);
        command.env_clear().env("PATH", crate::program::PATH).env("HOME", self.root.path().join("home"));
        // The clients trust the project that they are started in.
        command.args(words).args(["--dialect", self.dialect, "--follow-links-out"]);
        command.arg("--project").arg(self.root.path().join(self.cwd()));
        command.arg("--home").arg(self.root.path().join("home"));
        for managed in ["managed", "etc"].map(|name| self.root.path().join(name)).into_iter().filter(|dir| dir.is_dir())
        {
            command.arg("--managed").arg(managed);
        }
        for path in touched {
            command.arg("--touch").arg(self.root.path().join(path));
        }
        let done = command.current_dir(self.root.path().join(self.cwd())).output().expect("the program can be started");
        let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
        Said { is_ok: done.status.success(), all: format!("{out}\n{err}"), out: out.into_owned() }
    }

    /// What does not hold.
    fn faults(&self) -> Vec<String> {
        let mut faults = Vec::new();
        if let Some(expect) = self.case.get("expect") {
            self.check(expect, &[], &mut faults);
        }
        let mut touched = Vec::new();
        for step in list(self.case, "steps") {
            touched.push(text(step, "touch").expect("a step touches a file").to_owned());
            if let Some(expect) = step.get("expect") {
                self.check(expect, &touched, &mut faults);
            }
        }
        faults
    }

    fn check(&self, expect: &Json, touched: &[String], faults: &mut Vec<String>) {
        if expect.get("list").is_some() {
            self.check_list(expect, touched, faults);
        }
        if expect.get("prompt_contains").or(expect.get("prompt_lacks")).is_some() {
            let prompt = in_both_forms(&self.say(touched, &["prompt"]).out);
            self.check_text(
                "the prompt",
                &prompt,
                list(expect, "prompt_contains"),
                list(expect, "prompt_lacks"),
                faults,
            );
        }
        if let Some(slash) = expect.get("slash") {
            let said = self.say(touched, &["complete", "", "--json"]);
            let json = Json::parse(&said.out).expect("completions are JSON");
            let names: Vec<&str> = list(&json, "commands").iter().filter_map(|one| text(one, "name")).collect();
            for name in list(slash, "has").iter().filter_map(Json::as_text).filter(|name| !names.contains(name)) {
                faults.push(format!("`/{name}` is missing among {names:?}"));
            }
            for name in list(slash, "lacks").iter().filter_map(Json::as_text).filter(|name| names.contains(name)) {
                faults.push(format!("`/{name}` is offered"));
            }
        }
        if let Some(load) = expect.get("load") {
            let is_error = matches!(load.get("error"), Some(Json::Bool(true)));
            let key = text(load, "key").expect("a load has a key");
            let mut words = vec!["load", key, "--as", if is_error { "model" } else { "user" }];
            if let Some(args) = text(load, "args") {
                words.extend(["--args", args]);
            }
            self.check_answer(&format!("loading `{key}`"), load, &self.say(touched, &words), faults);
        }
        if let Some(invoke) = expect.get("invoke") {
            let input = text(invoke, "input").expect("an invocation has an input");
            let said = self.say(touched, &["invoke", input, "--run", "--trust"]);
            self.check_answer(&format!("`{input}`"), invoke, &said, faults);
        }
    }

    fn check_answer(&self, what: &str, expect: &Json, said: &Said, faults: &mut Vec<String>) {
        let is_error = matches!(expect.get("error"), Some(Json::Bool(true)));
        if said.is_ok == is_error {
            faults.push(format!(
                "{what}: expected {}, got {}",
                if is_error { "an error" } else { "an answer" },
                said.all
            ));
        }
        let answer = if is_error { &said.all } else { &said.out };
        self.check_text(what, answer, list(expect, "contains"), list(expect, "lacks"), faults);
    }

    fn check_text(&self, what: &str, got: &str, contains: &[Json], lacks: &[Json], faults: &mut Vec<String>) {
        let wanted = |parts: &[Json]| -> Vec<String> {
            parts.iter().filter_map(Json::as_text).map(|part| part.replace("$ROOT", &self.named())).collect()
        };
        for part in wanted(contains).iter().filter(|part| !got.contains(part.as_str())) {
            faults.push(format!("{what} lacks {part:?}, got:\n{got}"));
        }
        for part in wanted(lacks).iter().filter(|part| got.contains(part.as_str())) {
            faults.push(format!("{what} contains {part:?}, got:\n{got}"));
        }
    }

    /// Of some clients the cases list what the model sees, of others all skills.
    fn check_list(&self, expect: &Json, touched: &[String], faults: &mut Vec<String>) {
        let said = self.say(touched, &["list", "--json"]);
        let json = Json::parse(&said.out).expect("a list is JSON");
        let lists_for_model = matches!(self.dialect, "opencode" | "goose");
        let is_for = |skill: &Json, caller: &str| matches!(skill.get(caller), Some(Json::Bool(true)));
        // A skill that is switched off is in the list of the program, but nobody's.
        let is_listed = |skill: &&Json| is_for(skill, "model") || (!lists_for_model && is_for(skill, "user"));
        let mut got: Vec<(String, String)> = Vec::new();
        for skill in list(&json, "skills").iter().filter(is_listed) {
            got.push((
                text(skill, "key").unwrap_or_default().to_owned(),
                text(skill, "path").unwrap_or_default().to_owned(),
            ));
        }
        let mut wanted: Vec<(String, String)> = Vec::new();
        for skill in list(expect, "list") {
            let dir = text(skill, "source_dir").expect("a skill has a source");
            wanted
                .push((text(skill, "key").expect("a skill has a key").to_owned(), format!("{}/{dir}/", self.named())));
        }
        if !matches!(expect.get("ordered"), Some(Json::Bool(true))) {
            got.sort();
            wanted.sort();
        }
        let is_same =
            |(got, wanted): (&(String, String), &(String, String))| got.0 == wanted.0 && got.1.starts_with(&wanted.1);
        if got.len() != wanted.len() || !got.iter().zip(&wanted).all(is_same) {
            faults.push(format!("expected the skills {wanted:#?}, got {got:#?}\n{}", said.all));
        }
    }
}

#[test]
fn clients_cases_hold() {
    let Some(cases) = cases() else { return };
    let (mut failed, mut told) = (Vec::new(), String::new());
    for case in &cases {
        let scene = Scene::new(case);
        let faults = scene.faults();
        let (client, name) = (scene.dialect, text(case, "name").expect("a case has a name"));
        if !faults.is_empty() {
            failed.push((client, name));
            told.push_str(&format!("== {client}: {name}\n{}\n", faults.join("\n")));
        }
    }
    if let Some(file) = std::env::var_os("SKILLTREE_CLIENTS_REPORT") {
        fs::write(Path::new(&file), &told).expect("the report can be written");
    }
    let named: Vec<(&str, &str)> = DIFFERENT.iter().map(|(client, name, _)| (*client, *name)).collect();
    assert_eq!(failed, named, "{told}");
    let refuted = DIFFERENT.iter().filter(|(.., why)| why.starts_with("a run of ")).count();
    let (failed, cases) = (failed.len() - refuted, cases.len() - refuted);
    assert!(failed * 10 <= cases, "at least 90 % of the cases that no run refutes hold");
}
