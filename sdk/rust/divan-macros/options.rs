//! What stands in the attribute's parentheses.

use crate::function::Function;
use crate::template::{filled, is_punct, split, tokens, Error};
use crate::{bracketed, joined};
use proc_macro::{TokenStream, TokenTree};

/// What the attribute stands at.
pub(crate) enum Target<'a> {
    Function(&'a Function),
    Module,
}

pub(crate) struct Options {
    /// The path of Divan's crate.
    pub(crate) root: TokenStream,
    pub(crate) name: Option<TokenStream>,
    pub(crate) args: Option<TokenStream>,
    pub(crate) types: Option<Vec<TokenStream>>,
    pub(crate) constants: Option<TokenStream>,
    /// Values, and the counters that they are made to.
    counters: Vec<(Option<&'static str>, TokenStream)>,
    /// Those that are fields of `Options`: a name that is none is the compiler's to refuse.
    fields: Vec<(TokenTree, TokenStream)>,
}

/// Options that need no value.
const TRUTHS: [&str; 3] = ["ignore", "threads", "skip_ext_time"];

impl Options {
    pub(crate) fn parse(attribute: TokenStream, target: Target<'_>) -> Result<Self, Error> {
        let mut options = Options {
            root: tokens("::divan"),
            name: None,
            args: None,
            types: None,
            constants: None,
            counters: Vec::new(),
            fields: Vec::new(),
        };
        let mut known: Vec<String> = Vec::new();
        for (ident, value) in listed(attribute)? {
            let name = ident.to_string();
            let name = name.strip_prefix("r#").unwrap_or(&name).to_owned();
            let same = if name == "counter" { "counters".to_owned() } else { name.clone() };
            if known.contains(&same) {
                return Err(Error(format!("the option '{name}' stands twice")));
            }
            known.push(same);
            if matches!(name.as_str(), "types" | "consts" | "args") {
                match target {
                    Target::Module => return Err(Error(format!("a group has no option '{name}'"))),
                    Target::Function(function) => check(&name, function)?,
                }
            }
            match name.as_str() {
                "crate" => options.root = value,
                "name" => options.name = Some(value),
                "args" => options.args = Some(value),
                "consts" => options.constants = Some(value),
                "types" => {
                    let list = bracketed(&value).ok_or_else(|| Error("'types' is a list in brackets".to_owned()))?;
                    let parts = split(&list.into_iter().collect::<Vec<_>>());
                    options.types = Some(parts.into_iter().map(|part| part.into_iter().collect()).collect());
                }
                "counter" => options.counters.push((None, value)),
                "counters" => {
                    let list = bracketed(&value).ok_or_else(|| Error("'counters' is a list in brackets".to_owned()))?;
                    let parts = split(&list.into_iter().collect::<Vec<_>>());
                    options.counters.extend(parts.into_iter().map(|part| (None, part.into_iter().collect())));
                }
                "bytes_count" => options.counters.push((Some("BytesCount"), value)),
                "chars_count" => options.counters.push((Some("CharsCount"), value)),
                "cycles_count" => options.counters.push((Some("CyclesCount"), value)),
                "items_count" => options.counters.push((Some("ItemsCount"), value)),
                _ => options.fields.push((ident, value)),
            }
        }
        Ok(options)
    }

    /// The expression of their value.
    pub(crate) fn value(&self, is_ignored: bool) -> TokenStream {
        let mut fields = TokenStream::new();
        for (ident, value) in &self.fields {
            let name = ident.to_string();
            let value = match name.strip_prefix("r#").unwrap_or(&name) {
                // The compiler doesn't know of bare numbers that they are those of threads.
                "threads" if bracketed(value).is_some_and(is_of_literals) => {
                    self.filled("::std::vec::Vec::<usize>::from(VALUE)", value)
                }
                "threads" => self.filled("TARE_DIVAN::__private::IntoThreads::into_threads(VALUE)", value),
                "min_time" | "max_time" => {
                    self.filled("TARE_DIVAN::__private::IntoDuration::into_duration(VALUE)", value)
                }
                _ => value.clone(),
            };
            let words = [("NAME", TokenStream::from(ident.clone())), ("VALUE", value)];
            fields.extend(filled("NAME: ::std::option::Option::Some(VALUE),", &words));
        }
        if is_ignored && !self.fields.iter().any(|(ident, _)| ident.to_string().ends_with("ignore")) {
            fields.extend(tokens("ignore: ::std::option::Option::Some(true),"));
        }
        if !self.counters.is_empty() {
            let list =
                joined(self.counters.iter().map(|(kind, value)| match kind {
                    Some(kind) => self.filled(
                        &format!("<TARE_DIVAN::counter::{kind} as ::std::convert::From<_>>::from(VALUE)"),
                        value,
                    ),
                    None => value.clone(),
                }));
            fields.extend(self.filled("counters: TARE_DIVAN::__private::counters((VALUE)),", &list));
        }
        self.filled("TARE_DIVAN::__private::Options { VALUE ..::std::default::Default::default() }", &fields)
    }

    /// A text in which `VALUE` stands for this.
    fn filled(&self, text: &str, value: &TokenStream) -> TokenStream {
        filled(text, &[("VALUE", value.clone()), ("TARE_DIVAN", self.root.clone())])
    }
}

fn check(option: &str, function: &Function) -> Result<(), Error> {
    let (is_there, what) = match option {
        "types" => (function.has_type, "a generic type"),
        "consts" => (function.constant.is_some(), "a generic constant"),
        _ => (matches!(function.parameters.len(), 1 | 2), "a function's parameter"),
    };
    if is_there {
        Ok(())
    } else {
        Err(Error(format!("the option '{option}' needs {what}")))
    }
}

fn is_of_literals(list: TokenStream) -> bool {
    list.into_iter().all(|token| matches!(token, TokenTree::Literal(_)) || is_punct(Some(&token), ','))
}

/// `name = value`, or a bare name. A comma ends a value only where another option follows: a value such as `f::<A, B>()` has commas of its own.
fn listed(attribute: TokenStream) -> Result<Vec<(TokenTree, TokenStream)>, Error> {
    let items: Vec<TokenTree> = attribute.into_iter().collect();
    let begins_at = |at: usize| match items.get(at) {
        None => true,
        Some(TokenTree::Ident(word)) => {
            let has_value = is_punct(items.get(at + 1), '=') && !is_punct(items.get(at + 2), '=');
            let is_last = at + 1 == items.len() || is_punct(items.get(at + 1), ',');
            has_value || (is_last && TRUTHS.contains(&word.to_string().trim_start_matches("r#")))
        }
        _ => false,
    };
    let (mut all, mut at) = (Vec::new(), 0);
    while at < items.len() {
        let ident = match &items[at] {
            TokenTree::Ident(_) => items[at].clone(),
            other => return Err(Error(format!("an option's name is expected at `{other}`"))),
        };
        let ends = (at + 1..items.len()).find(|end| is_punct(items.get(*end), ',') && begins_at(end + 1));
        let ends = ends.unwrap_or(items.len());
        let value: TokenStream = if is_punct(items.get(at + 1), '=') {
            items[at + 2..ends].iter().cloned().collect()
        } else if ends == at + 1 {
            tokens("true")
        } else {
            return Err(Error(format!("the option '{ident}' needs `=` and a value")));
        };
        all.push((ident, value));
        at = ends + 1;
    }
    Ok(all)
}
