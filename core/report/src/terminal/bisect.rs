//! What a search for the commit to blame has found.

use std::fmt::Write;

use tare_results::{BisectCase, BisectCommit, BisectEnd, BisectHunks, BisectVerdict, BisectView, HunksEnd};
use tare_samples::Metric;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;
use tare_statistics::work::{WorkVaries, WorkVerdict};

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
    let title = view.cases.first().map_or(String::new(), |case| shown(&case.title));
    match &view.end {
        BisectEnd::Found { commit, change, level } => {
            let _ = writeln!(
                text,
                "{} made `{title}` {}: {}, {} afresh.\n",
                commit.short,
                direction(view.metric, change),
                interval(change, *level),
                done(view.metric)
            );
            let _ = write!(text, "{}", of_commit(commit));
            let _ = writeln!(text, "probability  {}", percent(view.confidence));
            view.hunks.iter().for_each(|hunks| of_hunks(hunks, view.metric, &mut text));
        }
        BisectEnd::OneOf(commits) => {
            let _ = writeln!(
                text,
                "One of {} commits changed `{title}`, with a probability of {}; no version that can be measured tells them apart.\n",
                commits.len(),
                percent(view.confidence)
            );
            commits.iter().for_each(|commit| text.push_str(&line(commit)));
        }
        BisectEnd::NoChange => {
            let _ = writeln!(text, "{}", without_change(view, &title));
        }
        BisectEnd::Unconfirmed { likeliest, change } => {
            let _ = writeln!(text, "No commit is blamed for `{title}`.");
            let _ = match change {
                Some(change) => writeln!(
                    text,
                    "The likeliest one, with {}, shows {} against its parent. {}\n",
                    percent(view.confidence),
                    change_words(change),
                    more(view.metric)
                ),
                None => writeln!(
                    text,
                    "The measurements don't tell more; the likeliest commits have {}. {}\n",
                    percent(view.confidence),
                    more(view.metric)
                ),
            };
            likeliest.iter().for_each(|commit| text.push_str(&line(commit)));
        }
        BisectEnd::Interrupted => {
            let _ = writeln!(text, "The search for what changed `{title}` was interrupted.");
        }
    }
    let whole = view.cases.first().and_then(|case| Some((case.change?, case.confidence)));
    if let Some((whole, confidence)) = whole.filter(|_| view.end != BisectEnd::NoChange) {
        let _ = writeln!(text, "\n{bad} against {good}: {}", interval(&whole, confidence));
    }
    of_others(view, &mut text);
    of_parts(view, &mut text);
    let _ = writeln!(
        text,
        "{} commits: {} unchanged by proof, {} skipped, {} measured in {} steps; {}",
        view.commits,
        view.unchanged.len(),
        view.skipped.len(),
        measured(view),
        view.steps.len(),
        whole_time(view.wall_ns as f64)
    );
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

/// In a sentence or two.
fn hunks_answer(hunks: &BisectHunks, metric: Metric) -> String {
    let (number, of) = (hunks.hunks.len(), hunks.of);
    let change = hunks.change.map_or(String::new(), |change| interval(&change, hunks.level));
    let afresh = done(metric);
    let these = match number {
        1 => format!("One of its {of} hunks"),
        _ => format!("{number} of its {of} hunks"),
    };
    let (bring, together) = if number == 1 { ("brings", "") } else { ("bring", " together") };
    match hunks.end {
        HunksEnd::Found => {
            format!("{these} {bring} the change{together}: {change}, put over the parent and {afresh} afresh.")
        }
        HunksEnd::One if of == 0 => "The commit changes no file.".to_owned(),
        HunksEnd::One => "The commit has one hunk only, so nothing more was measured.".to_owned(),
        HunksEnd::All => format!(
            "No smaller part of its {of} hunks shows the change ({} parts were tried, {} of them can't be measured).",
            hunks.tried, hunks.left_out
        ),
        HunksEnd::Bound if number == of => {
            format!("None of {} parts of its {of} hunks shows the change, and no more are tried.", hunks.tried)
        }
        HunksEnd::Bound => format!(
            "{these} {bring} the change: {change}, put over the parent and {afresh} afresh. A smaller part may do: {} parts were tried, and no more are.",
            hunks.tried
        ),
        HunksEnd::Unconfirmed => format!(
            "Which of its {of} hunks bring the change isn't sure: {number} of them seemed to, and {afresh} afresh they show {}.",
            if change.is_empty() { "none".to_owned() } else { change }
        ),
    }
}

/// How many versions were measured.
fn measured(view: &BisectView) -> usize {
    let mut commits: Vec<&str> = view.steps.iter().map(|step| step.commit.as_str()).collect();
    commits.sort_unstable();
    commits.dedup();
    commits.len()
}

