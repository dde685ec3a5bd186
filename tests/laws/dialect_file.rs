//! Laws of dialect files: what is printed reads back, and no text makes reading panic.

use super::{dialects, words};
use crate::common::{path, property};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::{Index, select};
use skilltree::dialect::NAMES;
use skilltree::{Diagnostic, Dialect, dialect};

fn read_text(text: &str) -> Result<Dialect, Vec<Diagnostic>> {
    Dialect::parse(&path("/dialect.yaml"), text, &dialect)
}

/// A text with what YAML may take for something else.
fn odd_text() -> impl Strategy<Value = String> {
    const PARTS: &[&str] = &[
        "a",
        "b c",
        " ",
        "  ",
        "\n",
        "\n\n",
        "\t",
        ":",
        ": ",
        "#",
        " #",
        "-",
        "- ",
        "'",
        "\"",
        "\\",
        "{",
        "}",
        "[",
        "]",
        ",",
        "|",
        ">",
        "&",
        "*",
        "!",
        "%",
        "@",
        "`",
        "?",
        "~",
        "null",
        "true",
        "yes",
        "1",
        "0x1",
        "1e3",
        ".inf",
        "---",
        "...",
        "<<",
        "=",
        "\r",
        "\0",
        "\u{1}",
        "\u{7f}",
        "\u{85}",
        "\u{2028}",
        "\u{feff}",
        "\u{202e}",
        "\u{e0041}",
        "é",
        "日本",
        "🍵",
        "\u{fffe}",
    ];
    vec(select(PARTS), 0..8).prop_map(|parts| parts.concat())
}

#[test]
fn a_printed_dialect_reads_back() {
    let values = (select(NAMES), odd_text(), odd_text(), vec(odd_text(), 0..4), 0..1_000_000_000_usize);
    property::check("a_printed_dialect_reads_back", 500, values, |(name, one, two, list, number)| {
        let list: Vec<String> = list.iter().map(|text| escaped(text)).collect();
        let file = format!(
            "name: {name}\nextends: {name}\nabout: {one}\nprompt: {{open: {two}}}\nnot_modelled: [{list}]\n\
             load: {{max_files: {number}}}\norder: {{scopes: [{one}, {two}]}}\n",
            one = escaped(&one),
            two = escaped(&two),
            list = list.join(", ")
        );
        let table = read_text(&file).map_err(|found| TestCaseError::fail(format!("{file}\n{found:#?}")))?;
        prop_assert_eq!(table.about(), one);
        let text = table.to_yaml();
        let again = read_text(&text);
        prop_assert_eq!(again.as_ref(), Ok(&table), "{}", text);
        Ok(())
    });
}

/// A text in double quotes, with an escape for each character that is not ASCII or has a meaning in YAML.
fn escaped(text: &str) -> String {
    let escape = |c: char| match c {
        ' ' | 'a'..='z' | 'A'..='Z' | '0'..='9' => c.to_string(),
        other => format!("\\U{:08x}", u32::from(other)),
    };
    format!("\"{}\"", text.chars().map(escape).collect::<String>())
}

/// The findings of a text that is no dialect have a line of the text.
fn is_sound(text: &str, read: &Result<Dialect, Vec<Diagnostic>>) -> Result<(), TestCaseError> {
    let Err(found) = read else { return Ok(()) };
    prop_assert!(!found.is_empty(), "{text}");
    for finding in found {
        let line = finding.at.map(|at| at.line).unwrap_or_default();
        prop_assert!((1..=text.split('\n').count()).contains(&line), "{finding} in {text}");
        prop_assert!(finding.line_text.is_some(), "{finding} in {text}");
        prop_assert!(!finding.message.contains(char::is_control), "{finding:?}");
    }
    Ok(())
}

#[test]
fn a_line_that_is_missing_or_doubled_does_no_harm() {
    let cases = (select(NAMES), any::<Index>(), any::<bool>());
    property::check("a_line_that_is_missing_or_doubled_does_no_harm", 500, cases, |(name, at, is_doubled)| {
        let text = dialect(name).expect("built in").to_yaml();
        let mut lines: Vec<&str> = text.split('\n').collect();
        let at = at.index(lines.len());
        let line = lines.remove(at);
        if is_doubled {
            lines.splice(at..at, [line, line]);
        }
        let text = lines.join("\n");
        is_sound(&text, &read_text(&text))
    });
}

#[test]
fn a_misspelled_key_is_found_at_its_line() {
    let cases = (select(NAMES), any::<Index>(), any::<Index>());
    property::check("a_misspelled_key_is_found_at_its_line", 500, cases, |(name, at, letter)| {
        let text = dialect(name).expect("built in").to_yaml();
        let mut lines: Vec<String> = text.split('\n').map(str::to_owned).collect();
        // Each key has a comment above it; so have lines of Markdown.
        let is_comment = |line: &String| line.trim_start().starts_with('#');
        let key = |line: &String| line.split_once(':').map(|(key, _)| key.trim_start().to_owned());
        let is_key = |line| key(line).is_some_and(|key| key.chars().all(|c| c.is_ascii_lowercase() || c == '_'));
        let keys: Vec<usize> = (1..lines.len()).filter(|&n| is_comment(&lines[n - 1]) && is_key(&lines[n])).collect();
        let at = keys[at.index(keys.len())];
        let indent = lines[at].len() - lines[at].trim_start().len();
        let length = lines[at].find(':').expect("a key") - indent;
        let letter = indent + letter.index(length);
        lines[at].replace_range(letter..=letter, "8");
        let text = lines.join("\n");
        let read = read_text(&text);
        is_sound(&text, &read)?;
        let found = read.err().unwrap_or_default();
        let is_here = |finding: &Diagnostic| finding.at.is_some_and(|place| place.line == at + 1);
        prop_assert!(found.iter().any(is_here), "line {}: {found:#?}", at + 1);
        Ok(())
    });
}

#[test]
fn no_text_makes_reading_panic() {
    let lines = vec((0..4_usize, select(NAMES), words::value(), odd_text()), 0..12);
    let tables: Vec<Vec<String>> =
        dialects().iter().map(|table| table.to_yaml().lines().map(str::to_owned).collect()).collect();
    let cases = (lines, any::<Index>(), vec(any::<Index>(), 0..12));
    property::check("no_text_makes_reading_panic", 500, cases, |(lines, table, picked)| {
        let table = &tables[table.index(tables.len())];
        let mut text = String::from("name: a\nextends: sven\n");
        for ((indent, name, value, odd), line) in lines.iter().zip(picked) {
            let line = &table[line.index(table.len())];
            let key = line.split(':').next().unwrap_or_default();
            let blanks = " ".repeat(*indent);
            text.push_str(&match indent {
                0 => format!("{line}\n"),
                1 => format!("{key}: {value}\n"),
                2 => format!("{key}: {odd}\n"),
                _ => format!("{blanks}{name}: [{value}, {{{key}: {odd}}}]\n"),
            });
        }
        is_sound(&text, &read_text(&text))
    });
}
