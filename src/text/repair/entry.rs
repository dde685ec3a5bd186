//! Splits frontmatter that is not valid YAML into entries, which are parsed separately, and stray lines; and finds where the
//! body begins if a closing fence is missing.
//!
//! An entry is a `key:` line at column 0 and every line up to the next one. A field that is common to all dialects, that
//! restricts, or that the dialect knows begins an entry even if it is indented or has a full-width colon. A word with spaces in
//! it is not a key here.

use crate::text::lines::{line_end, lines};
use crate::text::yaml::Node;

/// What YAML takes for white space inside a line; a no-break space is text to it.
pub(super) const BLANKS: [char; 3] = [' ', '\t', '\r'];

/// The fields that are common to all dialects (rule 6.1). The tables of the dialects are in a higher layer.
pub(super) const FIELDS: [&str; 8] =
    ["name", "description", "version", "license", "compatibility", "metadata", "allowed-tools", "argument-hint"];

/// The names of the flags and lists that restrict a skill in some dialect, as far as no sentence contains them. They count in
/// every dialect, because a file is often read by several clients, and a restriction must not become a part of a text.
pub(super) const RESTRICTING: [&str; 7] = [
    "disable-model-invocation",
    "disable_model_invocation",
    "disableModelInvocation",
    "user-invocable",
    "user_invocable",
    "disallowed-tools",
    "default_enabled",
];

/// Characters that look like a space and are text to YAML.
pub(super) const WIDE_BLANKS: [char; 2] = ['\u{a0}', '\u{3000}'];

/// A `key:` line and the lines that belong to it. Offsets other than `start` and `line_start` are bytes of `source`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Entry<'t> {
    /// Where the entry begins in the text.
    pub(super) start: usize,
    /// Where its first line begins: before `start` if the key is indented.
    pub(super) line_start: usize,
    pub(super) source: &'t str,
    /// The key as written, including quotes. The source begins with it.
    pub(super) key: &'t str,
    pub(super) colon: usize,
    /// The first byte behind the colon.
    pub(super) after: usize,
    /// Whether some of its lines are inside a tag such as `<example>`, and are not keys for this reason.
    pub(super) has_tag: bool,
    /// The indentation of the keys beside it.
    pub(super) indentation: usize,
    /// The number of keys above it in the tree.
    pub(super) depth: usize,
}

/// A line of an entry, without its ending.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'t> {
    /// The offset of its first byte in the entry's source.
    pub(super) start: usize,
    pub(super) text: &'t str,
}

impl<'t> Line<'t> {
    pub(super) fn end(&self) -> usize {
        self.start + self.text.len()
    }

    pub(super) fn inked(&self) -> &'t str {
        self.text.trim_start_matches([' ', '\t'])
    }

    pub(super) fn indent(&self) -> usize {
        self.text.len() - self.inked().len()
    }

    pub(super) fn is_blank(&self) -> bool {
        self.text.trim_matches(BLANKS).is_empty()
    }
}

impl<'t> Entry<'t> {
    /// Whether these pairs, which YAML reads from the entry, are not what its author meant: a field without a space
    /// behind its colon became a part of a longer key, or lines inside a tag became keys.
    pub(super) fn is_misread(&self, pairs: &[(Node, Node)]) -> bool {
        let first = pairs.first().and_then(|(first, _)| first.as_text());
        (self.has_tag && pairs.len() > 1) || (is_field(self.key) && first != Some(self.key))
    }

    pub(super) fn indent(&self) -> usize {
        self.start - self.line_start
    }

    /// What follows the colon on the key's line, trimmed.
    pub(super) fn head(&self) -> &'t str {
        let after = &self.source[self.after..];
        after.split_once('\n').map_or(after, |(head, _)| head).trim_matches(BLANKS)
    }

    /// Whether a line with this indentation is further out than the value, which is on the lines below the key.
    fn is_outside(&self, indent: usize) -> bool {
        let mut below = lines(self.source).skip(1).map(|(start, text)| Line { start, text });
        below.find(|line| !line.is_blank()).is_some_and(|first| indent < first.indent())
    }

    /// Whether the value ends on the key's line, judged by its first and last character.
    pub(super) fn ends_on_its_line(&self) -> bool {
        ends_on_its_line(self.head())
    }
}

