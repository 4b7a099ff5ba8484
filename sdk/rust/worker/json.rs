//! Reads one line as the protocol's flat JSON. Values are checked against the grammar of RFC 8259 whatever they are; only those that the wire has are kept.

/// Largest integer on the wire.
pub(crate) const LARGEST_INTEGER: i64 = 9_007_199_254_740_991;
const DEEPEST: usize = 512;

/// A value of a request.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    /// JSON that the wire doesn't have: null, a fraction, a nested or mixed value.
    Other,
    Boolean(bool),
    Integer(i64),
    Text(String),
    EmptyList,
    Booleans,
    Integers(Vec<i64>),
    Texts(Vec<String>),
}

/// The members of the object that the line is, in their order; why it is none.
pub(crate) fn members(line: &[u8]) -> Result<Vec<(String, Value)>, String> {
    let text = std::str::from_utf8(line).map_err(|error| format!("it isn't UTF-8 at byte {}", error.valid_up_to()))?;
    let mut scanner = Scanner { text: text.as_bytes(), at: 0, depth: 0 };
    let found = scanner.object(true)?;
    scanner.skip_space();
    if scanner.at < scanner.text.len() {
        return scanner.fail("something follows the object");
    }
    Ok(found)
}

struct Scanner<'a> {
    text: &'a [u8],
    at: usize,
    depth: usize,
}

