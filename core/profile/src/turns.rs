//! What callgrind writes of the turns of a worker: a file whenever the function is called that marks an end of a turn, and where another thread takes over.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use tare_samples::FunctionCount;

use crate::{ProfileError, callgrind, file_error};

/// What a file holds: the instructions of a thread since it wrote the last one.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Part {
    number: u32,
    thread: u32,
    total: u64,
    system_calls: u64,
    /// It was written where another thread takes over, not at an end of a stretch.
    takes_over: bool,
    by: BTreeMap<String, Called>,
}

/// What a function took, and how often each other one called it.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Called {
    pub(crate) count: FunctionCount,
    pub(crate) callers: BTreeMap<String, u64>,
}

impl Called {
    fn add(&mut self, other: &Self) {
        self.count.own += other.count.own;
        self.count.calls += other.count.calls;
        for (caller, calls) in &other.callers {
            *self.callers.entry(caller.clone()).or_default() += calls;
        }
    }

    fn least(&mut self, other: &Self) {
        let FunctionCount { own, calls } = other.count;
        self.count = FunctionCount { own: self.count.own.min(own), calls: self.count.calls.min(calls) };
        for (caller, calls) in &mut self.callers {
            *calls = (*calls).min(other.callers.get(caller).copied().unwrap_or(0));
        }
    }
}

/// What was written of the process that counts, and whether others wrote something, too: it has started them.
pub(crate) struct Written {
    pub(crate) parts: Vec<Part>,
    pub(crate) other_processes: bool,
}

/// What a turn executed.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Stretches {
    /// Another thread worked in it.
    pub(crate) several_threads: bool,
    /// Instructions of its own thread.
    pub(crate) count: u64,
    /// System calls of it.
    pub(crate) system_calls: u64,
    pub(crate) by: BTreeMap<String, Called>,
}

/// What all of equal turns executed: the least of each function. What a runtime does of its own now and then, as another page of a heap, is in other
/// functions in each of them. Turns that no other thread took part in count alone, where there are any.
pub(crate) fn least(mut turns: Vec<Stretches>) -> Stretches {
    if turns.len() == 1 {
        return turns.remove(0);
    }
    if turns.iter().any(|turn| !turn.several_threads) {
        turns.retain(|turn| !turn.several_threads);
    }
    let several_threads = turns.iter().any(|turn| turn.several_threads);
    let of_the_shortest = turns.iter().map(|turn| turn.count).min().unwrap_or(0);
    let system_calls = turns.iter().map(|turn| turn.system_calls).min().unwrap_or(0);
    let mut turns = turns.into_iter().map(|turn| turn.by);
    let mut by = turns.next().unwrap_or_default();
    for other in turns {
        by.retain(|name, least| {
            least.least(other.get(name).unwrap_or(&Called::default()));
            least.count.own > 0
        });
    }
    let count = by.values().map(|function| function.count.own).sum::<u64>();
    // Without functions, as where a program has no symbols, the sum is all that is known.
    Stretches { several_threads, count: if by.is_empty() { of_the_shortest } else { count }, system_calls, by }
}

/// Whether another thread worked in one of the last `stretches` of a turn, each between two files, and the instructions of all; `None` where files are
/// missing.
pub(crate) fn of_turn(parts: &[Part], stretches: usize) -> Option<Stretches> {
    let ends: Vec<usize> = (0..parts.len()).filter(|&at| !parts[at].takes_over).collect();
    let (mut several_threads, mut count, mut system_calls) = (false, 0, 0);
    let mut by = BTreeMap::<String, Called>::new();
    for stretch in ends.rchunks(2).take(stretches) {
        let [begin, end] = *stretch else { return None };
        let thread = parts[end].thread;
        for part in parts[begin + 1..=end].iter().filter(|part| part.thread == thread) {
            count += part.total;
            system_calls += part.system_calls;
            for (name, function) in &part.by {
                by.entry(name.clone()).or_default().add(function);
            }
        }
        several_threads |= parts[begin..end].iter().any(|part| part.thread != thread);
    }
    (!ends.is_empty()).then_some(Stretches { several_threads, count, system_calls, by })
}