fn ends_on_its_line(head: &str) -> bool {
    match head.chars().next() {
        None | Some('|' | '>' | '#') => false,
        Some(quote @ ('"' | '\'')) => head.len() > 1 && head.ends_with(quote),
        Some('[') => head.ends_with(']'),
        Some('{') => head.ends_with('}'),
        Some(_) => true,
    }
}

/// What must follow the colon of a `key:` line.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Colon {
    /// White space, a quote or the end of the line.
    Spaced,
    /// Anything except `//`.
    Tight,
}

/// The entries of a text, and the lines that belong to no entry. `is_known` says whether the dialect has a field.
pub(super) fn entries<'t>(text: &'t str, is_known: &dyn Fn(&str) -> bool) -> (Vec<Entry<'t>>, Vec<Line<'t>>) {
    let mut found: Vec<Entry<'_>> = Vec::new();
    let mut stray = Vec::new();
    let mut is_open = false;
    let mut tags = Tags::default();
    // Up to here, no line begins an entry.
    let mut skipped_end = 0;
    let colon = if is_tight(text) { Colon::Tight } else { Colon::Spaced };
    for (start, line) in lines(text) {
        let end = line_end(text, start);
        let open = found.last().filter(|_| is_open);
        let outside_tags = open.filter(|_| tags.closing.is_none() && skipped_end <= start);
        if let Some(length) = outside_tags.and_then(|open| comment_behind(&text[start..], open)) {
            (is_open, skipped_end) = (false, start + length);
        }
        let open = found.last().filter(|_| is_open);
        if start < skipped_end {
            // It is a comment, or in the quotes of the open entry.
        } else if open.is_some() && tags.is_inside(line) {
            // A key inside of a tag is an example's.
            found.last_mut().into_iter().for_each(|entry| entry.has_tag = true);
        } else if let Some(entry) = begin((line, &text[end..]), colon, open, is_known) {
            let head = line[entry.start + entry.after..].trim_matches(BLANKS);
            skipped_end = quotes_below(head, &text[end..], is_known).map_or(end, |length| end + length);
            found.push(Entry { start: start + entry.start, line_start: start, ..entry });
            is_open = true;
        } else if is_marker(line) || open.is_some_and(|open| is_no_part(line, open)) || is_code_end(line, &stray) {
            is_open = false;
        }
        tags.open(line, &text[end..]);
        match found.last_mut() {
            Some(entry) if is_open => entry.source = &text[entry.start..end],
            _ if line.trim_matches(BLANKS).is_empty() || line.trim_start_matches(BLANKS).starts_with('#') => {}
            _ => stray.push(Line { start, text: line }),
        }
    }
    (found, stray)
}

