//! A line of bars for each step of a search, one below the other.

use maud::{Markup, html};

use super::{Caption, at, picture};

const NAMES: f64 = 30.0;
/// Height of a line, its bars, and what is marked below them.
const LINE: f64 = 40.0;
const BARS: f64 = 26.0;
const FOOT: f64 = 18.0;
/// Shares below this are none.
const NEGLIGIBLE: f64 = 0.002;

/// A line.
pub(crate) struct LineOfSteps {
    /// What stands on its left.
    pub(crate) name: String,
    /// By column: a part of 1.
    pub(crate) shares: Vec<f64>,
    /// A column that is marked.
    pub(crate) marked: Option<usize>,
}

/// The lines, with what the first and the last of `columns` are called. The highest bar of a line has its whole height, so that lines that are spread wide are seen as well.
pub(crate) fn lines_of_steps(
    lines: &[LineOfSteps],
    columns: usize,
    [first, last]: [&str; 2],
    said: &Caption<'_>,
    is_narrow: bool,
) -> Markup {
    let width = if is_narrow { 360.0 } else { 760.0 };
    let each = (width - NAMES) / columns.max(1) as f64;
    let height = lines.len() as f64 * LINE + FOOT;
    let left = |column: usize| NAMES + each * column as f64;
    let inside = html! {
        @for (number, line) in lines.iter().enumerate() {
            @let base = number as f64 * LINE + BARS + 2.0;
            @let most = line.shares.iter().copied().fold(0.0, f64::max);
            text class="end" x=(at(NAMES - 8.0)) y=(at(base)) { (line.name) }
            g class="grid" { path d={ "M" (at(NAMES)) " " (at(base)) "H" (at(width)) } {} }
            @for (column, share) in line.shares.iter().enumerate().filter(|(_, share)| **share > NEGLIGIBLE) {
                @let tall = (share / most * BARS).max(1.0);
                rect class="bar s0" x=(at(left(column))) y=(at(base - tall)) width=(at((0.85 * each).max(0.8))) height=(at(tall)) {}
            }
            @if let Some(column) = line.marked {
                @let middle = left(column) + 0.42 * each;
                path class="mark slower" d={ "M" (at(middle)) " " (at(base + 2.0)) "l4 7h-8z" } {}
            }
        }
        text class="start" x=(at(NAMES)) y=(at(height - 4.0)) { (first) }
        text class="end" x=(at(width)) y=(at(height - 4.0)) { (last) }
    };
    // As the forest's two pictures: the page shows one of them.
    picture(width, height, if is_narrow { "forest tall" } else { "forest" }, said, &inside)
}

#[cfg(test)]
mod tests {
    use super::{LineOfSteps, lines_of_steps};
    use crate::svg::Caption;

    #[test]
    fn the_likeliest_column_of_each_line_is_the_highest() {
        let line = |shares: &[f64], marked| LineOfSteps { name: "1".to_owned(), shares: shares.to_vec(), marked };
        let lines = [line(&[0.25; 4], Some(1)), line(&[0.0, 0.5, 0.25, 0.25], None)];
        let said = Caption { title: "t", description: "", table: "commits-t" };
        let drawn = lines_of_steps(&lines, 4, ["old", "new"], &said, false).into_string();
        assert_eq!(drawn.matches("height=\"26\"").count(), 5, "{drawn}");
        assert_eq!((drawn.matches("height=\"13\"").count(), drawn.matches("<rect").count()), (2, 7), "{drawn}");
        assert_eq!(drawn.matches("class=\"mark").count(), 1, "{drawn}");
        assert!(drawn.contains(">old<") && drawn.contains(">new<"), "{drawn}");
    }
}