/// What was written since the last time, in its order; the files are removed. Where several processes have written, that of the one that wrote most
/// often. `taken_over_at`: the function that another thread calls where it takes over, where the language has one.
pub(crate) fn files(folder: &Path, taken_over_at: Option<&str>) -> Result<Written, ProfileError> {
    let mut found: BTreeMap<u32, Vec<Part>> = BTreeMap::new();
    let mut has_ended = false;
    for entry in fs::read_dir(folder).map_err(|error| file_error(folder, error))?.flatten() {
        let path = entry.path();
        if let Some((process, number, thread)) = numbered(&path) {
            let bytes = tare_files::read(&path, crate::LARGEST).map_err(|error| file_error(&path, error))?;
            let text = String::from_utf8_lossy(&bytes);
            let callgrind::Part { total, system_calls, functions, arcs } = callgrind::part(&text);
            let mut by: BTreeMap<String, Called> = BTreeMap::new();
            for (name, count) in functions {
                by.entry(symbol(name).to_owned()).or_default().add(&Called { count, callers: BTreeMap::new() });
            }
            for ((callee, caller), calls) in arcs {
                let callers = &mut by.entry(symbol(callee).to_owned()).or_default().callers;
                *callers.entry(symbol(caller).to_owned()).or_default() += calls;
            }
            let trigger = text.lines().find_map(|line| line.strip_prefix("desc: Trigger: --dump-before="));
            let takes_over = trigger.is_some() && trigger == taken_over_at;
            // A turn that executes nothing is written without a sum.
            let total = total.unwrap_or(0);
            found.entry(process).or_default().push(Part { number, thread, total, system_calls, takes_over, by });
        } else {
            // One whole file is that of a process that ended.
            has_ended |= path.extension().is_some_and(|end| end.to_string_lossy().parse::<u32>().is_ok());
        }
        let _ = fs::remove_file(&path);
    }
    let other_processes = has_ended || found.len() > 1;
    let mut parts = found.into_values().max_by_key(Vec::len).unwrap_or_default();
    parts.sort_unstable();
    Ok(Written { parts, other_processes })
}

/// A function that calls itself is written as `name'2` within its own calls.
fn symbol(name: &str) -> &str {
    name.rsplit_once('\'').filter(|(_, depth)| depth.parse::<u32>().is_ok()).map_or(name, |(name, _)| name)
}

