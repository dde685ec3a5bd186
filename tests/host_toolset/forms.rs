//! What may be exported, how tools may be written, how files may be imported, and what a tool may return.

use super::{Only, Place, called, javascript, listed, manifest, playing, runtime};
use pretty_assertions::assert_eq;

/// What is exported as `X`, the names of its tools, and what the first says to `{"a": 1}`.
const FORMS: &[(&str, &str, &[&str], &str)] = &[
    (
        "an array",
        "export const X = [{ name: 'one', execute: (a) => `got ${a.a}` }, { name: 'two', run: () => '' }];",
        &["one", "two"],
        "got 1",
    ),
    ("one tool", "export const X = { name: 'one', handler: async () => 'h' };", &["one"], "h"),
    ("an id for a name", "export const X = [{ id: 'one', call: () => 'c' }];", &["one"], "c"),
    (
        "an object of tools",
        "export const X = { one: { execute: () => '1' }, two: { name: 'zwei', run: () => '' } };",
        &["one", "zwei"],
        "1",
    ),
    ("functions in an object", "export const X = { one: (a, ctx) => ctx.skill.key + a.a };", &["one"], "s1"),
    ("a class with tools", "export class X { tools = [{ name: 'one', execute: () => 'f' }]; }", &["one"], "f"),
    ("with a getter", "export class X { get tools() { return { one: { execute: () => 'g' } }; } }", &["one"], "g"),
    (
        "with getTools",
        "export class X { n = 'm'; getTools() { return [{ name: 'one', execute: () => this.n }]; } }",
        &["one"],
        "m",
    ),
    (
        "with get_tools",
        "export class X { async get_tools() { return [{ name: 'one', execute: () => 'u' }]; } }",
        &["one"],
        "u",
    ),
    ("static", "export class X { static tools = [{ name: 'one', execute: () => 's' }]; }", &["one"], "s"),
    (
        "static getTools",
        "export class X { static getTools() { return [{ name: 'one', execute: () => 's' }]; } }",
        &["one"],
        "s",
    ),
    (
        "a class of methods",
        "class B { two() { return ''; } } export class X extends B { n = 'm'; one(a) { return this.n + a.a; } _no() {} }",
        &["one", "two"],
        "m1",
    ),
    (
        "with a method like a tool's",
        "export class X { run() { return 'r'; } stop() { return ''; } }",
        &["run", "stop"],
        "r",
    ),
    ("a tool class", "export class X { description = 'D'; execute(a) { return `e${a.a}`; } }", &["X"], "e1"),
    (
        "several",
        "class A { execute() { return 'a'; } } class B { name = 'two'; run() {} } export const X = [A, B];",
        &["A", "two"],
        "a",
    ),
    ("a tool without a name", "export const X = { description: 'D', execute: (a) => `x${a.a}` };", &["X"], "x1"),
    ("functions like a tool's", "export const X = { call: () => 'c', one: () => '1' };", &["call", "one"], "c"),
    ("an object of a class", "class T { one() { return 'o'; } } export const X = new T();", &["one"], "o"),
    ("a function", "export function X() { return [{ name: 'one', execute: () => 'f' }]; }", &["one"], "f"),
    ("a slow one", "export const X = async () => ({ one: { execute: () => 'p' } });", &["one"], "p"),
    ("a promise", "export const X = Promise.resolve([{ name: 'one', execute: () => 'p' }]);", &["one"], "p"),
    (
        "a function that gives a class",
        "export const X = () => class { tools = [{ name: 'one', execute: () => 'c' }]; };",
        &["one"],
        "c",
    ),
    ("the default export", "export default [{ name: 'one', execute: () => 'd' }];", &["one"], "d"),
    ("from CommonJS", "exports.X = [{ name: 'one', execute: () => 'cjs' }];", &["one"], "cjs"),
    (
        "tools as properties",
        "export class X { one = { name: 'one', execute: () => 'p' }; two = { description: 'D', run: () => '' }; n = 1; _no = this.one; }",
        &["one", "two"],
        "p",
    ),
    (
        "properties of an object of a class",
        "class T { one = { description: 'D', execute: () => 'p' }; } export const X = new T();",
        &["one"],
        "p",
    ),
];

#[test]
fn what_may_be_exported() {
    for only in javascript() {
        for (case, text, names, output) in FORMS {
            let case = format!("{}: {case}", only.name);
            let file = if text.starts_with("exports") { "t.cjs" } else { "t.mjs" };
            let export = if text.contains("export default") { "default" } else { "X" };
            let place = Place::of(file, text, &[export]);
            let mut registry = place.registry(&only);
            assert_eq!(
                listed(&case, &mut registry),
                (names.iter().map(|&name| name.to_owned()).collect(), vec![]),
                "{case}"
            );
            let first = names.first().copied().unwrap_or("one");
            assert_eq!(called(&mut registry, first, "{\"a\": 1}"), *output, "{case}");
        }
    }
}

