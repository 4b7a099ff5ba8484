//! What every page stands in.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::style;
/// What a page of several takes from beside itself.
#[derive(Debug, Clone, Copy)]
pub enum Beside<'a> {
    /// Nothing: it stands alone, without a script.
    Nothing,
    /// The script at that address of the same server.
    Script(&'a str),
    /// Files of the same folder, by relative addresses: all pages share one style sheet and one script.
    Files {
        /// What [`style`](crate::style) gives.
        style: &'a str,
        /// A script.
        script: &'a str,
    },
}

/// A whole page that asks for nothing from outside, and takes from beside itself what `beside` names alone.
pub fn frame(title: &str, body: &Markup, beside: Beside<'_>) -> String {
    let policy = match beside {
        Beside::Script(_) => {
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'"
        }
        Beside::Nothing => "default-src 'none'; style-src 'unsafe-inline'",
        // To a browser a file has no origin, so that 'self' alone would not mean the files beside it.
        Beside::Files { .. } => {
            "default-src 'none'; style-src 'self' file:; script-src 'self' file:; img-src 'self' file:; form-action 'none'"
        }
    };
    let script = match beside {
        Beside::Nothing => None,
        Beside::Script(script) | Beside::Files { script, .. } => Some(script),
    };
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(policy);
                meta name="generator" content="Tare";
                title { (title) }
                @match beside {
                    Beside::Files { style, .. } => { link rel="stylesheet" href=(style); }
                    _ => { style { (PreEscaped(style())) } }
                }
            }
            body { (body) @if let Some(script) = script { script src=(script) {} } }
        }
    };
    page.into_string()
}
