//! YAML: what is read, where it stands, what is noticed, and that nothing hostile is slow or deep.

use crate::effort::Effort;
use std::time::Duration;

use pretty_assertions::assert_eq;

use super::{Document, MAX_DEPTH, Node, Notice, NoticeKind, Style, Unresolved, Value, parse};
use crate::text::escape::quote_yaml;

/// `[]` and `{}` for flow, `(-)` and `(:)` for block, `?` for absent, a scalar behind its style's sign.
fn show(node: &Node) -> String {
    let text = match (&node.value, node.style) {
        (Value::Text(text), Style::Single) => format!("'{text}'"),
        (Value::Text(text), Style::Double) => format!("\"{text}\""),
        (Value::Text(text), Style::Literal) => format!("|{text}|"),
        (Value::Text(text), Style::Folded) => format!(">{text}>"),
        (Value::Text(text), _) => text.clone(),
        (Value::Absent, _) => "?".to_owned(),
        (Value::List(items), style) => {
            let items: Vec<_> = items.iter().map(show).collect();
            if style == Style::Flow { format!("[{}]", items.join(",")) } else { format!("(-{})", items.join(",")) }
        }
        (Value::Map(pairs), style) => {
            let pairs: Vec<_> = pairs.iter().map(|(key, value)| format!("{}={}", show(key), show(value))).collect();
            if style == Style::Flow { format!("{{{}}}", pairs.join(",")) } else { format!("(:{})", pairs.join(",")) }
        }
    };
    node.tag.as_ref().map_or(text.clone(), |tag| format!("<{tag}>{text}"))
}

#[track_caller]
fn read(case: &str, text: &str) -> Document {
    parse(text).unwrap_or_else(|error| panic!("{case}: {error:?}"))
}

#[track_caller]
fn check(case: &str, text: &str, expect: &str) {
    let root = read(case, text).root;
    assert_eq!(root.as_ref().map_or("nothing".to_owned(), show), expect, "{case}");
}

#[test]
fn scalars() {
    check("source text stays (rule 5.3)", "a: 1.10\nb: 007\nc: Yes\nd: null\ne: ~", "(:a=1.10,b=007,c=Yes,d=null,e=~)");
    check("nothing is empty", "a:\nb: \nc: ''\n", "(:a=,b=,c='')");
    check("quotes", "a: \"x\\n\\\"é\\u00e9\"\nb: 'it''s'", "(:a=\"x\n\"éé\",b='it's')");
    check("plain over lines", "a: b\n  c\n\n  d\ne: f", "(:a=b c\nd,e=f)");
    check("quoted over lines", "a: \"b\n  c\"\n", "(:a=\"b c\")");
    check("an empty literal", "a: |\nb: c\n", "(:a=||,b=c)");
    check("one at the end", "b: c\na: |\n", "(:b=c,a=||)");
    check("one without a line", "a:\n  - >-", "(:a=(->>))");
    check("literal", "a: |\n  x\n   y\n\n  z\n\nb: c\n", "(:a=|x\n y\n\nz\n|,b=c)");
    check("folded", "a: >-\n  x\n  y\n\n  z\nb: c\n", "(:a=>x y\nz>,b=c)");
    check("a colon inside a word", "a: http://x:y\n", "(:a=http://x:y)");
    check("a tab after the text", "a: b\t\nc: d\n", "(:a=b,c=d)");
    check("a comment after the colon", "a: # x\nb: c\n", "(:a=,b=c)");
    check(
        "tags",
        "a: !!str 1\nb: !x y\n!!str c: d",
        "(:a=<tag:yaml.org,2002:str>1,b=<!x>y,<tag:yaml.org,2002:str>c=d)",
    );
    check("an anchor is passed over (rule 5.2)", "a: &x b\n&y c: d\n", "(:a=b,c=d)");
}

