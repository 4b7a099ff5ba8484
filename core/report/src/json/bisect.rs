use serde_json::Value;
use tare_results::{BisectCase, BisectCommit, BisectEnd, BisectHunk, BisectRevision, BisectStep, BisectView};
use tare_statistics::Estimate;

use super::parts::Object;
use super::{Layout, VERSION};

/// A search for the commit that changed a case, as the document `tare.bisect`. `commit`, `parent` and `change` are there where a commit was found and confirmed.
pub fn bisect_document(view: &BisectView, layout: Layout) -> String {
    let (found, change, level, likeliest): (Option<&BisectCommit>, Option<&Estimate>, _, &[BisectCommit]) =
        match &view.end {
            BisectEnd::Found { commit, change, level } => (Some(commit), Some(change), *level, &[]),
            BisectEnd::OneOf(commits) => (None, None, None, commits),
            BisectEnd::Unconfirmed { likeliest, .. } => (None, None, None, likeliest),
            BisectEnd::NoChange | BisectEnd::Interrupted => (None, None, None, &[]),
        };
    let end = match &view.end {
        BisectEnd::Found { .. } => "found",
        BisectEnd::OneOf(_) => "one-of",
        BisectEnd::NoChange => "no-change",
        BisectEnd::Unconfirmed { .. } => "unconfirmed",
        BisectEnd::Interrupted => "interrupted",
    };
    let case = view.cases.first();
    let document = Object::default()
        .with("format", "tare.bisect")
        .with("version", VERSION)
        .maybe("case", case.map(|case| case.id.as_str()))
        .with("metric", view.metric.name())
        .with("good", side(&view.good))
        .with("bad", side(&view.bad))
        .with("commits", view.history.len())
        .with("end", end)
        .maybe("commit", found.map(|commit| commit.commit.as_str()))
        .maybe("parent", found.map(|commit| commit.parent.as_str()))
        .maybe("date", found.map(|commit| commit.date.as_str()))
        .maybe("subject", found.map(|commit| commit.subject.as_str()))
        .figure("confidence", view.confidence)
        .maybe("change", change.and_then(|change| ratio(change, level)))
        .maybe("hunks", view.hunks.as_ref().map(|found| found.hunks.iter().map(hunk).collect::<Value>()))
        .maybe("hunks_of", view.hunks.as_ref().map(|found| found.of))
        .maybe("hunks_end", view.hunks.as_ref().map(|found| found.end.name()))
        .maybe("hunks_tried", view.hunks.as_ref().map(|found| found.tried))
        .maybe("hunks_change", view.hunks.as_ref().and_then(|found| ratio(&found.change?, found.level)))
        .maybe("likeliest", (!likeliest.is_empty()).then(|| likeliest.iter().map(commit).collect::<Value>()))
        .with("cases", view.cases.iter().map(case_of).collect::<Value>())
        .with("steps", view.steps.iter().map(step).collect::<Value>())
        .with(
            "skipped",
            view.skipped
                .iter()
                .map(|one| Object::default().with("commit", one.commit.as_str()).with("why", one.why.as_str()).done())
                .collect::<Value>(),
        )
        .with("unchanged", view.unchanged.clone())
        .with("wall_ns", view.wall_ns);
    layout.text(&document.done())
}

fn side(revision: &BisectRevision) -> Value {
    Object::default().with("name", revision.name.as_str()).with("commit", revision.commit.as_str()).done()
}

fn commit(commit: &BisectCommit) -> Value {
    Object::default()
        .with("commit", commit.commit.as_str())
        .with("parent", commit.parent.as_str())
        .with("date", commit.date.as_str())
        .with("subject", commit.subject.as_str())
        .done()
}

/// `{"ratio":…,"low":…,"high":…,"confidence":…}`; a bound has no confidence.
fn ratio(change: &Estimate, confidence: Option<f64>) -> Option<Value> {
    change.estimate.is_finite().then(|| {
        Object::default()
            .figure("ratio", change.estimate)
            .figure("low", change.low)
            .figure("high", change.high)
            .maybe("confidence", confidence)
            .done()
    })
}

fn hunk(hunk: &BisectHunk) -> Value {
    Object::default()
        .with("file", hunk.file.as_str())
        .with("line", hunk.line)
        .with("lines", hunk.lines)
        .with("text", hunk.text.as_str())
        .done()
}

fn case_of(case: &BisectCase) -> Value {
    Object::default()
        .with("case", case.id.as_str())
        .with("title", case.title.as_str())
        .with("verdict", case.verdict.name())
        .maybe("change", case.change.and_then(|change| ratio(&change, case.confidence)))
        .done()
}

fn step(step: &BisectStep) -> Value {
    Object::default()
        .with("commit", step.commit.as_str())
        .with("launches", step.launches)
        .maybe("from_good", ratio(&step.from_good, step.confidence))
        .maybe("to_bad", ratio(&step.to_bad, step.confidence))
        .maybe("whole", ratio(&step.whole, step.confidence))
        .figure("log_odds", step.log_odds)
        .maybe("between", step.between)
        .figure("changed", step.changed)
        .with("likeliest", step.likeliest.short.as_str())
        .figure("likelihood", step.likeliest.probability)
        .done()
}
