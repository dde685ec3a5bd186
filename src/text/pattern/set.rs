//! Compiles patterns by the crate `regex`, and searches for sets of them. A pattern of a set is compiled only when a text
//! contains one of its needles, sequences of characters of which every match contains one. Recursion is as deep as a
//! pattern, whose depth is limited when it is parsed.
//!
//! Needles replace the literals that `regex-syntax` extracts, which are cut to a few bytes and written out in every case.
//! For 10 000 patterns that ignore case those are 360 000 literals, which take 12 s to prepare for `aho-corasick`;
//! needles take 0.6 s. A single text of 1 MB is then searched in 0.1 s, and in more than 2 s if each pattern is
//! searched for by itself.

use super::{Owned, PatternError};
use crate::text::automaton::{Automaton, ROOT};
use regex_syntax::hir::{Class, ClassUnicode, ClassUnicodeRange, Hir, HirKind};
use std::collections::HashMap;
use std::sync::OnceLock;

pub(super) const MAX_TEXT_BYTES: usize = 4_096;

/// The largest compiled pattern, in bytes: twenty Unicode words in a row fit, `\w{1000}` does not.
const MAX_BYTES: usize = 1 << 20;

/// The total size in bytes of the patterns that are searched for in one message, which does not include those whose
/// needles are not in it. Searching a message of a thousand characters then takes about half a second at the worst, and
/// compiling the patterns about as long, once.
pub(super) const MAX_TOTAL_BYTES: usize = 32 << 20;

/// The total size in bytes of all patterns that are compiled in the course of many messages.
pub(super) const MAX_KEPT_BYTES: usize = 256 << 20;

/// The total cost of parsing all patterns, in those of [`units`]: about two seconds at the worst, once. This is
/// enough for fifty thousand patterns of the usual kind.
pub(super) const MAX_UNITS: usize = 1 << 20;

const MAX_DEPTH: u32 = 100;

#[derive(Debug)]
pub(crate) struct Pattern(regex::Regex);

impl Pattern {
    pub(crate) fn new(text: &str) -> Result<Pattern, PatternError> {
        check_length(text)?;
        let text = translated(text);
        let built =
            regex::RegexBuilder::new(&text).case_insensitive(true).size_limit(MAX_BYTES).nest_limit(MAX_DEPTH).build();
        built.map(Pattern).map_err(|error| match error {
            regex::Error::CompiledTooBig(_) => PatternError::TooLarge,
            other => PatternError::Invalid(reason(&other.to_string())),
        })
    }

    /// Checks the syntax of a pattern, without the cost of looking up its classes and of compiling it. Names of classes
    /// and the size are not checked.
    pub(crate) fn judge(text: &str) -> Result<(), PatternError> {
        check_length(text)?;
        let mut parser = regex_syntax::ast::parse::ParserBuilder::new().nest_limit(MAX_DEPTH).build();
        parser.parse(&translated(text)).map(|_| ()).map_err(|error| PatternError::Invalid(reason(&error.to_string())))
    }

    /// An estimate of the cost of compiling a pattern, as the number of bytes of the result. A pattern that is
    /// expensive to parse is not parsed for it.
    pub(crate) fn bytes(text: &str) -> usize {
        /// The number of bytes that are compiled in the same time as one unit is parsed.
        const UNIT: usize = 256;
        const MOST_UNITS: usize = 2_048;
        let units = units(text);
        let known = if units <= MOST_UNITS { parse(text).ok() } else { None };
        known.map_or(0, |hir| bytes(&hir).min(MAX_BYTES)).max(units.saturating_mul(UNIT))
    }

    pub(crate) fn is_in(&self, text: &str) -> bool {
        self.0.is_match(text)
    }
}

fn parse(text: &str) -> Result<Hir, PatternError> {
    check_length(text)?;
    let mut parser = regex_syntax::ParserBuilder::new().case_insensitive(true).nest_limit(MAX_DEPTH).build();
    parser.parse(&translated(text)).map_err(|error| {
        let reason = reason(&error.to_string());
        match error {
            // The syntax is valid.
            regex_syntax::Error::Translate(_) => PatternError::Unknown(reason),
            _ => PatternError::Invalid(reason),
        }
    })
}