#[test]
fn tabs_after_colons() {
    check("before a plain scalar", "a:\tb\nc:\t \t9\nd:\t-9\n", "(:a=b,c=9,d=-9)");
    check(
        "before others",
        "a:\t\"b\"\nc:\t[d]\ne:\t|\n  f\ng:\t!!str h",
        "(:a=\"b\",c=[d],e=|f\n|,g=<tag:yaml.org,2002:str>h)",
    );
    check("further in", "a:\n  b:\tc\nd: {e:\tf}\n", "(:a=(:b=c),d={e=f})");
    check("with properties", "a:\t&x b\nc:\t*x\n", "(:a=b,c=b)");
    check(
        "as text in scalars",
        "a:\tb\nc: \"d:\te\"\nf: 'g:\th'\ni: |\n  j:\tk\nl:\tm\n'n:\to': p",
        "(:a=b,c=\"d:\te\",f='g:\th',i=|j:\tk\n|,l=m,'n:\to'=p)",
    );
    check("in a comment", "a:\tb\n# c:\td\ne: f", "(:a=b,e=f)");
    let first = "not valid YAML: ':' must be followed by a valid YAML whitespace";
    refuse("before a list", "a:\t- b\n", 3, first);
    refuse("and beside one that is read", "c:\td\na:\t- b\n", 8, first);
    refuse("before a key", "a:\tb: c\n", 4, "not valid YAML: mapping values are not allowed in this context");
    spans("their places", "é:\tb\nc: d", &["é:\tb\nc: d", "é", "b", "c", "d"]);
}

#[test]
fn collections() {
    check("lists", "a: [b, 'c', {d: e}]\nf:\n- g\n- h\ni:\n  - j\n", "(:a=[b,'c',{d=e}],f=(-g,h),i=(-j))");
    check("empty ones", "a: []\nb: {}\nc:\n-\n- d\n", "(:a=[],b={},c=(-,d))");
    check("pairs in a list", "a: [b: c, d]", "(:a=[{b=c},d])");
    check("a set", "a: {b, c: }", "(:a={b=,c=})");
    check("lists of lists", "- - a\n  - b\n- c: d\n  e: f\n", "(-(-a,b),(:c=d,e=f))");
    check("explicit keys", "? a\n: b\n? c\n", "(:a=b,c=)");
    check("a flow over lines", "a: [b,\n  c, # x\n  d,\n  ]\ne: f", "(:a=[b,c,d],e=f)");
    check("a placeholder", "name: {{NAME}}", "(:name={{NAME=}=})");
    check("the first of two keys wins (rule 5.4)", "a: b\nc: d\na: e\n", "(:a=b,c=d)");
    check("in a flow too", "{a: b, a: c}", "{a=b}");
}

#[test]
fn documents() {
    check("no text", "", "nothing");
    check("comments only", "# a\n\n  # b\n", "nothing");
    check("a marker only", "---\n", "nothing");
    check("a scalar", "name:foo\nbar", "name:foo bar");
    check("CRLF", "a: b\r\nc: |\r\n  d\r\n  e\r\nf: [g,\r\n  h]\r\n", "(:a=b,c=|d\ne\n|,f=[g,h])");
    check("a lone CR ends a line, as YAML has it", "a: b\rc: d\r", "(:a=b,c=d)");
    check("an end marker", "a: b\n...\n", "(:a=b)");
    check("directives", "%YAML 1.2\n%FOO bar\n---\na: b\n", "(:a=b)");
}

#[test]
fn aliases_and_depth() {
    check("an alias (rule 5.2)", "a: &x b\nc: *x\nd: [*x, e]\n", "(:a=b,c=b,d=[b,e])");
    check("of a list", "a: &x [b, 'c']\nd:\n- *x\n- e", "(:a=[b,'c'],d=(-[b,'c'],e))");
    check("of a map in a block", "a: &x\n  b: c\nd: *x\n", "(:a=(:b=c),d=(:b=c))");
    check("of a value with a tag", "a: &x !!str 1\nb: *x", "(:a=<tag:yaml.org,2002:str>1,b=<tag:yaml.org,2002:str>1)");
    check("of nothing", "a: &x\nb: *x\n", "(:a=,b=)");
    check("of a block scalar", "a: &x |\n  b\nc: *x\n", "(:a=|b\n|,c=|b\n|)");
    check("as a key", "a: &x b\n*x : c\n", "(:a=b,b=c)");
    check("a key of a twin", "a: &x b\nb: c\n*x : d\n", "(:a=b,b=c)");
    check("of an alias's value", "a: &x b\nc: &y [*x]\nd: *y", "(:a=b,c=[b],d=[b])");
    check("the last anchor before it counts", "a: &x b\nc: *x\nd: &x e\nf: *x", "(:a=b,c=b,d=e,f=e)");
    check("`<<` is a key like any other (YAML 1.2)", "a: &x {b: c}\n<<: *x\n", "(:a={b=c},<<={b=c})");
    check("an alias within its own value", "a: &x [b, *x]\nc: *x\n", "(:a=[b,?],c=[b,?])");
    let deep = |count: usize| "[".repeat(count) + &"]".repeat(count);
    check("as deep as allowed", &deep(MAX_DEPTH), &deep(MAX_DEPTH));
    check(
        "deeper is absent (rule 5.1)",
        &deep(MAX_DEPTH + 9),
        &(("[".repeat(MAX_DEPTH) + "?") + &"]".repeat(MAX_DEPTH)),
    );
    let (open, close) = ("[".repeat(MAX_DEPTH - 2), "]".repeat(MAX_DEPTH - 2));
    check("an alias as deep as allowed", &format!("- &x [a]\n- {open}*x{close}"), &format!("(-[a],{open}[a]{close})"));
    check("and deeper", &format!("- &x [[a]]\n- {open}*x{close}"), &format!("(-[[a]],{open}[?]{close})"));
}

