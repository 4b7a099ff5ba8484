//! Work in words: what calls execute, beside what is said of their time.

use tare_results::{ComparisonView, ComparisonsView};
use tare_samples::FunctionUnit;
use tare_statistics::comparison::Verdict;
use tare_statistics::work::{FunctionWork, Happenings, Work, WorkVaries, WorkVerdict};

use crate::figure::Figure;
use crate::text::{one_line, truncate_middle, visible};

/// Characters of a function's name that are shown: of templates that is rarely all.
const LONGEST_FUNCTION: usize = 60;

/// What a row says of work; `None` where it wasn't counted, and where it is equal and time says the same.
pub(crate) fn beside(pair: &ComparisonView) -> Option<String> {
    let work = pair.work.as_ref()?;
    let time = pair.comparison.verdict;
    let said = match (work.verdict, time) {
        (WorkVerdict::Equal, Verdict::Same | Verdict::Unchanged) if !work.happens_otherwise() => return None,
        (WorkVerdict::Equal, Verdict::Inconclusive) => "equal work; time undecided".to_owned(),
        (WorkVerdict::Equal, time) => format!("equal work, and yet {time}"),
        (WorkVerdict::Varies, _) => format!("work varies: {}", reason(work)),
        (verdict, Verdict::Inconclusive) => format!("{}; time undecided", amount(work, verdict)),
        (WorkVerdict::More, Verdict::Faster) => format!("{}, and yet faster", amount(work, work.verdict)),
        (WorkVerdict::Less, Verdict::Slower) => format!("{}, and yet slower", amount(work, work.verdict)),
        (verdict, Verdict::Same) => format!("{}, in the same time", amount(work, verdict)),
        (verdict, _) => amount(work, verdict),
    };
    let by: Vec<String> = pair.work_by.iter().map(function).collect();
    // Functions of one row are counted alike.
    let functions =
        pair.work_by.first().map_or(String::new(), |first| format!("{}: {}", unit(first.unit), by.join("; ")));
    let [system_calls, allocations] =
        [("system calls", work.system_calls), ("allocations", work.allocations)].map(|(what, of)| often(what, of));
    Some(said + &functions + &system_calls + &allocations)
}

/// What parts of functions are of, where that isn't what the row counts: a bytecode instruction may take ten of the processor's, or a thousand.
fn unit(unit: FunctionUnit) -> &'static str {
    match unit {
        FunctionUnit::Instructions => "",
        FunctionUnit::Interpreter => "; in functions of the interpreter",
        FunctionUnit::Bytecode => "; in bytecode instructions",
        FunctionUnit::Statements => "; in statements executed",
    }
}

/// `Lexer::next +8.9 %, called 1 → 2 times by Parser::parse`.
fn function(by: &FunctionWork) -> String {
    let name = shown(&by.name);
    let part = 100.0 * by.part;
    let digits = if part.abs() < 1.0 { 2 } else { 1 };
    let changes = |[before, after]: [f64; 2]| {
        let [before, after] = [times(before), times(after)];
        (before != after).then(|| format!("{before} → {after}"))
    };
    let Some(all) = changes(by.calls) else { return format!("{name} {part:+.digits$} %") };
    let caller = by.by.as_ref().and_then(|caller| Some((shown(&caller.name), changes(caller.calls)?)));
    let caller = caller.map_or(String::new(), |(caller, calls)| {
        if calls == all { format!(" by {caller}") } else { format!(", {calls} of them by {caller}") }
    });
    format!("{name} {part:+.digits$} %, called {all} times{caller}")
}

/// The name of a function. Namespaces stand at the beginning, and what tells functions apart at the end.
fn shown(name: &str) -> String {
    // Pages and comments take it as it is.
    truncate_middle(&visible(&one_line(name), true), LONGEST_FUNCTION, true)
}

/// `; system calls 2 → 3` of a call, where that differs.
fn often(what: &str, happenings: Option<Happenings>) -> String {
    let differing = happenings.filter(|happenings| happenings.differs);
    differing.map_or(String::new(), |Happenings { base, candidate, .. }| {
        format!("; {what} {} → {}", times(base), times(candidate))
    })
}

/// How often something happens in a call.
pub(crate) fn times(calls: f64) -> String {
    if (calls - calls.round()).abs() < 0.005 { format!("{:.0}", calls.round() + 0.0) } else { format!("{calls:.2}") }
}

/// `+1.00 % work`, or how much where there is no ratio.
fn amount(work: &Work, verdict: WorkVerdict) -> String {
    match &work.ratio {
        Some(ratio) => format!("{} work", Figure::ratio(ratio).inline()),
        None => format!("{verdict} work ({:.0} instructions a call, and {:.0} before)", work.candidate, work.base),
    }
}

fn reason(work: &Work) -> &'static str {
    match work.varies {
        Some(WorkVaries::Launches) | None => {
            "processes with other seeds (of hash tables, of addresses) execute other numbers of instructions"
        }
        Some(WorkVaries::Turns) => "calls of one process execute now more, now less",
        Some(WorkVaries::Threads) => "threads or processes that aren't counted did a part of it",
        Some(WorkVaries::Unconfirmed) => "its difference wasn't confirmed by a second launch",
    }
}

/// How many rows say what: `1 more, 58 equal, 1 varies`; `None` where nothing was counted.
pub(crate) fn sums(comparisons: &ComparisonsView) -> Option<String> {
    let of = |verdict: WorkVerdict| {
        let count = comparisons.judged().filter(|pair| pair.work.is_some_and(|work| work.verdict == verdict)).count();
        (count > 0).then(|| format!("{count} {verdict}"))
    };
    let all = [WorkVerdict::More, WorkVerdict::Less, WorkVerdict::Equal, WorkVerdict::Varies];
    let mut told: Vec<String> = all.into_iter().filter_map(of).collect();
    if told.is_empty() {
        return None;
    }
    // What is proven to be unchanged needs no count.
    let uncounted = |pair: &&ComparisonView| pair.work.is_none() && pair.comparison.verdict != Verdict::Unchanged;
    let uncounted = comparisons.judged().filter(uncounted).count();
    told.extend((uncounted > 0).then(|| format!("{uncounted} not counted")));
    Some(told.join(", "))
}