/// The entry that begins on this line, if one does; its `start` is an offset in the line. `below` is what follows the line, and
/// `open` the entry that the line would belong to otherwise.
fn begin<'t>(
    (line, below): (&'t str, &str),
    colon: Colon,
    open: Option<&Entry<'_>>,
    is_known: &dyn Fn(&str) -> bool,
) -> Option<Entry<'t>> {
    let entry = |start, key, colon, after| Entry { start, key, colon, after, ..Entry::default() };
    let is_known = |key: &str, value: &str| is_field(key) || (is_known(key) && is_value_of(key, value));
    let key_in = |line: &'t str, rule| {
        let tight_field = || key_at(line, Colon::Tight).filter(|(key, _)| is_field(key));
        // Keyboards for Chinese and Japanese produce a full-width colon.
        let wide = || line.split_once(WIDE_COLON).filter(|(key, value)| is_known(key, value));
        let found = key_at(line, rule).or_else(tight_field).map(|(key, colon)| (key, colon, colon + 1));
        found.or_else(|| wide().map(|(key, _)| (key, key.len(), key.len() + WIDE_COLON.len_utf8())))
    };
    if let Some((key, colon, after)) = key_in(line, colon) {
        return Some(entry(0, key, colon, after));
    }
    let inked = line.strip_prefix("- ").unwrap_or(line).trim_start_matches([' ', '\t']);
    let start = line.len() - inked.len();
    let Some((key, colon, after)) = key_in(inked, Colon::Spaced).filter(|_| start > 0) else {
        let (start, key, after) = restricting(line)?;
        let has_ended = open.is_none_or(|open| open.ends_on_its_line() || open.is_outside(0));
        return has_ended.then(|| entry(start, key, key.len(), after));
    };
    // In a description, an item may begin with any word of a sentence.
    let (is_item, is_known) = (line.starts_with('-'), is_known(key, &inked[after..]));
    let is_listed = |open: &Entry<'_>| is_item && open.key == "description" && is_word(key);
    let begins_behind = |open: &Entry<'_>| open.ends_on_its_line() && !is_listed(open);
    let indent = if is_item { 0 } else { start };
    let begins_outside = |open: &Entry<'_>| RESTRICTING.contains(&key) && open.is_outside(indent);
    // In a description, a word with a colon may announce a list.
    let begins_list = |open: &Entry<'_>| {
        let is_bare = !is_item && inked[after..].trim_matches(BLANKS).is_empty();
        let next = || lines(below).map(|(_, line)| line.trim_matches(BLANKS)).find(|line| !line.is_empty());
        is_bare
            && open.key != "description"
            && open.ends_on_its_line()
            && next().is_some_and(|line| line.starts_with("- "))
    };
    let is_one = match open {
        None => is_known || !is_item,
        Some(open) => {
            let is_beside = open.indent() == start && (is_known || !is_item);
            is_beside || (is_known && begins_behind(open)) || begins_outside(open) || begins_list(open)
        }
    };
    is_one.then(|| entry(start, key, colon, after))
}

/// A field that restricts, which a line at column 0 has in another notation than YAML's, such as `**name:** true` or `name = true`:
/// where it begins, and the offset of its value behind that.
fn restricting(line: &str) -> Option<(usize, &str, usize)> {
    const MARKS: [char; 6] = ['*', '`', '"', '\'', ' ', '\t'];
    let inked = line.trim_start_matches(|c| MARKS.contains(&c) || matches!(c, '-' | '+' | '•'));
    let length = RESTRICTING.iter().find(|key| inked.starts_with(**key)).filter(|_| !line.starts_with(BLANKS))?.len();
    let rest = inked[length..].trim_start_matches(MARKS);
    let value = rest.strip_prefix([':', '=', WIDE_COLON]).map(|value| value.trim_start_matches(['*', '`', ' ', '\t']));
    // Without a mark between the two, the name may be a word of a sentence.
    let flag = || Some(rest).filter(|rest| ["true", "false", "yes", "no"].contains(&rest.trim_end_matches(MARKS)));
    let after = inked.len() - value.or_else(flag)?.len();
    (length < after).then_some((line.len() - inked.len(), &inked[..length], after))
}

/// Whether what follows the colon can be the value of this field: if the key is an ordinary word, such as `model`, it may also
/// be one of a sentence, and only words between commas, lists and texts in quotes count.
fn is_value_of(key: &str, value: &str) -> bool {
    let value = value.split_once(" #").map_or(value, |(value, _)| value).trim_matches(BLANKS);
    let are_words = || value.split(',').all(|item| !item.trim_matches(BLANKS).contains(BLANKS));
    !is_word(key) || value.starts_with(['[', '{', '"', '\'']) || are_words()
}

/// Whether a key is an ordinary word.
fn is_word(key: &str) -> bool {
    key.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// Whether a line at column 0 cannot be a part of this entry: nobody writes a name or a flag on several lines.
fn is_no_part(line: &str, entry: &Entry<'_>) -> bool {
    let is_inked = line.starts_with(|c: char| !c.is_whitespace() && c != '#');
    let is_flag = |head: &str| {
        let rest =
            ["true", "false"].iter().find_map(|flag| head.strip_prefix(flag)).map(|rest| rest.trim_matches(BLANKS));
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('#'))
    };
    is_inked && (entry.key == "name" && entry.ends_on_its_line() || is_flag(entry.head()))
}

