//! Toolsets, loaded and called: in bun, deno, node and Python, as far as they are there.
#![cfg(all(unix, feature = "processes"))]

#[path = "host_toolset/broken.rs"]
mod broken;
use crate::common;
#[path = "host_toolset/forms.rs"]
mod forms;
#[path = "host_toolset/python.rs"]
mod python;
#[path = "host_toolset/zod.rs"]
mod zod;

use common::runtimes::runtime;
use common::{Machine, TempDir, Tree};
use pretty_assertions::assert_eq;
use skilltree::host::{CancelToken, HostError, Limits, Programs, RegisteredTool, ToolRegistry, ToolResult, Toolset};
use skilltree::loading::{ToolsetPlan, ToolsetPlans};
use skilltree::{Catalog, Diagnostic, Fs, Json, OsFs, Places, World, dialect, discover};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

/// Where no test is about time: machines are slow and shared.
const LONG: Duration = Duration::from_secs(60);

/// A runtime by itself in a PATH.
struct Only {
    name: &'static str,
    programs: Programs,
    _bin: TempDir,
    _more: Option<Place>,
}

fn only(name: &'static str, link: &str, program: &Path) -> Only {
    let bin = TempDir::new("bin");
    std::os::unix::fs::symlink(program, bin.path().join(link)).unwrap();
    Only { name, programs: Programs::new(bin.path().as_os_str()), _bin: bin, _more: None }
}

/// A shell script that plays a runtime.
fn playing(name: &'static str, script: &str) -> (Only, Place) {
    let bin = Place::new(&[(name, &format!("#!/bin/sh\n{script}\n"))]);
    let program = bin.path(name);
    let made = Command::new("chmod").arg("+x").arg(&program).status();
    assert!(made.is_ok_and(|status| status.success()), "a program can be made");
    (only(name, name, &program), bin)
}

/// Those that run JavaScript and TypeScript.
fn javascript() -> Vec<Only> {
    ["bun", "deno", "node"].into_iter().filter_map(|name| Some(only(name, name, &runtime(name)?))).collect()
}

/// The machine's Python, else that of the runtimes.
fn python() -> Option<Only> {
    let program = Programs::of_environment().find("python3").or_else(|| runtime("python"))?;
    Some(only("python", "python3", &program))
}

/// A folder with skills.
struct Place(TempDir);

impl Place {
    fn new(files: &[(&str, &str)]) -> Place {
        Place(Tree::default().files(files).folder())
    }

    /// A skill `s` with one file, and the toolsets that it exports.
    fn of(file: &str, text: &str, exports: &[&str]) -> Place {
        let specs: Vec<String> = exports.iter().map(|export| format!("\"{file}:{export}\"")).collect();
        Place::new(&[(&format!("s/{file}"), text), ("s/SKILL.md", &manifest("s", &specs.join(", ")))])
    }

    fn path(&self, below: &str) -> PathBuf {
        self.0.path().join(below)
    }

    fn asked(&self) -> Asked {
        let (fs, host) = (OsFs::new(), Machine { trust: true, ..Machine::default() });
        let root = fs.parse(&self.0.path().to_string_lossy(), &skilltree::FsPath::root()).unwrap();
        let places = Places { roots: vec![root], only_roots: true, ..Places::default() };
        let catalog = discover(&World::new(&fs, &places, &host), &dialect("agent-base").unwrap());
        Asked { fs, host, places, catalog }
    }

    fn registry(&self, only: &Only) -> Registry {
        let asked = self.asked();
        let limits = Limits::default().with_time(LONG);
        Registry { registry: ToolRegistry::new(&asked.fs, asked.plans(), &only.programs, limits), asked }
    }

    /// The first toolset.
    fn toolset(&self, only: &Only, limits: Limits) -> One {
        let asked = self.asked();
        One { toolset: Toolset::new(&asked.fs, asked.plans().remove(0), &only.programs, limits), asked }
    }
}

/// What is asked whether a toolset may be run.
struct Asked {
    fs: OsFs,
    host: Machine,
    places: Places,
    catalog: Catalog,
}