#[track_caller]
fn refuse(case: &str, text: &str, at: usize, message: &str) {
    let error = parse(text).expect_err(case);
    assert_eq!((error.at, error.message.as_str()), (at, message), "{case}");
}

#[test]
fn errors() {
    refuse("two colons", "é: b: c", 5, "not valid YAML: mapping values are not allowed in this context");
    refuse("an at sign", "a: @b", 3, "not valid YAML: unexpected character: `@'");
    refuse("an unclosed list", "a: [b", 5, "not valid YAML: while parsing a flow sequence, expected ',' or ']'");
    refuse("a second document", "a: b\n...\n---\nc: d", 9, "expected one document, got a second");
    refuse("a NUL", "a: b\n\0c: d", 5, "expected YAML without NUL");
    refuse("an alias of nothing", "a: *b", 3, "not valid YAML: while parsing node, found unknown anchor");
}

fn sources<'t>(node: &Node, text: &'t str, out: &mut Vec<&'t str>) {
    out.push(text.get(node.span.start..node.span.end).expect("a span of the text"));
    match &node.value {
        Value::List(items) => items.iter().for_each(|item| sources(item, text, out)),
        Value::Map(pairs) => pairs.iter().for_each(|(key, value)| {
            sources(key, text, out);
            sources(value, text, out);
        }),
        Value::Text(_) | Value::Absent => {}
    }
}

/// `expect`: the source of every node, from the root on.
#[track_caller]
fn spans(case: &str, text: &str, expect: &[&str]) {
    let mut out = Vec::new();
    sources(&read(case, text).root.expect(case), text, &mut out);
    assert_eq!(out, expect, "{case}");
}

#[test]
fn spans_are_source() {
    spans("plain", "\na: b  # c\n", &["a: b", "a", "b"]);
    spans("quotes inside", "a : \"b\\\"\" \n", &["a : \"b\\\"\"", "a", "\"b\\\"\""]);
    spans("single quotes", "'a': 'it''s' # x", &["'a': 'it''s'", "'a'", "'it''s'"]);
    spans("plain over lines", "a: b\n  c # d\ne: f", &["a: b\n  c # d\ne: f", "a", "b\n  c", "e", "f"]);
    spans("brackets inside", "a: [b, {c: d} ] # e", &["a: [b, {c: d} ]", "a", "[b, {c: d} ]", "b", "{c: d}", "c", "d"]);
    spans("a trailing comma", "[a, ]", &["[a, ]", "a"]);
    spans("a comment before the bracket", "[a # ]\n]", &["[a # ]\n]", "a"]);
    spans(
        "a pair in a list",
        "[a: b, {c: d}: e]",
        &["[a: b, {c: d}: e]", "a: b", "a", "b", "{c: d}: e", "{c: d}", "c", "d", "e"],
    );
    spans(
        "a block",
        "a:\n  b: c\n  d:\n\ne: f",
        &["a:\n  b: c\n  d:\n\ne: f", "a", "b: c\n  d:", "b", "c", "d", "", "e", "f"],
    );
    spans("a list at its key's column", "a:\n- [b]\n- c\n", &["a:\n- [b]\n- c", "a", "- [b]\n- c", "[b]", "b", "c"]);
    spans("a list whose first item is below", "a:\n- # x\n  b\n", &["a:\n- # x\n  b", "a", "- # x\n  b", "b"]);
    spans(
        "a flow after a dash and a key",
        "- a: [b]\n- [c]: d",
        &["- a: [b]\n- [c]: d", "a: [b]", "a", "[b]", "b", "[c]: d", "[c]", "c", "d"],
    );
    spans(
        "a literal with its header",
        "a: |- # x\n\n  b\n   c\n\n# y\nd: e",
        &["a: |- # x\n\n  b\n   c\n\n# y\nd: e", "a", "|- # x\n\n  b\n   c", "d", "e"],
    );
    spans("a literal of nothing", "a: |\nb: >+\n\nc: d", &["a: |\nb: >+\n\nc: d", "a", "|", "b", ">+", "c", "d"]);
    spans(
        "wide characters before and in a literal",
        "é: 漢\nb: |\n  漢字\n  漢\nc: é",
        &["é: 漢\nb: |\n  漢字\n  漢\nc: é", "é", "漢", "b", "|\n  漢字\n  漢", "c", "é"],
    );
    spans("CRLF", "a: |\r\n  b\r\n  c\r\nd: e\r\n", &["a: |\r\n  b\r\n  c\r\nd: e", "a", "|\r\n  b\r\n  c", "d", "e"]);
    spans(
        "tags and anchors are outside",
        "a: !x &y b\nc: !!null\nd: *y",
        &["a: !x &y b\nc: !!null\nd: *y", "a", "b", "c", "", "d", "*y"],
    );
    spans(
        "all that an alias stands for is at the alias",
        "- &x [a]\n- *x",
        &["- &x [a]\n- *x", "[a]", "a", "*x", "*x"],
    );
    spans("an explicit key", "? a\n: b", &["? a\n: b", "a", "b"]);
}

