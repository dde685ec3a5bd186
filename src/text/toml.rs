//! Reads TOML as it stands in settings files, into a [`Json`]. Dates become texts, and numbers keep their source text, as
//! in JSON. What a key that is defined twice means is left open: the last value counts.

use super::json::Json;

const MAX_DEPTH: usize = 32;

const MAX_PATH: usize = 32;

/// How many keys a text may have, as each is compared with the others of its table.
const MAX_KEYS: usize = 10_000;

#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected {expected} at line {line}")]
pub(crate) struct TomlError {
    pub(crate) line: usize,
    pub(crate) expected: &'static str,
}

type Table = Vec<(String, Json)>;

pub(crate) fn parse(text: &str) -> Result<Json, TomlError> {
    let mut reader = Reader { rest: text.strip_prefix('\u{feff}').unwrap_or(text), keys_left: MAX_KEYS };
    let mut root = Table::new();
    match reader.document(&mut root) {
        Ok(()) => Ok(Json::Map(root)),
        Err(expected) => {
            let read = text.len() - reader.rest.len();
            let line = 1 + text.get(..read).map_or(0, |read| read.matches('\n').count());
            Err(TomlError { line, expected })
        }
    }
}

/// What was expected where the rest of the text begins.
type Expected = &'static str;

struct Reader<'t> {
    rest: &'t str,
    keys_left: usize,
}

impl<'t> Reader<'t> {
    fn document(&mut self, root: &mut Table) -> Result<(), Expected> {
        // The keys that lead to the current table.
        let mut path: Vec<String> = Vec::new();
        loop {
            self.skip(true);
            if self.rest.is_empty() {
                return Ok(());
            }
            if self.takes("[") {
                let is_list = self.takes("[");
                path = self.keys()?;
                if !self.takes(if is_list { "]]" } else { "]" }) {
                    return Err("`]`");
                }
                let (last, above) = path.split_last().ok_or("a key")?;
                let table = descend(root, above)?;
                if is_list {
                    match entry(table, last, Json::List(Vec::new())) {
                        Json::List(items) => items.push(Json::Map(Table::new())),
                        _ => return Err("the name of an array of tables"),
                    }
                } else {
                    descend(table, std::slice::from_ref(last))?;
                }
            } else {
                let (keys, value) = self.pair(0)?;
                put(descend(root, &path)?, &keys, value)?;
            }
            self.skip(false);
            if !(self.rest.is_empty() || self.rest.starts_with('\n')) {
                return Err("the end of the line");
            }
        }
    }

    /// Passes over blanks, and over line ends and comments if they may follow.
    fn skip(&mut self, has_lines: bool) {
        loop {
            self.rest = self.rest.trim_start_matches([' ', '\t', '\r']);
            if self.rest.starts_with('#') {
                self.rest = self.rest.get(self.rest.find('\n').unwrap_or(self.rest.len())..).unwrap_or("");
            } else if has_lines && self.rest.starts_with('\n') {
                self.takes("\n");
            } else {
                return;
            }
        }
    }

    fn takes(&mut self, token: &str) -> bool {
        let rest = self.rest.strip_prefix(token);
        self.rest = rest.unwrap_or(self.rest);
        rest.is_some()
    }

    fn take(&mut self, end: usize) -> &'t str {
        let (taken, rest) = self.rest.split_at_checked(end).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn pair(&mut self, depth: usize) -> Result<(Vec<String>, Json), Expected> {
        let keys = self.keys()?;
        if !self.takes("=") {
            return Err("`=`");
        }
        self.skip(false);
        Ok((keys, self.value(depth)?))
    }

