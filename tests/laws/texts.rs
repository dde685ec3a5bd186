//! Laws of one SKILL.md: no bytes harm, a fix mends, and the body is what stands after the fences.

use super::{dialects, roots, with_catalog, words};
use crate::common::{Tree, property};
use pretty_assertions::assert_eq;
use proptest::collection::vec;
use proptest::prelude::*;
use skilltree::loading::KnowledgeHint;
use skilltree::model::Frontmatter;
use skilltree::{
    Caller, CheckRequest, Code, Diagnostic, Dialect, LoadRequest, MemFs, PromptRequest, check, commands, load, prompt,
    why,
};
use std::sync::Arc;

fn at(dialect: &Dialect) -> String {
    format!("{}/tea/SKILL.md", roots(dialect)[0])
}

fn one(dialect: &Dialect, text: impl Into<Vec<u8>>) -> MemFs {
    Tree::default().with(&at(dialect), text).mem()
}

#[test]
fn no_bytes_make_anything_panic() {
    let bytes = prop_oneof![1 => any_bytes(), 19 => words::mutated()];
    property::check("no_bytes_make_anything_panic", 2_000, bytes, |bytes| {
        for dialect in dialects() {
            with_catalog(&one(&dialect, bytes.clone()), &(), &dialect, |world, catalog| {
                let commands = commands(catalog, &[]);
                let _ = catalog.to_json(world, &commands).to_string();
                let _ = prompt(world, catalog, &PromptRequest::default());
                let _ = why(world, catalog, "tea", &PromptRequest::default());
                for skill in catalog.skills() {
                    let _ = load(world, catalog, skill, &LoadRequest::new(Caller::User));
                }
                let findings = check(world, &dialect, &[], &CheckRequest { strict: true }).expect("sources are there");
                findings.iter().chain(catalog.findings()).for_each(|finding| is_sound(finding, &bytes));
                if let Ok(text) = std::str::from_utf8(&bytes) {
                    let path = skilltree::FsPath::root();
                    let _ = KnowledgeHint::of(world, &dialect, &path, text);
                }
            });
        }
        Ok(())
    });
}

fn any_bytes() -> impl Strategy<Value = Vec<u8>> {
    vec(any::<u8>(), 0..200).prop_map(|bytes| [b"---\n", &bytes[..], b"\n---\n"].concat())
}

/// A finding's place is one of the file, its line is that line, and it speaks in one line.
#[track_caller]
fn is_sound(finding: &Diagnostic, bytes: &[u8]) {
    assert!(!finding.message.contains(['\n', '\r']) && !finding.message.is_empty(), "{finding:?}");
    assert!(!finding.message.contains(char::is_control), "{finding:?}");
    let (Some(at), Ok(text)) = (finding.at, std::str::from_utf8(bytes)) else { return };
    let line = text.strip_prefix('\u{feff}').unwrap_or(text).split('\n').nth(at.line - 1);
    let line = line.unwrap_or_else(|| panic!("no such line: {finding:?}"));
    assert!(at.column <= line.chars().count() + 1, "no such column: {finding:?}");
    let same = |text: &str| text.trim_end_matches('\r') == line.trim_end_matches('\r');
    assert!(finding.line_text.as_deref().is_none_or(same), "{finding:?}");
}

/// What a file says, and what is noticed in it.
fn read(dialect: &Arc<Dialect>, text: &str) -> Option<(Frontmatter, Vec<Diagnostic>)> {
    with_catalog(&one(dialect, text), &(), dialect, |_, catalog| {
        Some((Frontmatter::clone(&catalog.skills().first()?.frontmatter), catalog.findings().to_vec()))
    })
}

/// The text with the lines of a fix replaced.
fn fixed(text: &str, finding: &Diagnostic) -> Option<String> {
    let fix = finding.fix.as_ref()?;
    let mut lines: Vec<&str> = text.split('\n').collect();
    let end = if lines.get(fix.last - 1)?.ends_with('\r') { "\r" } else { "" };
    let with = format!("{}{end}", fix.with);
    lines.splice(fix.line - 1..fix.last, [with.as_str()]);
    Some(lines.join("\n"))
}