#[track_caller]
fn notices(case: &str, text: &str, expect: &[&str]) {
    let shown: Vec<String> = read(case, text)
        .notices
        .iter()
        .map(|notice| {
            let source = &text[notice.span.start..notice.span.end];
            match &notice.what {
                NoticeKind::Alias(why) => format!("{why:?} {source}"),
                NoticeKind::TooDeep => format!("deep {source}"),
                NoticeKind::DuplicateKey { key, .. } => format!("twice {key} {}", notice.span.start),
                NoticeKind::Comment { key, value, line_with, hash_word, .. } => {
                    let key = key.as_deref().unwrap_or("-");
                    let word = if *hash_word { "!" } else { "" };
                    format!("comment{word} {key} <{value}> {line_with}")
                }
            }
        })
        .collect();
    assert_eq!(shown, expect, "{case}");
}

#[track_caller]
fn check_end(case: &str, text: &str, expect: &str) {
    let shown = read(case, text).root.as_ref().map(show).unwrap_or_default();
    assert!(shown.ends_with(expect), "{case}: {}", &shown[shown.len().saturating_sub(80)..]);
}

#[test]
fn what_is_noticed() {
    notices("nothing", "a: b\n", &[]);
    notices("an alias (rule 5.2)", "a: &x b\nc: *x\n", &[]);
    notices("an alias within its own value", "a: &x [b, *x]\n", &["Circular *x"]);
    let (open, close) = ("[".repeat(MAX_DEPTH - 2), "]".repeat(MAX_DEPTH - 2));
    notices("an alias that goes too deep", &format!("- &x [[a]]\n- {open}*x{close}"), &["deep *x"]);
    let kib = |count: usize| format!("a: &x {}\nb: [{}]\nc: d", "é".repeat(512), "*x,".repeat(count));
    notices("aliases of 1 MiB", &kib(1024), &[]);
    notices("a byte more", &kib(1024).replace("b: [", "e: &y f\nb: [*y,"), &["TooLarge *x"]);
    check_end("the rest counts", &kib(1030), ",?,?,?,?,?,?],c=d)");
    let laughs: String = (1..9).map(|n| format!("l{n}: &l{n} [{}]\n", format!("*l{},", n - 1).repeat(9))).collect();
    let laughs = read("an alias bomb", &format!("l0: &l0 ha\n{laughs}"));
    let is_alias = |notice: &Notice| notice.what == NoticeKind::Alias(Unresolved::TooLarge);
    assert!(!laughs.notices.is_empty() && laughs.notices.iter().all(is_alias), "{:?}", laughs.notices.len());
    notices("a duplicate key (rule 5.4)", "a: b\n'a': c\na: d", &["twice a 5", "twice a 12"]);
    notices("nested too deep (rule 5.1)", &("[".repeat(66) + &"]".repeat(66)), &["deep [[]]"]);
}

