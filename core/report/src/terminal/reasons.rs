use super::TableOptions;
use super::line::{Page, Style};
use crate::text::one_line;
use crate::wording;
use tare_results::{Reason, ReasonView};

/// Why each case of two revisions is measured, or what shows that it needn't be: a paragraph a reason, and the cases that it is about below it.
pub fn reasons(views: &[ReasonView], options: &TableOptions) -> String {
    let mut page = Page::new(options);
    let mut told: Vec<(String, Style, Vec<&str>)> = Vec::new();
    for view in views {
        let (text, style) = said(&view.reason);
        match told.iter_mut().find(|(known, ..)| *known == text) {
            Some((_, _, titles)) => titles.push(&view.title),
            None => told.push((text, style, vec![&view.title])),
        }
    }
    for (text, style, titles) in told {
        page.prose(0, (Style::Plain, ""), style, &text);
        for title in titles {
            page.prose(2, (Style::Plain, ""), Style::Plain, &one_line(title));
        }
        page.gap();
    }
    page.finish()
}

fn said(reason: &Reason) -> (String, Style) {
    match reason {
        Reason::Unchanged(proof) => {
            (format!("unchanged: {}", wording::proven(std::iter::once(proof)).unwrap_or_default()), Style::Dim)
        }
        Reason::Differs(what) => (format!("measured, since {what}"), Style::Plain),
        Reason::Unproven(why) => {
            (format!("measured, because there is no proof that it is unchanged: {why}"), Style::Yellow)
        }
        Reason::Unpaired(side) => (format!("only in {}, and compared with nothing", one_line(side)), Style::Dim),
    }
}
