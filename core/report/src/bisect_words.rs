//! A search for the commit to blame in words, the same on the screen and on a page.

use tare_results::{BisectEnd, BisectHunks, BisectStep, BisectVerdict, BisectView, HunksEnd};
use tare_samples::Metric;
use tare_statistics::Estimate;
use tare_statistics::comparison::Verdict;
use tare_statistics::work::{WorkVaries, WorkVerdict};

use crate::message::visible_message;

/// Log-odds of 3 to 1.
const TELLING: f64 = 1.1;

/// The answer in a sentence.
pub(crate) fn answer(view: &BisectView) -> String {
    let title = view.cases.first().map_or(String::new(), |case| shown(&case.title));
    match &view.end {
        BisectEnd::Found { commit, change, level } => format!(
            "{} made `{title}` {}: {}, {} afresh.",
            commit.short,
            direction(view.metric, change),
            interval(change, *level),
            done(view.metric)
        ),
        BisectEnd::OneOf(commits) => format!(
            "One of {} commits changed `{title}`, with a probability of {}; no version that can be measured tells them apart.",
            commits.len(),
            percent(view.confidence)
        ),
        BisectEnd::NoChange => without_change(view, &title).0,
        BisectEnd::Unconfirmed { .. } => format!("No commit is blamed for `{title}`."),
        BisectEnd::Interrupted => format!("The search for what changed `{title}` was interrupted."),
    }
}

/// What else is to be said where none is blamed, and what to do.
pub(crate) fn next(view: &BisectView) -> Option<String> {
    let title = view.cases.first().map_or(String::new(), |case| shown(&case.title));
    match &view.end {
        BisectEnd::NoChange => without_change(view, &title).1,
        BisectEnd::Unconfirmed { change: Some(change), .. } => Some(format!(
            "The likeliest one, with {}, shows {} against its parent. {}",
            percent(view.confidence),
            change_words(change),
            more(view.metric)
        )),
        BisectEnd::Unconfirmed { change: None, .. } => Some(format!(
            "The measurements don't tell more; the likeliest commits have {}. {}",
            percent(view.confidence),
            more(view.metric)
        )),
        _ => None,
    }
}

/// `64 commits: 2 unchanged by proof, 0 skipped, 5 measured in 7 steps`.
pub(crate) fn counts(view: &BisectView) -> String {
    format!(
        "{} commits: {} unchanged by proof, {} skipped, {} measured in {} {}",
        view.history.len(),
        view.unchanged.len(),
        view.skipped.len(),
        measured(view),
        view.steps.len(),
        if view.steps.len() == 1 { "step" } else { "steps" }
    )
}

/// What a step showed of its version, between the ends of these names.
pub(crate) fn place_words(step: &BisectStep, [good, bad]: [&str; 2]) -> String {
    match step.between {
        Some(share) => format!("it has {:.0} % of the change", 100.0 * share),
        None if step.log_odds > TELLING => format!("it is as {}", shown(bad)),
        None if step.log_odds < -TELLING => format!("it is as {}", shown(good)),
        None => "it isn't told apart from either end".to_owned(),
    }
}

/// In a sentence or two.
pub(crate) fn hunks_answer(hunks: &BisectHunks, metric: Metric) -> String {
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

/// That nothing was found to search for, and what to do.
fn without_change(view: &BisectView, title: &str) -> (String, Option<String>) {
    let (good, bad) = (shown(&view.good.name), shown(&view.bad.name));
    let Some(case) = view.cases.first() else { return ("No case was compared.".to_owned(), None) };
    let shown = case.change.map(|change| interval(&change, case.confidence));
    let (said, next) = match (case.verdict, shown) {
        (BisectVerdict::Time(Verdict::Unchanged), _) => (
            format!(
                "Nothing that `{title}` executes or reads differs between {good} and {bad}, by proof, so no commit is to blame."
            ),
            "",
        ),
        (BisectVerdict::Work(WorkVerdict::Varies, varies), shown) => varying(title, varies, shown),
        (BisectVerdict::Work(..), shown) => (
            format!(
                "A call of `{title}` executes as many instructions in {good} as in {bad}{}, so no commit is blamed.",
                shown.map_or(String::new(), |shown| format!(" ({shown})"))
            ),
            "Its time may differ all the same: leave --metric out.",
        ),
        (BisectVerdict::Memory(_), Some(shown)) => (
            format!(
                "No difference of the memory of `{title}` is shown between {good} and {bad}, so no commit is blamed: {shown}."
            ),
            "",
        ),
        (_, Some(shown)) => (
            format!("No difference of `{title}` is shown between {good} and {bad}, so no commit is blamed: {shown}."),
            "Measure longer with --budget, or ask for smaller differences with --margin.",
        ),
        (_, None) => (
            format!("`{title}` has no ratio between {good} and {bad}, so no commit is blamed."),
            "See what `tare compare` says of it.",
        ),
    };
    (said, (!next.is_empty()).then(|| next.to_owned()))
}

/// Counts that don't repeat themselves.
fn varying(title: &str, varies: Option<WorkVaries>, shown: Option<String>) -> (String, &'static str) {
    let (why, remedy) = match varies {
        Some(WorkVaries::Threads) => {
            ("threads that aren't counted do a part of the work", "Search by time: leave --metric out.")
        }
        Some(WorkVaries::Turns) => (
            "calls of one process execute now more, now less",
            "Give it fixed inputs and a fixed seed, or search by time: leave --metric out.",
        ),
        _ => (
            "processes with other hash seeds execute other numbers of instructions",
            "Let it not depend on the order of hashes, or search by time: leave --metric out.",
        ),
    };
    let shown =
        shown.map_or(String::new(), |shown| format!(", and the difference between both ends is no larger ({shown})"));
    (format!("What a call of `{title}` executes varies: {why}{shown}. No commit is blamed."), remedy)
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
pub(crate) fn done(metric: Metric) -> &'static str {
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

/// `+2.98 %`.
pub(crate) fn change_words(change: &Estimate) -> String {
    format!("{:+.2} %", 100.0 * (change.estimate - 1.0))
}

/// A change with its interval, or with its bound where there is no confidence.
pub(crate) fn interval(change: &Estimate, confidence: Option<f64>) -> String {
    let at = |ratio: f64| 100.0 * (ratio - 1.0);
    let of = confidence.map_or("within".to_owned(), |confidence| format!("{:.0} % interval", 100.0 * confidence));
    format!("{} ({of} {:+.2} to {:+.2} %)", change_words(change), at(change.low), at(change.high))
}

/// A whole percentage, and never 100 %.
pub(crate) fn percent(fraction: f64) -> String {
    format!("{:.1} %", (100.0 * fraction).min(99.9))
}

fn shown(text: &str) -> String {
    visible_message(text)
}

#[cfg(test)]
mod tests {
    use super::percent;

    #[test]
    fn no_search_is_certain() {
        assert_eq!((percent(0.954), percent(0.999_99)), ("95.4 %".to_owned(), "99.9 %".to_owned()));
    }
}