impl Asked {
    fn world(&self) -> World<'_> {
        World::new(&self.fs, &self.places, &self.host)
    }

    /// The plans of all skills.
    fn plans(&self) -> Vec<ToolsetPlan> {
        let found =
            self.catalog.skills().iter().map(|skill| ToolsetPlans::of(&self.world(), &self.catalog, skill).unwrap());
        found.flat_map(|found| found.plans).collect()
    }
}

/// A registry whose skills are trusted.
struct Registry {
    registry: ToolRegistry,
    asked: Asked,
}

impl Registry {
    fn tools(&mut self, stop: &CancelToken) -> Result<&[RegisteredTool], HostError> {
        self.registry.tools(&self.asked.world(), &self.asked.catalog, stop)
    }

    fn call(&mut self, tool: &str, args: &Json, stop: &CancelToken) -> Result<ToolResult, HostError> {
        self.registry.call(&self.asked.world(), &self.asked.catalog, tool, args, stop)
    }

    fn findings(&self) -> &[Diagnostic] {
        self.registry.findings()
    }
}

/// A toolset whose skill is trusted.
struct One {
    toolset: Toolset,
    asked: Asked,
}

impl One {
    fn call(&mut self, tool: &str, args: &Json, stop: &CancelToken) -> Result<ToolResult, HostError> {
        self.toolset.call(&self.asked.world(), &self.asked.catalog, tool, args, stop)
    }
}

fn manifest(name: &str, specs: &str) -> String {
    format!("---\nname: {name}\ndescription: A skill.\ntoolsets: [{specs}]\n---\nText.\n")
}

fn json(text: &str) -> Json {
    Json::parse(text).unwrap_or_else(|error| panic!("{error}: {text}"))
}

/// The names of the tools, and the findings.
#[track_caller]
fn listed(case: &str, registry: &mut Registry) -> (Vec<String>, Vec<String>) {
    let tools = registry.tools(&CancelToken::new()).unwrap_or_else(|error| panic!("{case}: {error}"));
    let names = tools.iter().map(|tool| tool.name.clone()).collect();
    let findings = registry.findings().iter().map(|finding| format!("{} {}", finding.code, finding.message));
    (names, findings.collect())
}

/// The output of a call, or the code and message of its error.
fn called(registry: &mut Registry, tool: &str, args: &str) -> String {
    told(registry.call(tool, &json(args), &CancelToken::new()))
}

fn told(answer: Result<ToolResult, HostError>) -> String {
    answer.map_or_else(|error| format!("{}: {error}", error.code()), |result| result.output)
}

#[track_caller]
fn holds(case: &str, text: &str, parts: &[&str]) {
    for part in parts {
        assert!(text.contains(part), "{case}: {part:?} is not in {text:?}");
    }
}

const HELLO: &str = r"
import { z } from 'zod';
import { Tool } from '@agent/tools';

export class HelloToolset {
  tools = [
    Tool.define('hello', {
      description: 'Says hello',
      parameters: z.object({ name: z.string().describe('Who'), times: z.number().int().default(1) }),
      execute: async (args: { name: string; times: number }, ctx) => `Hello, ${args.name}! `.repeat(args.times) + ctx.skill.key,
    }),
  ];
}
";

const MINE: &str = r"
import { z } from 'zod';
import { Tool } from '@agent/tools';

export const myTool = Tool.define('my-tool', {
  description: 'Does something useful',
  parameters: z.object({
    input: z.string(),
  }),
  execute: async (args, ctx) => ({
    title: 'Completed',
    metadata: {},
    output: `Processed: ${args.input}`,
  }),
});

export const MyToolset = [myTool];
";

