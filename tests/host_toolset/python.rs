//! Toolsets in Python: what may be exported, what a signature tells, what a tool may return.

use super::{Place, called, listed, python};
use pretty_assertions::assert_eq;
use skilltree::host::CancelToken;

/// What is exported as `X`, the names of its tools, and what the first says to `{"a": 1}`.
const FORMS: &[(&str, &str, &[&str], &str)] = &[
    ("a list of functions", "def one(a): return f'got {a}'\ndef two(): pass\nX = [one, two]", &["one", "two"], "got 1"),
    (
        "a slow one",
        "import asyncio\nasync def one(a):\n  await asyncio.sleep(0.01)\n  return 'slow'\nX = [one]",
        &["one"],
        "slow",
    ),
    ("a function with arguments", "def X(a): return f'x{a}'", &["X"], "x1"),
    ("a function that gives tools", "def one(a: int): return 'f'\ndef X(): return [one]", &["one"], "f"),
    ("a slow one that gives tools", "def one(a): return 'f'\nasync def X(): return [one]", &["one"], "f"),
    ("a dict", "X = {'one': lambda a: 'd', 'two': lambda: ''}", &["one", "two"], "d"),
    ("a class of methods", "class X:\n  def one(self, a): return f'm{a}'\n  def _no(self): pass", &["one"], "m1"),
    (
        "a class with tools",
        "class T:\n  name = 'one'\n  def execute(self, a): return 't'\nclass X:\n  tools = [T()]",
        &["one"],
        "t",
    ),
    (
        "with get_tools",
        "class X:\n  def get_tools(self): return {'one': self._one}\n  def _one(self, a): return 'g'",
        &["one"],
        "g",
    ),
    (
        "an object with a schema, that takes all",
        "class T:\n  name = 'one'\n  parameters = {'type': 'object', 'properties': {'a': {}}}\n  def execute(self, args, ctx): return f\"{args['a']} {ctx['skill']['key']}\"\nX = T()",
        &["one"],
        "1 s",
    ),
    (
        "with a schema, by name",
        "def one(a): return f'n{a}'\none.parameters = {'type': 'object', 'properties': {'a': {}}}\nX = [one]",
        &["one"],
        "n1",
    ),
    (
        "a dict that is a tool",
        "X = {'name': 'one', 'input_schema': {'type': 'object'}, 'execute': lambda args: f\"e{args['a']}\"}",
        &["one"],
        "e1",
    ),
    ("any arguments", "def one(**more): return str(more)\nX = [one]", &["one"], "{'a': 1}"),
    ("its context", "def one(a, ctx): return ctx['skill']['key']\nX = [one]", &["one"], "s"),
    (
        "with a method like a tool's",
        "class X:\n  def run(self, a): return 'r'\n  def stop(self): pass",
        &["run", "stop"],
        "r",
    ),
    ("a tool class", "class X:\n  description = 'D'\n  def execute(self, a): return f'e{a}'", &["X"], "e1"),
    (
        "several",
        "class A:\n  def execute(self, a): return 'a'\nclass B:\n  name = 'two'\n  def run(self): pass\nX = [A, B]",
        &["A", "two"],
        "a",
    ),
    (
        "tools as properties",
        "class T:\n  description = 'D'\n  def execute(self, a): return f't{a}'\nclass X:\n  one = T()\n  def __init__(self):\n    self.two, self.data = T(), {'a': 1}",
        &["one", "two"],
        "t1",
    ),
    (
        "beside properties that fail",
        "import functools\nclass X:\n  @property\n  def bad(self): raise ValueError('no')\n  @property\n  def name(self): raise ValueError('no')\n  @functools.cached_property\n  def worse(self): raise ValueError('no')\n  @staticmethod\n  def one(a): return f'o{a}'\n  @classmethod\n  def two(cls): pass",
        &["one", "two"],
        "o1",
    ),
    (
        "what stands beside it",
        "import os, json\nfrom helper import told\ndef one(a): return told\nX = [one]",
        &["one"],
        "helped",
    ),
];

#[test]
fn what_may_be_exported() {
    let Some(only) = python() else { return };
    for (case, text, names, output) in FORMS {
        let specs = "---\nname: s\ndescription: A skill.\ntoolsets: [\"t/index:X\"]\n---\n";
        // What has the name of a module of Python's does not stand for it.
        let files = [
            ("s/t/index.py", *text),
            ("s/t/helper.py", "told = 'helped'"),
            ("s/json.py", "oh no"),
            ("s/SKILL.md", specs),
        ];
        let place = Place::new(&files);
        let mut registry = place.registry(&only);
        assert_eq!(
            listed(case, &mut registry),
            (names.iter().map(|&name| name.to_owned()).collect(), vec![]),
            "{case}"
        );
        assert_eq!(called(&mut registry, names[0], "{\"a\": 1}"), *output, "{case}");
        assert!(!place.path("s/t/__pycache__").exists(), "{case}: nothing is written into the skill");
    }
}

