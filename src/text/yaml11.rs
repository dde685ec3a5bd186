//! What readers of YAML 1.1 make of scalars and tags, as PyYAML does, which many clients and tools use: plain scalars that
//! match the form of a type are converted, and one that cannot be converted is an error.

use super::yaml::{Node, Value, is_own_tag};

/// The prefix of YAML's own tags.
const OWN: &str = "tag:yaml.org,2002:";

/// What a plain scalar is taken for without being it, such as `a date`; `None` if it is read.
pub(crate) fn fault(text: &str) -> Option<&'static str> {
    match text {
        "=" | "<<" => return Some("a part of YAML"),
        _ if !text.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-')) => return None,
        _ => {}
    }
    let unsigned = text.strip_prefix(['+', '-']).unwrap_or(text);
    let digits = unsigned.strip_prefix("0b").or_else(|| unsigned.strip_prefix("0x"));
    if digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte == b'_')) {
        return Some("a number");
    }
    if MAX_DIGITS < unsigned.len() && unsigned.bytes().all(|byte| byte.is_ascii_digit() || byte == b'_') {
        return Some("a number");
    }
    let time = Time::of(text)?;
    (!time.is_valid()).then_some("a date")
}

/// The longest number in digits that Python converts.
const MAX_DIGITS: usize = 4_300;

/// A date, perhaps with a time, as its numbers.
#[derive(Default)]
struct Time {
    year: u32,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    zone_hour: u32,
    zone_minute: u32,
}

impl Time {
    /// The numbers of a text in the form of a timestamp.
    fn of(text: &str) -> Option<Time> {
        let mut rest = text;
        let mut time = Time { year: number(&mut rest, 4..=4)?, ..Time::default() };
        let short = rest.len();
        time.month = after(&mut rest, "-", 1..=2)?;
        time.day = after(&mut rest, "-", 1..=2)?;
        if rest.is_empty() {
            return (short == "-mm-dd".len()).then_some(time);
        }
        let clock = rest.strip_prefix(['T', 't']).unwrap_or_else(|| rest.trim_start_matches([' ', '\t']));
        if clock.len() == rest.len() {
            return None;
        }
        rest = clock;
        time.hour = number(&mut rest, 1..=2)?;
        time.minute = after(&mut rest, ":", 2..=2)?;
        time.second = after(&mut rest, ":", 2..=2)?;
        if let Some(fraction) = rest.strip_prefix('.') {
            rest = fraction.trim_start_matches(|c: char| c.is_ascii_digit());
        }
        rest = rest.trim_start_matches([' ', '\t']);
        if let Some(zone) = rest.strip_prefix(['+', '-']) {
            rest = zone;
            time.zone_hour = number(&mut rest, 1..=2)?;
            if !rest.is_empty() {
                time.zone_minute = after(&mut rest, ":", 2..=2)?;
            }
        } else {
            rest = rest.strip_prefix('Z').unwrap_or(rest);
        }
        rest.is_empty().then_some(time)
    }

    fn is_valid(&self) -> bool {
        let is_leap = self.year % 4 == 0 && (self.year % 100 != 0 || self.year % 400 == 0);
        let days = match self.month {
            2 if is_leap => 29,
            2 => 28,
            4 | 6 | 9 | 11 => 30,
            _ => 31,
        };
        let is_date = self.year > 0 && (1..=12).contains(&self.month) && (1..=days).contains(&self.day);
        let is_clock = self.hour < 24 && self.minute < 60 && self.second < 60;
        is_date && is_clock && self.zone_hour * 60 + self.zone_minute < 24 * 60
    }
}

/// The number that follows a mark.
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
    let Some(name) = tag.strip_prefix(OWN).filter(|_| is_own_tag(tag)) else { return false };
    let is_pair = |item: &Node| matches!(&item.value, Value::Map(pairs) if pairs.len() == 1);
    match &node.value {
        Value::Text(text) => match name {
            "str" | "null" => true,
            "bool" => matches!(text.to_ascii_lowercase().as_str(), "yes" | "no" | "true" | "false" | "on" | "off"),
            "int" => is_int(text),
            "float" => is_int(text) || text.parse::<f64>().is_ok(),
            "timestamp" => Time::of(text).is_some_and(|time| time.is_valid()),
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

/// Whether a character may stand in a YAML text.
pub(crate) fn is_printable(c: char) -> bool {
    matches!(c, '\t' | '\n' | '\r' | ' '..='~' | '\u{85}' | '\u{a0}'..='\u{fffd}' | '\u{10000}'..)
}
