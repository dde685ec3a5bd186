//! Templates: what is filled, what stands, what is refused and where.

use super::*;
use pretty_assertions::assert_eq;

/// Rendered with `a` = `1`, `b` = `{a}`, `empty` = nothing, and no other value; or the error.
#[track_caller]
fn check(case: &str, text: &str, expect: &str) {
    let value = |name: &str| match name {
        "a" => Some(Cow::Borrowed("1")),
        "b" => Some(Cow::Owned(String::from("{a}"))),
        "empty" => Some(Cow::Borrowed("")),
        _ => None,
    };
    let answer = match Template::parse(text) {
        Ok(template) => {
            let mut out = String::new();
            template.render(&value, &mut out);
            out
        }
        Err(error) => error.to_string(),
    };
    assert_eq!(answer, expect, "{case}");
}

#[test]
fn fills_holes() {
    check("nothing", "", "");
    check("text alone", "é <x>\n", "é <x>\n");
    check("a hole", "<{a}>", "<1>");
    check("holes side by side", "{a}{a}", "11");
    check("what is inserted is not scanned", "{b}", "{a}");
    check("an empty and an unknown hole", "<{empty}{other.one-x_2}>", "<>");
    check("braces", "{{a}} {{{a}}} }}{{", "{a} {1} }{");
}

#[test]
fn keeps_or_drops_parts() {
    check("stands", "<{?a}x {a}{/}>", "<x 1>");
    check("an empty hole", "<{?empty}x{/}>", "<>");
    check("unless it is empty", "<{!a}x{/}{!empty}y{/}{!none}z{?a}{a}{/}{/}>", "<yz1>");
    check("within what is dropped", "<{?empty}{!empty}x{/}{/}{!a}{!empty}x{/}y{/}>", "<>");
    check("an unknown hole", "<{?other}x{a}{/}>", "<>");
    check("nested, both stand", "{?a}x{?b}y{/}z{/}", "xyz");
    check("nested, the inner goes", "{?a}x{?empty}y{/}z{/}", "xz");
    check("nested, the outer goes", "{?empty}x{?a}y{/}z{/}!", "!");
    check("one after another", "{?empty}x{/}{?a}y{/}{?empty}z{/}", "y");
}

#[test]
fn refuses() {
    check("an opening brace", "é{", "expected the name of a placeholder at character 3");
    check("a closing brace", "a}b", "expected `}}` at character 2");
    check("no name", "{}", "expected the name of a placeholder at character 2");
    check("no name of a condition", "{?}", "expected the name of a placeholder at character 3");
    check("an unclosed hole", "{a", "expected `}` at character 3");
    check("no name of a hole", "{a b}", "expected `}` at character 3");
    check("a wide character in a hole", "{aé}", "expected `}` at character 3");
    check("an unclosed end", "{?a}{/", "expected `}` at character 7");
    check("no end", "{?a}x", "expected `{/}` at character 6");
    check("no start", "x{/}", "expected the end of a part at character 2");
    check("three deep", "{?a}{?a}{?a}x{/}{/}{/}", "expected at most two levels of nested parts at character 9");
}

#[test]
fn stands_for_itself_when_it_is_no_template() {
    let template = Template::new("{ {a}");
    let mut out = String::from("> ");
    template.render(&|_| Some(Cow::Borrowed("1")), &mut out);
    assert_eq!((out.as_str(), template.source()), ("> { {a}", "{ {a}"));
    assert_eq!(template.placeholders().count(), 0);
}

#[test]
fn names_its_holes() {
    let template = Template::new("{a}{?b}{c}{a}{/}");
    assert_eq!(template.placeholders().collect::<Vec<_>>(), ["a", "b", "c", "a"]);
    assert_eq!(template.source(), "{a}{?b}{c}{a}{/}");
}

#[test]
fn takes_borrowed_values() {
    let kept = String::from("kept");
    let mut out = String::new();
    Template::new("{x}").render(&|_| Some(Cow::Borrowed(kept.as_str())), &mut out);
    assert_eq!(out, kept);
}
