//! Where a difference of work lies: the functions that make it up.

use std::collections::{BTreeMap, BTreeSet};

use serde::{Deserialize, Serialize};
use tare_samples::{CountedCaller, CountedFunction, CountedWork, FunctionUnit};

/// A function that executes more, or less, in a call of the candidate.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FunctionWork {
    /// Its symbol, or its name in the program.
    pub name: String,
    /// What it is counted in.
    #[serde(default)]
    pub unit: FunctionUnit,
    /// By how much, as a part of what a call of the base executes, in that unit.
    pub part: f64,
    /// How often a call of the base calls it, and a call of the candidate.
    pub calls: [f64; 2],
    /// Where that differs: who calls it otherwise, where the counter says so.
    #[serde(default)]
    pub by: Option<Caller>,
}

/// A function that calls another more often, or less, than the base does; of several the one that changes it most.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Caller {
    /// Its symbol.
    pub name: String,
    /// How often it calls it in a call of the base, and in one of the candidate.
    pub calls: [f64; 2],
}

/// So many functions are named at the most.
const MOST_FUNCTIONS: usize = 5;
/// What one function does in another's place is no change of all.
const NOTHING: f64 = 1e-9;
/// What changes by less than this part of what changes most isn't named.
const LITTLE: f64 = 0.02;
/// Those that are named leave this part of a difference open.
const LEFT: f64 = 0.05;

/// Where a difference of work lies: functions by what they execute themselves, those that change most first, until they make up all but a twentieth of it. None where counts have no
/// functions. Of an interpreter's program they are the program's own, as its worker counts them; where these execute the same, change the other way than the work does, as where
/// builtins do what they did, or aren't known, the interpreter's.
pub fn by_function(base: &CountedWork, candidate: &CountedWork, interpreted: bool) -> Vec<FunctionWork> {
    let more = candidate.per_call() - base.per_call();
    let mut of_program = Vec::new();
    if let (Some(before), Some(after)) = (&base.executed, &candidate.executed)
        && before.unit == after.unit
    {
        let of_base = per_call(base, &before.functions);
        let whole = of_base.values().map(|[own, _]| own).sum();
        let (told, all) = largest(&of_base, &per_call(candidate, &after.functions), whole, before.unit, |_| true);
        if !told.is_empty() && (all.abs() < NOTHING || all * more > 0.0) {
            return told;
        }
        of_program = told;
    }
    let unit = if interpreted { FunctionUnit::Interpreter } else { FunctionUnit::Instructions };
    let (of_base, of_candidate) = (per_call(base, &base.functions), per_call(candidate, &candidate.functions));
    // Of an interpreter without symbols callgrind has addresses, which tell its users nothing.
    let has_name = |name: &str| !interpreted || !name.starts_with("0x");
    let (mut told, _) = largest(&of_base, &of_candidate, base.per_call(), unit, has_name);
    // Who calls what within an interpreter tells its users nothing.
    if !interpreted {
        for function in &mut told {
            function.by = caller(function, base, candidate);
        }
    }
    if told.is_empty() { of_program } else { told }
}

/// Who calls a function otherwise, as the function's own calls change. A counter that loses its way, as where goroutines take turns on a thread, may know of more calls by one caller
/// than there are. A caller without a name is left out.
fn caller(function: &FunctionWork, base: &CountedWork, candidate: &CountedWork) -> Option<Caller> {
    let callers = |work: &CountedWork| -> BTreeMap<String, f64> {
        let of = work.functions.iter().find(|one| one.name == function.name);
        let calls = a_call(work);
        let each = |caller: &CountedCaller| Some((caller.name.clone(), calls?(caller.few, caller.many)));
        of.into_iter().flat_map(|function| &function.callers).filter_map(each).collect()
    };
    let [before, after] = [base, candidate].map(callers);
    let all: BTreeSet<&String> = before.keys().chain(after.keys()).collect();
    let of = |side: &BTreeMap<String, f64>, name: &str| side.get(name).copied().unwrap_or(0.0);
    let all = all.into_iter().map(|name| Caller { name: name.clone(), calls: [of(&before, name), of(&after, name)] });
    let change = |[before, after]: [f64; 2]| after - before;
    let more = change(function.calls);
    let can_be = |caller: &Caller| {
        let within = caller.calls.iter().zip(function.calls).all(|(of_caller, all)| *of_caller <= all + NOTHING);
        within && change(caller.calls) * more > 0.0 && !caller.name.starts_with("0x")
    };
    let changes = |caller: &Caller| change(caller.calls).abs();
    all.filter(can_be).max_by(|one, other| changes(one).total_cmp(&changes(other)))
}

