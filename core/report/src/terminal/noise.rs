//! What `tare doctor --noise` found.

use super::line::{Page, Style};
use crate::figure::share;
use crate::text::{one_line, truncate_end, visible};
use tare_results::NoiseView;

const NAME: usize = 32;

/// A row a subject, and what follows from them.
pub(super) fn write(page: &mut Page, view: &NoiseView) {
    let pm = if page.unicode { "±" } else { "+-" };
    let mut head = page.line();
    head.push(Style::Plain, "identical code").pad_to(NAME).push(Style::Plain, "in the same rounds");
    head.pad_to(NAME + 24).push(Style::Plain, "one after the other");
    page.put(head);
    for row in &view.rows {
        let mut line = page.line();
        line.push(Style::Plain, &truncate_end(&visible(&one_line(&row.subject), page.unicode), NAME - 2, page.unicode))
            .pad_to(NAME);
        match &row.interleaved {
            Some(ratio) => {
                let half_width = ratio.half_width();
                line.push(Style::Plain, &format!("{} {pm} {}", signed(ratio.estimate), share(half_width)))
            }
            None => line.push(Style::Plain, "not measured"),
        };
        line.pad_to(NAME + 24).push(Style::Plain, &row.one_after_the_other.map_or("not measured".to_owned(), signed));
        page.put(line);
    }
    page.gap();
    let (interleaved, sequential) = view.floors();
    if let Some(floor) = interleaved {
        page.prose(
            0,
            (Style::Plain, ""),
            Style::Plain,
            &format!(
                "In the same rounds identical code differed by up to {} here ({} launch pairs a subject): smaller differences may be noise, or need more launches.",
                share(floor),
                view.pairs
            ),
        );
    }
    if let Some(floor) = sequential {
        page.prose(
            0,
            (Style::Plain, ""),
            Style::Plain,
            &format!("Measured one after the other it differed by up to {}.", share(floor)),
        );
    }
}

fn signed(ratio: f64) -> String {
    let sign = if ratio < 1.0 { "-" } else { "+" };
    format!("{sign}{}", share((ratio - 1.0).abs()))
}