/// The length of the comment of HTML that a text begins with at column 0 if it is no part of this entry: its value has ended.
fn comment_behind(text: &str, entry: &Entry<'_>) -> Option<usize> {
    let length =
        comment(text).filter(|_| !entry.head().starts_with(['"', '\'', '[', '{']) || entry.ends_on_its_line())?;
    // Where the value is on the lines below the key, a further one shows that it has not ended.
    let has_lines = || entry.source.trim_end().contains('\n');
    let next = || lines(&text[length..]).map(|(_, line)| line).find(|line| !line.trim_matches(BLANKS).is_empty());
    let has_ended = || has_lines() && next().is_none_or(|line| !line.starts_with([' ', '\t']));
    (entry.ends_on_its_line() || has_ended()).then_some(length)
}

/// The length of the lines below a value that are in the quotes that it opens: up to the next quote, if that ends its line, and
/// no line before it is a field.
fn quotes_below(head: &str, below: &str, is_known: &dyn Fn(&str) -> bool) -> Option<usize> {
    let quote = head.chars().next().filter(|quote| matches!(quote, '"' | '\''))?;
    if head[1..].contains(quote) {
        return None;
    }
    let is_end = |line: &str| {
        let inked = line.trim_start_matches(['-', ' ', '\t']);
        let field = key_at(inked, Colon::Tight).filter(|(key, _)| is_field(key) || is_known(key));
        field.is_some() || hides_field(inked, "") || is_marker(line)
    };
    let (start, last) = lines(below).find(|(_, line)| line.contains(quote) || is_end(line))?;
    let closes =
        last.trim_end_matches(BLANKS).find(quote).is_some_and(|at| last[at + 1..].trim_matches(BLANKS).is_empty());
    (closes && !is_end(last)).then(|| line_end(below, start))
}

/// The length of the comment of HTML that a text begins with, if nothing follows it on its last line, and no line of it is a
/// field.
fn comment(text: &str) -> Option<usize> {
    for (start, line) in lines(text) {
        if line.starts_with("<!--") != (start == 0) || begins_field(line) {
            return None;
        }
        if line.contains("-->") {
            return line.trim_end().ends_with("-->").then(|| line_end(text, start));
        }
    }
    None
}

