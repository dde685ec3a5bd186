//! Dialects in YAML files: what is read, and what is found in a file that is no dialect.

use crate::parts::part;
use pretty_assertions::assert_eq;
use skilltree::dialect::NAMES;
use skilltree::{Diagnostic, Dialect, FsPath, dialect};

fn read_text(text: &str) -> Result<Dialect, Vec<Diagnostic>> {
    Dialect::parse(&FsPath::new("/d.yaml").expect("a path"), text, &dialect)
}

/// Reads the rest of a dialect that extends the default one.
#[track_caller]
fn extended(text: &str) -> Dialect {
    let read = read_text(&format!("name: mine\nextends: agentskills\n{text}"));
    read.unwrap_or_else(|findings| panic!("{text}: {findings:#?}"))
}

#[test]
fn a_file_extends_a_dialect() {
    let base = dialect("agentskills").expect("built in");
    assert_eq!(extended("").name(), "mine");
    assert_eq!(read_text("name: agentskills\nextends: agentskills\n").as_ref(), Ok(&*base));

    let scanned = extended("scan:\n  depth: 2\n");
    assert_eq!(scanned.scan_depth(), Some(2));
    assert_eq!(part(&scanned, "scan.skipped"), part(&base, "scan.skipped"), "a map is merged");
    let listed = extended("scan: {skipped: [target]}");
    assert_eq!(part(&listed, "scan.skipped").texts(), ["target"], "a list is replaced");
    let wide = extended("prompt: {budget: {window: {percent: 3}}}");
    let window = part(&wide, "prompt.budget.window");
    let window = (window.at("percent").number(), window.at("fallback_chars").number());
    assert_eq!(window, (Some(3), Some(8_000)), "a variant is merged with the same");
    let few = extended("prompt: {budget: {chars: 7}}");
    assert_eq!(part(&few, "prompt.budget.chars").number(), Some(7), "and replaced by another");
    assert_eq!(part(&extended("prompt: {budget: unlimited}"), "prompt.budget").text(), "unlimited");
    assert_eq!(extended("tool: null").tool_name(), None);
    let tool = extended("tool:\n  input: {name: args, help: What to do}\n");
    let input = part(&tool, "tool.input");
    assert_eq!((input.at("name").text(), input.at("help").text()), ("args", "What to do"));
    assert_eq!(part(&extended("prompt:\n  open: |\n    a\n    b\n"), "prompt.open").text(), "a\nb\n");
    assert!(part(&extended("name_form: null"), "name_form").is_null());
    assert_eq!(extended("about: 7").about(), "7");
}

/// Reads the rest of a dialect that extends the default one, and checks its findings: each without its path, and the
/// help behind `;`.
#[track_caller]
fn refused(text: &str, expected: &[&str]) {
    whole(&format!("name: mine\nextends: agentskills\n{text}"), expected);
}

/// Like [`refused`], for the whole text of a file.
#[track_caller]
fn whole(text: &str, expected: &[&str]) {
    let found = match read_text(text) {
        Ok(dialect) => panic!("{text} is read: {dialect:#?}"),
        Err(found) => found,
    };
    let brief = |finding: &Diagnostic| {
        let brief = finding.to_string().replace("/d.yaml:", "").replace("error[dialect-file]: ", "");
        brief + &finding.help.as_ref().map(|help| format!("; {help}")).unwrap_or_default()
    };
    let got = found.iter().map(brief).collect::<Vec<_>>();
    assert_eq!(got, expected, "{:.400}", text);
}

