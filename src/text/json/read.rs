//! In: JSON text. Out: a value, or the byte where it stops being JSON and what was expected there.
//! What is open stands on a stack of its own, so that no input is answered by recursion.

use super::{Json, each_key_once};

/// The deepest nesting taken: reading needs no stack, but printing and dropping a value do.
const MOST_LEVELS: usize = 128;

pub(super) fn read(text: &str) -> Result<Json, (usize, &'static str)> {
    let mut reader = Reader { text, at: 0 };
    reader.document().map_err(|expected| (reader.at, expected))
}

/// A list or map whose end has not come yet.
enum Open {
    List(Vec<Json>),
    /// The fields so far, and the key whose value is being read.
    Map(Vec<(String, Json)>, String),
}

/// Stands at `at`, always on a character's first byte; an error is what was expected there.
struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn document(&mut self) -> Result<Json, &'static str> {
        let mut open = Vec::new();
        loop {
            if let Some(value) = self.value(&mut open)? {
                if let Some(whole) = self.hand_up(&mut open, value)? {
                    return if self.peek().is_none() { Ok(whole) } else { Err("the end of the text") };
                }
            }
        }
    }

    /// Reads one value; `None` when it is a list or map that has only been opened.
    fn value(&mut self, open: &mut Vec<Open>) -> Result<Option<Json>, &'static str> {
        self.space();
        let first = self.peek();
        if matches!(first, Some(b'[' | b'{')) && open.len() >= MOST_LEVELS {
            return Err("at most 128 levels");
        }
        if self.eat(b'[') {
            self.space();
            if self.eat(b']') {
                return Ok(Some(Json::List(Vec::new())));
            }
            open.push(Open::List(Vec::new()));
            return Ok(None);
        }
        if self.eat(b'{') {
            self.space();
            if self.eat(b'}') {
                return Ok(Some(Json::Map(Vec::new())));
            }
            open.push(Open::Map(Vec::new(), self.key("a key or `}`")?));
            return Ok(None);
        }
        self.scalar(first).map(Some)
    }

    /// Gives a finished value to what is open, closing what ends after it; returns the outermost.
    fn hand_up(&mut self, open: &mut Vec<Open>, mut value: Json) -> Result<Option<Json>, &'static str> {
        loop {
            self.space();
            match open.pop() {
                None => return Ok(Some(value)),
                Some(Open::List(mut items)) => {
                    items.push(value);
                    if self.eat(b',') {
                        open.push(Open::List(items));
                        return Ok(None);
                    }
                    self.wants(b']', "`,` or `]`")?;
                    value = Json::List(items);
                }
                Some(Open::Map(mut fields, key)) => {
                    fields.push((key, value));
                    if self.eat(b',') {
                        self.space();
                        open.push(Open::Map(fields, self.key("a key")?));
                        return Ok(None);
                    }
                    self.wants(b'}', "`,` or `}`")?;
                    value = Json::Map(each_key_once(fields));
                }
            }
        }
    }

    fn key(&mut self, expected: &'static str) -> Result<String, &'static str> {
        self.wants(b'"', expected)?;
        let key = self.rest_of_text()?;
        self.space();
        self.wants(b':', "`:`")?;
        Ok(key)
    }

    fn scalar(&mut self, first: Option<u8>) -> Result<Json, &'static str> {
        match first {
            Some(b'"') => {
                self.at += 1;
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
        if !self.text.get(self.at..).is_some_and(|rest| rest.starts_with(word)) {
            return Err("a value");
        }
        self.at += word.len();
        Ok(value)
    }

    fn number(&mut self) -> Result<Json, &'static str> {
        let start = self.at;
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
        Ok(Json::Number(self.text.get(start..self.at).unwrap_or("0").to_owned()))
    }

    fn digits(&mut self) -> Result<(), &'static str> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err("a digit");
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }

    /// The text up to its closing quote; the opening one has been read.
    fn rest_of_text(&mut self) -> Result<String, &'static str> {
        let mut text = String::new();
        loop {
            let rest = self.text.get(self.at..).unwrap_or("");
            let plain = rest.bytes().position(|byte| matches!(byte, b'"' | b'\\' | 0..=0x1f)).unwrap_or(rest.len());
            text.push_str(rest.get(..plain).unwrap_or(""));
            self.at += plain;
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

    fn escape(&mut self) -> Result<char, &'static str> {
        self.at += 1;
        let escaped = match self.peek() {
            Some(byte @ (b'"' | b'\\' | b'/')) => char::from(byte),
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => {
                self.at += 1;
                return self.code_point();
            }
            _ => return Err("an escape"),
        };
        self.at += 1;
        Ok(escaped)
    }

    /// The character of four hexadecimal digits, or of two such escapes that are a surrogate pair.
    fn code_point(&mut self) -> Result<char, &'static str> {
        let start = self.at;
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
            self.at = start;
            "a whole surrogate pair"
        })
    }

    fn four_digits(&mut self) -> Result<u32, &'static str> {
        let mut code = 0;
        for _ in 0..4 {
            let digit = self.peek().and_then(|byte| char::from(byte).to_digit(16)).ok_or("a hexadecimal digit")?;
            code = code * 16 + digit;
            self.at += 1;
        }
        Ok(code)
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn eat(&mut self, byte: u8) -> bool {
        let there = self.peek() == Some(byte);
        self.at += usize::from(there);
        there
    }

    fn wants(&mut self, byte: u8, expected: &'static str) -> Result<(), &'static str> {
        if self.eat(byte) { Ok(()) } else { Err(expected) }
    }

    fn space(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }
}