/// A pattern of JavaScript in the form of `regex`, in whose classes `[`, `&&`, `--` and `~~` are operators (rule 10.5).
fn translated(text: &str) -> String {
    let is_set = |part: &str| part.starts_with('\\') && part[1..].starts_with(['w', 'W', 'd', 'D', 's', 'S', 'p', 'P']);
    let is_digit = |c: char| c.is_ascii_digit();
    let is_count =
        |(count, _): (&str, &str)| count.starts_with(is_digit) && ["", ","].contains(&count.trim_matches(is_digit));
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    // Whether this is in a class, whether the part before may begin a range there, and whether it is the mark of one.
    let (mut in_class, mut may_begin, mut is_mark) = (false, false, false);
    while let Some(c) = rest.chars().next() {
        let (part, after) = rest.split_at(match rest.as_bytes() {
            [b'\\', b'p' | b'P' | b'u' | b'x', b'{', ..] => rest.find('}').map_or(2, |end| end + 1),
            [b'\\', ..] => rest.chars().take(2).map(char::len_utf8).sum(),
            [b'[', b'^', ..] if !in_class => 2,
            _ => c.len_utf8(),
        });
        let begins_range = c == '-' && may_begin && !after.starts_with(']') && !is_set(after);
        let opens = c == '[' && !in_class;
        match c {
            // JavaScript has classes of no character and of any.
            '[' if opens && after.starts_with(']') => out.push_str(if part == "[" { r"[^\s\S" } else { r"[\s\S" }),
            '[' | '&' | '~' | '-' if in_class && !begins_range => out.extend(['\\', c]),
            '{' if !in_class && !after.split_once('}').is_some_and(is_count) => out.push_str(r"\{"),
            _ => out.push_str(part),
        }
        in_class = opens || (in_class && c != ']');
        (may_begin, is_mark) = (!(is_mark || begins_range || opens || is_set(part)), begins_range);
        rest = after;
    }
    out
}

/// Checks the length of a pattern before it is parsed, as its parsed form is many times as large.
fn check_length(text: &str) -> Result<(), PatternError> {
    if text.len() <= MAX_TEXT_BYTES { Ok(()) } else { Err(PatternError::TooLarge) }
}

/// The last line of an error message, which before that shows the pattern with a caret below it.
fn reason(message: &str) -> String {
    let message = message.trim_end();
    let last = message.rsplit_once('\n').map_or(message, |(_, last)| last).trim();
    last.strip_prefix("error: ").unwrap_or(last).to_owned()
}

/// A set of patterns that are searched for together.
#[derive(Debug)]
pub(crate) struct Patterns {
    members: Vec<Member>,
    owned: Vec<Owned>,
    needles: Needles,
}

#[derive(Debug)]
struct Member {
    text: String,
    has_needles: bool,
    /// An estimate of its compiled size; 0 if it is never compiled.
    bytes: usize,
    /// Compiled when a text may contain a match.
    compiled: OnceLock<Result<Pattern, PatternError>>,
}

impl Member {
    fn compiled(&self) -> &Result<Pattern, PatternError> {
        self.compiled.get_or_init(|| Pattern::new(&self.text))
    }
}

impl Patterns {
    /// Parses the patterns, which are then referred to by their index. None is compiled yet. Those that exceed
    /// [`MAX_UNITS`] are not parsed, and those that exceed [`MAX_KEPT_BYTES`] are never compiled.
    pub(crate) fn new(texts: &[&str], owned: Vec<Owned>) -> Patterns {
        let units = texts.iter().map(|text| Some(units(text))).collect::<Vec<_>>();
        let parsed = share(&units, &owned, MAX_UNITS);
        let mut needles = Vec::new();
        let member = |(place, (text, is_parsed)): (usize, (&&str, bool))| {
            let hir = if is_parsed { parse(text) } else { Err(PatternError::OverLimit) };
            let required = hir.as_ref().ok().and_then(required);
            let (has_needles, compiled) = (required.is_some(), OnceLock::new());
            needles.extend(required.into_iter().flatten().map(|needle| (place, needle)));
            let bytes = hir.as_ref().map_or(0, |hir| bytes(hir).min(MAX_BYTES));
            if let Err(error) = hir {
                _ = compiled.set(Err(error));
            }
            Member { text: (*text).to_owned(), has_needles, bytes, compiled }
        };
        let mut members: Vec<Member> = texts.iter().zip(parsed).enumerate().map(member).collect();
        let bytes = members.iter().map(|member| Some(member.bytes)).collect::<Vec<_>>();
        for (member, is_kept) in members.iter_mut().zip(share(&bytes, &owned, MAX_KEPT_BYTES)) {
            if !is_kept {
                member.bytes = 0;
                _ = member.compiled.set(Err(PatternError::OverLimit));
            }
        }
        Patterns { members, owned, needles: Needles::new(needles) }
    }