#[test]
fn what_is_wrong_is_found_at_its_place() {
    refused("sorces: []", &["3:1: unknown part `sorces`; did you mean `sources`?"]);
    refused(
        "prompt: {whitespace: kep}",
        &["3:22: `prompt.whitespace`: expected one of `keep`, `trim`, `fold`, got `kep`; did you mean `keep`?"],
    );
    refused(
        "scan:\n  dept: 1\n  depth: one",
        &[
            "4:3: `scan`: unknown part `dept`; did you mean `depth`?",
            "5:10: `scan.depth`: expected a whole number, got `one`",
        ],
    );
    refused(
        "scan: 7",
        &[
            "3:7: `scan`: expected a map of the parts `depth`, `links_out`, `root`, `nested`, `reserved`, `skipped`, `skipped_parts`, `hidden`, `twice`, `linked_files`, got `7`",
        ],
    );
    refused("sources: home", &["3:10: `sources`: expected a list, got `home`"]);
    refused(
        "header: {byte_order_mark: true, other_metadata: False}",
        &[
            "3:27: `header.byte_order_mark`: expected one of `yes`, `no`, got `true`; write `yes`",
            "3:49: `header.other_metadata`: expected one of `yes`, `no`, got `False`; write `no`",
        ],
    );
    refused("load: {max_files: -1}", &["3:19: `load.max_files`: expected a whole number, got `-1`"]);
    refused("load: {max_files: '1'}", &["3:19: `load.max_files`: expected a whole number, got the text `1`"]);
    refused(
        "load: {max_files: 99999999999999999999999}",
        &["3:19: `load.max_files`: expected at most 1000000000, got `99999999999999999999999`"],
    );
    refused(
        "about: null",
        &["3:8: `about`: expected a text, got null; write '' for an empty text, and 'null' in quotes for the word"],
    );
    refused(
        "about:",
        &["3:7: `about`: expected a text, got null; write '' for an empty text, and 'null' in quotes for the word"],
    );
    refused(
        "about: [a]",
        &[
            "3:8: `about`: expected a text, got a list; put a text in quotes if it begins with a character that is special in YAML",
        ],
    );
    refused("reading: null", &["3:10: `reading`: expected one of `repaired`, `faithful`, got null"]);
    refused(
        "rule_codes: [name-invald]",
        &["3:14: `rule_codes`: expected the code of a finding, got `name-invald`; did you mean `name-invalid`?"],
    );
    refused(
        "fields:\n  - {path: effort, role: effort, one_of: []}",
        &[
            "4:42: `fields.one_of`: expected at least one value, got none; list the values that the field may have, or remove the part",
        ],
    );
    refused("? [a]\n: b", &["3:3: expected the name of a part, got a list"]);
    refused("about: a\nabout: b", &["4:1: expected each part once, got `about` twice; remove one of them"]);
    refused(
        "about: &a [*a]",
        &[
            "3:11: `about`: expected a text, got a list; put a text in quotes if it begins with a character that is special in YAML",
            "3:12: the YAML alias refers to a value that it is a part of; write the value itself",
        ],
    );
    refused(
        "about: !x y",
        &["3:8: expected a value without a YAML tag or anchor; put a text in quotes if it begins with `!` or `&`"],
    );
    refused("scan: !!map {depth: 1}", &["3:13: `scan`: expected a value without a YAML tag"]);
    refused("about: \"open", &["3:8: not valid YAML: while scanning a quoted scalar, found unexpected end of stream"]);
    refused(
        "about: \u{1}",
        &[
            "3:7: `about`: expected a text, got null; write '' for an empty text, and 'null' in quotes for the word",
            "3:8: expected a text without control characters, got 1 of them; write them in double quotes, such as \"\\u0001\"",
        ],
    );
}

#[test]
fn a_word_has_its_value() {
    refused(
        "prompt: {budget: chars}",
        &["3:18: `prompt.budget`: expected a value of `chars`; write it as `chars: 1000`"],
    );
    refused(
        "prompt: {budget: {unlimited: 1}}",
        &["3:19: `prompt.budget`: expected `unlimited` without a value; write `unlimited`"],
    );
    refused(
        "prompt: {budget: {chars: 1, window: 2}}",
        &[
            "3:18: `prompt.budget`: expected one of `unlimited`, `chars: 1000`, `window: {percent: …, fallback_chars: …}`, `tokens: {percent: …, fallback_chars: …}`, got a map of 2 keys",
        ],
    );
    refused(
        "prompt: {budget: {tokens: {percent: 1}}}",
        &[
            "3:27: `prompt.budget.tokens`: missing part `fallback_chars`; a row of a list, and a map that the extended dialect does not have, need all their parts",
        ],
    );
    refused(
        "prompt: {budget: {tokens: 1}}",
        &["3:27: `prompt.budget.tokens`: expected a map of the parts `percent`, `fallback_chars`, got `1`"],
    );
    refused(
        "prompt: {budget: {chras: 1}}",
        &[
            "3:19: `prompt.budget`: expected one of `unlimited`, `chars: 1000`, `window: {percent: …, fallback_chars: …}`, `tokens: {percent: …, fallback_chars: …}`, got `chras`; did you mean `chars`?",
        ],
    );
    refused(
        "fields: [{path: name, role: nam}]",
        &["3:29: `fields.role`: expected one of 38 words, got `nam`; did you mean `name`?"],
    );
    refused("order: {scopes: a}", &["3:17: `order.scopes`: expected a list, got `a`"]);
}

