//! Which numbers processes can have that began after another one: then nobody else needs to be looked at.
//!
//! Numbers are given out in a circle. The system counts all processes and threads that have ever begun, of all containers: as long as fewer than the circle
//! is long have begun since, none of the numbers was given out twice. A process whose start fails takes a number that isn't counted: where numbers are few (32,768), a
//! program that tries to start as many in vain goes through all of them, so there all processes are looked at.

use std::fs;

/// Where more numbers than this were given out the list of all processes is the shorter one.
const MOST: u32 = 4096;
/// Of fewer numbers than this a program can use up all while one worker lives, by starts that fail.
const LARGE_CIRCLE: u32 = 1 << 20;
/// Numbers from here on are given out again, those below it once (RESERVED_PIDS in Linux's kernel/pid.c).
const LEAST: u32 = 300;

/// Processes and threads that have begun since the machine's start (`processes` in proc_stat(5)).
pub(super) fn begun() -> Option<u64> {
    fs::read_to_string("/proc/stat").ok()?.lines().find_map(|line| line.strip_prefix("processes ")?.trim().parse().ok())
}

/// The numbers from `first` to the newest one, where `begun` were counted before `first` began. None where there may be others, or too many.
pub(super) fn given_out(first: u32, begun_before: u64) -> Option<Vec<u32>> {
    let circle = fs::read_to_string("/proc/sys/kernel/pid_max").ok()?.trim().parse().ok()?;
    // The newest is asked for before they are counted: none of those up to it is left out of the count.
    let last = fs::read_to_string("/proc/loadavg").ok()?.split_whitespace().next_back()?.parse().ok()?;
    between(first, last, begun()?.checked_sub(begun_before)?, circle)
}

/// `count`: how many have begun from `first` to `last` at the most; `circle`: numbers are below it.
fn between(first: u32, last: u32, count: u64, circle: u32) -> Option<Vec<u32>> {
    if circle < LARGE_CIRCLE || count >= u64::from(circle) / 2 {
        return None;
    }
    let numbers = if first <= last {
        (first..=last).collect()
    } else {
        (first..circle).chain(LEAST..=last.max(LEAST)).collect::<Vec<_>>()
    };
    (numbers.len() <= MOST as usize).then_some(numbers)
}

/// Those of all processes.
pub(super) fn all() -> Vec<u32> {
    let listed = fs::read_dir("/proc").into_iter().flatten().flatten();
    listed.filter_map(|process| process.file_name().to_str()?.parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::{LARGE_CIRCLE, between};

    #[test]
    fn numbers_go_from_the_first_to_the_newest_and_begin_again() {
        assert_eq!(between(20_000, 20_003, 4, LARGE_CIRCLE), Some(vec![20_000, 20_001, 20_002, 20_003]));
        assert_eq!(between(4_194_302, 301, 4, 4_194_304), Some(vec![4_194_302, 4_194_303, 300, 301]));
        assert_eq!(between(1_000_000, 1_000_001, 2, 4_194_304), Some(vec![1_000_000, 1_000_001]));
    }

    #[test]
    fn numbers_that_may_have_been_given_out_twice_are_not_told() {
        assert_eq!(between(20_000, 20_003, 4, 32_768), None, "starts in vain may have gone through it");
        assert_eq!(between(20_000, 20_003, 3_000_000, 4_194_304), None, "the circle may have been gone through");
        assert_eq!(between(20_000, 25_000, 5_001, 4_194_304), None, "the list of all is shorter");
    }
}