#[test]
fn what_is_no_tool() {
    let text = "export const X = [{ name: 'one', execute: () => '' }, { name: 'one', execute: () => '' }, { execute: () => '' }, 5, { name: 'bare' },
        { name: 'odd', parameters: 7, execute: () => 'odd' }];";
    for only in javascript() {
        let place = Place::of("t.mjs", text, &["X"]);
        let (names, findings) = listed(only.name, &mut place.registry(&only));
        assert_eq!(names, ["one", "odd"], "{}", only.name);
        let mut expect = [
            "tool-invalid the tool `one`: duplicate name; the first tool is used",
            "tool-invalid the tool ``: has no name",
            "tool-invalid the tool ``: is number, expected an object with a function `execute`",
            "tool-invalid the tool `bare`: is object, expected an object with a function `execute`",
            "tool-invalid the tool `odd`: its schema cannot be described: it is number, expected an object",
        ];
        expect.sort();
        let mut findings = findings;
        findings.sort();
        assert_eq!(findings, expect, "{}", only.name);
    }
}

#[test]
fn what_holds_no_tools() {
    for only in javascript() {
        for text in ["[]", "{}", "class {}", "class { n = 1; _no() {} }", "() => []"] {
            let place = Place::of("t.mjs", &format!("export const X = {text};"), &["X"]);
            let told = "toolset-invalid the export `X` contains no tools".to_owned();
            assert_eq!(listed(only.name, &mut place.registry(&only)), (vec![], vec![told]), "{}: {text}", only.name);
        }
    }
}