#[test]
fn comments() {
    notices("a cut value (rule 5.8)", "a: fix #414 é\n", &["comment! a <fix> a: \"fix #414 é\""]);
    notices("a remark set off by two blanks", "  a: b c  # d\n", &[]);
    notices("a remark after one word", "a: false # c\nd: [e # f\n]", &[]);
    notices("a remark after one blank", "  a: b c # d\n", &["comment a <b c>   a: \"b c\" # d"]);
    notices("a word after two blanks", "a: b  #c\n", &["comment! a <b> a: \"b  #c\""]);
    notices("quotes in the value", "a: b \"c\" \\ #d", &["comment! a <b \"c\" \\> a: \"b \\\"c\\\" \\\\ #d\""]);
    notices("a list item", "a:\n  - b #c\n", &["comment! - <b>   - \"b #c\""]);
    notices("a value below its key", "a:\n  b #c\n", &["comment! a <b>   \"b #c\""]);
    notices("several lines", "a: b\n  c #d\n", &["comment! a <b c> a: \"b c #d\""]);
    notices("several lines in an item", "- b\n  c #d\n", &[]);
    notices("CRLF", "a: b #c\r\nd: e\r\n", &["comment! a <b> a: \"b #c\""]);
    notices("after quotes", "a: 'b' # c\nd: \"e\" #f", &[]);
    notices("on its own line", "a: b\n # c\n#d\ne: f", &[]);
    notices("no value", "a: # b", &[]);
    notices("no comment", "a: b#c", &[]);
    notices("after a list", "a: [b] # c", &[]);
}

#[test]
fn quoting_is_undone_by_reading() {
    for text in ["", "a", "a\\\"b", "a\n\tb\r", "\u{0}\u{7f}\u{85}\u{feff}\u{2028}", "é漢😀", " # : "] {
        let read = parse(&format!("a: {} #x", quote_yaml(text))).expect("YAML").root.expect("a map");
        assert_eq!(show(&read), format!("(:a=\"{text}\")"), "{text:?}");
    }
}

#[track_caller]
fn quick(case: &str, text: &str) {
    let begin = Effort::begin();
    let document = parse(text);
    drop(document.clone());
    assert!(document == document.clone(), "{case}");
    drop(document);
    assert!(begin.so_far() < Duration::from_secs(10), "{case}: {:?}", begin.so_far());
}

#[test]
fn hostile_texts_are_quick() {
    quick("nested block lists", &"- ".repeat(100_000));
    quick("nested flow lists", &"[".repeat(200_000));
    quick("nested flow maps", &"{".repeat(200_000));
    quick("nested explicit keys", &"? ".repeat(100_000));
    quick("nested maps", &(0..3000).map(|depth| format!("{}a:\n", " ".repeat(depth % 500))).collect::<String>());
    quick("maps that go deeper", &(0..700).map(|depth| format!("{}a:\n", " ".repeat(depth))).collect::<String>());
    quick("many aliases", &format!("a: &x b\nc: [{}]", "*x,".repeat(60_000)));
    quick("nested anchors", &format!("{}{}", "&a [".repeat(60), "]".repeat(60)));
    quick(
        "a chain of aliases",
        &(1..9_000)
            .map(|n| format!("a{n}: &a{n} [*a{}]\n", n - 1))
            .fold("a0: &a0 b\n".to_owned(), |text, line| text + &line),
    );
    quick("tabs behind colons", &(0..30_000).map(|n| format!("k{n}:\tv\n")).collect::<String>());
    quick("many keys", &(0..30_000).map(|key| format!("k{key}: v\n")).collect::<String>());
    quick("one key, often", &"k: v\n".repeat(50_000));
    quick("pairs in a list", &format!("[[{}]]", "é: b, ".repeat(30_000)));
    quick("pairs before white space", &format!("[[{}]]", "a: b\n\n\n\n,".repeat(25_000)));
    quick("many comments", &"a: b #c\n".repeat(30_000));
    quick("items on one line", &format!("[{}]", "é ,".repeat(60_000)));
    quick("blank lines", &"\n".repeat(262_144));
    quick("an open quote", &format!("a: \"{}", "\\".repeat(262_000)));
    quick("a literal", &format!("a: |\n{}", "  é\n".repeat(50_000)));
    quick("literals", &"a: |\n\n\n  é\n".repeat(20_000));
    quick("empty items", &"-\n".repeat(100_000));
    quick("tags", &format!("a: {}", "!a ".repeat(80_000)));
}
