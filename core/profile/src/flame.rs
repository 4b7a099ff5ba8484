use inferno::flamegraph::{Direction, Options, from_lines};

use crate::stacks::Stacks;

/// Stacks as a flame graph in SVG (Gregg, "The flame graph", Communications of the ACM 59(6), 2016): widths are counts, named `unit`.
/// The same stacks give the same picture. `None` where there is no stack: an empty picture says nothing.
pub fn flame_graph(stacks: &Stacks, title: &str, unit: &str) -> Option<String> {
    if stacks.is_empty() {
        return None;
    }
    let lines: Vec<String> = stacks.lines().collect();
    let mut options = Options::default();
    options.title = shown(title);
    options.count_name = unit.to_owned();
    options.direction = Direction::Straight;
    options.deterministic = true;
    let mut picture = Vec::new();
    from_lines(&mut options, lines.iter().map(String::as_str), &mut picture).ok()?;
    String::from_utf8(picture).ok()
}

/// XML has no way to write most control characters.
fn shown(title: &str) -> String {
    title.chars().map(|c| if c.is_control() { '\u{fffd}' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::flame_graph;
    use crate::stacks::Stacks;

    #[test]
    fn hostile_names_stay_text() {
        let mut stacks = Stacks::default();
        stacks.add(["main", "</text><script>alert(1)</script>", "\u{1b}]0;x\u{7}"], 10);
        let picture = flame_graph(&stacks, "<b>&\u{1b}", "samples").unwrap();
        assert!(!picture.contains("<script>alert") && !picture.contains('\u{1b}') && !picture.contains("<b>"));
        assert!(picture.contains("&lt;script&gt;"), "the name is there, escaped");
        assert_eq!(flame_graph(&stacks, "<b>&\u{1b}", "samples").unwrap(), picture);
    }

    #[test]
    fn no_stack_is_no_picture() {
        assert_eq!(flame_graph(&Stacks::default(), "t", "samples"), None);
    }
}