fn without_change(view: &BisectView, title: &str) -> String {
    let (good, bad) = (shown(&view.good.name), shown(&view.bad.name));
    let Some(case) = view.cases.first() else { return "No case was compared.".to_owned() };
    let shown = case.change.map(|change| interval(&change, case.confidence));
    match (case.verdict, shown) {
        (BisectVerdict::Time(Verdict::Unchanged), _) => format!(
            "Nothing that `{title}` executes or reads differs between {good} and {bad}, by proof, so no commit is to blame."
        ),
        (BisectVerdict::Work(WorkVerdict::Varies, varies), shown) => varying(title, varies, shown),
        (BisectVerdict::Work(..), shown) => format!(
            "A call of `{title}` executes as many instructions in {good} as in {bad}{}, so no commit is blamed. Its time may differ all the same: leave --metric out.",
            shown.map_or(String::new(), |shown| format!(" ({shown})"))
        ),
        (BisectVerdict::Memory(_), Some(shown)) => format!(
            "No difference of the memory of `{title}` is shown between {good} and {bad}, so no commit is blamed: {shown}."
        ),
        (_, Some(shown)) => format!(
            "No difference of `{title}` is shown between {good} and {bad}, so no commit is blamed: {shown}.\nMeasure longer with --budget, or ask for smaller differences with --margin.",
        ),
        (_, None) => format!("`{title}` has no ratio between {good} and {bad}; `tare compare` says why."),
    }
}

/// Counts that don't repeat themselves.
fn varying(title: &str, varies: Option<WorkVaries>, shown: Option<String>) -> String {
    let (why, remedy) = match varies {
        Some(WorkVaries::Threads) => {
            ("threads that aren't counted do a part of the work", "Search by time: leave --metric out")
        }
        Some(WorkVaries::Turns) => (
            "calls of one process execute now more, now less",
            "Give it fixed inputs and a fixed seed, or search by time: leave --metric out",
        ),
        _ => (
            "processes with other hash seeds execute other numbers of instructions",
            "Let it not depend on the order of hashes, or search by time: leave --metric out",
        ),
    };
    let shown =
        shown.map_or(String::new(), |shown| format!(", and the difference between both ends is no larger ({shown})"));
    format!("What a call of `{title}` executes varies: {why}{shown}. No commit is blamed.\n{remedy}.")
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

/// What a commit made of a case, beside its parent.
fn direction(metric: Metric, change: &Estimate) -> &'static str {
    match (metric, change.estimate > 1.0) {
        (Metric::Time, true) => "slower than its parent",
        (Metric::Time, false) => "faster than its parent",
        (Metric::Instructions, true) => "execute more instructions than its parent does",
        (Metric::Instructions, false) => "execute fewer instructions than its parent does",
        (Metric::Memory, true) => "hold more memory than its parent does",
        (Metric::Memory, false) => "hold less memory than its parent does",
    }
}

/// How a figure came about.
fn done(metric: Metric) -> &'static str {
    match metric {
        Metric::Time => "measured",
        Metric::Instructions => "counted",
        Metric::Memory => "weighed",
    }
}

/// What to do where a search knows no more.
fn more(metric: Metric) -> &'static str {
    match metric {
        Metric::Time => "Give more time with --budget, or compare it by `tare compare`.",
        Metric::Instructions => "See what `tare compare --work` says of it.",
        Metric::Memory => "See what `tare compare --memory` says of it.",
    }
}

fn change_words(change: &Estimate) -> String {
    format!("{:+.2} %", 100.0 * (change.estimate - 1.0))
}

/// A change with its interval, or with its bound where there is no confidence.
fn interval(change: &Estimate, confidence: Option<f64>) -> String {
    let at = |ratio: f64| 100.0 * (ratio - 1.0);
    let of = confidence.map_or("within".to_owned(), |confidence| format!("{:.0} % interval", 100.0 * confidence));
    format!("{} ({of} {:+.2} to {:+.2} %)", change_words(change), at(change.low), at(change.high))
}

/// A whole percentage, and never 100 %.
fn percent(fraction: f64) -> String {
    format!("{:.1} %", (100.0 * fraction).min(99.9))
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
    use super::{bisect_bar, percent};

    #[test]
    fn the_likeliest_commits_stand_highest() {
        assert_eq!(bisect_bar(&[0.25; 4], 10), "████");
        assert_eq!(bisect_bar(&[0.0, 0.1, 0.8, 0.1], 10), " ▁█▁");
        // Two commits a column.
        assert_eq!(bisect_bar(&[0.0, 0.0, 0.5, 0.0, 0.25, 0.25], 3), " ██");
        assert_eq!(bisect_bar(&[1.0], 10), "█");
    }

    #[test]
    fn no_search_is_certain() {
        assert_eq!((percent(0.954), percent(0.999_99)), ("95.4 %".to_owned(), "99.9 %".to_owned()));
    }
}
