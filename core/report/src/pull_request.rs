//! What a build server shows beside a pull request: the comment, and marks at the lines of benchmarks that got slower.

use std::fmt::Write as _;
use std::path::Path;

use tare_results::{ComparisonView, RunView};
use tare_statistics::comparison::Verdict;

use crate::formats::Format;
use crate::markdown::markdown_summary;
use crate::names;
use crate::order::ordered;
use crate::text::{one_line, truncate_middle, visible};
use crate::wording;

/// By this a later job finds the comment to write anew. Markdown doesn't show it.
pub const COMMENT_MARK: &str = "<!-- tare -->";
/// GitHub shows no more warnings of a step.
const MOST_MARKS: usize = 10;
/// Columns of a name in a mark.
const LONGEST_NAME: usize = 120;

/// The comment of a pull request: the summary in Markdown under a hidden mark.
pub const COMMENT: Format = Format { name: "comment", help: "", render: comment };

fn comment(view: &RunView) -> String {
    format!("{COMMENT_MARK}\n{}", markdown_summary(view))
}

/// A warning of GitHub's at the line of each benchmark that is slower, the largest change first. `folder`: the project's root below that of the repository.
pub fn annotations(view: &RunView, folder: &Path) -> String {
    let slower: Vec<&ComparisonView> = ordered(view.comparisons.judged())
        .into_iter()
        .map(|(_, pair)| pair)
        .filter(|pair| pair.comparison.verdict == Verdict::Slower)
        .collect();
    let mut text = String::new();
    for pair in slower.iter().take(MOST_MARKS) {
        let _ = writeln!(text, "{}", mark(pair, view, folder));
    }
    if slower.len() > MOST_MARKS {
        let _ =
            writeln!(text, "::notice::{} more benchmarks are slower; the summary has them", slower.len() - MOST_MARKS);
    }
    text
}

fn mark(pair: &ComparisonView, view: &RunView, folder: &Path) -> String {
    let case =
        view.variants.iter().find(|variant| variant.variant.id == pair.candidate.id).map(|one| &one.variant.case);
    let mut place = String::new();
    // One of an absolute path isn't the repository's.
    if let Some(case) = case.filter(|case| !case.file.is_empty() && Path::new(&case.file).is_relative()) {
        let file = folder.join(&case.file);
        let _ = write!(place, "file={},", property(&file.to_string_lossy()));
        if case.line > 0 {
            let _ = write!(place, "line={},", case.line);
        }
    }
    let name = truncate_middle(&visible(&one_line(&names::of_pair(pair, &view.comparisons)), true), LONGEST_NAME, true);
    // With its ±: `by 9.7 % ± 2.2`, `to 2.02× ± 0.1 the time`.
    let by = wording::change_of(&pair.comparison).map_or_else(String::new, |change| {
        let shown = change.inline();
        match shown.contains('×') {
            true => format!(" to {shown} the time"),
            false => format!(" by {}", shown.trim_start_matches('+')),
        }
    });
    format!("::warning {place}title=Tare::{}", data(&format!("{name} got slower{by}")))
}

/// A message as GitHub's commands want it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A value among several: it ends at a comma or colon.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}
