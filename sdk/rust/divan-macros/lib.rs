//! Divan's attributes, for a build for Tare. What they make has nothing to do with what Divan's own make: both sides are Tare's. They are written with the compiler's own tokens alone, so that
//! none of the crates that Divan's need has to be compiled.

use proc_macro::{Delimiter, TokenStream, TokenTree};

mod function;
mod instances;
mod options;
mod template;

use function::{is_ignored, Function};
use options::{Options, Target};
use template::{filled, flat, literal, tokens, Error};

/// A benchmark.
#[proc_macro_attribute]
pub fn bench(options: TokenStream, item: TokenStream) -> TokenStream {
    beside(item.clone(), benchmark(options, item))
}

/// A group of benchmarks: a module.
#[proc_macro_attribute]
pub fn bench_group(options: TokenStream, item: TokenStream) -> TokenStream {
    beside(item.clone(), group(options, item))
}

/// The item as it is, and what was made of it.
fn beside(item: TokenStream, made: Result<TokenStream, Error>) -> TokenStream {
    let made = made.unwrap_or_else(|Error(message)| {
        filled("::std::compile_error! { MESSAGE }", &[("MESSAGE", literal(&message))])
    });
    item.into_iter().chain(made).collect()
}

fn benchmark(options: TokenStream, item: TokenStream) -> Result<TokenStream, Error> {
    let function = Function::parse(item)?;
    let options = Options::parse(options, Target::Function(&function))?;
    let Some(instances) = instances::of(&function, &options)? else { return Ok(TokenStream::new()) };
    let kind = filled(
        "TARE_DIVAN::__private::Kind::Benchmark(INSTANCES)",
        &[("INSTANCES", instances.list), ("TARE_DIVAN", options.root.clone())],
    );
    Ok(entry(&function.name, function.is_ignored, &options, instances.items, kind))
}

fn group(options: TokenStream, item: TokenStream) -> Result<TokenStream, Error> {
    let options = Options::parse(options, Target::Module)?;
    let item = flat(item);
    let at = item.iter().position(|token| matches!(token, TokenTree::Ident(word) if word.to_string() == "mod"));
    let name = at.and_then(|at| match item.get(at + 1) {
        Some(TokenTree::Ident(name)) => Some(name.to_string()),
        _ => None,
    });
    let name = name.ok_or_else(|| Error("#[divan::bench_group] stands before a module".to_owned()))?;
    let kind = filled("TARE_DIVAN::__private::Kind::Group", &[("TARE_DIVAN", options.root.clone())]);
    Ok(entry(&name, is_ignored(&item), &options, TokenStream::new(), kind))
}

/// The static that tells of a benchmark or a group, and the function that registers it before `main` begins: the loader calls what these sections name.
fn entry(name: &str, ignore: bool, options: &Options, items: TokenStream, kind: TokenStream) -> TokenStream {
    let plain = name.strip_prefix("r#").unwrap_or(name);
    filled(
        r#"const _: () = {
            ITEMS
            static __TARE_ENTRY: TARE_DIVAN::__private::Entry = TARE_DIVAN::__private::Entry {
                raw_name: RAW,
                display_name: SHOWN,
                module_path: ::std::module_path!(),
                file: ::std::file!(),
                line: ::std::line!(),
                column: ::std::column!(),
                options: || OPTIONS,
                kind: KIND,
            };
            #[used]
            #[cfg_attr(windows, link_section = ".CRT$XCU")]
            #[cfg_attr(any(target_os = "macos", target_os = "ios"), link_section = "__DATA,__mod_init_func,mod_init_funcs")]
            #[cfg_attr(not(any(windows, target_os = "macos", target_os = "ios")), link_section = ".init_array")]
            static __TARE_BEFORE_MAIN: extern "C" fn() = __tare_register;
            extern "C" fn __tare_register() {
                static __TARE_NODE: TARE_DIVAN::__private::Node = TARE_DIVAN::__private::Node::new(&__TARE_ENTRY);
                TARE_DIVAN::__private::register(&__TARE_NODE);
            }
        };"#,
        &[
            ("ITEMS", items),
            ("RAW", literal(name)),
            ("SHOWN", options.name.clone().unwrap_or_else(|| literal(plain))),
            ("OPTIONS", options.value(ignore)),
            ("KIND", kind),
            ("TARE_DIVAN", options.root.clone()),
        ],
    )
}

/// Whether a value is a list in brackets, and what is in it.
fn bracketed(value: &TokenStream) -> Option<TokenStream> {
    match flat(value.clone()).as_slice() {
        [TokenTree::Group(group)] if group.delimiter() == Delimiter::Bracket => Some(group.stream()),
        _ => None,
    }
}

fn joined(parts: impl IntoIterator<Item = TokenStream>) -> TokenStream {
    parts.into_iter().flat_map(|part| part.into_iter().chain(tokens(","))).collect()
}