/// Whether a line ends the code block that the first stray line opens.
fn is_code_end(line: &str, stray: &[Line<'_>]) -> bool {
    let is_fence = |line: &str| line.starts_with("```") || line.starts_with("~~~");
    is_fence(line) && stray.first().is_some_and(|first| is_fence(first.text))
}

pub(super) const WIDE_COLON: char = '\u{ff1a}';

fn is_field(key: &str) -> bool {
    FIELDS.contains(&key) || RESTRICTING.contains(&key)
}

pub(crate) fn begins_field(line: &str) -> bool {
    key_of(line).is_some_and(|(key, _)| is_field(key))
}

/// Whether a further line of a plain value begins with a field that has no plain blank behind its colon: with any below a name,
/// and with one that restricts below any value.
pub(super) fn hides_field(line: &str, key: &str) -> bool {
    let inked = line.trim_start_matches([' ', '\t']);
    let wide = || inked.split_once(WIDE_COLON);
    let field = key_at(inked, Colon::Tight).map(|(field, _)| field).or_else(|| wide().map(|(field, _)| field));
    field.is_some_and(|field| RESTRICTING.contains(&field) || key == "name" && is_field(field))
}

/// Whether a line at column 0 is neither a key, a comment nor an item.
fn is_prose(line: &str) -> bool {
    line.starts_with(|c: char| !c.is_whitespace() && c != '#') && !line.starts_with("- ") && key_of(line).is_none()
}

/// A tag such as `<example>` that is open inside a value, up to its `</example>`.
#[derive(Default)]
struct Tags {
    closing: Option<String>,
    /// How often a closing tag was searched for. Each search reads the rest of the text.
    searches: usize,
}

impl Tags {
    /// Whether a line is inside a tag. The tag is closed behind the line that contains its closing tag.
    fn is_inside(&mut self, line: &str) -> bool {
        let is_inside = self.closing.is_some();
        self.closing.take_if(|closing| line.contains(closing.as_str()));
        is_inside
    }

    /// Opens the last tag of a line if it is closed in `rest`, unless one is open.
    fn open(&mut self, line: &str, rest: &str) {
        let tag = line.rsplit_once('<').and_then(|(_, tag)| tag.split_once('>'));
        let Some((name, _)) = tag.filter(|_| self.closing.is_none()) else { return };
        let is_name = !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
        if is_name && self.searches < MAX_SEARCHES {
            self.searches += 1;
            self.closing = Some(format!("</{name}>")).filter(|closing| rest.contains(closing));
        }
    }
}

const MAX_SEARCHES: usize = 64;

/// The key that a line begins with, including quotes, and the offset of its colon.
pub(crate) fn key_of(line: &str) -> Option<(&str, usize)> {
    key_at(line, Colon::Spaced)
}

fn key_at(line: &str, rule: Colon) -> Option<(&str, usize)> {
    let key_end = match line.chars().next()? {
        quote @ ('"' | '\'') => line[1..].find(quote)? + 2,
        first if first.is_alphabetic() || first == '_' || (rule == Colon::Spaced && first == '$') => {
            let is_more = |c: char| c.is_alphanumeric() || "_.-".contains(c) || (rule == Colon::Spaced && c == '/');
            line.char_indices().skip(1).find(|(_, c)| !is_more(*c))?.0
        }
        _ => return None,
    };
    let (key, rest) = line.split_at(key_end);
    let rest = rest.trim_start_matches([' ', '\t']);
    let colon = line.len() - rest.len();
    let after = rest.strip_prefix(':')?;
    let fits = after.is_empty()
        || after.starts_with([' ', '\t', '"', '\''])
        || after.starts_with(WIDE_BLANKS)
        || (rule == Colon::Tight && !after.starts_with("//"));
    fits.then_some((key, colon))
}

/// The offset of a colon that has no white space on either side: with a value in quotes, or any value of a field that
/// is common to all dialects.
pub(crate) fn tight_colon(line: &str) -> Option<usize> {
    let (key, colon) = key_at(line, Colon::Tight).filter(|(key, colon)| key.len() == *colon)?;
    let after = &line[colon + 1..];
    // Behind a blank, the last three begin a comment, an anchor or a tag.
    let is_plain = !after.starts_with([' ', '\t', '#', '&', '!']);
    let is_tight = after.starts_with(['"', '\'']) || (is_plain && is_field(key));
    (is_tight && !after.is_empty()).then_some(colon)
}

/// Whether every line at column 0 is `word:rest`. Only then does a colon without a space behind it end a key (rule
/// 5.6).
fn is_tight(text: &str) -> bool {
    lines(text)
        .filter(|(_, line)| !line.trim_matches(BLANKS).is_empty() && !line.starts_with([' ', '\t', '#']))
        .all(|(_, line)| key_at(line, Colon::Tight).is_some())
}

/// Whether a line is the mark of a YAML document's beginning or end, a line of dashes, a directive, or the mark of a merge conflict.
fn is_marker(line: &str) -> bool {
    let inked = line.trim_end_matches(BLANKS);
    line.starts_with('%')
        || ["...", "======="].contains(&inked)
        || inked.len() > 2 && inked.bytes().all(|byte| byte == b'-')
        || ["<<<<<<< ", "||||||| ", ">>>>>>> "].iter().any(|mark| line.starts_with(mark))
}

/// The deepest nesting of keys whose lines are read separately.
const MAX_NESTED_DEPTH: usize = 4;

/// The entries below a key, with offsets in the source of its entry. All are expected at the indentation of the first
/// one; a key with another indentation begins an entry if it cannot be a line of the value before it. Lists are not split.
pub(super) fn nested_entries<'t>(parent: &Entry<'t>, rest: &[Line<'t>]) -> (Vec<Entry<'t>>, Vec<Line<'t>>) {
    let mut found: Vec<Entry<'t>> = Vec::new();
    let mut stray = Vec::new();
    let mut is_open = false;
    let first = rest.iter().find(|line| key_of(line.inked()).is_some());
    let Some(indentation) = first.map(Line::indent).filter(|_| parent.depth < MAX_NESTED_DEPTH) else {
        return (found, stray);
    };
    for line in rest {
        let open = found.last().filter(|_| is_open);
        let is_comment = line.is_blank() || line.inked().starts_with('#');
        let key = key_of(line.inked()).filter(|_| !is_comment);
        // Of the entry before it: whether its value ends on its line, and whether the line belongs to it. A key such as
        // `requires_bins` is no word of a sentence.
        let is_name = key.is_some_and(|(key, _)| key.contains('_'));
        let is_word = |open: &Entry<'_>| {
            let head = open.head();
            let is_list_or_word = head.starts_with('[') || !head.trim_matches(['"', '\'']).contains(BLANKS);
            open.ends_on_its_line() && (is_name || is_list_or_word)
        };
        let continues = |open: &Entry<'_>| {
            indentation < line.indent()
                || (line.indent() == indentation && line.inked().starts_with("- ") && open.head().is_empty())
        };
        let begins = || line.indent() <= indentation || open.is_none_or(is_word);
        if let Some((key, colon)) = key.filter(|_| begins()) {
            found.push(Entry {
                start: line.start + line.indent(),
                line_start: line.start,
                key,
                colon,
                after: colon + 1,
                indentation,
                depth: parent.depth + 1,
                ..Entry::default()
            });
            is_open = true;
        } else if !is_comment && !open.is_some_and(continues) {
            stray.push(*line);
            is_open = false;
        }
        if let Some(entry) = found.last_mut().filter(|_| is_open) {
            entry.source = &parent.source[entry.start..line_end(parent.source, line.start)];
        }
    }
    (found, stray)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Missed {
    /// The start of the line that stands in place of the fence: a blank line, `...`, more than three dashes or a similar
    /// mark. The start of the body if the fence is to be inserted.
    pub(crate) fence: usize,
    pub(crate) body: usize,
}