/// What a count of a turn with few calls, and of one with many, is for each of them; `None` where nothing was counted.
fn a_call(work: &CountedWork) -> Option<impl Fn(u64, u64) -> f64 + Copy> {
    let first = work.launches.first()?;
    let calls = first.calls[2] as f64 - first.calls[0] as f64;
    Some(move |few: u64, many: u64| (many as f64 - few as f64) / calls)
}

/// What functions take themselves in a call, and how often a call calls them, by name.
fn per_call(work: &CountedWork, functions: &[CountedFunction]) -> BTreeMap<String, [f64; 2]> {
    let Some(each) = a_call(work) else { return BTreeMap::new() };
    let of = |one: &CountedFunction| {
        (one.name.clone(), [each(one.few.own, one.many.own), each(one.few.calls, one.many.calls)])
    };
    functions.iter().map(of).collect()
}

/// The functions of both sides that change most and are to be told, as parts of `whole`, and the sum of all.
fn largest(
    of_base: &BTreeMap<String, [f64; 2]>,
    of_candidate: &BTreeMap<String, [f64; 2]>,
    whole: f64,
    unit: FunctionUnit,
    is_told: impl Fn(&str) -> bool,
) -> (Vec<FunctionWork>, f64) {
    if of_base.is_empty() || of_candidate.is_empty() || whole <= 0.0 {
        return (Vec::new(), 0.0);
    }
    let names: BTreeSet<&String> = of_base.keys().chain(of_candidate.keys()).collect();
    let mut changes: Vec<FunctionWork> = names
        .into_iter()
        .map(|name| {
            let [before, after] = [of_base, of_candidate].map(|side| side.get(name).copied().unwrap_or_default());
            let part = (after[0] - before[0]) / whole;
            FunctionWork { name: name.clone(), unit, part, calls: [before[1], after[1]], by: None }
        })
        .filter(|change| change.part != 0.0)
        .collect();
    changes.sort_by(|one, other| other.part.abs().total_cmp(&one.part.abs()));
    let all: f64 = changes.iter().map(|change| change.part).sum();
    let mut named = 0.0;
    let mut told: Vec<FunctionWork> = Vec::new();
    for change in changes {
        // What one function gains and another loses is named, too, though both together are nothing.
        let is_named = !told.is_empty() && (all - named).abs() <= LEFT * all.abs();
        let is_little = told.first().is_some_and(|first| change.part.abs() < LITTLE * first.part.abs());
        if told.len() == MOST_FUNCTIONS || is_named || is_little {
            break;
        }
        if is_told(&change.name) {
            named += change.part;
            told.push(change);
        }
    }
    (told, all)
}

#[cfg(test)]
mod tests {
    use tare_samples::{CountedCaller, CountedFunction, CountedWork, ExecutedFunctions, FunctionCount, FunctionUnit};

    use super::{Caller, FunctionWork};
    use crate::work::tests::launch;

    fn by_function(base: &CountedWork, candidate: &CountedWork) -> Vec<FunctionWork> {
        super::by_function(base, candidate, false)
    }

    /// A function with what it takes itself in a call, and how often a call calls it, after `launch`'s turns of 1000 and 3000 calls.
    fn function(name: &str, own: u64, calls: u64) -> CountedFunction {
        let turn = |times: u64| FunctionCount { own: 77 + own * times, calls: 1 + calls * times };
        CountedFunction { name: name.to_owned(), few: turn(1000), many: turn(3000), callers: Vec::new() }
    }

    #[test]
    fn a_difference_lies_in_the_functions_that_change_most() {
        let of = |each: f64, functions: Vec<CountedFunction>| CountedWork {
            launches: vec![launch(each, 0)],
            functions,
            ..CountedWork::default()
        };
        let base = of(1000.0, vec![function("next", 500, 1), function("copy", 400, 3), function("old", 100, 1)]);
        let candidate = of(1480.0, vec![function("next", 1000, 2), function("copy", 390, 3), function("new", 90, 1)]);
        let told = by_function(&base, &candidate);
        let names: Vec<(&str, f64, [f64; 2])> =
            told.iter().map(|one| (one.name.as_str(), one.part, one.calls)).collect();
        // 500 of 480: within a twentieth of it.
        assert_eq!(names, [("next", 0.5, [1.0, 2.0])]);
        // A function with another name is one that goes and one that comes.
        let renamed = of(1050.0, vec![function("next", 500, 1), function("copy", 400, 3), function("new", 150, 1)]);
        let told = by_function(&base, &renamed);
        assert_eq!(told.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["new", "old"]);
        assert!(by_function(&base, &of(1480.0, Vec::new())).is_empty(), "it isn't known");
    }