    /// Calls the function with each pattern of which the text contains a match, and with each that is not searched for,
    /// in order. The text is read once for all needles, and once for each pattern that may match. Of these, only as
    /// many are searched for as fit into [`MAX_TOTAL_BYTES`].
    pub(crate) fn find<'p>(&'p self, text: &str, found: &mut dyn FnMut(usize, Result<(), &'p PatternError>)) {
        let mut may_match: Vec<bool> = self.members.iter().map(|member| !member.has_needles).collect();
        self.needles.find(text, &mut |place| may_match[place] = true);
        let costs = self.members.iter().zip(&may_match);
        let costs = costs.map(|(member, may_match)| may_match.then_some(member.bytes)).collect::<Vec<_>>();
        let fits = share(&costs, &self.owned, MAX_TOTAL_BYTES);
        for (place, (member, (may_match, fits))) in self.members.iter().zip(may_match.into_iter().zip(fits)).enumerate()
        {
            let answer = match may_match {
                false => continue,
                true if fits => member.compiled(),
                true => &Err(PatternError::OverLimit),
            };
            match answer {
                Ok(pattern) if pattern.is_in(text) => found(place, Ok(())),
                Ok(_) => {}
                Err(error) => found(place, Err(error)),
            }
        }
    }

    /// The number of patterns that were compiled so far, and an estimate of their total size.
    #[cfg(test)]
    pub(super) fn cost(&self) -> (usize, usize) {
        let compiled = self
            .members
            .iter()
            .filter(|member| matches!(member.compiled.get(), Some(Ok(_) | Err(PatternError::TooLarge))));
        compiled.fold((0, 0), |(count, bytes), member| (count + 1, bytes + member.bytes))
    }
}

/// An estimate of the compiled size of a pattern, without the limit.
#[cfg(test)]
pub(super) fn approximate(text: &str) -> usize {
    parse(text).map_or(0, |hir| bytes(&hir))
}

/// Divides a limited total cost among the owners of patterns: for each pattern, whether it is within the limit. A pattern without
/// a cost is not wanted, and is not included. Patterns of a project come after the user's own. Within each group, every owner
/// gets the same share, so that an owner whose patterns cost little gets all of them, whatever the patterns of the others cost.
pub(super) fn share(costs: &[Option<usize>], owned: &[Owned], most: usize) -> Vec<bool> {
    if costs.iter().flatten().fold(0_usize, |sum, cost| sum.saturating_add(*cost)) <= most {
        return costs.iter().map(Option::is_some).collect();
    }
    // The patterns are included in the order of the total cost of the owner's patterns up to each. A pattern of several
    // owners counts for each of them, and is at the first of its places, so that no owner can delay that of another.
    let mut asked: HashMap<usize, usize> = HashMap::new();
    let mut places: Vec<Option<(bool, usize)>> = vec![None; costs.len()];
    for Owned { owner, pattern, is_project } in owned {
        let Some(cost) = costs[*pattern] else { continue };
        let sum = asked.entry(*owner).or_insert(0);
        *sum = sum.saturating_add(cost);
        let own = (*is_project, *sum);
        let place = &mut places[*pattern];
        *place = Some(place.map_or(own, |place| place.min(own)));
    }
    let mut order: Vec<((bool, usize), usize, usize)> = Vec::new();
    for (pattern, (place, cost)) in places.into_iter().zip(costs).enumerate() {
        order.extend(place.zip(*cost).map(|(place, cost)| (place, pattern, cost)));
    }
    order.sort_unstable();
    let mut is_included = vec![false; costs.len()];
    let mut left = most;
    for (_, pattern, cost) in order {
        // A pattern that exceeds what is left does not exclude smaller ones.
        if let Some(rest) = left.checked_sub(cost) {
            (left, is_included[pattern]) = (rest, true);
        }
    }
    is_included
}