#[test]
fn arguments_of_a_tool() {
    let text = "import { z } from 'zod'; const execute = (args) => JSON.stringify(args);
        export const X = [{ name: 'text', parameters: z.string(), execute }, { name: 'list', inputSchema: { type: 'array' }, execute },
        { name: 'either', parameters: { anyOf: [{ type: 'string' }, { type: 'null' }] }, execute },
        { name: 'one', execute, parameters: { type: 'object', required: ['a'], additionalProperties: false, properties: {
          a: { type: 'integer' }, d: { type: 'string', default: 'd' }, l: { items: { enum: ['x', 1] } } } } }];";
    for only in javascript() {
        let place = Place::of("t.mjs", text, &["X"]);
        let mut registry = place.registry(&only);
        let odd = |tool: &str, got: &str| {
            format!("tool-invalid the tool `{tool}`: is ignored: its parameters are {got}, expected an object")
        };
        let findings = vec![odd("either", "string or null"), odd("list", "array"), odd("text", "string")];
        assert_eq!(listed(only.name, &mut registry), (vec!["one".to_owned()], findings), "{}", only.name);
        for (args, why) in [
            (r#"{"a":"1"}"#, "a: expected integer, got string"),
            ("{}", "a: expected integer, got nothing"),
            (r#"{"a":1,"l":["x",2]}"#, r#"l[1]: expected "x" or 1, got 2"#),
            (r#"{"a":1,"b":1}"#, r#"expected no field "b""#),
        ] {
            let refused = format!("bad-arguments: the tool `one` does not take these arguments: {why}");
            assert_eq!(called(&mut registry, "one", args), refused, "{}", only.name);
        }
        assert_eq!(called(&mut registry, "one", r#"{"a":1}"#), r#"{"a":1}"#, "{}", only.name);
    }
}

/// What a toolset under this file in a project of CommonJS says.
fn in_common_js(file: &str, text: &str, only: &Only) -> String {
    let place = Place::new(&[
        ("package.json", r#"{"type":"commonjs"}"#),
        (&format!("s/{file}"), text),
        ("s/b.ts", "export const b: string = 'b';"),
        ("s/SKILL.md", &manifest("s", &format!("\"{file}:X\""))),
    ]);
    called(&mut place.registry(only), "one", r#"{"a":"x"}"#)
}

#[test]
fn a_project_of_another_kind() {
    let module = "// exports, and require
        import { z } from 'zod'; import { Tool } from '@agent/tools'; import { b } from './b';
        export const X = [Tool.define('one', { parameters: z.object({ a: z.string() }), execute: (args) => args.a + b })];";
    let typed = module.replace("(args)", "(args: { a: string })");
    let common = "const { z } = require('zod'); const { Tool } = require('@agent/tools'); const { b } = { b: 'b' };
        exports.X = [Tool.define('one', { parameters: z.object({ a: z.string().default('d') }), execute: (args) => args.a + b })];";
    for only in javascript().into_iter().chain(older_node()) {
        for (file, text) in [("t.ts", typed.as_str()), ("t.js", module), ("t.cjs", common), ("t.cts", common)] {
            assert_eq!(in_common_js(file, text, &only), "xb", "{}: {file}", only.name);
        }
        if only.name != "deno" {
            assert_eq!(in_common_js("t.js", common, &only), "xb", "{}: required", only.name);
        }
    }
}

#[test]
fn odd_names_of_files() {
    let text = "import { b } from './b'; export const X = { one: () => b };";
    for only in javascript() {
        for odd in ["?", "#", "%", "%41", "a b"] {
            for (dir, file) in [(format!("a{odd}b"), "t".to_owned()), ("s".to_owned(), format!("t{odd}t"))] {
                let place = Place::new(&[
                    (&format!("{dir}/{file}.ts"), text),
                    (&format!("{dir}/b.ts"), "export const b = 'b';"),
                    (&format!("{dir}/SKILL.md"), &manifest(&dir, &format!("\"{file}:X\""))),
                ]);
                let said = called(&mut place.registry(&only), "one", "{}");
                let is_told = only.name == "bun" && odd == "?" && said.contains("contains a `?`, from where `");
                assert!(said == "b" || is_told, "{}: {dir}/{file}: {said}", only.name);
            }
        }
        let place = Place::new(&[("a\\b/t.ts", text), ("a\\b/SKILL.md", &manifest("a", "\"t:X\""))]);
        let said = called(&mut place.registry(&only), "one", "{}");
        assert!(said.contains("contains a `\\`, from where `"), "{}: {said}", only.name);
    }
}

/// A node that can hook imports only in another thread.
fn older_node() -> Option<Only> {
    let node = runtime("node")?;
    let less = "data:text/javascript,import m from 'node:module'; m.registerHooks = undefined";
    let script = format!("exec '{}' --import \"{less}\" \"$@\"", node.display());
    let (only, bin) = playing("node", &script);
    Some(Only { name: "older node", _more: Some(bin), ..only })
}

#[test]
fn how_files_are_imported() {
    let files = [
        ("s/SKILL.md", manifest("s", "\"toolsets/index:X\"")),
        ("s/toolsets/index.ts", "import { a } from './a'; import { b } from '../lib/b.js'; import { c } from './c'; import { d } from './d.mjs';
            import { readFileSync } from 'node:fs'; import type { T } from './types';
            export const X = { one: (_: T) => a + b + c + d + readFileSync(new URL('./data.txt', import.meta.url), 'utf8') };".to_owned()),
        ("s/toolsets/a.ts", "export const a: string = 'a';".to_owned()),
        ("s/lib/b.ts", "export const b: string = 'b';".to_owned()),
        ("s/toolsets/c/index.ts", "import { Tool } from '@agent/tools'; export const c = Tool.define('c', { x: 'c' }).name;".to_owned()),
        ("s/toolsets/d.mjs", "import * as z from 'zod'; export const d = z.string().parse('d');".to_owned()),
        ("s/toolsets/data.txt", "!".to_owned()),
        ("s/toolsets/types.ts", "export type T = object;".to_owned()),
    ];
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    for only in javascript().into_iter().chain(older_node()) {
        let place = Place::new(&files);
        let mut registry = place.registry(&only);
        assert_eq!(called(&mut registry, "one", "{}"), "abcd!", "{}", only.name);
    }
}

#[test]
fn what_a_tool_may_return() {
    let cases = [
        ("'text'", "text"),
        ("''", ""),
        ("undefined", ""),
        ("null", "null"),
        ("5", "5"),
        ("[1, { a: 'b' }]", r#"[1,{"a":"b"}]"#),
        ("{ a: 1 }", r#"{"a":1}"#),
        ("{ output: 'o', title: 't' }", "o"),
        ("{ output: { a: 1 } }", r#"{"a":1}"#),
        ("'\\ud800 \\u0000 \\n \\u2028'", "\u{fffd} \0 \n \u{2028}"),
        ("10n", "tool-failed: the tool `one` failed: TypeError"),
        ("(() => { const a = {}; a.a = a; return a; })()", "tool-failed: the tool `one` failed: TypeError"),
        ("(() => { throw new Error('no luck'); })()", "tool-failed: the tool `one` failed: no luck"),
        ("(() => { throw new RangeError('far'); })()", "tool-failed: the tool `one` failed: RangeError: far"),
        ("(() => { throw 'a text'; })()", "tool-failed: the tool `one` failed: a text"),
        ("(() => { throw undefined; })()", "tool-failed: the tool `one` failed: undefined"),
        ("Promise.reject(new Error('later'))", "tool-failed: the tool `one` failed: later"),
        ("new Promise((done) => setTimeout(() => done('slow'), 20))", "slow"),
    ];
    for only in javascript() {
        let tools: Vec<String> =
            cases.iter().enumerate().map(|(n, (value, _))| format!("t{n}: () => ({value})")).collect();
        let place = Place::of("t.mjs", &format!("export const X = {{ {} }};", tools.join(",\n")), &["X"]);
        let mut registry = place.registry(&only);
        for (n, (value, expect)) in cases.iter().enumerate() {
            let got = called(&mut registry, &format!("t{n}"), "{}").replace(&format!("`t{n}`"), "`one`");
            let is_it = if expect.ends_with("TypeError") { got.starts_with(expect) } else { got == *expect };
            assert!(is_it, "{}: {value}: {got:?}, expected {expect:?}", only.name);
        }
    }
}