#[test]
fn both_examples_of_the_document() {
    for only in javascript() {
        let place = Place::new(&[
            ("hello-extended/toolsets/index.ts", HELLO),
            ("hello-extended/SKILL.md", &manifest("hello-extended", "\"toolsets/index:HelloToolset\"")),
            ("my-skill/toolsets/index.ts", MINE),
            ("my-skill/SKILL.md", &manifest("my-skill", "\"toolsets/index:MyToolset\"")),
        ]);
        let mut registry = place.registry(&only);
        let tools = registry.tools(&CancelToken::new()).unwrap().to_vec();
        let told: Vec<String> = tools
            .iter()
            .map(|tool| {
                format!("{} {} {} {} {}", tool.key, tool.toolset, tool.name, tool.description, tool.input_schema)
            })
            .collect();
        let hello = r#"{"type":"object","properties":{"name":{"type":"string","description":"Who"},"times":{"type":"integer","default":1}},"required":["name"]}"#;
        let mine = r#"{"type":"object","properties":{"input":{"type":"string"}},"required":["input"]}"#;
        let expect = [
            format!("hello-extended toolsets/index:HelloToolset hello Says hello {hello}"),
            format!("my-skill toolsets/index:MyToolset my-tool Does something useful {mine}"),
        ];
        assert_eq!(told, expect, "{}", only.name);
        assert_eq!(registry.findings(), [], "{}", only.name);
        assert_eq!(called(&mut registry, "hello", r#"{"name": "Ada"}"#), "Hello, Ada! hello-extended", "{}", only.name);
        let result = registry.call("my-tool", &json(r#"{"input": "x\u2028é"}"#), &CancelToken::new()).unwrap();
        let ToolResult { title, metadata, output, .. } = result;
        assert_eq!((title.as_deref(), metadata), (Some("Completed"), Some(json("{}"))), "{}", only.name);
        assert_eq!(output, "Processed: x\u{2028}é", "{}", only.name);
        let wrong = called(&mut registry, "my-tool", r#"{"input": 1}"#);
        let expect =
            "bad-arguments: the tool `my-tool` does not take these arguments: input: expected string, got number";
        assert_eq!(wrong, expect, "{}", only.name);
        let left = ["hello-extended", "hello-extended/toolsets", "my-skill", "my-skill/toolsets"];
        let left: usize = left.iter().map(|dir| std::fs::read_dir(place.path(dir)).unwrap().count()).sum();
        assert_eq!(left, 6, "{}: nothing is written into a skill", only.name);
    }
}

#[test]
fn one_process_lives_across_calls() {
    let text = "let n = 0; export const t = { name: 'count', execute: () => `${++n} ${process.pid}` };";
    for only in javascript() {
        let place = Place::of("t.mjs", text, &["t"]);
        let mut registry = place.registry(&only);
        let (first, second) = (called(&mut registry, "count", "{}"), called(&mut registry, "count", "{}"));
        let pid = first.split_once(' ').unwrap().1;
        assert_eq!((first.as_str(), second), (format!("1 {pid}").as_str(), format!("2 {pid}")), "{}", only.name);
    }
}

#[test]
fn what_a_tool_may_see() {
    let text = "export const t = { name: 'see', execute: () => JSON.stringify([process.cwd(), Object.keys(process.env).sort()]) };";
    for only in javascript() {
        let place = Place::of("t.mjs", text, &["t"]);
        let seen = json(&called(&mut place.registry(&only), "see", "{}"));
        let Json::List(seen) = seen else { panic!("{seen}") };
        assert_eq!(seen[0].as_text(), place.path("s").to_str(), "{}", only.name);
        let Json::List(variables) = &seen[1] else { panic!("{seen:?}") };
        let known = ["DENO_NO_UPDATE_CHECK", "HOME", "LANG", "NO_COLOR", "PATH", "PYTHONDONTWRITEBYTECODE", "TMPDIR"];
        let more: Vec<&Json> = variables.iter().filter(|name| !known.contains(&name.as_text().unwrap())).collect();
        assert_eq!(more, Vec::<&Json>::new(), "{}: cargo's own are not seen", only.name);
    }
}

#[test]
fn nothing_to_run_it() {
    let place = Place::of("t.ts", MINE, &["MyToolset"]);
    let none = Only { name: "none", programs: Programs::new("".as_ref()), _bin: TempDir::new("bin"), _more: None };
    let mut registry = place.registry(&none);
    let error = registry.tools(&CancelToken::new()).unwrap_err();
    assert_eq!(error.code(), "program-missing");
    holds("what would do", &error.to_string(), &["t.ts:MyToolset", "`bun` or `deno`", "node"]);
}
