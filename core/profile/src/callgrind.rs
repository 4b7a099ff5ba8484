//! Callgrind's files: instructions by function (the format is in the manual of Valgrind, "Callgrind format specification").

use std::collections::{BTreeMap, HashMap};

use tare_samples::FunctionCount;

use crate::counts::Counts;

/// Instructions of a process, by function, callees left out; `None` where the file is cut short.
pub(crate) fn read(text: &str) -> Option<Counts> {
    let Part { total, functions, .. } = part(text);
    let by = functions.into_iter().filter(|(_, count)| count.own > 0).map(|(name, count)| (name.to_owned(), count.own));
    Some(Counts { total: total?, by: by.collect() })
}

/// What a file states.
pub(crate) struct Part<'a> {
    /// Instructions; `None` where the file is cut short, or nothing was executed.
    pub total: Option<u64>,
    /// System calls, where they were to be counted, without those that are none but for valgrind.
    pub system_calls: u64,
    pub functions: BTreeMap<&'a str, FunctionCount>,
    /// Calls by callee and caller.
    pub arcs: BTreeMap<(&'a str, &'a str), u64>,
}

/// Reads a file.
pub(crate) fn part(text: &str) -> Part<'_> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut by: BTreeMap<&str, FunctionCount> = BTreeMap::new();
    let mut arcs: BTreeMap<(&str, &str), u64> = BTreeMap::new();
    let (mut function, mut callee) = ("", "");
    let mut of_a_call = false;
    let (mut total, mut system_calls, mut system_calls_at) = (None, 0, None);
    let mut of_clocks = 0;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=").or_else(|| line.strip_prefix("cfn=")) {
            // `(12) name` the first time, `(12)` from then on; or the name alone, where it isn't to be shortened.
            let is_number = |word: &str| {
                let digits = word.strip_prefix('(').and_then(|word| word.strip_suffix(')'));
                digits.is_some_and(|digits| !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit()))
            };
            let (number, name) = name.split_once(' ').filter(|(number, _)| is_number(number)).unwrap_or((name, ""));
            if !name.is_empty() {
                names.insert(number, name);
            }
            let known = names.get(number).copied().unwrap_or(number);
            if line.starts_with('f') { function = known } else { callee = known }
        } else if let Some(calls) = line.strip_prefix("calls=") {
            of_a_call = true;
            let calls = calls.split_whitespace().next().and_then(|calls| calls.parse::<u64>().ok());
            by.entry(callee).or_default().calls += calls.unwrap_or(0);
            *arcs.entry((callee, function)).or_default() += calls.unwrap_or(0);
        } else if line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*')) {
            let figure = |at: usize| line.split_whitespace().nth(1 + at).and_then(|cost| cost.parse::<u64>().ok());
            // The line after `calls=` holds what the callee took.
            if let (false, Some(cost)) = (std::mem::take(&mut of_a_call), figure(0)) {
                by.entry(function).or_default().own += cost;
                of_clocks += system_calls_at.filter(|_| reads_a_clock(function)).and_then(figure).unwrap_or(0);
            }
        } else if let Some(sum) = line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")) {
            let figure = |at: usize| sum.split_whitespace().nth(at).and_then(|sum| sum.parse().ok());
            total = figure(0).or(total);
            // Noughts at the end are left out.
            system_calls = system_calls_at.and_then(figure).unwrap_or(0);
        } else if let Some(events) = line.strip_prefix("events:") {
            system_calls_at = events.split_whitespace().position(|event| event == "sysCount");
        }
    }
    Part { total, system_calls: u64::saturating_sub(system_calls, of_clocks), functions: by, arcs }
}

/// Whether a function's system calls read a clock, or ask which CPU it is: the kernel maps code that does so into each process (vdso(7)), which valgrind hides from it.
fn reads_a_clock(function: &str) -> bool {
    const NAMES: [&str; 8] = [
        "clock_gettime",
        "__gettimeofday_syscall",
        "gettimeofday",
        "time_syscall",
        "time",
        "sched_getcpu",
        "runtime.nanotime1",
        "runtime.walltime",
    ];
    let name = function.split_once("@@").map_or(function, |(name, _)| name).trim_end_matches(".abi0");
    NAMES.contains(&name.trim_start_matches("__").trim_start_matches("vdso_")) || NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::{part, read};

    const FILE: &str = "# callgrind format\nversion: 1\npositions: line\nevents: Ir\n\nob=(1) /bin/x\nfl=(1) x.c\nfn=(1) main\n16 20\n+1 5\n\
        cfi=(2) y.c\ncfn=(2) work(int, char const*)\ncalls=3 4\n* 300\n+2 7\n\nfn=(2)\n4 100\n5 200\n\ntotals: 332\n";

    #[test]
    fn functions_have_their_own_instructions() {
        let counts = read(FILE).unwrap();
        assert_eq!(counts.total, 332);
        assert_eq!(counts.by["main"], 32);
        assert_eq!(counts.by["work(int, char const*)"], 300);
        let found = part(FILE);
        let calls = |name: &str| found.functions[name].calls;
        assert_eq!((found.total, calls("work(int, char const*)"), calls("main")), (Some(332), 3, 0));
        assert_eq!(found.arcs, [(("work(int, char const*)", "main"), 3)].into());
        let whole =
            "fn=main\n0 5\ncfn=work(int, char const*)\ncalls=2 0\n0 7\nfn=work(int, char const*)\n0 7\ntotals: 12\n";
        let by = part(whole).functions;
        assert_eq!((by["work(int, char const*)"].own, by["work(int, char const*)"].calls, by["main"].own), (7, 2, 5));
    }

    #[test]
    fn system_calls_stand_behind_instructions_where_they_were_counted() {
        let of = |text: &str| part(text).system_calls;
        assert_eq!(of("events: Ir sysCount sysTime\nfn=main\n0 50 3 1\ntotals: 50 3 1\n"), 3);
        assert_eq!(of("events: Ir sysCount sysTime\nfn=main\n0 50\ntotals: 50\n"), 0);
        assert_eq!(of("events: Ir Dr\nfn=main\n0 50 7\ntotals: 50 7\n"), 0);
        let clocks = "fn=(1) clock_gettime@@GLIBC_2.17\n* 90 4 1\nfn=(2) runtime.nanotime1.abi0\n* 90 2\n";
        let own = "fn=(3) main\n0 50 3 1\ncfn=(1)\ncalls=4 0\n* 90 4 1\n";
        assert_eq!(of(&format!("events: Ir sysCount sysTime\n{clocks}{own}totals: 230 9 2\n")), 3);
    }

    #[test]
    fn a_file_without_its_total_is_none() {
        assert!(read(FILE.split("totals").next().unwrap()).is_none());
        assert!(read("").is_none());
    }
}
