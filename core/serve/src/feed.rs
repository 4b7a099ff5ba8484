//! Changes as an Atom feed (RFC 4287), and the newest time of a case as a badge.

use maud::{PreEscaped, html};
use tare_report::{HistoryOf, short_name, time_words};

use crate::history::{Change, Point};
use crate::site::{Site, encoded};

/// Units of a character of a badge.
const CHARACTER: usize = 7;

/// `address` is where the server is, up to its last `/`; files name each other instead.
pub(crate) fn atom(changes: &[Change], address: &str, site: Site<'_>) -> String {
    let link = |change: &Change| site.change(change).trim_start_matches('/').replace('&', "&amp;");
    let newest = changes.iter().map(|change| change.started.as_str()).max().unwrap_or("1970-01-01T00:00:00Z");
    let feed = html! {
        (PreEscaped("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"))
        feed xmlns="http://www.w3.org/2005/Atom" {
            title { "Tare: changes of level and of work" }
            id { "urn:tare:changes" }
            author { name { "Tare" } }
            updated { (short_name(newest)) }
            @if site.is_served() { (PreEscaped(format!("<link rel=\"self\" href=\"{address}feed.atom\"/>"))) }
            @for change in changes {
                entry {
                    title { (short_name(&change.case)) " on " (short_name(tare_report::runtime_name(&change.runtime))) @if !change.calls.is_empty() { ", " (short_name(&change.calls)) } ": " (crate::pages::size(change)) }
                    id { "urn:tare:change:" (encoded(&change.run)) ":" (encoded(&change.case)) ":" (encoded(&change.runtime)) @if !change.calls.is_empty() { ":" (encoded(&change.calls)) } @if change.of == HistoryOf::Work { ":work" } }
                    updated { (short_name(&change.started)) }
                    (PreEscaped(format!("<link href=\"{address}{}\"/>", link(change))))
                    summary { "from " (crate::pages::amount(change, change.from)) " to " (crate::pages::amount(change, change.to)) }
                }
            }
        }
    };
    feed.into_string()
}

/// A badge as others have them: what it is, and the figure.
pub(crate) fn badge(case: &str, newest: Option<&Point>) -> String {
    let name = short_name(case.rsplit("::").next().unwrap_or(case)).chars().take(40).collect::<String>();
    let figure = newest.map_or_else(|| "not measured".to_owned(), |point| time_words(&point.time));
    let wide = |text: &str| text.chars().count() * CHARACTER + 12;
    let (left, right) = (wide(&name), wide(&figure));
    let picture = html! {
        svg xmlns="http://www.w3.org/2000/svg" role="img" width=(left + right) height="20" aria-label={ (name) ": " (figure) } {
            title { (name) ": " (figure) }
            rect width=(left + right) height="20" rx="3" fill="#005a9c" {}
            rect width=(left) height="20" rx="3" fill="#3d444d" {}
            g fill="#fff" text-anchor="middle" font-family="DejaVu Sans, Verdana, sans-serif" font-size="11" {
                text x=(left / 2) y="14" { (name) }
                text x=(left + right / 2) y="14" { (figure) }
            }
        }
    };
    picture.into_string()
}