/// Finds the body in frontmatter that is not valid YAML because its closing fence is missing, and a rule in the body was taken
/// for it: behind a blank line or a mark, at a heading behind the last field, or at a code fence. There are fields before it
/// and none in it, it does not begin with a key, and it contains prose or code, and behind a blank line also a heading or a
/// code block, without which it cannot be distinguished from a value, unless it is paragraphs between blank lines and the value
/// before them ends on its line. Behind a mark a title is enough.
pub(crate) fn missed(text: &str) -> Option<Missed> {
    let mut has_field = false;
    let mut blank = None;
    // The first heading below the lines of a field, with nothing but blank lines behind it.
    let mut title = None;
    // The indentation of the block scalar that the last key has, which is 0 before its first line.
    let mut block = None;
    let mut found: Option<Missed> = None;
    let (mut has_text, mut is_evident, mut in_code) = (false, false, false);
    // Whether the mark that was found cannot be a line of a block scalar below another key, and the indentation of the last line.
    let (mut is_outside, mut last_indent) = (false, 0);
    // Whether the value of the last key ends on its line, whether prose follows it behind a blank line, and whether a key follows that.
    let (mut has_ended, mut is_set_off, mut has_key) = (false, false, false);
    for (start, line) in lines(text) {
        let inked = line.trim_end_matches(BLANKS);
        let is_code = inked.starts_with("```") || inked.starts_with("~~~");
        let indent = inked.len() - inked.trim_start_matches([' ', '\t']).len();
        if begins_field(line) && !in_code {
            (has_field, found, title, in_code) = (true, None, None, false);
        } else if found.is_none() && has_field {
            let is_in_block = block.is_some_and(|block| block == 0 || block <= indent) && indent > 0;
            let is_mark = inked == "..." || (is_like_fence(inked) && !is_in_block);
            let opens_code = is_code && opens_code(&text[start..]);
            let fence = match (blank, title) {
                _ if is_mark => Some((start, line_end(text, start))),
                (_, Some(title)) if opens_code => Some((title, title)),
                // A further title shows that the first one is a comment.
                (Some(_), Some(title)) if is_heading(line) && !line.starts_with("# ") || is_prose(line) => {
                    Some((title, title))
                }
                (Some(blank), _) if is_heading(line) || is_prose(line) => Some((blank, line_end(text, blank))),
                // The code begins with the body, unless its fence closes the frontmatter.
                _ if is_code => Some((start, if opens_code { start } else { line_end(text, start) })),
                _ => None,
            };
            found = fence.map(|(fence, body)| Missed { fence, body });
            (has_text, in_code) = (false, false);
            is_evident = is_mark || is_code || found.is_some_and(|found| Some(found.fence) == title);
            is_outside = is_mark && (indent < 2 || last_indent == 0);
            is_set_off = has_ended && blank.is_some() && is_prose(line);
            if found.is_none() && !inked.is_empty() {
                let is_title = is_heading(line) && key_of(line.trim_start_matches(['#', ' '])).is_none();
                title = if is_title { title.or(Some(start)) } else { None };
            }
        }
        if let Some((_, colon)) = key_of(line) {
            let head = line[colon + 1..].trim_matches(BLANKS);
            block = head.starts_with(['|', '>']).then_some(0);
            (has_ended, has_key) = if found.is_none() { (ends_on_its_line(head), false) } else { (has_ended, true) };
        } else if block == Some(0) && !inked.is_empty() {
            block = Some(indent);
        }
        if found.is_some_and(|found| found.body <= start) {
            in_code ^= is_code;
            has_text |= is_prose(line);
            is_evident |= is_heading(line) || is_code;
        }
        blank = inked.is_empty().then_some(start);
        last_indent = if inked.is_empty() { last_indent } else { indent };
    }
    is_evident |= is_set_off && !has_key && blank.is_some();
    found.filter(|found| is_evident && (has_text || is_outside && begins_with_title(&text[found.body..])))
}

