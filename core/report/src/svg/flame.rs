//! Where time goes, function in function: a flame graph (Gregg, "The flame graph", Communications of the ACM 59(6), 2016) from the top down.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::Caption;
use crate::page_text::shortened;

/// Height of a frame.
const ROW: usize = 18;
/// Frames below this share of the whole aren't drawn: they would be slivers.
const NARROWEST: f64 = 0.004;
/// From these shares on a frame has its name: in a wide window, and in a narrow one.
const NAMED: (f64, f64) = (0.03, 0.12);
const DEEPEST: usize = 40;
/// Frames of a picture, at most: a page stays small enough to be sent.
const MOST: usize = 400;
const NAME: usize = 80;
/// Shades, by the name: neighbours differ, and the same function looks the same.
const SHADES: u32 = 3;

/// A function within those that call it.
#[derive(Default)]
struct Frame<'a> {
    count: u64,
    inner: BTreeMap<&'a str, Frame<'a>>,
}

/// A frame where it is drawn: parts of the width, and how deep.
struct Placed<'a> {
    name: &'a str,
    from: f64,
    share: f64,
    depth: usize,
}

/// A frame for each function that something was seen in, as wide as its share of all, below the function that calls it. Stacks are functions that are
/// separated by `;`, the outermost first, with their counts. It is as wide as its window; letters keep their size. `None` where nothing was seen.
pub(crate) fn flame(stacks: &[(String, u64)], said: &Caption<'_>) -> Option<Markup> {
    let mut whole = Frame::default();
    for (stack, count) in stacks.iter().filter(|(_, count)| *count > 0) {
        let mut frame = &mut whole;
        frame.count = frame.count.saturating_add(*count);
        for name in stack.split(';').take(DEEPEST) {
            frame = frame.inner.entry(name).or_default();
            frame.count = frame.count.saturating_add(*count);
        }
    }
    let mut placed = Vec::new();
    place(&whole, whole.count as f64, (0.0, 0), &mut placed);
    if placed.is_empty() {
        return None;
    }
    // Of too many the narrowest are left out.
    placed.sort_by(|a, b| b.share.total_cmp(&a.share).then(a.depth.cmp(&b.depth)));
    placed.truncate(MOST);
    let rows = placed.iter().map(|frame| frame.depth + 1).max().unwrap_or(1);
    Some(html! {
        svg class="flame" role="img" style={ "height:" (rows * ROW) "px" } aria-details=(said.table) {
            title { (said.title) }
            @if !said.description.is_empty() { desc { (said.description) } }
            @for frame in &placed { (drawn(frame)) }
        }
    })
}

fn place<'a>(frame: &Frame<'a>, all: f64, (from, depth): (f64, usize), placed: &mut Vec<Placed<'a>>) {
    let mut from = from;
    for (name, inner) in &frame.inner {
        let share = inner.count as f64 / all;
        if share >= NARROWEST {
            placed.push(Placed { name, from, share, depth });
            place(inner, all, (from, depth + 1), placed);
        }
        from += share;
    }
}

/// A window of its own, which cuts a name that is too long for it.
fn drawn(frame: &Placed<'_>) -> Markup {
    let name = shortened(frame.name, NAME);
    let percent = |part: f64| format!("{:.2}%", part * 100.0);
    html! {
        svg x=(percent(frame.from)) y=(frame.depth * ROW) width=(percent(frame.share)) height=(ROW) {
            title { (name) ", " (format!("{:.1} %", frame.share * 100.0)) }
            rect class={ "frame f" (shade(frame.name)) } width="100%" height=(ROW - 1) {}
            @if frame.share >= NAMED.0 { text class=[(frame.share < NAMED.1).then_some("roomy")] x="4" y="13" { (name) } }
        }
    }
}

fn shade(name: &str) -> u32 {
    name.bytes().fold(7u32, |sum, byte| sum.wrapping_mul(31).wrapping_add(u32::from(byte))) % SHADES
}

#[cfg(test)]
mod tests {
    use super::flame;
    use crate::svg::Caption;

    const SAID: Caption<'_> = Caption { title: "t", description: "", table: "t" };

    fn stacks(of: &[(&str, u64)]) -> Vec<(String, u64)> {
        of.iter().map(|(stack, count)| ((*stack).to_owned(), *count)).collect()
    }

    #[test]
    fn a_frame_is_as_wide_as_what_was_seen_in_it_and_stands_below_its_caller() {
        let drawn = flame(&stacks(&[("main;parse", 30), ("main;sort;compare", 60), ("main", 9), ("other", 1)]), &SAID);
        let drawn = drawn.expect("a picture").into_string();
        assert_eq!(drawn.matches("<rect").count(), 5, "{drawn}");
        for frame in [
            "x=\"0.00%\" y=\"0\" width=\"99.00%\"",
            "x=\"0.00%\" y=\"18\" width=\"30.00%\"",
            "x=\"30.00%\" y=\"18\" width=\"60.00%\"",
            "x=\"30.00%\" y=\"36\" width=\"60.00%\"",
        ] {
            assert!(drawn.contains(frame), "{frame}: {drawn}");
        }
        assert!(drawn.contains("style=\"height:54px\""), "{drawn}");
    }

    #[test]
    fn nothing_is_no_picture_and_very_much_is_a_small_one() {
        assert!(flame(&[], &SAID).is_none() && flame(&stacks(&[("main", 0)]), &SAID).is_none());
        let deep = vec!["f"; 100_000].join(";");
        let many: Vec<(String, u64)> =
            (0..5_000).map(|n| (format!("main;f{n};g{n};{}", "x".repeat(2_000)), 1)).collect();
        let many = flame(&[many, stacks(&[(&deep, u64::MAX / 2)])].concat(), &SAID).expect("a picture").into_string();
        assert!(many.len() < 200_000, "{}", many.len());
    }

    #[test]
    fn hostile_names_stay_text() {
        let drawn = flame(&stacks(&[("</text><script>alert(1)</script>\u{202e}\u{1b}", 1)]), &SAID).expect("a picture");
        let drawn = drawn.into_string();
        assert!(!drawn.contains("<script") && !drawn.contains('\u{202e}') && !drawn.contains('\u{1b}'), "{drawn}");
        assert!(drawn.contains("&lt;script&gt;"), "{drawn}");
    }
}
