//! What a build server shows beside a pull request.

use std::path::Path;

use tare_report::{COMMENT, COMMENT_MARK, annotations};
use tare_statistics::comparison::Verdict;

use crate::fixtures;

#[test]
fn a_comment_of_thousands_of_cases_fits_and_begins_with_its_mark() {
    let mut view = fixtures::controlled(0.0008);
    for index in 0..2000 {
        let mut pair = view.comparisons.pairs[1 + index % 17].clone();
        pair.title = format!("HashBench::benchHash {index}");
        view.comparisons.pairs.push(pair);
    }
    let text = (COMMENT.render)(&view);
    assert!(text.starts_with(&format!("{COMMENT_MARK}\n### ")) && text.contains("more rows, left out"));
    assert!(text.len() < 65_536, "{} bytes", text.len());
}

#[test]
fn what_is_slower_is_marked_at_its_line_and_no_name_breaks_out() {
    let mut view = fixtures::compared();
    let slower = |pair: &tare_results::ComparisonView| pair.comparison.verdict == Verdict::Slower;
    let at = view.comparisons.pairs.iter().position(slower).unwrap();
    let id = view.comparisons.pairs[at].candidate.id.clone();
    let variant = view.variants.iter_mut().find(|one| one.variant.id == id).unwrap();
    (variant.variant.case.file, variant.variant.case.line) = ("src/a,b:c%\n::error::x.php".to_owned(), 12);
    view.comparisons.pairs[at].title = format!("x\n::error::y%0A{}", "z".repeat(4000));
    let text = annotations(&view, Path::new("tools/speed"));
    assert_eq!(text.lines().count(), view.comparisons.judged().filter(|pair| slower(pair)).count(), "{text}");
    let place = "::warning file=tools/speed/src/a%2Cb%3Ac%25%0A%3A%3Aerror%3A%3Ax.php,line=12,title=Tare::x";
    let line = text.lines().find(|line| line.starts_with(place)).unwrap_or_else(|| panic!("{text}"));
    assert!(line.contains("%250A") || !line.contains("%0Az"), "{line}");
    assert!(line.contains(" got slower by ") && line.chars().count() < 300, "{line}");
    assert!(text.lines().all(|line| line.starts_with("::warning ")), "{text}");

    // GitHub shows ten of them.
    let pair = view.comparisons.pairs[at].clone();
    view.comparisons.pairs.extend(std::iter::repeat_n(pair, 30));
    let text = annotations(&view, Path::new(""));
    assert_eq!(text.matches("::warning ").count(), 10);
    assert!(
        text.lines().last().unwrap().starts_with("::notice::") && text.contains("more benchmarks are slower"),
        "{text}"
    );
    for pair in &mut view.comparisons.pairs {
        pair.comparison.verdict = Verdict::Same;
    }
    assert_eq!(annotations(&view, Path::new("")), "");
}