#[test]
fn a_template_has_the_holes_of_its_part() {
    refused(
        "prompt: {row: {key}}",
        &[
            "3:15: `prompt.row`: expected a template, got a map; put a text in quotes if it begins with a character that is special in YAML",
        ],
    );
    refused(
        "prompt:\n  row: '- {key'",
        &[
            "4:15: `prompt.row`: expected a template: expected `}` at character 7; `{name}` is a value, `{?name}…{/}` is written if the value is not empty, and `{{` and `}}` are braces",
        ],
    );
    refused(
        "prompt:\n  row: '- {@key} {descripton}{?brief}{/}'",
        &["4:18: `prompt.row`: unknown placeholder `descripton`; did you mean `description`?"],
    );
    refused(
        "prompt:\n  notice: '{@shown} {?totl}{/}'",
        &[
            "4:12: `prompt.notice`: unknown placeholder `@shown`; did you mean `shown`?",
            "4:21: `prompt.notice`: unknown placeholder `totl`; did you mean `total`?",
        ],
    );
    refused(
        "load:\n  frame: |\n    <a>\n    {body}{?boddy}{/}\n",
        &["6:11: `load.frame`: unknown placeholder `boddy`; did you mean `body`?"],
    );
    refused(
        "load:\n  frame: |\n    <a>\n    }\n",
        &[
            "4:10: `load.frame`: expected a template: expected `}}` at character 5; `{name}` is a value, `{?name}…{/}` is written if the value is not empty, and `{{` and `}}` are braces",
        ],
    );
    refused(
        "equal_keys: {qualify: '{place}:{kee}'}",
        &["3:32: `equal_keys.qualify`: unknown placeholder `kee`; did you mean `key`?"],
    );
    let framed = extended("load: {frame: '{@key} {body}'}");
    assert_eq!(part(&framed, "load.frame").text(), "{@key} {body}");
}

#[test]
fn parts_are_missing() {
    refused(
        "sources:\n  - base: home\n    path: a",
        &[
            "4:5: `sources`: missing parts `label`, `scope`, `origin`; a row of a list, and a map that the extended dialect does not have, need all their parts",
        ],
    );
    refused(
        "knowledge: {dir: a}",
        &[
            "3:12: `knowledge`: missing parts `title_field`, `header`, `row`; a row of a list, and a map that the extended dialect does not have, need all their parts",
        ],
    );
    refused(
        "states: {default: active}",
        &[
            "3:9: `states`: missing part `store`; a row of a list, and a map that the extended dialect does not have, need all their parts",
        ],
    );
    whole(
        "",
        &[
            "1:1: expected a dialect, got an empty file; begin with `name: NAME` and `extends: agentskills`, and change what differs",
        ],
    );
    whole(
        "# nothing\n",
        &[
            "1:1: expected a dialect, got an empty file; begin with `name: NAME` and `extends: agentskills`, and change what differs",
        ],
    );
    whole(
        "- a",
        &[
            "1:1: expected a map of the parts of a dialect, got a list; begin with `name: NAME` and `extends: agentskills`, and change what differs",
        ],
    );
    let found = read_text("name: mine").expect_err("no parts");
    let [found] = found.as_slice() else { panic!("{found:#?}") };
    assert!(found.message.starts_with("missing parts `about`, `sources`, `scan`, "), "{found}");
    assert!(found.message.ends_with(", `managed_folders`, `plugin_manifests`, `basis`, `not_modelled`"), "{found}");
    assert_eq!(found.help.as_deref(), Some("add `extends: agentskills` to take them from that dialect"));
    let found = read_text("name: mine\nscan: {depth: 1}").expect_err("no base");
    let nested = found.iter().find(|finding| finding.message.starts_with("`scan`")).expect("a finding");
    assert_eq!(nested.help.as_deref(), Some("without `extends`, every map needs all its parts"));
    whole("extends: sven", &["1:1: expected the part `name`, which is not taken from another dialect"]);
    whole(
        "name: mine\nextends: svenn\nabuot: a",
        &["2:10: `extends`: expected the name of a dialect, got `svenn`; did you mean `sven`?"],
    );
    for path in ["./sven", "dialects\\sven", "sven.yaml"] {
        whole(
            &format!("name: mine\nextends: {path}"),
            &[&format!(
                "2:10: `extends`: expected the name of a dialect, got the path `{path}`; only names are extended: put the \
                 file into a folder for dialects, as `.skilltree/dialects/base.yaml` in the project, and write \
                 `extends: base`"
            )],
        );
    }
    whole("name: mine\nextends: [sven]", &["2:10: `extends`: expected the name of a dialect, got a list"]);
    whole("a: b\n---\nc: d", &["2:1: expected one document, got a second"]);
}