impl Scanner<'_> {
    fn fail<T>(&self, why: &str) -> Result<T, String> {
        Err(format!("{why} at byte {}", self.at))
    }

    fn peek(&self) -> u8 {
        self.text.get(self.at).copied().unwrap_or(0)
    }

    fn take(&mut self, byte: u8) -> bool {
        let is_there = self.text.get(self.at) == Some(&byte);
        self.at += usize::from(is_there);
        is_there
    }

    fn skip_space(&mut self) {
        while matches!(self.text.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }

    fn enter(&mut self) -> Result<(), String> {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.fail("values are nested too deeply")
        } else {
            Ok(())
        }
    }

    /// Members are kept at the top only.
    fn object(&mut self, are_kept: bool) -> Result<Vec<(String, Value)>, String> {
        self.enter()?;
        self.skip_space();
        if !self.take(b'{') {
            return self.fail("it is no JSON object");
        }
        let mut members = Vec::new();
        self.skip_space();
        if !self.take(b'}') {
            loop {
                self.skip_space();
                let key = self.string()?;
                self.skip_space();
                if !self.take(b':') {
                    return self.fail("a colon is missing");
                }
                self.skip_space();
                let value = self.value()?;
                if are_kept {
                    members.push((key, value));
                }
                self.skip_space();
                if !self.take(b',') {
                    break;
                }
            }
            if !self.take(b'}') {
                return self.fail("a comma or a brace is missing");
            }
        }
        self.depth -= 1;
        Ok(members)
    }

    fn value(&mut self) -> Result<Value, String> {
        match self.peek() {
            b'"' => self.string().map(Value::Text),
            b'[' => self.list(),
            b'{' => self.object(false).map(|_| Value::Other),
            b't' => self.word("true", Value::Boolean(true)),
            b'f' => self.word("false", Value::Boolean(false)),
            b'n' => self.word("null", Value::Other),
            _ => self.number(),
        }
    }

    fn word(&mut self, word: &str, value: Value) -> Result<Value, String> {
        if !self.text[self.at..].starts_with(word.as_bytes()) {
            return self.fail("a value is missing");
        }
        self.at += word.len();
        Ok(value)
    }

    fn digits(&mut self) -> &[u8] {
        let begin = self.at;
        while self.peek().is_ascii_digit() {
            self.at += 1;
        }
        &self.text[begin..self.at]
    }

    fn number(&mut self) -> Result<Value, String> {
        let begin = self.at;
        let is_negative = self.take(b'-');
        let mut number = Some(0i64);
        let mut is_zero = false;
        if self.take(b'0') {
            is_zero = true;
        } else {
            let digits = self.digits();
            if digits.is_empty() {
                self.at = begin;
                return self.fail("a value is missing");
            }
            for digit in digits {
                let next = number.map(|number| number * 10 + i64::from(digit - b'0'));
                number = next.filter(|number| *number <= LARGEST_INTEGER);
                if number.is_none() {
                    break;
                }
            }
        }
        if is_zero && is_negative {
            number = None;
        }
        if self.take(b'.') {
            number = None;
            if self.digits().is_empty() {
                return self.fail("a digit is missing");
            }
        }
        if self.take(b'e') || self.take(b'E') {
            number = None;
            let _ = self.take(b'+') || self.take(b'-');
            if self.digits().is_empty() {
                return self.fail("a digit is missing");
            }
        }
        Ok(number.map_or(Value::Other, |number| Value::Integer(if is_negative { -number } else { number })))
    }

    fn list(&mut self) -> Result<Value, String> {
        self.enter()?;
        self.at += 1;
        let mut list = Value::EmptyList;
        self.skip_space();
        if !self.take(b']') {
            loop {
                self.skip_space();
                let item = self.value()?;
                add(&mut list, item);
                self.skip_space();
                if !self.take(b',') {
                    break;
                }
            }
            if !self.take(b']') {
                return self.fail("a comma or a bracket is missing");
            }
        }
        self.depth -= 1;
        Ok(list)
    }

    fn string(&mut self) -> Result<String, String> {
        if !self.take(b'"') {
            return self.fail("a string is missing");
        }
        let mut bytes = Vec::new();
        loop {
            match self.text.get(self.at) {
                None => return self.fail("a string has no end"),
                Some(b'"') => {
                    self.at += 1;
                    // The line is UTF-8, it is cut at ASCII, and escapes add whole characters.
                    return Ok(String::from_utf8_lossy(&bytes).into_owned());
                }
                Some(byte) if *byte < 0x20 => return self.fail("a control character stands in a string"),
                Some(b'\\') => {
                    let character = self.escape()?;
                    bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                }
                Some(byte) => {
                    bytes.push(*byte);
                    self.at += 1;
                }
            }
        }
    }

    fn escape(&mut self) -> Result<char, String> {
        self.at += 1;
        let letter = self.peek();
        self.at += 1;
        Ok(match letter {
            b'"' | b'\\' | b'/' => char::from(letter),
            b'b' => '\u{8}',
            b'f' => '\u{c}',
            b'n' => '\n',
            b'r' => '\r',
            b't' => '\t',
            b'u' => return self.code_point(),
            _ => return self.fail("there is no such escape"),
        })
    }

    fn code_point(&mut self) -> Result<char, String> {
        let high = self.unit()?;
        let code = if (0xd800..0xdc00).contains(&high) {
            if !self.take(b'\\') || !self.take(b'u') {
                return self.fail("half of a surrogate pair stands alone");
            }
            let low = self.unit()?;
            if !(0xdc00..0xe000).contains(&low) {
                return self.fail("half of a surrogate pair stands alone");
            }
            0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)
        } else {
            high
        };
        char::from_u32(code).map_or_else(|| self.fail("half of a surrogate pair stands alone"), Ok)
    }

    fn unit(&mut self) -> Result<u32, String> {
        let mut unit = 0;
        for _ in 0..4 {
            let Some(digit) = char::from(self.peek()).to_digit(16) else {
                return self.fail("four hexadecimal digits are missing");
            };
            unit = unit * 16 + digit;
            self.at += 1;
        }
        Ok(unit)
    }
}

fn add(list: &mut Value, item: Value) {
    let is_empty = *list == Value::EmptyList;
    match (&mut *list, item) {
        (Value::Integers(numbers), Value::Integer(number)) => numbers.push(number),
        (Value::Texts(texts), Value::Text(text)) => texts.push(text),
        (Value::Booleans, Value::Boolean(_)) => {}
        (_, Value::Integer(number)) if is_empty => *list = Value::Integers(vec![number]),
        (_, Value::Text(text)) if is_empty => *list = Value::Texts(vec![text]),
        (_, Value::Boolean(_)) if is_empty => *list = Value::Booleans,
        _ => *list = Value::Other,
    }
}
