//! What every page stands in.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::style;
/// A whole page that asks for nothing from outside. It runs no script, or the one at that address of the same server.
pub fn frame(title: &str, body: &Markup, script: Option<&str>) -> String {
    let policy = match script {
        Some(_) => {
            "default-src 'none'; style-src 'unsafe-inline'; script-src 'self'; connect-src 'self'; img-src 'self'; form-action 'self'"
        }
        None => "default-src 'none'; style-src 'unsafe-inline'",
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
                style { (PreEscaped(style())) }
            }
            body { (body) @if let Some(script) = script { script src=(script) {} } }
        }
    };
    page.into_string()
}
