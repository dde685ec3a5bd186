//! Incremental changes: the server's text is the client's, whatever is edited, in each unit of columns.

use super::client::{Client, uri};
use crate::common::{Tree, property};
use crate::program::Place;
use proptest::prelude::*;
use serde_json::{Value, json};

/// The heading whose text shows the whole of its line.
const FRONT: &str = "---\nname: tea\ndescription: x\n---\n";

/// An edit: where it begins and ends, as shares of the text, and what is put there.
type Edit = (u16, u16, String);

/// The position of a byte, in columns of this unit. Lines end with LF, CRLF or CR.
fn position(text: &str, at: usize, unit: &str) -> Value {
    let (mut line, mut column) = (0, 0);
    let mut chars = text[..at].chars().peekable();
    while let Some(c) = chars.next() {
        let is_end = match c {
            '\n' => true,
            '\r' => !text[..at].is_empty() && chars.peek() != Some(&'\n'),
            _ => false,
        };
        (line, column) = match (is_end, unit) {
            (true, _) => (line + 1, 0),
            (false, "utf-8") => (line, column + c.len_utf8()),
            (false, "utf-16") => (line, column + c.len_utf16()),
            (false, _) => (line, column + 1),
        };
    }
    json!({"line": line, "character": column})
}

/// The nearest boundary between characters, and not within CRLF, at a share of the text.
fn boundary(text: &str, share: u16) -> usize {
    let mut at = usize::from(share) * text.len() / usize::from(u16::MAX);
    while !text.is_char_boundary(at) || text[..at].ends_with('\r') && text[at..].starts_with('\n') {
        at -= 1;
    }
    at
}

#[test]
fn incremental_edits_give_the_same_as_full_texts() {
    let skill = "/project/.claude/skills/tea/SKILL.md";
    let other = "/project/.agents/skills/tea/SKILL.md";
    let place = Place::of(Tree::default());
    let piece =
        proptest::sample::select(vec!["a", "🍵", "é", "\n", "\r\n", "# ", "x: y", "---\n", "`", "\u{feff}", "\t"]);
    let inserted = proptest::collection::vec(piece, 0..4).prop_map(|pieces| pieces.concat());
    let edits = proptest::collection::vec((any::<u16>(), any::<u16>(), inserted), 1..12);
    for unit in ["utf-8", "utf-16", "utf-32"] {
        let capabilities = json!({"general": {"positionEncodings": [unit]}});
        let client = std::cell::RefCell::new(Client::able(&place, &[], capabilities).0);
        let (mine, theirs) = (uri(&place, skill), uri(&place, other));
        let law = |edits: Vec<Edit>| {
            let mut client = client.borrow_mut();
            let mut text = format!("{FRONT}# One 🍵 two\n## Three\r\n");
            client.open(&mine, &text);
            let mut changes = Vec::new();
            for (from, to, with) in edits {
                let (a, b) = (boundary(&text, from), boundary(&text, to));
                let (start, end) = (a.min(b), a.max(b));
                let range = json!({"start": position(&text, start, unit), "end": position(&text, end, unit)});
                changes.push(json!({"range": range, "text": with}));
                text.replace_range(start..end, &with);
            }
            client.change(&mine, 2, &Value::from(changes));
            client.open(&theirs, &text);
            let symbols = |client: &mut Client, uri: &str| {
                client.request("textDocument/documentSymbol", json!({"textDocument": {"uri": uri}}))
            };
            let (incremental, full) = (symbols(&mut client, &mine), symbols(&mut client, &theirs));
            for uri in [&mine, &theirs] {
                client.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}));
            }
            prop_assert_eq!(incremental, full, "{:?}", text);
            Ok(())
        };
        property::check("lsp::edits::incremental_edits_give_the_same_as_full_texts", 100, edits.clone(), law);
    }
}