/// How often a file is mended until nothing is left to mend.
const ROUNDS: usize = 6;

#[test]
fn a_fix_of_a_repair_mends_it_and_keeps_what_was_read() {
    let repairs = |findings: &[Diagnostic]| -> Vec<Diagnostic> {
        findings.iter().filter(|finding| finding.code == Code::YamlRepaired).cloned().collect()
    };
    property::check("a_fix_of_a_repair_mends_it_and_keeps_what_was_read", 2_000, words::wild(), |text| {
        for dialect in dialects() {
            let Some((frontmatter, findings)) = read(&dialect, &text) else { continue };
            // A mend of nested lines may let YAML stumble further below; there the next one mends.
            let (mut after, mut left, mut mended) = (frontmatter.clone(), findings, text.clone());
            for _ in 0..ROUNDS {
                if repairs(&left).is_empty() {
                    break;
                }
                // From the last to the first, so that lines keep their numbers.
                for repair in repairs(&left).iter().rev() {
                    mended = fixed(&mended, repair).unwrap_or_else(|| panic!("no fix: {repair:?}\nin {text}"));
                }
                (after, left) = read(&dialect, &mended).unwrap_or_else(|| panic!("lost:\n{text}\n\n{mended}"));
            }
            assert_eq!(repairs(&left), [], "still repaired:\n{text}\n\n{mended}");
            // Nested lines that do not parse stand as their source (rule 5.9), which a mend changes.
            if !left.iter().any(|finding| finding.code == Code::WrongType) {
                for (before, after) in [(frontmatter.name, after.name), (frontmatter.description, after.description)] {
                    // A client may read the indicator of a block scalar, which is not meant as a part of the text (rule 5.6).
                    let behind = before.as_deref().and_then(|text| text.strip_prefix(['|', '>']));
                    let meant = behind.map(|rest| rest.trim_start_matches(['+', '-']).trim_start_matches([' ', '\t']));
                    let before = meant.filter(|meant| after.as_deref() == Some(meant)).or(before.as_deref());
                    assert_eq!(after.as_deref(), before, "{text}\n\n{mended}");
                }
            }
        }
        Ok(())
    });
}

#[test]
fn the_body_is_what_stands_after_the_fences() {
    let sentences = (words::sentence(40), words::sentence(40), words::sentence(2_000));
    property::check("the_body_is_what_stands_after_the_fences", 500, sentences, |(above, below, comment)| {
        let body = format!("{above}\n---\n{below}");
        let text = format!("---\nname: tea\ndescription: x\n# {comment}\n---\n{body}\n");
        for dialect in dialects() {
            with_catalog(&one(&dialect, text.as_str()), &(), &dialect, |world, catalog| {
                let read = catalog.body(world, &catalog.skills()[0]).expect("it is there");
                assert_eq!(read.trim(), body.trim(), "{}", dialect.name());
            });
        }
        Ok(())
    });
}

#[test]
fn an_unfinished_head_is_read_as_the_whole() {
    // Wherever the head ends (4 096 bytes), discovery and check read the same fields.
    property::check(
        "an_unfinished_head_is_read_as_the_whole",
        200,
        (2_020..2_080_usize, words::value()),
        |(len, value)| {
            let filler = "é".repeat(len);
            let text = format!("---\nname: tea\n# {filler}\ndescription: {value}\n---\nBody.\n");
            for dialect in dialects() {
                let whole = text.replace(&filler, "e");
                let short = read(&dialect, &whole).map(|(frontmatter, _)| (frontmatter.name, frontmatter.description));
                let long = read(&dialect, &text).map(|(frontmatter, _)| (frontmatter.name, frontmatter.description));
                assert_eq!(short, long, "{text}");
            }
            Ok(())
        },
    );
}
