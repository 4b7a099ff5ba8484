//! Tokens from text.

use proc_macro::{Delimiter, Group, Literal, TokenStream, TokenTree};

/// What the compiler shall say at the attribute.
pub(crate) struct Error(pub(crate) String);

/// Tokens of a text of our own. They have the edition of this crate, whatever the user's is.
pub(crate) fn tokens(text: &str) -> TokenStream {
    text.parse().unwrap_or_default()
}

pub(crate) fn literal(text: &str) -> TokenStream {
    TokenTree::from(Literal::string(text)).into()
}

/// Tokens of a text in which each of these words stands for other tokens.
pub(crate) fn filled(text: &str, words: &[(&str, TokenStream)]) -> TokenStream {
    fill(tokens(text), words)
}

fn fill(template: TokenStream, words: &[(&str, TokenStream)]) -> TokenStream {
    let mut all = TokenStream::new();
    for token in template {
        match token {
            TokenTree::Ident(word) => match words.iter().find(|(known, _)| word.to_string() == *known) {
                Some((_, instead)) => all.extend(instead.clone()),
                None => all.extend([TokenTree::Ident(word)]),
            },
            TokenTree::Group(group) => {
                let mut other = Group::new(group.delimiter(), fill(group.stream(), words));
                other.set_span(group.span());
                all.extend([TokenTree::Group(other)]);
            }
            other => all.extend([other]),
        }
    }
    all
}

/// Without the groups that macros put around what they were given.
pub(crate) fn flat(stream: TokenStream) -> Vec<TokenTree> {
    let mut all = Vec::new();
    for token in stream {
        match token {
            TokenTree::Group(group) if group.delimiter() == Delimiter::None => all.extend(flat(group.stream())),
            other => all.push(other),
        }
    }
    all
}

pub(crate) fn is_punct(token: Option<&TokenTree>, wanted: char) -> bool {
    matches!(token, Some(TokenTree::Punct(punct)) if punct.as_char() == wanted)
}

/// Parts between commas that stand in no angle brackets: of types and parameters, where these brackets are in pairs.
pub(crate) fn split(items: &[TokenTree]) -> Vec<Vec<TokenTree>> {
    let (mut parts, mut part, mut depth) = (Vec::new(), Vec::new(), 0);
    for (at, token) in items.iter().enumerate() {
        // The arrow of a function's type is no bracket.
        let is_arrow = at > 0 && is_punct(items.get(at - 1), '-');
        match token {
            TokenTree::Punct(punct) if punct.as_char() == ',' && depth == 0 => {
                parts.push(std::mem::take(&mut part));
                continue;
            }
            TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
            TokenTree::Punct(punct) if punct.as_char() == '>' && !is_arrow => depth -= 1,
            _ => {}
        }
        part.push(token.clone());
    }
    if !part.is_empty() {
        parts.push(part);
    }
    parts
}