/// Whether a text begins with a title, has a blank line, and no line of it is a key, with or without a `#` before it.
fn begins_with_title(text: &str) -> bool {
    let mut lines = text.lines().map(|line| line.trim_matches(BLANKS));
    let is_key = |line: &str| key_of(line.trim_start_matches(['#', ' '])).is_some();
    let mut inked = lines.clone().skip_while(|line| line.is_empty());
    inked.next().is_some_and(is_heading) && lines.clone().any(str::is_empty) && !lines.any(is_key)
}

/// Whether a line without its trailing blanks looks like a fence: at least two dashes of any kind, apart from three hyphens, or at
/// least three of another mark with which rules are drawn. Three hyphens may be indented, have blanks between them or a full stop
/// behind them.
fn is_like_fence(line: &str) -> bool {
    const DASHES: [char; 8] = ['-', '\u{2010}', '\u{2011}', '\u{2012}', '\u{2013}', '\u{2014}', '\u{2015}', '\u{2212}'];
    let are_all = |is_one: &dyn Fn(char) -> bool, least| line.chars().count() >= least && line.chars().all(is_one);
    let hyphens = line.trim();
    let hyphens = hyphens.strip_suffix('.').unwrap_or(hyphens);
    let is_spaced = hyphens.matches('-').count() > 2 && hyphens.chars().all(|c| c == '-' || c == ' ');
    (are_all(&|c| DASHES.contains(&c), 2) || is_spaced) && line != "---"
        || line.starts_with('\u{2014}') && are_all(&|c| c == '\u{2014}', 1)
        || ['*', '_', '=', '+'].iter().any(|mark| are_all(&|c| c == *mark, 3))
}

/// Whether the code fence on the first line opens a block: a language follows it, or the number of fences is even.
fn opens_code(text: &str) -> bool {
    let is_fence = |line: &&str| line.starts_with("```") || line.starts_with("~~~");
    let mut fences = text.lines().filter(is_fence);
    let has_language = fences.next().is_some_and(|line| !line.trim_end().trim_start_matches(['`', '~']).is_empty());
    has_language || fences.count() % 2 == 1
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches('#');
    (1..=6).contains(&(line.len() - text.len())) && text.starts_with(' ') && !text.trim().is_empty()
}
