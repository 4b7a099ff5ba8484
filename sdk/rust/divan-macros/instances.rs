//! A function, once for each of its types and constants.

use crate::function::Function;
use crate::options::Options;
use crate::template::{filled, split, tokens, Error};
use crate::{bracketed, joined};
use proc_macro::TokenStream;

pub(crate) struct Instances {
    /// A slice of them.
    pub(crate) list: TokenStream,
    /// Items that they need.
    pub(crate) items: TokenStream,
}

/// How many constants there may be that aren't written down as a list: as with Divan.
const MOST_CONSTANTS: usize = 20;

/// None of them where a list of types or constants is empty.
pub(crate) fn of(function: &Function, options: &Options) -> Result<Option<Instances>, Error> {
    let types: Vec<Option<&TokenStream>> = match &options.types {
        None => vec![None],
        Some(types) => types.iter().map(Some).collect(),
    };
    let written = options.constants.as_ref().and_then(bracketed);
    let numbers: Vec<Option<usize>> = match (&options.constants, &written) {
        (None, _) => vec![None],
        (_, Some(list)) => (0..split(&list.clone().into_iter().collect::<Vec<_>>()).len()).map(Some).collect(),
        _ => (0..MOST_CONSTANTS).map(Some).collect(),
    };
    if types.is_empty() || numbers.is_empty() {
        return Ok(None);
    }
    let items = match (&options.constants, &function.constant) {
        (Some(value), Some(of)) => filled(
            "const __TARE_CONSTANTS: &[TYPE] = &VALUE;
             const _: () = assert!(IS_LIST || __TARE_CONSTANTS.len() <= MOST, \"constants that aren't listed are at most 20\");",
            &[
                ("TYPE", of.clone()),
                ("VALUE", value.clone()),
                ("IS_LIST", tokens(if written.is_some() { "true" } else { "false" })),
                ("MOST", tokens(&format!("{MOST_CONSTANTS}usize"))),
            ],
        ),
        _ => TokenStream::new(),
    };
    let mut all = Vec::new();
    for of_type in &types {
        for number in &numbers {
            all.push(instance(function, options, *of_type, *number)?);
        }
    }
    Ok(Some(Instances { list: filled("&[ALL]", &[("ALL", joined(all))]), items }))
}

fn instance(
    function: &Function,
    options: &Options,
    of_type: Option<&TokenStream>,
    number: Option<usize>,
) -> Result<TokenStream, Error> {
    let constant = number.map(|number| {
        // Where there are fewer of them, the first one stands in for what isn't there.
        let text = "__TARE_CONSTANTS[if NUMBER < __TARE_CONSTANTS.len() { NUMBER } else { 0 }]";
        filled(text, &[("NUMBER", tokens(&format!("{number}usize")))])
    });
    let in_braces = constant.as_ref().map(|constant| filled("{ VALUE }", &[("VALUE", constant.clone())]));
    let mut generics: Vec<TokenStream> = in_braces.into_iter().chain(of_type.cloned()).collect();
    if function.is_type_first {
        generics.reverse();
    }
    let called = if generics.is_empty() {
        function.ident.clone().into()
    } else {
        let words = [("FUNCTION", function.ident.clone().into()), ("GENERICS", joined(generics))];
        filled("FUNCTION::<GENERICS>", &words)
    };
    let some = |text: &str, value: Option<TokenStream>| match value {
        Some(value) => filled(&format!("::std::option::Option::Some({text})"), &[("VALUE", value)]),
        None => tokens("::std::option::Option::None"),
    };
    Ok(filled(
        "TARE_DIVAN::__private::Instance { type_name: TYPE, constant: CONSTANT, is_there: IS_THERE, runner: RUNNER }",
        &[
            ("TYPE", some("::std::any::type_name::<VALUE>", of_type.cloned())),
            ("CONSTANT", some("|| ::std::string::ToString::to_string(&VALUE)", constant)),
            (
                "IS_THERE",
                tokens(&number.map_or("true".to_owned(), |number| format!("{number}usize < __TARE_CONSTANTS.len()"))),
            ),
            ("RUNNER", runner(function, options, called)?),
            ("TARE_DIVAN", options.root.clone()),
        ],
    ))
}

fn runner(function: &Function, options: &Options, called: TokenStream) -> Result<TokenStream, Error> {
    let text = match (function.parameters.len(), &options.args) {
        (0, None) => "TARE_DIVAN::__private::Runner::Plain(|__tare| __tare.bench(|| CALLED()))",
        (1, None) => "TARE_DIVAN::__private::Runner::Plain(|__tare| CALLED(__tare))",
        (1, Some(_)) => {
            "TARE_DIVAN::__private::Runner::Args(|__tare| __tare.each(
                || RETURNED { ARGS },
                |__tare| TARE_DIVAN::__private::Printed(__tare).to_string(),
                |__tare, __tare_value| __tare.bench(|| CALLED(TARE_DIVAN::__private::Arg::<TYPE>::get(__tare_value))),
            ))"
        }
        (2, Some(_)) => {
            "TARE_DIVAN::__private::Runner::Args(|__tare| __tare.each(
                || RETURNED { ARGS },
                |__tare| TARE_DIVAN::__private::Printed(__tare).to_string(),
                |__tare, __tare_value| CALLED(__tare, TARE_DIVAN::__private::Arg::<TYPE>::get(__tare_value)),
            ))"
        }
        _ => {
            let last = function.parameters.last().cloned().unwrap_or_default();
            return Err(Error(format!("expected 'args' option containing '{last}'")));
        }
    };
    let of = function.parameters.last().cloned().unwrap_or_default();
    let args = options.args.clone().unwrap_or_default();
    // An empty list doesn't say what it is a list of.
    let returned = match bracketed(&args) {
        Some(list) if list.is_empty() => filled("-> [TYPE; 0]", &[("TYPE", of.clone())]),
        _ => TokenStream::new(),
    };
    let words = [
        ("CALLED", called),
        ("RETURNED", returned),
        ("ARGS", args),
        ("TYPE", of),
        ("TARE_DIVAN", options.root.clone()),
    ];
    Ok(filled(text, &words))
}
