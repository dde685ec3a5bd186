//! Parses JSON. Open lists and maps are on an explicit stack, so that no input causes recursion.

use super::{Json, each_key_once};

/// The deepest nesting that is accepted. Parsing does not recurse, but printing and dropping a value do.
const MOST_LEVELS: usize = 128;

/// What is done with a key that occurs twice in an object.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum RepeatedKeys {
    LastCounts,
    Refused,
}

/// Parses one JSON text. The error is the offset of the first byte that is not as expected, and what was expected.
pub(super) fn read(text: &str, repeated: RepeatedKeys) -> Result<Json, (usize, &'static str)> {
    let mut reader = Reader { rest: text, repeated };
    reader.document().map_err(|expected| (text.len() - reader.rest.len(), expected))
}

/// A list or map that is not closed yet.
enum Open {
    List(Vec<Json>),
    /// The fields so far, and the key whose value is being read.
    Map(Vec<(String, Json)>, String),
}

/// The part of the text that has not been read yet. The errors of its methods say what was expected there.
struct Reader<'t> {
    rest: &'t str,
    repeated: RepeatedKeys,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Json, &'static str> {
        let mut open = Vec::new();
        loop {
            if let Some(value) = self.value(&mut open)? {
                if let Some(whole) = self.attach(&mut open, value)? {
                    return if self.peek().is_none() { Ok(whole) } else { Err("the end of the text") };
                }
            }
        }
    }

    /// Reads a value. `None` if it is a list or map that is not empty, which has been opened.
    fn value(&mut self, open: &mut Vec<Open>) -> Result<Option<Json>, &'static str> {
        self.skip_space();
        let first = self.peek();
        if matches!(first, Some(b'[' | b'{')) && open.len() >= MOST_LEVELS {
            return Err("at most 128 levels");
        }
        if self.eat(b'[') {
            self.skip_space();
            if self.eat(b']') {
                return Ok(Some(Json::List(Vec::new())));
            }
            open.push(Open::List(Vec::new()));
            return Ok(None);
        }
        if self.eat(b'{') {
            self.skip_space();
            if self.eat(b'}') {
                return Ok(Some(Json::Map(Vec::new())));
            }
            open.push(Open::Map(Vec::new(), self.key("a key or `}`")?));
            return Ok(None);
        }
        self.scalar(first).map(Some)
    }

    /// Adds a value to the innermost open list or map, and closes those that end behind it. Returns the value of the
    /// outermost when it is closed.
    fn attach(&mut self, open: &mut Vec<Open>, mut value: Json) -> Result<Option<Json>, &'static str> {
        loop {
            self.skip_space();
            match open.pop() {
                None => return Ok(Some(value)),
                Some(Open::List(mut items)) => {
                    items.push(value);
                    if self.eat(b',') {
                        open.push(Open::List(items));
                        return Ok(None);
                    }
                    self.expect_byte(b']', "`,` or `]`")?;
                    value = Json::List(items);
                }
                Some(Open::Map(mut fields, key)) => {
                    fields.push((key, value));
                    if self.eat(b',') {
                        self.skip_space();
                        open.push(Open::Map(fields, self.key("a key")?));
                        return Ok(None);
                    }
                    self.expect_byte(b'}', "`,` or `}`")?;
                    let count = fields.len();
                    let once = each_key_once(fields);
                    if once.len() < count && self.repeated == RepeatedKeys::Refused {
                        return Err("an object with each key once");
                    }
                    value = Json::Map(once);
                }
            }
        }
    }

    fn key(&mut self, expected: &'static str) -> Result<String, &'static str> {
        self.expect_byte(b'"', expected)?;
        let key = self.rest_of_text()?;
        self.skip_space();
        self.expect_byte(b':', "`:`")?;
        Ok(key)
    }

    fn scalar(&mut self, first: Option<u8>) -> Result<Json, &'static str> {
        match first {
            Some(b'"') => {
                self.eat(b'"');
                self.rest_of_text().map(Json::Text)
            }
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word("true", Json::Bool(true)),
            Some(b'f') => self.word("false", Json::Bool(false)),
            Some(b'n') => self.word("null", Json::Null),
            _ => Err("a value"),
        }
    }

    fn word(&mut self, word: &str, value: Json) -> Result<Json, &'static str> {
        self.rest = self.rest.strip_prefix(word).ok_or("a value")?;
        Ok(value)
    }

    fn number(&mut self) -> Result<Json, &'static str> {
        let start = self.rest;
        self.eat(b'-');
        if !self.eat(b'0') {
            self.digits()?;
        }
        if self.eat(b'.') {
            self.digits()?;
        }
        if self.eat(b'e') || self.eat(b'E') {
            let _sign = self.eat(b'+') || self.eat(b'-');
            self.digits()?;
        }
        let (number, _) = start.split_at(start.len() - self.rest.len());
        Ok(Json::Number(number.to_owned()))
    }

    fn digits(&mut self) -> Result<(), &'static str> {
        let rest = self.rest.trim_start_matches(|c: char| c.is_ascii_digit());
        if rest.len() == self.rest.len() {
            return Err("a digit");
        }
        self.rest = rest;
        Ok(())
    }

    /// The text up to its closing quote; the opening one has been read.
    fn rest_of_text(&mut self) -> Result<String, &'static str> {
        let mut text = String::new();
        loop {
            let is_special = |byte| matches!(byte, b'"' | b'\\' | 0..=0x1f);
            let (plain, rest) = self.rest.split_at(self.rest.bytes().position(is_special).unwrap_or(self.rest.len()));
            text.push_str(plain);
            self.rest = rest;
            if self.eat(b'"') {
                return Ok(text);
            }
            match self.peek() {
                Some(b'\\') => text.push(self.escape()?),
                Some(_) => return Err("an escape for a control character"),
                None => return Err("a closing quote"),
            }
        }
    }

    /// Reads an escape sequence from its backslash on.
    fn escape(&mut self) -> Result<char, &'static str> {
        self.eat(b'\\');
        let escaped = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.eat(b'u');
                return self.code_point();
            }
            _ => return Err("an escape"),
        };
        self.skip_ascii();
        Ok(escaped)
    }

    /// The character of four hexadecimal digits, or of two such escapes that are a surrogate pair.
    fn code_point(&mut self) -> Result<char, &'static str> {
        let start = self.rest;
        let first = self.four_digits()?;
        let code = if (0xd800..0xdc00).contains(&first) && self.eat(b'\\') && self.eat(b'u') {
            let second = self.four_digits()?;
            if (0xdc00..0xe000).contains(&second) {
                0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00)
            } else {
                first
            }
        } else {
            first
        };
        char::from_u32(code).ok_or_else(|| {
            self.rest = start;
            "a whole surrogate pair"
        })
    }

    fn four_digits(&mut self) -> Result<u32, &'static str> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16)).ok_or("a hexadecimal digit")?;
            code = code * 16 + digit;
            self.skip_ascii();
        }
        Ok(code)
    }

    fn peek(&self) -> Option<u8> {
        self.rest.bytes().next()
    }

    /// Passes over this ASCII character if it is the next one, and returns whether it is.
    fn eat(&mut self, byte: u8) -> bool {
        let is_next = self.peek() == Some(byte);
        if is_next {
            self.skip_ascii();
        }
        is_next
    }

    /// Passes over the next character, which is ASCII.
    fn skip_ascii(&mut self) {
        self.rest = &self.rest[1..];
    }

    /// Passes over this byte, or returns what was expected.
    fn expect_byte(&mut self, byte: u8, expected: &'static str) -> Result<(), &'static str> {
        if self.eat(byte) { Ok(()) } else { Err(expected) }
    }

    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t', '\n', '\r']);
    }
}
