//! All ratios of a page in one picture, to be seen at a glance or taken into a paper.

use maud::{Markup, html};

use super::ratio::{shade, ticks};
use super::{Caption, ROW, RatioRow, at, labels, picture};
use crate::axis::Axis;

const NAMES: f64 = 300.0;
const PLOT: f64 = 360.0;
const CHANGES: f64 = 130.0;
const HEAD: f64 = 20.0;
/// Rows of a picture are drawn closer than those of a table.
const STEP: f64 = ROW - 2.0;

/// Height of a row in two lines.
const TALL: f64 = 36.0;

/// A row: the ratio with its name and the change in words.
pub(crate) struct ForestRow {
    pub(crate) row: RatioRow,
    /// Fit to be shown, and short.
    pub(crate) name: String,
    pub(crate) change: String,
}

/// A row each, from the top.
pub(crate) fn forest(axis: &Axis, rows: &[ForestRow], said: &Caption<'_>) -> Markup {
    let height = HEAD + rows.len() as f64 * STEP + 6.0;
    let inside = html! {
        g transform={ "translate(" (NAMES) ")" } { (ground(axis, rows, height)) }
        @for (number, row) in rows.iter().enumerate() {
            @let y = flat(number);
            text class="name" x="0" y=(at(y + 4.0)) { (row.name) }
            g id={ "f" (number) } { (row.row.draw(axis, PLOT, NAMES, y)) }
            text class="figure" x=(NAMES + PLOT + CHANGES) y=(at(y + 4.0)) { (row.change) }
        }
    };
    picture(NAMES + PLOT + CHANGES, height, "forest", said, &inside)
}

/// Height of a row beside its name.
fn flat(number: usize) -> f64 {
    HEAD + (number as f64 + 0.5) * STEP
}

/// The same for a narrow window: names and changes stand above their intervals, which are those of the wide picture on the same page.
pub(crate) fn tall_forest(axis: &Axis, rows: &[ForestRow], said: &Caption<'_>) -> Markup {
    let height = HEAD + rows.len() as f64 * TALL + 6.0;
    let inside = html! {
        (ground(axis, rows, height))
        @for (number, row) in rows.iter().enumerate() {
            @let y = HEAD + number as f64 * TALL;
            text y=(at(y + 13.0)) { (row.name) }
            use href={ "#f" (number) } x=(-NAMES) y=(at(y + 25.0 - flat(number))) {}
            text class="figure" x=(PLOT) y=(at(y + 13.0)) { (row.change) }
        }
    };
    picture(PLOT, height, "forest tall", said, &inside)
}

/// The axis, and the margin from top to bottom.
fn ground(axis: &Axis, rows: &[ForestRow], height: f64) -> Markup {
    let margin = rows.iter().map(|row| row.row.margin).filter(|margin| margin.is_finite()).fold(f64::NAN, f64::max);
    html! {
        (labels(&ticks(axis, PLOT), 12.0))
        (shade(axis, margin, PLOT, HEAD - 2.0, height))
    }
}

#[cfg(test)]
mod tests {
    use tare_statistics::Estimate;
    use tare_statistics::comparison::Verdict;

    use super::{ForestRow, forest, tall_forest};
    use crate::axis::Axis;
    use crate::svg::{Caption, RatioRow};

    #[test]
    fn a_narrow_window_has_the_same_rows() {
        let ratio = Estimate { estimate: 1.1, low: 1.05, high: 1.15 };
        let row = |name: &str| ForestRow {
            row: RatioRow { ratio, margin: 0.005, verdict: Some(Verdict::Slower), of_load: false },
            name: name.to_owned(),
            change: "+10 % ± 5".to_owned(),
        };
        let (rows, said) = ([row("one"), row("two")], Caption { title: "t", description: "", table: "rows" });
        let axis = Axis::of(&[(ratio, 0.005)]).expect("an axis");
        let wide = forest(&axis, &rows, &said).into_string();
        let narrow = tall_forest(&axis, &rows, &said).into_string();
        for (drawn, mark) in [(&wide, "class=\"mark "), (&narrow, "<use ")] {
            let counts = [mark, ">+10 % ± 5<", ">one<", ">two<", "class=\"margin\""];
            assert_eq!(counts.map(|part| drawn.matches(part).count()), [2, 2, 1, 1, 1], "{drawn}");
        }
        for number in [0, 1] {
            assert!(
                wide.contains(&format!(" id=\"f{number}\"")) && narrow.contains(&format!("\"#f{number}\"")),
                "{narrow}"
            );
        }
    }
}
