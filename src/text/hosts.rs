//! The hosts that a text names in addresses: `https://example.com/tea`, `git@example.com:tea.git`.

use super::lower::lower;
use std::collections::BTreeSet;

/// The longest name of a host, in bytes (RFC 1035).
const MAX_BYTES: usize = 253;

/// The schemes behind which programs find a host after any number of slashes, as the URL standard of the WHATWG has it.
const SPECIAL_SCHEMES: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];

/// What texts in programs are in.
const QUOTES: [char; 3] = ['"', '\'', '`'];

/// Adds the hosts of a text, in lower case and without their ports. A host that a variable names, as in
/// `https://$HOST/`, is added as it is written. A name outside of an address is not recognised, as `notes.md` is
/// spelled like one.
pub(crate) fn add_hosts(text: &str, hosts: &mut BTreeSet<String>) {
    for (at, _) in text.match_indices(':') {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let special = SPECIAL_SCHEMES.iter().find_map(|scheme| without_scheme(before, scheme));
        let quote = special.and_then(|before| before.trim_end().chars().next_back()).filter(|c| QUOTES.contains(c));
        // The URL standard removes these, wherever they are. A line that is not in quotes ends an address, though.
        let is_removed = |c: char| c == '\t' || quote.is_some() && matches!(c, '\n' | '\r');
        let authority = match after.strip_prefix("//") {
            _ if special.is_some() => after.trim_start_matches(|c| matches!(c, '/' | '\\') || is_removed(c)),
            Some(authority) if before.ends_with(|c: char| c.is_ascii_alphanumeric()) => authority,
            _ => continue,
        };
        // What is no slash and no blank may be in the name of a user, before the host.
        let has_slashes = after[..after.len() - authority.len()].contains(['/', '\\']);
        let ends = |c: char| {
            let is_blank = c.is_whitespace() || c.is_control();
            matches!(c, '/' | '?' | '#' | '\\') || quote == Some(c) || is_blank && !is_removed(c)
        };
        // Without slashes, each of many schemes would be followed by a search to the end of the text.
        let with_user = match has_slashes {
            true => authority.split(ends).next().unwrap_or(authority),
            false => until(authority, ends),
        };
        let written = until(with_user, is_end);
        if has_slashes || written.contains('.') {
            add_authority(written, hosts);
        }
        if written.len() < with_user.len() {
            let joined = with_user.replace(is_removed, "");
            let (_, host) = joined.rsplit_once('@').unwrap_or(("", &joined));
            if host.len() < joined.len() {
                add_authority(until(host, is_end), hosts);
            }
            // A word behind a mark is no part of a host, but for one with a dot.
            let goes_on = |name: &&str| {
                host.len() < joined.len() || name.get(written.len()..).is_some_and(|more| more.contains('.'))
            };
            if let Some(host) = longest(host).filter(goes_on) {
                add(host, hosts);
            }
        }
        if let Some(joined) = in_shell(authority).filter(|joined| has_slashes || joined.contains('.')) {
            add_authority(&joined, hosts);
        }
    }
    for (at, _) in text.match_indices('@') {
        let (before, after) = (&text[..at], &text[at + 1..]);
        let host = until(after, |c| !(c.is_ascii_alphanumeric() || matches!(c, '.' | '-')));
        // Behind the colon of an address there is a path.
        let is_path =
            |rest: &str| rest.starts_with(|c: char| c.is_ascii_alphanumeric() || matches!(c, '/' | '~' | '.'));
        let is_address = after[host.len()..].strip_prefix(':').is_some_and(is_path) && host.contains('.');
        if is_address && before.ends_with(|c: char| c.is_ascii_alphanumeric()) {
            add(host, hosts);
        }
    }
}

/// What is before a scheme, if the text ends with it. What the URL standard removes may be between its letters.
fn without_scheme<'t>(mut text: &'t str, scheme: &str) -> Option<&'t str> {
    for letter in scheme.chars().rev() {
        text = text.trim_end_matches(['\t', '\n', '\r']).strip_suffix(|c: char| c.to_ascii_lowercase() == letter)?;
    }
    Some(text).filter(|text| !text.ends_with(|c: char| c.is_ascii_alphanumeric()))
}

