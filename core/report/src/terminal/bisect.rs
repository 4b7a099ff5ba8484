//! What a search for the commit to blame has found.

use std::fmt::Write;

use tare_results::{BisectCase, BisectCommit, BisectEnd, BisectHunks, BisectView, HunksEnd};
use tare_samples::Metric;

use crate::bisect_words::{answer, change_words, counts, hunks_answer, interval, next, percent};
use crate::message::visible_message;
use crate::progress::whole_time;

/// Hunks that are shown.
const MOST_HUNKS: usize = 8;
/// Blocks of eight heights, from nearly nothing.
const HEIGHTS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// The answer in a sentence, then the commit, and what it rests on.
pub fn bisect_text(view: &BisectView) -> String {
    // Writing to a string doesn't fail.
    let mut text = String::new();
    let (good, bad) = (shown(&view.good.name), shown(&view.bad.name));
    let _ = writeln!(text, "{}", answer(view));
    next(view).iter().for_each(|next| _ = writeln!(text, "{next}"));
    match &view.end {
        BisectEnd::Found { commit, .. } => {
            let _ = write!(text, "\n{}", of_commit(commit));
            let _ = writeln!(text, "probability  {}", percent(view.confidence));
            view.hunks.iter().for_each(|hunks| of_hunks(hunks, view.metric, &mut text));
        }
        BisectEnd::OneOf(commits) | BisectEnd::Unconfirmed { likeliest: commits, .. } => {
            text.push('\n');
            commits.iter().for_each(|commit| text.push_str(&line(commit)));
        }
        BisectEnd::NoChange | BisectEnd::Interrupted => {}
    }
    let whole = view.cases.first().and_then(|case| Some((case.change?, case.confidence)));
    if let Some((whole, confidence)) = whole.filter(|_| view.end != BisectEnd::NoChange) {
        let _ = writeln!(text, "\n{bad} against {good}: {}", interval(&whole, confidence));
    }
    of_others(view, &mut text);
    of_parts(view, &mut text);
    let _ = writeln!(text, "{}; {}", counts(view), whole_time(view.wall_ns as f64));
    for skipped in &view.skipped {
        let _ = writeln!(text, "skipped {}: {}", skipped.short, shown(&skipped.why));
    }
    text
}

/// What of a commit brings the change.
fn of_hunks(hunks: &BisectHunks, metric: Metric, text: &mut String) {
    let _ = writeln!(text, "\n{}", hunks_answer(hunks, metric));
    if hunks.end == HunksEnd::One {
        return;
    }
    for hunk in hunks.hunks.iter().take(MOST_HUNKS) {
        let place = if hunk.line > 0 { format!(":{}", hunk.line) } else { String::new() };
        let _ = writeln!(text, "\n  {}{place}", shown(&hunk.file));
        hunk.text.lines().for_each(|line| text.push_str(&format!("    {line}\n")));
    }
    if hunks.hunks.len() > MOST_HUNKS {
        let _ = writeln!(text, "\n  and {} more hunks; --json FILE has them all", hunks.hunks.len() - MOST_HUNKS);
    }
}

/// Other cases that matched.
fn of_others(view: &BisectView, text: &mut String) {
    let others = view.cases.get(1..).unwrap_or_default();
    if others.is_empty() {
        return;
    }
    let told = |case: &BisectCase| match case.change {
        Some(change) => format!("{} {}", shown(&case.title), change_words(&change)),
        None => format!("{} {}", shown(&case.title), case.verdict.name()),
    };
    let all: Vec<String> = others.iter().take(5).map(told).collect();
    let more = if others.len() > 5 { format!(", and {} more", others.len() - 5) } else { String::new() };
    let _ = writeln!(text, "--case matches others, which changed less: {}{more}", all.join(", "));
}

/// Parts of the change that came with other commits.
fn of_parts(view: &BisectView, text: &mut String) {
    let mut between: Vec<(&str, f64)> =
        view.steps.iter().filter_map(|step| Some((step.short.as_str(), step.between?))).collect();
    between.dedup_by_key(|(commit, _)| *commit);
    for (commit, share) in between {
        let _ = writeln!(
            text,
            "{commit} has {:.0} % of the change: other commits changed it too. Search before and after it for them",
            100.0 * share
        );
    }
}

fn of_commit(commit: &BisectCommit) -> String {
    format!(
        "commit       {}\nparent       {}\ndate         {}\nsubject      {}\n",
        commit.commit,
        commit.parent,
        commit.date,
        shown(&commit.subject)
    )
}

fn line(commit: &BisectCommit) -> String {
    format!("  {}  {}  {}\n", commit.short, commit.date, shown(&commit.subject))
}

fn shown(text: &str) -> String {
    visible_message(text)
}

/// Commits as a line, the oldest first: the higher a column, the likelier that a commit in it brought the change. A column has several commits where there are more than `width`.
pub fn bisect_bar(probabilities: &[f64], width: usize) -> String {
    let columns = probabilities.len().min(width).max(1);
    let mut sums = vec![0.0; columns];
    for (at, probability) in probabilities.iter().enumerate() {
        sums[at * columns / probabilities.len()] += probability;
    }
    let most = sums.iter().copied().fold(0.0, f64::max);
    let block = |sum: f64| {
        if sum <= 0.0005 {
            return ' ';
        }
        HEIGHTS[((sum / most * 8.0).ceil() as usize).clamp(1, 8) - 1]
    };
    sums.into_iter().map(block).collect()
}

#[cfg(test)]
mod tests {
    use super::bisect_bar;

    #[test]
    fn the_likeliest_commits_stand_highest() {
        assert_eq!(bisect_bar(&[0.25; 4], 10), "████");
        assert_eq!(bisect_bar(&[0.0, 0.1, 0.8, 0.1], 10), " ▁█▁");
        // Two commits a column.
        assert_eq!(bisect_bar(&[0.0, 0.0, 0.5, 0.0, 0.25, 0.25], 3), " ██");
        assert_eq!(bisect_bar(&[1.0], 10), "█");
    }
}
