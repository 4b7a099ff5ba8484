use serde_json::Value;

/// Parses JSON in which `//` and `/* */` comments and trailing commas are allowed, as in many a hand-written `phpbench.json`.
///
/// # Errors
/// The line, 1-based, and what is wrong there.
pub(super) fn parse(text: &str) -> Result<Value, (usize, String)> {
    let strict = strict(text)?;
    serde_json::from_str(&strict).map_err(|error| {
        let message = error.to_string();
        let reason = message.split(" at line ").next().unwrap_or_default();
        (error.line(), format!("this is not JSON: {reason}"))
    })
}

/// The same text with comments and trailing commas blanked out: every line stays where it was.
fn strict(text: &str) -> Result<String, (usize, String)> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut strict = String::with_capacity(text.len());
    // Where a comma stands that nothing but blanks and comments has followed yet.
    let mut comma = None;
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('"', _) => {
                comma = None;
                strict.push(c);
                while let Some(c) = rest.next() {
                    strict.push(c);
                    match c {
                        '\\' => strict.extend(rest.next()),
                        '"' => break,
                        _ => {}
                    }
                }
            }
            ('/', Some('/')) => while rest.next_if(|&c| c != '\n').is_some() {},
            ('/', Some('*')) => {
                let opened = strict.len();
                rest.next();
                // Not the `*` that opened it: `/*/` is still open.
                let mut before = ' ';
                loop {
                    match rest.next() {
                        None => {
                            let line = 1 + strict[..opened].matches('\n').count();
                            return Err((line, "a comment is not closed".to_owned()));
                        }
                        Some('/') if before == '*' => break,
                        Some(c) => {
                            if c == '\n' {
                                strict.push(c);
                            }
                            before = c;
                        }
                    }
                }
                strict.push(' ');
            }
            (']' | '}', _) => {
                if let Some(position) = comma.take() {
                    strict.replace_range(position..=position, " ");
                }
                strict.push(c);
            }
            (',', _) => {
                // A second comma is a mistake for the parser to find.
                comma = (!matches!(strict.trim_end().chars().next_back(), None | Some(',' | '[' | '{')))
                    .then_some(strict.len());
                strict.push(c);
            }
            (c, _) => {
                if !c.is_whitespace() {
                    comma = None;
                }
                strict.push(c);
            }
        }
    }
    Ok(strict)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::parse;

    #[test]
    fn comments_and_trailing_commas_are_allowed() {
        let text = "\u{feff}{ // a comment, with } and \"\n \"a\": [1, 2, /* , */ ], /**/\n \"b\\\\\": \"//\\\"/*\", // ]\n} // end";
        assert_eq!(parse(text), Ok(json!({"a": [1, 2], "b\\": "//\"/*"})));
        assert_eq!(parse("/* a *//* b **/ {}"), Ok(json!({})));
    }

    #[test]
    fn an_error_has_the_line_of_the_original() {
        for (text, line) in [
            ("/* one\n two */ {\n // three\n \"a\": }", 4),
            ("{\n\"a\": 1\n\"b\": 2\n}", 3),
            ("{\n\n/* open\n", 3),
            ("{\"a\": /*/ 1}", 1),
            ("[1,\n,]", 2),
            ("{\n,}", 2),
            ("[,]", 1),
            ("[1,,]", 1),
            ("{\"a\n", 2),
            ("", 1),
        ] {
            assert_eq!(parse(text).unwrap_err().0.max(1), line, "{text}: {:?}", parse(text));
        }
    }

    #[test]
    fn a_deep_document_is_refused_and_does_not_overflow_the_stack() {
        assert!(parse(&"[".repeat(1_000_000)).is_err());
    }

    proptest! {
        #[test]
        fn what_is_strict_already_keeps_its_meaning(text in "[\\[\\]{},:\"/*a1 \n\\\\]{0,24}") {
            if let Ok(value) = serde_json::from_str::<serde_json::Value>(&text) {
                prop_assert_eq!(parse(&text), Ok(value));
            } else {
                let _ = parse(&text);
            }
        }
    }
}