/// The process, the part and the thread of `work.PROCESS.PART` or `work.PROCESS.PART-THREAD`; what a process leaves at its end has no part.
fn numbered(path: &Path) -> Option<(u32, u32, u32)> {
    let mut words = path.file_name()?.to_str()?.rsplit('.');
    let (part, process) = (words.next()?, words.next()?);
    words.next()?;
    let (part, thread) = part.split_once('-').unwrap_or((part, "0"));
    Some((process.parse().ok()?, part.parse().ok()?, thread.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::fs;

    use tare_samples::FunctionCount;

    use super::{Called, Stretches, files, least, of_turn};

    #[test]
    fn counts_are_read_once_in_their_order_and_without_what_a_process_leaves_at_its_end() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, total: u64| {
            fs::write(folder.path().join(name), format!("events: Ir\ntotals: {total}\n")).unwrap();
        };
        write("work.12.10", 3);
        write("work.12.9", 2);
        write("work.12.8", 1);
        write("work.12", 999);
        write("work.13.1", 77);
        let counts: Vec<u64> = files(folder.path(), None).unwrap().parts.iter().map(|part| part.total).collect();
        assert_eq!(counts, [1, 2, 3]);
        assert!(files(folder.path(), None).unwrap().parts.is_empty());
    }

    #[test]
    fn what_a_subject_starts_is_seen_by_what_it_writes() {
        let folder = tempfile::tempdir().unwrap();
        let others = |names: &[&str]| {
            for name in names {
                fs::write(folder.path().join(name), "events: Ir\ntotals: 1\n").unwrap();
            }
            files(folder.path(), None).unwrap().other_processes
        };
        assert!(!others(&["work.12.1", "work.12.2"]));
        assert!(others(&["work.12.3", "work.12.4", "work.13"]), "a program");
        assert!(others(&["work.12.5", "work.12.6", "work.14.6"]), "a copy of the process");
    }

    /// What threads of Go wrote, each with its number, the function that it was at, and its count.
    fn turn(written: &[(u32, &str, u64)], stretches: usize) -> Option<(bool, u64)> {
        let folder = tempfile::tempdir().unwrap();
        for (number, (thread, function, total)) in written.iter().enumerate() {
            let text = format!("desc: Trigger: --dump-before={function}\n\nevents: Ir\ntotals: {total}\n");
            fs::write(folder.path().join(format!("work.12.{}-0{thread}", number + 1)), text).unwrap();
        }
        let found = of_turn(&files(folder.path(), Some(TAKES_OVER)).unwrap().parts, stretches)?;
        Some((found.several_threads, found.count))
    }

    const MARK: &str = "testing.tareUsed";
    const TAKES_OVER: &str = "runtime.acquirep";

    #[test]
    fn a_turn_is_what_its_thread_executed_between_its_ends() {
        assert_eq!(turn(&[(1, MARK, 900), (1, MARK, 50)], 1), Some((false, 50)));
        // Where the worker itself went on in another thread before the turn, and where the same took over again in it.
        let written = [(1, MARK, 7), (3, TAKES_OVER, 800), (3, MARK, 900), (3, TAKES_OVER, 20), (3, MARK, 30)];
        assert_eq!(turn(&written, 1), Some((false, 50)));
        assert_eq!(turn(&[(1, MARK, 9), (1, MARK, 20), (1, MARK, 9), (1, MARK, 30)], 2), Some((false, 50)));
    }

    #[test]
    fn equal_turns_are_the_least_of_each_function() {
        let stretches = |several_threads: bool, functions: &[(&str, u64)]| {
            let called = |own: u64| Called {
                count: FunctionCount { own, calls: own / 10 },
                callers: [("case".to_owned(), own / 20), ("null".to_owned(), own / 50)].into(),
            };
            let by = functions.iter().map(|&(name, own)| (name.to_owned(), called(own)));
            let count = functions.iter().map(|one| one.1).sum();
            Stretches { several_threads, count, system_calls: count / 50, by: by.collect() }
        };
        // A page of the heap in one, a signal in another: none of the three is as short as what they share.
        let [page, signal] = [[("body", 100), ("grow", 50)], [("body", 100), ("signal", 30)]];
        let mut signalled = stretches(false, &signal);
        signalled.by.get_mut("body").unwrap().callers.remove("null");
        let found = least(vec![stretches(false, &page), signalled, stretches(true, &[("body", 40)])]);
        assert_eq!((found.count, found.several_threads, found.by.len()), (100, false, 1));
        assert_eq!(found.system_calls, 2);
        assert_eq!(found.by["body"].count, FunctionCount { own: 100, calls: 10 });
        assert_eq!(found.by["body"].callers, [("case".to_owned(), 5), ("null".to_owned(), 0)].into());
        // Nothing is known but the sums.
        assert_eq!(least(vec![stretches(true, &[]), stretches(true, &[])]).count, 0);
        let sums = [70, 60];
        let sums = sums.map(|count| Stretches { several_threads: false, count, system_calls: 0, by: BTreeMap::new() });
        assert_eq!(least(sums.into()).count, 60);
    }

    #[test]
    fn a_turn_in_which_another_thread_took_over_was_not_made_by_one_alone() {
        let written = [(1, MARK, 900), (2, TAKES_OVER, 5), (1, TAKES_OVER, 20), (1, MARK, 30)];
        assert_eq!(turn(&written, 1), Some((true, 50)));
        assert!(turn(&[(1, MARK, 900), (2, MARK, 30)], 1).unwrap().0);
    }

    #[test]
    fn a_turn_whose_ends_were_not_both_written_has_no_count() {
        assert_eq!(turn(&[], 1), None);
        assert_eq!(turn(&[(1, MARK, 900)], 1), None);
        assert_eq!(turn(&[(1, MARK, 900), (1, TAKES_OVER, 30)], 1), None);
    }
}