    /// Keys with dots between them, and the blanks after them.
    fn keys(&mut self) -> Result<Vec<String>, Expected> {
        let mut keys = Vec::new();
        loop {
            self.skip(false);
            if keys.len() == MAX_PATH {
                return Err("a shorter path of keys");
            }
            self.keys_left = self.keys_left.checked_sub(1).ok_or("fewer keys")?;
            keys.push(match self.rest.starts_with(['"', '\'']) {
                true => self.string()?,
                false => {
                    let is_bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
                    let end = self.rest.find(|c| !is_bare(c)).unwrap_or(self.rest.len());
                    if end == 0 {
                        return Err("a key");
                    }
                    self.take(end).to_owned()
                }
            });
            self.skip(false);
            if !self.takes(".") {
                return Ok(keys);
            }
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, Expected> {
        if depth == MAX_DEPTH {
            return Err("fewer levels");
        }
        if self.rest.starts_with(['"', '\'']) {
            return self.string().map(Json::Text);
        }
        if self.takes("[") {
            let mut items = Vec::new();
            loop {
                self.skip(true);
                if self.takes("]") {
                    return Ok(Json::List(items));
                }
                items.push(self.value(depth + 1)?);
                self.skip(true);
                if !self.takes(",") && !self.rest.starts_with(']') {
                    return Err("`,` or `]`");
                }
            }
        }
        if self.takes("{") {
            let mut table = Table::new();
            loop {
                self.skip(true);
                if self.takes("}") {
                    return Ok(Json::Map(table));
                }
                let (keys, value) = self.pair(depth + 1)?;
                put(&mut table, &keys, value)?;
                self.skip(true);
                if !self.takes(",") && !self.rest.starts_with('}') {
                    return Err("`,` or `}`");
                }
            }
        }
        let end = self.rest.find([',', ']', '}', '#', '\n']).unwrap_or(self.rest.len());
        let word = self.take(end).trim();
        let is_number = word.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-'));
        match word {
            "true" => Ok(Json::Bool(true)),
            "false" => Ok(Json::Bool(false)),
            _ if word.contains([':', 'T']) && is_number => Ok(Json::Text(word.to_owned())),
            _ if is_number && !word.contains(char::is_whitespace) => {
                Ok(Json::Number(word.trim_start_matches('+').replace('_', "")))
            }
            _ => Err("a value"),
        }
    }

    /// A string in single or double quotes, on one line or on several.
    fn string(&mut self) -> Result<String, Expected> {
        let is_literal = self.rest.starts_with('\'');
        let quotes = if is_literal { ["'''", "'"] } else { ["\"\"\"", "\""] };
        let quote = quotes.into_iter().find(|quote| self.takes(quote)).ok_or("a string")?;
        let is_long = quote.len() == 3;
        if is_long && !self.takes("\n") {
            self.takes("\r\n");
        }
        let mut out = String::new();
        loop {
            if self.takes(quote) {
                return Ok(out);
            }
            let c = self.rest.chars().next().filter(|c| is_long || *c != '\n').ok_or("the end of the string")?;
            self.take(c.len_utf8());
            if c == '\\' && !is_literal {
                self.escape(&mut out)?;
            } else {
                out.push(c);
            }
        }
    }

    fn escape(&mut self, out: &mut String) -> Result<(), Expected> {
        let c = self.rest.chars().next().ok_or("the end of the string")?;
        self.take(c.len_utf8());
        out.push(match c {
            'b' => '\u{8}',
            't' => '\t',
            'n' => '\n',
            'f' => '\u{c}',
            'r' => '\r',
            'e' => '\u{1b}',
            '"' | '\\' => c,
            'x' | 'u' | 'U' => {
                let digits = self.take(match c {
                    'x' => 2,
                    'u' => 4,
                    _ => 8,
                });
                u32::from_str_radix(digits, 16).ok().and_then(char::from_u32).ok_or("a character")?
            }
            // The line is continued.
            c if c.is_whitespace() => {
                self.rest = self.rest.trim_start();
                return Ok(());
            }
            _ => return Err("an escape sequence"),
        });
        Ok(())
    }
}

/// The value of a key, which is added if it is not there.
fn entry<'v>(table: &'v mut Table, key: &str, absent: Json) -> &'v mut Json {
    let at = table.iter().position(|(known, _)| known == key).unwrap_or_else(|| {
        table.push((key.to_owned(), absent));
        table.len() - 1
    });
    &mut table[at].1
}

/// The table that keys lead to. Tables that are not there are added, and of an array of tables the last one is taken.
fn descend<'v>(mut table: &'v mut Table, keys: &[String]) -> Result<&'v mut Table, Expected> {
    for key in keys {
        let mut value = entry(table, key, Json::Map(Table::new()));
        if let Json::List(items) = value {
            value = items.last_mut().ok_or("the name of a table")?;
        }
        table = match value {
            Json::Map(inner) => inner,
            _ => return Err("the name of a table"),
        };
    }
    Ok(table)
}

fn put(table: &mut Table, keys: &[String], value: Json) -> Result<(), Expected> {
    let (last, above) = keys.split_last().ok_or("a key")?;
    let table = descend(table, above)?;
    *entry(table, last, Json::Null) = value;
    Ok(())
}

#[cfg(test)]
#[path = "../../tests/unit/toml.rs"]
mod tests;