/// The longest beginning of a host that can be one for the URL standard, which allows most marks in it. The last two of its names are
/// letters, digits and hyphens, as nobody can have another domain: in a text, most marks end an address.
fn longest(host: &str) -> Option<&str> {
    let mut host = until(host, |c| matches!(c, ':' | '<' | '>' | '|' | '^'));
    loop {
        let name = host.trim_end_matches(|c: char| !c.is_alphanumeric());
        let is_domain = |name: &str| name.chars().all(|c| c.is_alphanumeric() || c == '-') && !name.is_empty();
        if name.rsplit('.').take(2).filter(|name| is_domain(name)).count() == 2 {
            return Some(name);
        }
        host = &host[..host.rfind(is_end)?];
    }
}

/// Adds the host of an authority: `user:password@host:port`.
fn add_authority(authority: &str, hosts: &mut BTreeSet<String>) {
    let host = authority.rsplit_once('@').map_or(authority, |(_, host)| host);
    let in_brackets = host.strip_prefix('[').and_then(|address| address.split_once(']'));
    let without_port = host.split(':').next().unwrap_or(host);
    add(in_brackets.map_or(without_port, |(address, _)| address), hosts);
}

/// The beginning of a text up to a character, of no more bytes than a host and a user's name may have.
fn until(text: &str, is_end: impl Fn(char) -> bool) -> &str {
    let end = text.char_indices().find(|(at, c)| 2 * MAX_BYTES <= *at || is_end(*c));
    end.map_or(text, |(at, _)| &text[..at])
}

/// An authority as a shell passes it on, if quotes or backslashes are in it: `github.com"".example.com`. A quote at the end of a
/// quoted address, as of a text in a program, ends it.
fn in_shell(authority: &str) -> Option<String> {
    let (mut joined, mut is_joined) = (String::new(), false);
    let written = until(authority, |c| matches!(c, '/' | '?' | '#'));
    if !written.contains(['"', '\'', '\\']) {
        return None;
    }
    let mut chars = written.chars().peekable();
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('"' | '\'', Some(next)) if *next == c => drop(chars.next()),
            ('"' | '\'', Some('.' | '@' | ':' | '%' | '-' | '\\')) => {}
            ('\\', Some('\n')) => drop(chars.next()),
            // These are escapes in the texts of programs.
            ('\\', Some(next)) if !matches!(next, 'n' | 'r' | 't' | 'u' | 'x' | '0') && !next.is_whitespace() => {}
            ('"' | '\'' | '\\', _) => break,
            // The method of a text in a program.
            ('(', _) if is_joined => return None,
            (c, _) if is_end(c) => break,
            (c, _) => {
                joined.push(c);
                continue;
            }
        }
        is_joined = true;
    }
    is_joined.then_some(joined)
}

/// Whether a character ends an address in a text.
fn is_end(c: char) -> bool {
    c.is_whitespace() || c.is_control() || matches!(c, '"' | '\'' | '`' | '<' | '>' | '(' | ')' | ',' | ';' | '|' | '*')
}

fn add(host: &str, hosts: &mut BTreeSet<String>) {
    let host = host.trim_end_matches(['.', ']', '}', '!', '_']);
    if !host.contains(char::is_alphanumeric) {
        return;
    }
    if MAX_BYTES < host.len() {
        // Some programs shorten such a name before they use it, so it is not passed over.
        let end = (0..=MAX_BYTES).rev().find(|at| host.is_char_boundary(*at)).unwrap_or_default();
        hosts.insert(format!("{}\u{2026}", lower(&host[..end])));
        return;
    }
    // `${HOST}` has lost its brace.
    let closing = if host.matches('{').count() > host.matches('}').count() { "}" } else { "" };
    hosts.insert(format!("{}{closing}", lower(host)));
}

#[cfg(test)]
#[path = "../../tests/unit/hosts.rs"]
mod tests;
