//! The answer for programs that read text.

use tare_report::{Attention, attention, brief};
use tare_statistics::comparison::Verdict;

use crate::fixtures;

#[test]
fn the_answer_comes_first_and_only_what_asks_for_attention_has_a_row() {
    let view = fixtures::compared();
    let text = brief(&view);
    let count =
        |verdicts: &[Verdict]| -> usize { verdicts.iter().map(|verdict| view.comparisons.count(*verdict)).sum() };
    let rows = text.lines().filter(|line| line.starts_with("- ") && line.contains(" → ")).count();
    assert!(text.lines().next().unwrap().contains("slower"), "{text}");
    assert!(rows > 0 && rows <= count(&[Verdict::Slower, Verdict::Faster, Verdict::Inconclusive]), "{text}");
    assert_eq!(attention(&view), Attention::Slower);
}

#[test]
fn names_end_no_line_and_a_long_suite_is_cut() {
    let hostile = brief(&fixtures::hostile_comparisons("a\nb\u{1b}[31m\u{202e}`c`"));
    assert!(!hostile.chars().any(|c| c.is_control() && c != '\n'), "{hostile:?}");
    let mut many = fixtures::compared();
    let pair = many.comparisons.judged().find(|pair| pair.comparison.verdict == Verdict::Slower).unwrap().clone();
    many.comparisons.pairs = (0..100).map(|_| pair.clone()).collect();
    let text = brief(&many);
    assert!(text.contains("- and 70 more") && text.lines().count() < 50, "{text}");
}
