//! What there is to know of a benchmark's function.

use crate::template::{flat, is_punct, split, Error};
use proc_macro::{Delimiter, TokenStream, TokenTree};

pub(crate) struct Function {
    pub(crate) ident: TokenTree,
    pub(crate) name: String,
    pub(crate) is_ignored: bool,
    /// Whether it has a type, and whether that stands before the constant.
    pub(crate) has_type: bool,
    pub(crate) is_type_first: bool,
    /// Type of its constant.
    pub(crate) constant: Option<TokenStream>,
    /// Types of its parameters; a reference without the name of its lifetime, which means nothing elsewhere.
    pub(crate) parameters: Vec<TokenStream>,
}

/// Whether one of the attributes before an item is `#[ignore]`.
pub(crate) fn is_ignored(item: &[TokenTree]) -> bool {
    attributes(item).any(|attribute| attribute == "ignore")
}

/// Their first words.
fn attributes(item: &[TokenTree]) -> impl Iterator<Item = String> + '_ {
    item.chunks(2).take_while(|pair| is_punct(pair.first(), '#')).filter_map(|pair| match pair.get(1) {
        Some(TokenTree::Group(group)) => group.stream().into_iter().next().map(|word| word.to_string()),
        _ => None,
    })
}

fn without_attributes(mut part: &[TokenTree]) -> &[TokenTree] {
    while is_punct(part.first(), '#') && part.len() > 1 {
        part = &part[2..];
    }
    part
}

impl Function {
    pub(crate) fn parse(item: TokenStream) -> Result<Self, Error> {
        let refused = || Error("#[divan::bench] stands before a function".to_owned());
        let item = flat(item);
        let at = item.iter().position(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "fn"));
        let at = at.ok_or_else(refused)? + 1;
        let ident = item.get(at).ok_or_else(refused)?.clone();
        let mut function = Function {
            name: ident.to_string(),
            ident,
            is_ignored: is_ignored(&item),
            has_type: false,
            is_type_first: false,
            constant: None,
            parameters: Vec::new(),
        };
        let rest = &item[at + 1..];
        // The first parentheses that stand in no angle brackets.
        let mut depth = 0;
        let mut end = None;
        for (at, token) in rest.iter().enumerate() {
            match token {
                TokenTree::Punct(punct) if punct.as_char() == '<' => depth += 1,
                TokenTree::Punct(punct) if punct.as_char() == '>' && !(at > 0 && is_punct(rest.get(at - 1), '-')) => {
                    depth -= 1;
                }
                TokenTree::Group(group) if depth == 0 && group.delimiter() == Delimiter::Parenthesis => {
                    let parameters = split(&flat(group.stream()));
                    function.parameters = parameters.iter().map(|parameter| type_of(parameter)).collect();
                    end = Some(at);
                    break;
                }
                _ => {}
            }
        }
        let end = end.ok_or_else(refused)?;
        if end > 1 {
            function.generics(&rest[1..end - 1]);
        }
        Ok(function)
    }

    fn generics(&mut self, items: &[TokenTree]) {
        for part in split(items) {
            let part = without_attributes(&part);
            match part.first() {
                Some(TokenTree::Ident(word)) if word.to_string() == "const" => {
                    let ends = part.iter().position(|token| is_punct(Some(token), '=')).unwrap_or(part.len());
                    if self.constant.is_none() {
                        self.constant = Some(part[3.min(ends)..ends].iter().cloned().collect());
                    }
                }
                Some(TokenTree::Ident(_)) if !self.has_type => {
                    self.has_type = true;
                    self.is_type_first = self.constant.is_none();
                }
                _ => {}
            }
        }
    }
}

/// What stands behind the colon of a parameter.
fn type_of(parameter: &[TokenTree]) -> TokenStream {
    let parameter = without_attributes(parameter);
    let is_colon = |at: usize| {
        is_punct(parameter.get(at), ':')
            && !is_punct(parameter.get(at + 1), ':')
            && !(at > 0 && is_punct(parameter.get(at - 1), ':'))
    };
    // `x: ::path` has three of them in a row, of which the first is alone.
    let is_first_of_three = |at: usize| {
        (0..3).all(|next| is_punct(parameter.get(at + next), ':'))
            && matches!(parameter.get(at), Some(TokenTree::Punct(punct)) if punct.spacing() == proc_macro::Spacing::Alone)
    };
    let at = (0..parameter.len()).find(|at| is_colon(*at) || is_first_of_three(*at));
    let mut of: Vec<TokenTree> = at.map_or(parameter, |at| &parameter[at + 1..]).to_vec();
    if is_punct(of.first(), '&') && is_punct(of.get(1), '\'') {
        of.drain(1..3);
    }
    of.into_iter().collect()
}