#[test]
fn a_schema_of_its_own_is_held() {
    let Some(only) = python() else { return };
    let text = "def one(args): return str(args)\none.parameters = {'type': 'object', 'properties': {'n': {'type': 'integer'}}, 'required': ['n'], 'additionalProperties': False}\ndef two(args): pass\ntwo.parameters = {'type': 'string'}\nX, Y = [one, two], []";
    let place = Place::of("t.py", text, &["X", "Y"]);
    let mut registry = place.registry(&only);
    let odd = "tool-invalid the tool `two`: is ignored: its parameters are string, expected an object";
    let none = "toolset-invalid the export `Y` contains no tools";
    assert_eq!(listed("python", &mut registry), (vec!["one".to_owned()], vec![none.to_owned(), odd.to_owned()]));
    let refused = |why: &str| format!("bad-arguments: the tool `one` does not take these arguments: {why}");
    assert_eq!(called(&mut registry, "one", r#"{"n": 1}"#), "{'n': 1}");
    assert_eq!(called(&mut registry, "one", r#"{"n": "1"}"#), refused("n: expected integer, got string"));
    assert_eq!(called(&mut registry, "one", "{}"), refused("n: expected integer, got nothing"));
    assert_eq!(called(&mut registry, "one", r#"{"n": 1, "m": 2}"#), refused(r#"expected no field "m""#));
}

const TYPED: &str = r#"
from __future__ import annotations
from typing import Annotated, Any, Dict, List, Literal, Optional, Union

def one(
    text: str,
    count: int = 1,
    share: Optional[float] = None,
    sure: bool = True,
    mood: Literal["glad", "sad"] = "glad",
    names: List[str] = [],
    more: Optional[Dict[str, int]] = None,
    either: Union[str, int] = 0,
    told: Annotated[str, "What it is told"] = "",
    whatever: Any = None,
) -> str:
    """Says what it got."""
    return f"{text} {count} {share} {sure} {mood} {names} {more} {either}"

X = [one]
"#;

#[test]
fn what_a_signature_tells() {
    let Some(only) = python() else { return };
    let place = Place::of("t.py", TYPED, &["X"]);
    let mut registry = place.registry(&only);
    let tools = registry.tools(&CancelToken::new()).unwrap().to_vec();
    assert_eq!(tools[0].description, "Says what it got.");
    let expect = [
        r#"{"type":"object","properties":{"text":{"type":"string"},"count":{"type":"integer","default":1},"#,
        r#""share":{"anyOf":[{"type":"number"},{"type":"null"}],"default":null},"sure":{"type":"boolean","default":true},"#,
        r#""mood":{"type":"string","enum":["glad","sad"],"default":"glad"},"#,
        r#""names":{"type":"array","items":{"type":"string"},"default":[]},"#,
        r#""more":{"anyOf":[{"type":"object","additionalProperties":{"type":"integer"}},{"type":"null"}],"default":null},"#,
        r#""either":{"anyOf":[{"type":"string"},{"type":"integer"}],"default":0},"#,
        r#""told":{"type":"string","description":"What it is told","default":""},"whatever":{"default":null}},"#,
        r#""required":["text"],"additionalProperties":false}"#,
    ];
    assert_eq!(tools[0].input_schema.to_string(), expect.concat());
    let mut says = |args: &str| called(&mut registry, "one", args);
    assert_eq!(says(r#"{"text": "t"}"#), "t 1 None True glad [] None 0");
    assert_eq!(says(r#"{"text": "t", "share": 2, "more": {"a": 1}, "either": "e"}"#), "t 1 2 True glad [] {'a': 1} e");
    let refused = |why: &str| format!("bad-arguments: the tool `one` does not take these arguments: {why}");
    for (args, why) in [
        ("{}", "text: expected string, got nothing"),
        (r#"{"text": 1}"#, "text: expected string, got number"),
        (r#"{"text": "t", "count": true}"#, "count: expected integer, got boolean"),
        (r#"{"text": "t", "count": 1.5}"#, "count: expected integer, got 1.5"),
        (r#"{"text": "t", "mood": "bad"}"#, r#"mood: expected "glad" or "sad", got "bad""#),
        (r#"{"text": "t", "names": ["a", 1]}"#, "names[1]: expected string, got number"),
        (r#"{"text": "t", "more": {"a": "b"}}"#, "more.a: expected integer, got string"),
        (r#"{"text": "t", "other": 1}"#, r#"expected no field "other""#),
    ] {
        assert_eq!(says(args), refused(why), "{args}");
    }
}

#[test]
fn what_a_tool_may_return() {
    let Some(only) = python() else { return };
    let cases = [
        ("'text'", "text"),
        ("None", ""),
        ("5", "5"),
        ("[1, {'a': 'é'}]", r#"[1,{"a":"é"}]"#),
        ("{'output': 'o', 'title': 't'}", "o"),
        ("{'output': [1]}", "[1]"),
        (r"'\ud800'", "?"),
        (
            "float('nan')",
            "tool-failed: the tool `one` failed: ValueError: Out of range float values are not JSON compliant",
        ),
        ("object", "tool-failed: the tool `one` failed: TypeError: Object of type type is not JSON serializable"),
        ("1 / 0", "tool-failed: the tool `one` failed: ZeroDivisionError: division by zero"),
        ("print('noise') or 'quiet'", "quiet"),
        ("__import__('os').system('echo {}; cat') or 'alone'", "alone"),
        ("__import__('os').write(1, b'skilltree-') and 'w'", "w"),
    ];
    let tools: Vec<String> =
        cases.iter().enumerate().map(|(n, (value, _))| format!("'t{n}': lambda: {value}")).collect();
    let place = Place::of("t.py", &format!("X = {{{}}}", tools.join(",\n")), &["X"]);
    let mut registry = place.registry(&only);
    for (n, (value, expect)) in cases.iter().enumerate() {
        let got = called(&mut registry, &format!("t{n}"), "{}").replace(&format!("`t{n}`"), "`one`");
        assert_eq!(got, *expect, "{value}");
    }
}
