//! The part of zod that is provided, and the zod that a skill brings: schemas, and what they refuse.

use super::{Place, called, javascript, json, listed, manifest};
use pretty_assertions::assert_eq;
use skilltree::Json;
use skilltree::host::CancelToken;
use std::path::Path;
use std::process::Command;

/// A schema of a field `v`, the JSON schema of that field, an object that fits and what the tool then gets, one that
/// does not fit and why.
struct Case {
    schema: &'static str,
    told: &'static str,
    fits: &'static str,
    got: &'static str,
    odd: &'static str,
    why: &'static str,
}

const fn case(
    schema: &'static str,
    told: &'static str,
    (fits, got): (&'static str, &'static str),
    (odd, why): (&'static str, &'static str),
) -> Case {
    Case { schema, told, fits, got, odd, why }
}

const CASES: &[Case] = &[
    case(
        "z.string()",
        r#"{"type":"string"}"#,
        (r#"{"v":"a"}"#, r#"{"v":"a"}"#),
        (r#"{"v":1}"#, "v: expected string, got number"),
    ),
    case(
        "z.string()",
        r#"{"type":"string"}"#,
        (r#"{"v":"","w":1}"#, r#"{"v":""}"#),
        ("{}", "v: expected string, got nothing"),
    ),
    case(
        "z.string()",
        r#"{"type":"string"}"#,
        (r#"{"v":"a"}"#, r#"{"v":"a"}"#),
        (r#"{"v":null}"#, "v: expected string, got null"),
    ),
    case(
        "z.number()",
        r#"{"type":"number"}"#,
        (r#"{"v":1.5}"#, r#"{"v":1.5}"#),
        (r#"{"v":"1"}"#, "v: expected number, got string"),
    ),
    case(
        "z.number().int()",
        r#"{"type":"integer"}"#,
        (r#"{"v":2}"#, r#"{"v":2}"#),
        (r#"{"v":1.5}"#, "v: expected integer, got 1.5"),
    ),
    case(
        "z.number().min(1).max(3)",
        r#"{"type":"number","minimum":1,"maximum":3}"#,
        (r#"{"v":3}"#, r#"{"v":3}"#),
        (r#"{"v":4}"#, "v: expected at most 3, got 4"),
    ),
    case(
        "z.string().min(2)",
        r#"{"type":"string","minLength":2}"#,
        (r#"{"v":"ab"}"#, r#"{"v":"ab"}"#),
        (r#"{"v":"a"}"#, "v: expected at least 2 characters, got 1"),
    ),
    case(
        "z.boolean()",
        r#"{"type":"boolean"}"#,
        (r#"{"v":false}"#, r#"{"v":false}"#),
        (r#"{"v":0}"#, "v: expected boolean, got number"),
    ),
    case(
        "z.enum(['a', 'b'])",
        r#"{"type":"string","enum":["a","b"]}"#,
        (r#"{"v":"b"}"#, r#"{"v":"b"}"#),
        (r#"{"v":"c"}"#, r#"v: expected "a" or "b", got "c""#),
    ),
    case(
        "z.literal(5)",
        r#"{"type":"number","enum":[5]}"#,
        (r#"{"v":5}"#, r#"{"v":5}"#),
        (r#"{"v":"5"}"#, r#"v: expected 5, got "5""#),
    ),
    case(
        "z.array(z.number())",
        r#"{"type":"array","items":{"type":"number"}}"#,
        (r#"{"v":[1]}"#, r#"{"v":[1]}"#),
        (r#"{"v":[1,"2"]}"#, "v[1]: expected number, got string"),
    ),
    case(
        "z.array(z.string()).max(1)",
        r#"{"type":"array","items":{"type":"string"},"maxItems":1}"#,
        (r#"{"v":[]}"#, r#"{"v":[]}"#),
        (r#"{"v":{}}"#, "v: expected array, got object"),
    ),
    case(
        "z.object({ a: z.object({ b: z.string().describe('deep') }) })",
        r#"{"type":"object","properties":{"a":{"type":"object","properties":{"b":{"type":"string","description":"deep"}},"required":["b"]}},"required":["a"]}"#,
        (r#"{"v":{"a":{"b":"c","d":1}}}"#, r#"{"v":{"a":{"b":"c"}}}"#),
        (r#"{"v":{"a":{"b":[]}}}"#, "v.a.b: expected string, got array"),
    ),
    case(
        "z.object({ a: z.any() }).strict()",
        r#"{"type":"object","properties":{"a":{}},"required":["a"],"additionalProperties":false}"#,
        (r#"{"v":{"a":null}}"#, r#"{"v":{"a":null}}"#),
        (r#"{"v":{"a":1,"b":1}}"#, r#"v: expected no field "b""#),
    ),
    case(
        "z.union([z.string(), z.number()])",
        r#"{"anyOf":[{"type":"string"},{"type":"number"}]}"#,
        (r#"{"v":1}"#, r#"{"v":1}"#),
        (r#"{"v":true}"#, "v: expected string or number, got boolean"),
    ),
    case(
        "z.string().or(z.array(z.string()))",
        r#"{"anyOf":[{"type":"string"},{"type":"array","items":{"type":"string"}}]}"#,
        (r#"{"v":["a"]}"#, r#"{"v":["a"]}"#),
        (r#"{"v":[1]}"#, "v[0]: expected string, got number"),
    ),
    case(
        "z.string().nullable()",
        r#"{"anyOf":[{"type":"string"},{"type":"null"}]}"#,
        (r#"{"v":null}"#, r#"{"v":null}"#),
        (r#"{"v":1}"#, "v: expected string or null, got number"),
    ),
];

/// Those that may be left out.
const OPTIONAL: &[Case] = &[
    case(
        "z.string().optional()",
        r#"{"type":"string"}"#,
        ("{}", "{}"),
        (r#"{"v":1}"#, "v: expected string, got number"),
    ),
    case(
        "z.string().default('d').describe('D')",
        r#"{"type":"string","default":"d","description":"D"}"#,
        ("{}", r#"{"v":"d"}"#),
        (r#"{"v":1}"#, "v: expected string, got number"),
    ),
    case(
        "z.number().optional().describe('D')",
        r#"{"type":"number","description":"D"}"#,
        (r#"{"v":1}"#, r#"{"v":1}"#),
        (r#"{"v":"1"}"#, "v: expected number, got string"),
    ),
    case(
        "z.array(z.string()).default(() => [])",
        r#"{"type":"array","items":{"type":"string"},"default":[]}"#,
        ("{}", r#"{"v":[]}"#),
        (r#"{"v":[1]}"#, "v[0]: expected string, got number"),
    ),
];

/// A toolset with a tool `tN` for each schema, that answers with what it gets.
fn toolset(schemas: impl Iterator<Item = String>) -> String {
    let tool = |(n, schema)| {
        format!("Tool.define('t{n}', {{ parameters: {schema}, execute: (args) => JSON.stringify(args) }})")
    };
    let tools: Vec<String> = schemas.enumerate().map(tool).collect();
    format!(
        "import {{ z }} from 'zod'; import {{ Tool }} from '@agent/tools';\nexport const X = [{}];",
        tools.join(",\n")
    )
}

fn fields(cases: &[&Case]) -> String {
    toolset(cases.iter().map(|case| format!("z.object({{ v: {} }})", case.schema)))
}

#[test]
fn what_is_provided() {
    let cases: Vec<&Case> = CASES.iter().chain(OPTIONAL).collect();
    for only in javascript() {
        let place = Place::of("t.mjs", &fields(&cases), &["X"]);
        let mut registry = place.registry(&only);
        let tools = registry.tools(&CancelToken::new()).unwrap().to_vec();
        assert_eq!(registry.findings(), [], "{}", only.name);
        for (n, case) in cases.iter().enumerate() {
            let at = format!("{}: {}", only.name, case.schema);
            let needed = if n < CASES.len() { r#","required":["v"]"# } else { "" };
            let told = format!(r#"{{"type":"object","properties":{{"v":{}}}{needed}}}"#, case.told);
            assert_eq!(tools[n].input_schema.to_string(), told, "{at}");
            let name = format!("t{n}");
            assert_eq!(called(&mut registry, &name, case.fits), case.got, "{at}");
            let refused = format!("bad-arguments: the tool `{name}` does not take these arguments: {}", case.why);
            assert_eq!(called(&mut registry, &name, case.odd), refused, "{at}");
        }
    }
}

#[test]
fn what_is_not_provided_takes_anything() {
    let schemas = [
        ("z.object({ v: z.date() })", "v: z.date()"),
        ("z.object({ v: z.array(z.coerce.number()) })", "v.items: z.coerce.number()"),
        ("z.object({ v: z.iso.date() })", "v: z.iso.date()"),
        ("z.discriminatedUnion('v', [z.object({ v: z.literal('a') })])", "z.discriminatedUnion()"),
        ("z.object({ v: z.string() }).extend({ w: z.string() })", ".extend()"),
        ("z.object({ v: new z.ZodDate() })", "v: z.ZodDate()"),
    ];
    for only in javascript() {
        let place = Place::of("t.mjs", &toolset(schemas.iter().map(|(schema, _)| (*schema).to_owned())), &["X"]);
        let mut registry = place.registry(&only);
        let (names, findings) = listed(only.name, &mut registry);
        assert_eq!(names.len(), schemas.len(), "{}", only.name);
        for (n, (schema, what)) in schemas.iter().enumerate() {
            let told = format!(
                "tool-invalid the tool `t{n}`: `{what}` of zod is not provided, and takes anything; the skill may bring zod itself"
            );
            assert!(findings.contains(&told), "{}: {schema}: {findings:?}", only.name);
            assert_eq!(
                called(&mut registry, &format!("t{n}"), r#"{"v":["x"]}"#),
                r#"{"v":["x"]}"#,
                "{}: {schema}",
                only.name
            );
        }
        assert_eq!(findings.len(), schemas.len(), "{}", only.name);
    }
}

#[test]
fn a_check_that_is_not_provided_does_nothing() {
    let text = r#"{"type":"string"}"#;
    let cases = [
        ("z.string().email()", ".email()", text, "\"no\"", "5"),
        ("z.string().url().min(2)", ".url()", r#"{"type":"string","minLength":2}"#, "\"no\"", "\"n\""),
        ("z.string().transform((v) => v.length)", ".transform()", text, "\"no\"", "5"),
        ("z.number().positive()", ".positive()", r#"{"type":"number"}"#, "-1", "\"1\""),
        (
            "z.array(z.number()).nonempty()",
            ".nonempty()",
            r#"{"type":"array","items":{"type":"number"}}"#,
            "[]",
            "[\"1\"]",
        ),
        ("z.object({}).refine(() => false)", ".refine()", r#"{"type":"object","properties":{}}"#, "{}", "[]"),
    ];
    for only in javascript() {
        let schemas = cases.iter().map(|(schema, ..)| format!("z.object({{ v: {schema} }})"));
        let place = Place::of("t.mjs", &toolset(schemas), &["X"]);
        let mut registry = place.registry(&only);
        let tools = registry.tools(&CancelToken::new()).unwrap().to_vec();
        for (n, (schema, what, told, fits, odd)) in cases.iter().enumerate() {
            let at = format!("{}: {schema}", only.name);
            let whole = format!(r#"{{"type":"object","properties":{{"v":{told}}},"required":["v"]}}"#);
            assert_eq!(tools[n].input_schema.to_string(), whole, "{at}");
            let less = "of zod is not provided, and does nothing; the skill may bring zod itself";
            assert_eq!(registry.findings()[n].message, format!("the tool `t{n}`: `v: {what}` {less}"), "{at}");
            let with = |value: &str| format!(r#"{{"v":{value}}}"#);
            let mut says = |value: &str| called(&mut registry, &format!("t{n}"), &with(value));
            assert_eq!(says(fits), with(fits), "{at}");
            assert!(says(odd).starts_with("bad-arguments: "), "{at}");
        }
        assert_eq!(registry.findings().len(), cases.len(), "{}", only.name);
        assert!(called(&mut registry, "t0", "{}").ends_with("v: expected string, got nothing"), "{}", only.name);
    }
}

/// A skill that brings a zod, imported as `name`.
fn with_own(name: &str, cases: &[&Case]) -> Option<Place> {
    let zod = Path::new(&std::env::var_os("SKILLTREE_RUNTIMES")?).join("node_modules/zod");
    let text = fields(cases).replace("'zod'", &format!("'{name}'"));
    let place = Place::new(&[("s/toolsets/t.mjs", &text), ("s/SKILL.md", &manifest("s", "\"toolsets/t:X\""))]);
    std::fs::create_dir_all(place.path("s/node_modules")).unwrap();
    let copied = Command::new("cp").arg("-r").arg(zod).arg(place.path("s/node_modules/zod")).status();
    assert!(copied.is_ok_and(|status| status.success()), "zod can be copied");
    Some(place)
}

#[test]
fn a_zod_that_the_skill_brings() {
    let cases: Vec<&Case> = CASES.iter().chain(OPTIONAL).collect();
    let dates = case("z.iso.date()", "", (r#"{"v":"2020-01-31"}"#, r#"{"v":"2020-01-31"}"#), (r#"{"v":"no"}"#, ""));
    for only in javascript() {
        for name in ["zod", "zod/v3", "zod/v4"] {
            let more = if name == "zod/v3" { vec![] } else { vec![&dates] };
            let cases = [cases.as_slice(), &more].concat();
            let Some(place) = with_own(name, &cases) else { continue };
            let mut registry = place.registry(&only);
            let tools = registry.tools(&CancelToken::new()).unwrap().to_vec();
            assert_eq!(registry.findings(), [], "{} {name}", only.name);
            assert_eq!(tools.len(), cases.len());
            for (n, case) in cases.iter().enumerate() {
                let at = format!("{} {name}: {}", only.name, case.schema);
                let tool = format!("t{n}");
                let schema = &tools[n].input_schema;
                let field = schema.get("properties").and_then(|fields| fields.get("v"));
                let type_of = |schema: Option<&Json>| schema.and_then(|schema| schema.get("type")).cloned();
                let is_several =
                    ["z.literal", "nullable", "z.union", ".or("].iter().any(|part| case.schema.contains(part));
                if !case.told.is_empty() && !is_several {
                    assert_eq!(type_of(field), type_of(Some(&json(case.told))), "{at}: {schema}");
                }
                let is_needed = matches!(schema.get("required"), Some(Json::List(names)) if !names.is_empty());
                assert_eq!(is_needed, n < CASES.len() || CASES.len() + OPTIONAL.len() <= n, "{at}: {schema}");
                assert_eq!(called(&mut registry, &tool, case.fits), case.got, "{at}");
                assert!(called(&mut registry, &tool, case.odd).starts_with("bad-arguments: "), "{at}");
            }
        }
    }
}