/// The units of a Unicode class, whose letters are looked up in tables, in all their cases.
const CLASS_UNITS: usize = 64;

/// The units of a class such as `\w` outside brackets, where its cases are known.
const SHORT_CLASS_UNITS: usize = 4;

/// An estimate of the cost of parsing: 1 for each character of the text, and more for classes. A unit takes at most
/// about two microseconds.
pub(super) fn units(text: &str) -> usize {
    let (mut units, mut has_brackets, mut is_escaped) = (0_usize, false, false);
    for c in text.chars() {
        units += match c {
            'p' | 'P' if is_escaped => CLASS_UNITS,
            'w' | 'W' | 'd' | 'D' | 's' | 'S' if is_escaped && !has_brackets => SHORT_CLASS_UNITS,
            // In brackets, a character that is escaped or not ASCII may be a class or the end of a long range.
            _ if has_brackets && (is_escaped || !c.is_ascii()) => CLASS_UNITS,
            _ => 1,
        };
        has_brackets |= c == '[' && !is_escaped;
        is_escaped = c == '\\' && !is_escaped;
    }
    units
}

/// An estimate of the size of the compiled pattern in bytes, correct to within a factor of five.
pub(super) fn bytes(pattern: &Hir) -> usize {
    const BASE: usize = 4_096;
    inner(pattern).saturating_add(BASE)
}

fn inner(pattern: &Hir) -> usize {
    /// The size of a state of the compiled pattern.
    const STATE: usize = 24;
    /// The size of a range of characters, whose UTF-8 encodings share most of their bytes.
    const RANGE: usize = 32;
    /// The additional size of a range up to the last characters, whose encodings begin with many different bytes.
    const WIDE: usize = 400;
    match pattern.kind() {
        HirKind::Empty | HirKind::Look(_) => STATE,
        HirKind::Literal(literal) => literal.0.len().saturating_mul(STATE),
        HirKind::Class(Class::Bytes(class)) => class.ranges().len() * RANGE + STATE,
        HirKind::Class(Class::Unicode(class)) => {
            let is_wide = class.ranges().last().is_some_and(|last| last.end() > '\u{ffff}');
            class.ranges().len() * RANGE + STATE + if is_wide { WIDE } else { 0 }
        }
        HirKind::Repetition(repetition) => {
            let times = repetition.max.unwrap_or(repetition.min).max(repetition.min).max(1);
            inner(&repetition.sub).saturating_add(STATE).saturating_mul(times as usize)
        }
        HirKind::Capture(capture) => inner(&capture.sub).saturating_add(2 * STATE),
        HirKind::Concat(parts) | HirKind::Alternation(parts) => {
            parts.iter().map(inner).fold(STATE, |sum, part| sum.saturating_add(part).saturating_add(STATE))
        }
    }
}

/// The most needles of one pattern. A pattern with more of them is treated as one without needles.
const MOST_NEEDLES: usize = 64;

/// The longest needle, in characters. Longer ones are hardly rarer.
const MOST_CHARS: usize = 16;

/// The most characters that may differ in case only. Those of `k` and `s` are three.
const MOST_CASES: u32 = 4;

/// A character of a needle in all its cases. The first one represents it in the automaton.
type Letter = Vec<char>;

type Needle = Vec<Letter>;

/// The needles of a pattern, of which every match contains at least one. `None` if there are none.
fn required(pattern: &Hir) -> Option<Vec<Needle>> {
    let mut best: Option<Vec<Needle>> = None;
    let mut offer = |needles: Option<Vec<Needle>>| {
        let needles = needles.filter(|needles| worth(needles) > best.as_ref().map_or(0, |best| worth(best)));
        if needles.is_some() {
            best = needles;
        }
    };
    match pattern.kind() {
        HirKind::Repetition(repetition) if repetition.min > 0 => return required(&repetition.sub),
        HirKind::Capture(capture) => return required(&capture.sub),
        HirKind::Alternation(parts) => {
            let mut needles = Vec::new();
            for part in parts {
                needles.extend(required(part)?);
                if needles.len() > MOST_NEEDLES {
                    return None;
                }
            }
            return Some(needles);
        }
        HirKind::Concat(parts) => {
            let mut row = Needle::new();
            for part in parts {
                match letters(part) {
                    Some(letters) => row.extend(letters),
                    None => {
                        offer(Some(vec![std::mem::take(&mut row)]));
                        offer(required(part));
                    }
                }
            }
            offer(Some(vec![row]));
        }
        _ => offer(letters(pattern).map(|row| vec![row])),
    }
    best
}

