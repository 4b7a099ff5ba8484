//! Where the ± of a time comes from.

use maud::{Markup, html};
use tare_statistics::UncertaintyBudget;

use super::chart::{KINDS, shape};
use super::distribution::WIDTH;
use super::{Caption, at, picture};

const BAR: f64 = 14.0;
const LINE: f64 = 16.0;
/// Shares below this are in the table alone.
const SEEN: f64 = 0.005;

/// Parts of the ± with their share of it, the largest first: shares of the variance, which add up to 1. Empty where nothing is known.
pub(crate) fn shares(budget: &UncertaintyBudget) -> Vec<(&'static str, f64)> {
    let parts = [
        ("launches differ", budget.between_launch),
        ("samples within a launch", budget.within_launch),
        ("loop and call", budget.call),
        ("cost of the clock", budget.clock_cost),
        ("step of the clock", budget.clock_resolution),
        ("drift of the machine", budget.drift),
        ("runs differ", budget.between_runs),
    ];
    let all: f64 = parts.iter().map(|(_, part)| part * part).sum();
    if !all.is_finite() || all <= 0.0 {
        return Vec::new();
    }
    let mut shares: Vec<(&str, f64)> = parts.iter().map(|(name, part)| (*name, part * part / all)).collect();
    shares.sort_by(|a, b| b.1.total_cmp(&a.1));
    shares.retain(|(_, share)| *share > SEEN);
    shares
}

/// `73 %`.
pub(crate) fn share(part: f64) -> String {
    format!("{:.0} %", part * 100.0)
}

/// The shares as one bar, with their names below.
pub(crate) fn budget(shares: &[(&'static str, f64)], said: &Caption<'_>) -> Markup {
    let mut x = 0.0;
    let placed: Vec<(f64, f64)> = shares
        .iter()
        .map(|(_, part)| {
            let from = x;
            x += part * WIDTH;
            (from, part * WIDTH)
        })
        .collect();
    let inside = html! {
        @for (kind, (from, wide)) in placed.iter().enumerate() {
            rect class={ "bar s" (kind % KINDS) } x=(at(*from)) y="0" width=(at((wide - 1.0).max(1.0))) height=(BAR) {}
        }
        @for (kind, (name, part)) in shares.iter().enumerate() {
            @let y = BAR + LINE + kind as f64 * LINE;
            path class={ "dot s" (kind % KINDS) } d=(shape(1, 6.0, y - 4.0)) {}
            text class="name" x="16" y=(at(y)) { (name) " " (share(*part)) }
        }
    };
    picture(WIDTH, BAR + LINE * shares.len() as f64 + 6.0, "panel", said, &inside)
}

#[cfg(test)]
mod tests {
    use tare_statistics::UncertaintyBudget;

    use super::{budget, shares};
    use crate::svg::Caption;

    #[test]
    fn parts_are_shares_of_the_variance_and_fill_the_bar() {
        let of = UncertaintyBudget {
            between_launch: 3.0,
            within_launch: 4.0,
            combined: 5.0,
            ..UncertaintyBudget::default()
        };
        let found = shares(&of);
        assert_eq!(found, [("samples within a launch", 0.64), ("launches differ", 0.36)]);
        let drawn = budget(&found, &Caption { title: "t", description: "", table: "t" }).into_string();
        assert_eq!(drawn.matches("<rect").count(), 2);
        assert!(drawn.contains("launches differ 36 %"), "{drawn}");
        assert!(shares(&UncertaintyBudget::default()).is_empty());
        assert!(shares(&UncertaintyBudget { drift: f64::NAN, ..of }).is_empty());
    }
}