    #[test]
    fn a_function_that_is_called_otherwise_has_the_caller_that_does_it() {
        let of = |each: f64, calls: &[(&str, u64)]| {
            let caller = |&(name, times): &(&str, u64)| CountedCaller {
                name: name.into(),
                few: 1000 * times,
                many: 3000 * times,
            };
            let sum = calls.iter().map(|one| one.1).sum();
            let mut allocate = function("malloc", 50 * sum, sum);
            allocate.callers = calls.iter().map(caller).collect();
            CountedWork { launches: vec![launch(each, 0)], functions: vec![allocate], ..CountedWork::default() }
        };
        let base = of(1000.0, &[("parse", 4), ("copy", 3), ("grow", 1)]);
        let told = by_function(&base, &of(1200.0, &[("parse", 9), ("copy", 2), ("grow", 1)]));
        assert_eq!(told[0].calls, [8.0, 12.0]);
        assert_eq!(told[0].by, Some(Caller { name: "parse".into(), calls: [4.0, 9.0] }));
        let told = by_function(&base, &of(1200.0, &[("parse", 4), ("copy", 3), ("new", 5)]));
        assert_eq!(told[0].by, Some(Caller { name: "new".into(), calls: [0.0, 5.0] }));
        assert_eq!(super::by_function(&base, &of(1200.0, &[("parse", 9)]), true)[0].by, None);
        // Without a name, against the function's own calls, and more calls than there are.
        let told = by_function(&base, &of(1200.0, &[("parse", 4), ("copy", 3), ("grow", 1), ("0x4b33368", 5)]));
        assert_eq!((told[0].calls, &told[0].by), ([8.0, 13.0], &None));
        let mut lost = of(1200.0, &[("parse", 9), ("copy", 3)]);
        lost.functions[0].callers[0].many += 9000;
        assert_eq!(by_function(&base, &lost)[0].by, None);
    }

    #[test]
    fn functions_without_a_name_take_no_place_of_those_that_have_one() {
        let of = |each: f64, functions: Vec<CountedFunction>| CountedWork {
            launches: vec![launch(each, 0)],
            functions,
            ..CountedWork::default()
        };
        let base =
            of(1000.0, vec![function("0x34de40", 400, 1), function("0x326fc0", 300, 1), function("find", 300, 2)]);
        let candidate =
            of(800.0, vec![function("0x34de40", 300, 1), function("0x326fc0", 230, 1), function("find", 270, 1)]);
        let told = super::by_function(&base, &candidate, true);
        assert_eq!(told.iter().map(|one| (one.name.as_str(), one.part)).collect::<Vec<_>>(), [("find", -0.03)]);
    }

    #[test]
    fn of_an_interpreter_the_functions_of_its_program_are_named_where_they_change() {
        let of = |each: f64, own: u64, others: &[(&str, u64, u64)]| {
            let functions = others.iter().map(|&(name, own, calls)| function(name, own, calls)).collect();
            let executed = Some(ExecutedFunctions { unit: FunctionUnit::Bytecode, functions });
            CountedWork {
                launches: vec![launch(each, 0)],
                functions: vec![function("_PyEval_EvalFrameDefault", own, 1), function("0x35a740", own / 2, 1)],
                executed,
                ..CountedWork::default()
            }
        };
        let base = of(1000.0, 900, &[("m.a", 60, 1), ("m.b", 40, 2)]);
        let told = super::by_function(&base, &of(1100.0, 1000, &[("m.a", 60, 1), ("m.b", 60, 3)]), true);
        let expected = FunctionWork {
            name: "m.b".to_owned(),
            unit: FunctionUnit::Bytecode,
            // Of 100 instructions of bytecode, not of the processor.
            part: 0.2,
            calls: [2.0, 3.0],
            by: None,
        };
        assert_eq!(told, [expected]);
        // What moves from one to another.
        let told = super::by_function(&base, &of(1100.0, 1000, &[("m.a", 50, 1), ("m.c", 50, 2)]), true);
        assert_eq!(told.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["m.c", "m.b", "m.a"]);
        // Builtins do more than the program does less.
        let told = super::by_function(&base, &of(1100.0, 1000, &[("m.a", 30, 1), ("m.b", 40, 2)]), true);
        assert_eq!(told[0].unit, FunctionUnit::Interpreter, "{told:?}");
        // Where the program executes the same, and where it isn't known.
        let mut same = of(1100.0, 1000, &[("m.a", 60, 1), ("m.b", 40, 2)]);
        for _ in 0..2 {
            let told = super::by_function(&base, &same, true);
            assert_eq!(
                told.iter().map(|one| (one.name.as_str(), one.unit)).collect::<Vec<_>>(),
                [("_PyEval_EvalFrameDefault", FunctionUnit::Interpreter)]
            );
            same.executed = None;
        }
    }
}