/// The length of the shortest needle in characters.
fn worth(needles: &[Needle]) -> usize {
    needles.iter().map(Vec::len).min().unwrap_or(0).min(MOST_CHARS)
}

/// The characters of a part of a pattern, if it is a sequence of characters.
fn letters(part: &Hir) -> Option<Needle> {
    match part.kind() {
        HirKind::Empty | HirKind::Look(_) => Some(Needle::new()),
        HirKind::Literal(literal) => {
            let text = std::str::from_utf8(&literal.0).ok()?;
            Some(text.chars().map(|c| vec![c]).collect())
        }
        HirKind::Class(Class::Unicode(class)) => letter(class).map(|letter| vec![letter]),
        HirKind::Capture(capture) => letters(&capture.sub),
        HirKind::Concat(parts) => Some(parts.iter().map(letters).collect::<Option<Vec<_>>>()?.concat()),
        HirKind::Class(Class::Bytes(_)) | HirKind::Repetition(_) | HirKind::Alternation(_) => None,
    }
}

fn letter(class: &ClassUnicode) -> Option<Letter> {
    let size = |range: &ClassUnicodeRange| u32::from(range.end()) - u32::from(range.start()) + 1;
    if class.ranges().iter().map(size).fold(0, u32::saturating_add) > MOST_CASES {
        return None;
    }
    let first = class.ranges().first()?.start();
    let mut cases = ClassUnicode::new([ClassUnicodeRange::new(first, first)]);
    cases.try_case_fold_simple().ok()?;
    (cases == *class).then(|| class.ranges().iter().flat_map(|range| range.start()..=range.end()).collect())
}

#[derive(Debug)]
struct Needles {
    /// The characters that are represented by another case of themselves.
    representatives: HashMap<char, char>,
    ascii: Vec<char>,
    automaton: Automaton,
    owners: HashMap<u32, Vec<usize>>,
}

impl Needles {
    /// The needles of many patterns, each with the pattern's index.
    fn new(mut needles: Vec<(usize, Needle)>) -> Needles {
        let mut representatives = HashMap::new();
        for (_, needle) in &mut needles {
            needle.truncate(MOST_CHARS);
            for letter in needle {
                if let [first, others @ ..] = letter.as_slice() {
                    representatives.extend(others.iter().map(|other| (*other, *first)));
                }
            }
        }
        // Only now are all representatives known.
        let (mut automaton, mut owners) = (Automaton::default(), HashMap::<u32, Vec<usize>>::new());
        for (pattern, needle) in needles {
            let chars = needle.iter().filter_map(|letter| letter.first());
            let end = chars.fold(ROOT, |node, c| automaton.add(node, representative(&representatives, *c).into()));
            owners.entry(end).or_default().push(pattern);
        }
        automaton.link();
        let ascii = ('\0'..='\u{7f}').map(|c| representative(&representatives, c)).collect();
        Needles { representatives, ascii, automaton, owners }
    }

    /// Calls the function with each pattern of which the text contains a needle, perhaps several times.
    fn find(&self, text: &str, hit: &mut dyn FnMut(usize)) {
        let mut reader = self.automaton.reader();
        for c in text.chars() {
            let c = self.ascii.get(c as usize).copied().unwrap_or_else(|| representative(&self.representatives, c));
            reader.read(Some(c.into()), &mut |node| {
                for pattern in self.owners.get(&node).into_iter().flatten() {
                    hit(*pattern);
                }
            });
        }
    }
}

/// The representative of a character, which may be the character itself.
fn representative(representatives: &HashMap<char, char>, c: char) -> char {
    representatives.get(&c).copied().unwrap_or(c)
}
