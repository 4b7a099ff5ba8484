//! Comparisons that share the error of a session, counted.

use std::collections::BTreeSet;

use crate::common::origin;
use crate::kinds::Kind;
use tare_store::RunState;

pub(crate) fn comparisons_of_a_session_have_numbers_that_nothing_gives_back(kind: &Kind) {
    let mut store = kind.open();
    let run = origin(1, &[]);
    let id = run.id.as_str();
    assert_eq!(store.count_comparison("faster lexer", id).unwrap(), 1);
    assert_eq!(store.count_comparison("faster lexer", id).unwrap(), 1, "the newest again");
    store.begin_run(&run, "").unwrap();
    store.finish_run(id, RunState::Interrupted).unwrap();
    assert_eq!(store.count_comparison("faster lexer", "b").unwrap(), 2);
    store.delete_run(id).unwrap();
    assert_eq!(kind.open().count_comparison("faster lexer", "c").unwrap(), 3);
    // Names that a statement or an index could trip over, and ones that differ by little.
    let long = "é".repeat(100);
    for name in ["'; DROP TABLE sessions; --", "\"quoted\"", "Faster lexer", "faster lexer ", "%", long.as_str()] {
        assert_eq!(store.count_comparison(name, id).unwrap(), 1, "{name}");
    }
    assert_eq!(store.count_comparison("faster lexer", "d").unwrap(), 4);
}

pub(crate) fn processes_that_count_at_once_get_different_numbers(kind: &Kind) {
    const EACH: u64 = 25;
    const AT_ONCE: u64 = 4;
    drop(kind.open());
    let numbers: Vec<u64> = std::thread::scope(|scope| {
        let counting: Vec<_> = (0..AT_ONCE)
            .map(|process| {
                scope.spawn(move || {
                    let mut store = kind.open();
                    let count = |run| store.count_comparison("s", &format!("{process}-{run}")).unwrap();
                    (0..EACH).map(count).collect::<Vec<_>>()
                })
            })
            .collect();
        counting.into_iter().flat_map(|process| process.join().unwrap()).collect()
    });
    let different: BTreeSet<u64> = numbers.into_iter().collect();
    assert_eq!(different, (1..=AT_ONCE * EACH).collect());
}
