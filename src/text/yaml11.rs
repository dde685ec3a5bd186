//! What readers of YAML 1.1 make of scalars and tags, as PyYAML does, which many clients and tools use: plain scalars that
//! match the form of a type are converted, and one that cannot be converted is an error.

use super::yaml::{Node, Value, own_tag};

/// What a plain scalar is taken for without being it, such as `a date`; `None` if it is read.
pub(crate) fn fault(text: &str) -> Option<&'static str> {
    match text {
        "=" | "<<" => return Some("a part of YAML"),
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-')) => return None,
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.strip_prefix("0b").or_else(|| unsigned.strip_prefix("0x"));
    let is_empty = digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte == b'_'));
    if is_empty || MAX_DIGITS < unsigned.len() && unsigned.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return Some("a number");
    }
    (!is_real_time(text)?).then_some("a date")
}

/// The longest number in digits that Python converts.
const MAX_DIGITS: usize = 4_300;

/// Whether a text in the form of a timestamp names a date, perhaps with a time, that exists; `None` in any other form.
fn is_real_time(text: &str) -> Option<bool> {
    let mut rest = text;
    let year = number(&mut rest, 4..=4)?;
    let has_two_digits = rest.len() == "-mm-dd".len();
    let month = after(&mut rest, "-", 1..=2)?;
    let day = after(&mut rest, "-", 1..=2)?;
    let [mut hour, mut minute, mut second, mut zone_minutes] = [0; 4];
    if rest.is_empty() && !has_two_digits {
        return None;
    }
    if !rest.is_empty() {
        let clock = rest.strip_prefix(['T', 't']).unwrap_or_else(|| rest.trim_start_matches([' ', '\t']));
        if clock.len() == rest.len() {
            return None;
        }
        rest = clock;
        hour = number(&mut rest, 1..=2)?;
        minute = after(&mut rest, ":", 2..=2)?;
        second = after(&mut rest, ":", 2..=2)?;
        if let Some(fraction) = rest.strip_prefix('.') {
            rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        }
        rest = rest.trim_start_matches([' ', '\t']);
        if let Some(zone) = rest.strip_prefix(['+', '-']) {
            rest = zone;
            zone_minutes = number(&mut rest, 1..=2)? * 60;
            if !rest.is_empty() {
                zone_minutes += after(&mut rest, ":", 2..=2)?;
            }
        } else {
            rest = rest.strip_prefix('Z').unwrap_or(rest);
        }
        if !rest.is_empty() {
            return None;
        }
    }
    let days = match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let is_date = year > 0 && (1..=12).contains(&month) && (1..=days).contains(&day);
    Some(is_date && hour < 24 && minute < 60 && second < 60 && zone_minutes < 24 * 60)
}

fn after(rest: &mut &str, mark: &str, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
    *rest = rest.strip_prefix(mark)?;
    number(rest, digits)
}

/// Takes a number with so many digits from the beginning of a text.
fn number(rest: &mut &str, digits: std::ops::RangeInclusive<usize>) -> Option<u32> {
    let count = rest.bytes().take_while(u8::is_ascii_digit).count().min(*digits.end());
    let (found, behind) = rest.split_at(count);
    *rest = behind;
    if digits.contains(&count) { found.parse().ok() } else { None }
}

/// Whether a node can be converted to what its tag says. True without a tag.
pub(crate) fn fits_tag(node: &Node) -> bool {
    let Some(tag) = node.tag.as_deref().filter(|tag| *tag != "!") else { return true };
    let Some(name) = own_tag(tag) else { return false };
    let is_pair = |item: &Node| matches!(&item.value, Value::Map(pairs) if pairs.len() == 1);
    match &node.value {
        Value::Text(text) => match name {
            "str" | "null" => true,
            "bool" => matches!(text.to_ascii_lowercase().as_str(), "yes" | "no" | "true" | "false" | "on" | "off"),
            "int" => is_int(text),
            "float" => is_int(text) || text.parse::<f64>().is_ok(),
            "timestamp" => is_real_time(text) == Some(true),
            _ => false,
        },
        Value::List(items) => name == "seq" || (matches!(name, "omap" | "pairs") && items.iter().all(is_pair)),
        Value::Map(_) => matches!(name, "map" | "set"),
        Value::Absent => true,
    }
}

fn is_int(text: &str) -> bool {
    let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
    !digits.is_empty()
        && digits.len() <= MAX_DIGITS
        && digits.bytes().all(|byte| byte.is_ascii_digit())
        && !(digits.len() > 1 && digits.starts_with('0'))
}

pub(crate) fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}
