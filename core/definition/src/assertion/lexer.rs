use super::fault::Fault;

/// What an expression is made of.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Token {
    Number(f64),
    /// A word; keywords and units are words, too.
    Word(String),
    Text,
    /// `+/-`, `<=`, `(`, …
    Sign(&'static str),
}

/// Longer signs before those that they begin with.
const SIGNS: [&str; 19] =
    ["+/-", ">=", "<=", "!=", "(", ")", "[", "]", ",", ".", "+", "-", "*", "/", "%", "<", ">", "=", "~"];

/// The tokens, each with the character at which it begins, from 1.
pub(super) fn tokens(text: &str) -> Result<Vec<(Token, usize)>, Fault> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while let Some(&character) = characters.get(at) {
        let begin = at;
        let run = |from: usize, of: fn(char) -> bool| {
            from + characters[from..].iter().take_while(|&&character| of(character)).count()
        };
        if character.is_whitespace() {
            at += 1;
            continue;
        }
        let token = if character.is_ascii_digit() {
            at = number_end(&characters, begin);
            let written: String = characters[begin..at].iter().collect();
            match written.parse::<f64>() {
                Ok(number) if number.is_finite() => Token::Number(number),
                _ => return Err(Fault::new(begin, format!("`{written}` is not a number"), "write it as 12 or 0.5")),
            }
        } else if character.is_alphabetic() || character == '_' {
            at = run(begin, |c| c.is_alphanumeric() || c == '_');
            Token::Word(characters[begin..at].iter().collect())
        } else if character == '"' || character == '\'' {
            match characters[begin + 1..].iter().position(|&other| other == character) {
                Some(length) => at = begin + length + 2,
                None => return Err(Fault::new(begin, "the text that begins here has no end", "close its quotes")),
            }
            Token::Text
        } else if character == '?' {
            return Err(Fault::new(
                begin,
                "`?` marks a figure that may be missing, and none can be",
                "leave `?` out: every figure that Tare has is always there",
            ));
        } else {
            let rest: String = characters[begin..].iter().take(3).collect();
            match SIGNS.iter().find(|sign| rest.starts_with(**sign)) {
                Some(sign) => {
                    at += sign.len();
                    Token::Sign(sign)
                }
                None => {
                    let shown = character.escape_debug();
                    return Err(Fault::new(begin, format!("`{shown}` has no meaning here"), "leave it out"));
                }
            }
        };
        tokens.push((token, begin));
    }
    Ok(tokens)
}

/// Digits, a fraction, an exponent.
fn number_end(characters: &[char], begin: usize) -> usize {
    let digits = |from: usize| {
        from + characters.get(from..).unwrap_or_default().iter().take_while(|digit| digit.is_ascii_digit()).count()
    };
    let mut end = digits(begin);
    if characters.get(end) == Some(&'.') && digits(end + 1) > end + 1 {
        end = digits(end + 1);
    }
    if characters.get(end).is_some_and(|&letter| letter == 'e' || letter == 'E') {
        let sign = usize::from(characters.get(end + 1).is_some_and(|&sign| sign == '+' || sign == '-'));
        if digits(end + 1 + sign) > end + 1 + sign {
            end = digits(end + 1 + sign);
        }
    }
    end
}