#[test]
fn a_table_does_not_mislead() {
    let source = |rest: &str| format!("sources:\n  - {{scope: s, {rest}}}\n");
    refused(
        &source("base: home, path: /etc, label: a, origin: user"),
        &[
            "4:34: `sources.path`: expected a path below its base, got `/etc`; write a relative path with `/` between its names and without `..`",
        ],
    );
    refused(
        &source("base: home, path: a/../../b, label: a, origin: user"),
        &[
            "4:34: `sources.path`: expected a path below its base, got `a/../../b`; write a relative path with `/` between its names and without `..`",
        ],
    );
    refused(
        &source("base: home, path: 'C:/a', label: a, origin: user"),
        &[
            "4:34: `sources.path`: expected a path below its base, got `C:/a`; write a relative path with `/` between its names and without `..`",
        ],
    );
    refused(
        &source("base: home, path: a, label: '', origin: user"),
        &["4:44: `sources.label`: expected at least one character, got none"],
    );
    refused(
        &source("base: project, path: a, label: a, origin: user"),
        &[
            "4:58: `sources.origin`: expected `project` for a source in a project; skills that lie in the project come with it, and must not be trusted as the user's own",
        ],
    );
    refused(
        &source("base: project, path: a, label: a, origin: bundled"),
        &[
            "4:58: `sources.origin`: expected `project` for a source in a project; skills that lie in the project come with it, and must not be trusted as the user's own",
        ],
    );
    refused(
        &source("base: config, path: a, project_fallback: b, label: a, origin: plugin"),
        &[
            "4:78: `sources.origin`: expected `project` for a source in a project; skills that lie in the project come with it, and must not be trusted as the user's own",
        ],
    );
    refused(
        &source("base: home, path: a, label: a, origin: user, reach: below"),
        &[
            "4:55: `sources.origin`: expected `project` for a source in a project; skills that lie in the project come with it, and must not be trusted as the user's own",
        ],
    );
    refused(
        &source("base: home, path: a, label: a, origin: user, kind: packages"),
        &[
            "4:67: `sources.kind`: expected a part `packages` in the table, got none; add the part `packages`, which says how they are read, or extend a dialect that has it",
        ],
    );
    let twice = "{scope: s, base: home, path: a, label: a, origin: user}";
    refused(
        &format!("sources: [{twice}, {twice}]"),
        &["3:107: `sources.label`: expected a text that no earlier row has, got `a`"],
    );
    refused(
        "states: {store: ~/a, default: enabled}",
        &[
            "3:17: `states.store`: expected a path below its base, got `~/a`; write a relative path with `/` between its names and without `..`",
        ],
    );
    refused(
        "settings: {files: [{base: home, path: \\a}], keys: []}",
        &[
            "3:39: `settings.files.path`: expected a path below its base, got `\\a`; write a relative path with `/` between its names and without `..`",
        ],
    );
    refused(
        "fields: [{path: name, role: name}, {path: name, role: brief}]",
        &["3:43: `fields.path`: expected a text that no earlier row has, got `name`"],
    );
    refused(
        "fields: [{path: a, role: kept}, {path: b, role: kept}, {path: c, role: brief}, {path: d, role: brief}]",
        &[
            "3:96: `fields.role`: expected a role that no earlier row has, got that of `c`; remove one of the two, or write `role: kept` for a field without effect",
        ],
    );
    refused(
        "fields: [{path: a, role: kept, values: {types: [one-of], other_types: skip, hiding: null}}]",
        &[
            "3:40: `fields.values`: expected a part `one_of` beside the type `one-of`, got none; list the values that the field may have, or name other types",
        ],
    );
    refused(
        "limits:\n  - {role: when-to-use, max_chars: 9}\n  - {role: name, max_chars: 9}\n  - {role: name, max_chars: 8}",
        &[
            "4:12: `limits.role`: expected the role of a field whose length can be limited; write one of `name`, `description`, `compatibility`, `brief`, or remove the row",
            "6:12: `limits.role`: expected a role that no earlier row has; remove one of the two rows",
        ],
    );
    let settings = |key: &str| format!("settings: {{files: [], keys: [{{key: '{key}', role: disabled}}]}}");
    refused(
        &settings("skills.off"),
        &[
            "3:36: `settings.keys.key`: expected `/` between the keys of nested objects, got `skills.off`; write `skills/off`, or `skills\\.off` if the dot is a part of one key",
        ],
    );
    refused(&settings(""), &["3:36: `settings.keys.key`: expected at least one character, got none"]);
    for key in ["skills/off", "skills\\.off"] {
        let keys = part(&extended(&settings(key)), "settings.keys");
        assert_eq!(keys.rows().next().map(|row| row.at("key").text()), Some(key));
    }
    refused(
        "load: {frame: '<a>{body}</{key}>', closing_tag: '</{key}>'}",
        &[
            "3:49: `load.closing_tag`: expected a text that `frame` contains, got `</{key}>`; write the tag as it is in the text of `frame`, without placeholders, or '' if there is none",
        ],
    );
    let closed = extended("load: {frame: '{?key}<a>{body}</a>{/}', closing_tag: </a>}");
    assert_eq!(part(&closed, "load.closing_tag").text(), "</a>");
    refused("tool: {name: ''}", &["3:14: `tool.name`: expected at least one character, got none"]);
    refused(
        "activation: {dir: '', separator: -}",
        &["3:34: not valid YAML: plain scalar cannot start with '-' followed by ,[]{}"],
    );
    whole(
        "name: ''\nextends: sven",
        &["1:7: `name`: expected a name without white space and slashes, of at least one character"],
    );
    whole(
        "name: a b\nextends: sven",
        &["1:7: `name`: expected a name without white space and slashes, of at least one character"],
    );
    let bundled = extended(&source("base: bundled, path: '', project_fallback: b, label: a, origin: bundled"));
    assert_eq!(part(&bundled, "sources").rows().len(), 1);
}

#[test]
fn a_large_file_and_deep_nesting_are_findings() {
    let large = format!("name: a\nextends: sven\nabout: {}\n", "a".repeat(Dialect::MAX_FILE_BYTES));
    whole(&large, &["1:1: expected a dialect of at most 262144 bytes, got 262174"]);
    whole(
        &format!("name: a\nextends: sven\nscan: {}", "[".repeat(100_000)),
        &["3:262: not valid YAML: recursion limit exceeded"],
    );
    whole(
        &format!("name: a\nextends: sven\nscan: {}{}", "[".repeat(1_000), "]".repeat(1_000)),
        &["3:262: not valid YAML: recursion limit exceeded"],
    );
    let many: String = (0..5_000).map(|n| format!("x{n}: 1\n")).collect();
    let found = read_text(&many).expect_err("unknown parts");
    assert_eq!(found.len(), 100, "there are not more findings than a person reads");
}

#[test]
fn every_built_in_dialect_reads_back() {
    for name in NAMES {
        let table = dialect(name).expect("built in");
        let text = table.to_yaml();
        let read = read_text(&text).unwrap_or_else(|findings| panic!("{name}: {findings:#?}"));
        assert_eq!(read, *table, "{name}");
    }
}
