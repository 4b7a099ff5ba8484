//! Who sent the requests of a load, where several did: how surely they began together, and what each did.

use tare_results::LoadGenerator;

use super::line::{Page, Style};
use crate::figure::time;
use crate::text::{one_line, truncate_middle, visible};

/// More lines than this nobody reads; the document has all.
const MOST: usize = 16;
/// Of the name of a machine.
const ROOM: usize = 32;

/// How surely all began together: twice the worst bound of a clock, and the latest start.
pub(crate) fn together_s(generators: &[LoadGenerator]) -> f64 {
    let most = |of: fn(&LoadGenerator) -> f64| generators.iter().map(of).fold(0.0, f64::max);
    2.0 * most(|generator| generator.clock_within_s) + most(|generator| generator.start_late_s)
}

pub(super) fn write(page: &mut Page, generators: &[LoadGenerator]) {
    if generators.is_empty() {
        return;
    }
    page.gap();
    let head = format!(
        "{} generators, whose starts lay within {} of each other",
        generators.len(),
        time(together_s(generators) * 1e9)
    );
    page.prose(0, (Style::Plain, ""), Style::Bold, if generators.len() == 1 { "1 generator" } else { &head });
    for generator in generators.iter().take(MOST) {
        let mut said = vec![
            truncate_middle(&visible(&one_line(&generator.host), page.unicode), ROOM, page.unicode),
            format!("{} connections", generator.connections),
            format!("{} requests", generator.ended),
        ];
        if generator.late + generator.dropped > 0 {
            said.push(format!("{} late, {} dropped", generator.late, generator.dropped));
        }
        let sign = if generator.clock_offset_s < 0.0 { "behind" } else { "ahead" };
        said.push(format!(
            "clock {} {sign}, known to {}",
            time(generator.clock_offset_s.abs() * 1e9),
            time(generator.clock_within_s * 1e9)
        ));
        let lead = format!("  {:<4}", generator.number);
        page.phrases(0, (Style::Dim, &lead), Style::Plain, ", ", &said);
    }
    if generators.len() > MOST {
        let more = format!("and {} more, which --json shows", generators.len() - MOST);
        page.prose(2, (Style::Plain, ""), Style::Dim, &more);
    }
}
