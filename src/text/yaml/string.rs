//! Tells strings from scalars of other types, by the core schema of YAML 1.2 and the types that YAML parsers in
//! JavaScript know besides: binary numbers, numbers with `_` or in base 60, dates and times. Writes strings as YAML.

use super::{Node, Style};
#[cfg(feature = "author")]
use super::{Value, parse};
use crate::text::number::shortest;
#[cfg(feature = "author")]
use crate::text::{escape::quote_yaml, lower::lower};
#[cfg(feature = "author")]
use std::borrow::Cow;

/// A string as a YAML scalar: without quotes if every reader takes that for this string.
#[cfg(feature = "author")]
pub(crate) fn written_string(text: &str) -> Cow<'_, str> {
    // YAML 1.1 takes these for booleans.
    let is_flag = matches!(lower(text).as_str(), "y" | "n" | "yes" | "no" | "on" | "off");
    let is_read_back = || {
        let root = parse(&format!("key: {text}\n")).ok().and_then(|document| document.root);
        let Some(Value::Map(pairs)) = root.map(|root| root.value) else { return false };
        matches!(pairs.as_slice(), [(_, value)] if is_string(value) && value.as_text() == Some(text))
    };
    let is_plain = text.starts_with(char::is_alphabetic) && !is_flag && is_read_back();
    if is_plain { Cow::Borrowed(text) } else { Cow::Owned(quote_yaml(text)) }
}

pub(crate) fn is_string(node: &Node) -> bool {
    let Some(text) = node.as_text() else { return false };
    match node.tag.as_deref() {
        Some(tag) => matches!(tag, "!" | "tag:yaml.org,2002:str"),
        None => {
            let is_word = is_null(text) || boolean(text).is_some();
            node.style != Style::Plain || !(is_word || is_number(text) || is_time(text))
        }
    }
}

pub(super) fn is_null(text: &str) -> bool {
    matches!(text, "" | "~" | "null" | "Null" | "NULL")
}

pub(super) fn boolean(text: &str) -> Option<bool> {
    match text {
        "true" | "True" | "TRUE" => Some(true),
        "false" | "False" | "FALSE" => Some(false),
        _ => None,
    }
}

/// Whether any parser takes a text for a number.
pub(crate) fn is_number(text: &str) -> bool {
    let unsigned = without_sign(text);
    if matches!(unsigned, ".inf" | ".Inf" | ".INF") || matches!(text, ".nan" | ".NaN" | ".NAN") {
        return true;
    }
    let based = [("0x", 16), ("0o", 8), ("0b", 2)];
    if let Some((digits, radix)) = based.iter().find_map(|(start, radix)| Some((unsigned.strip_prefix(start)?, radix)))
    {
        return is_digits(digits, *radix);
    }
    let (number, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
    let (whole, part) = number.split_once('.').map_or((number, None), |(whole, part)| (whole, Some(part)));
    let mut places = whole.split(':');
    let is_whole = places.next().is_some_and(|first| is_digits(first, 10));
    // In base 60 each place after the first has at most two digits.
    let is_base_60 = places.all(|place| is_digits(place, 10) && place.parse::<u8>().is_ok_and(|place| place < 60));
    let is_part = part.is_none_or(|part| (part.is_empty() && is_whole) || is_digits(part, 10));
    is_digits(without_sign(exponent), 10) && is_part && is_base_60 && (is_whole || (whole.is_empty() && part.is_some()))
}

/// The number in a text as JavaScript writes it: `1.5` for `1.50`, `31` for `0x1F`. `None` if it is no number of YAML 1.2, or
/// has more digits than are exact in JavaScript.
pub(crate) fn shortest_number(text: &str) -> Option<String> {
    let based = |start, radix| text.strip_prefix(start).and_then(|digits| u64::from_str_radix(digits, radix).ok());
    if let Some(number) = based("0x", 16).or_else(|| based("0o", 8)) {
        return shortest(&number.to_string());
    }
    if !is_number(text) || text.contains(['_', ':']) {
        return None;
    }
    match without_sign(text) {
        ".nan" | ".NaN" | ".NAN" => Some("NaN".to_owned()),
        ".inf" | ".Inf" | ".INF" => Some(format!("{}Infinity", if text.starts_with('-') { "-" } else { "" })),
        _ => shortest(text),
    }
}

fn without_sign(text: &str) -> &str {
    text.strip_prefix(['-', '+']).unwrap_or(text)
}

/// Whether a text consists of digits, with `_` between them.
fn is_digits(text: &str, radix: u32) -> bool {
    !text.is_empty()
        && !text.starts_with('_')
        && !text.ends_with('_')
        && text.chars().all(|c| c == '_' || c.is_digit(radix))
}

/// Whether a scalar without quotes and without a tag is a date, or a date and a time.
pub(crate) fn is_date(node: &Node) -> bool {
    node.style == Style::Plain && node.tag.is_none() && node.as_text().is_some_and(is_time)
}

/// Whether a text is a date such as `2026-01-31`, or a date and a time.
fn is_time(text: &str) -> bool {
    let mut parts = text.splitn(3, '-');
    let (Some(year), Some(month), Some(rest)) = (parts.next(), parts.next(), parts.next()) else { return false };
    let (day, time) = rest.split_at(rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len()));
    let is_date = year.len() == 4 && [year, month, day].iter().all(|part| is_digits(part, 10));
    // A time without seconds is none.
    let clock = time.get(1..).and_then(|time| time.split(['Z', '+', '-']).next()).unwrap_or_default();
    let is_clock =
        clock.matches(':').count() == 2 && time.chars().all(|c| c.is_ascii_digit() || "Tt \t:.Z+-".contains(c));
    is_date && ((time.is_empty() && month.len() == 2 && day.len() == 2) || is_clock)
}
