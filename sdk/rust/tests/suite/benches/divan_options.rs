//! A program that configures all its benchmarks; benchmarks that fail, each in its way.
#![forbid(unsafe_code)]
#![deny(warnings)]

use divan::Divan;
use std::sync::Arc;
use std::time::Duration;

fn main() {
    let divan = Divan::from_args().config_with_args().color(false).run_ignored().skip_exact("divan_options::left_out");
    let divan = divan.skip_regex("::left_[a-z_]+::[12]$").sample_count(3).min_time(Duration::from_millis(1));
    divan.list_benches();
    divan.bytes_count(64u32).run_benches();
}

#[divan::bench]
#[ignore]
fn ignored() {}

#[divan::bench]
fn left_out() {}

#[divan::bench(args = [1, 2, 3], bytes_count = 9u8)]
fn left_by_pattern(number: u8) -> u8 {
    number
}

#[divan::bench]
fn panics(bencher: divan::Bencher) {
    bencher.bench(|| panic!("on purpose"));
}

#[divan::bench(args = broken())]
fn without_arguments(number: u8) -> u8 {
    number
}

fn broken() -> Vec<u8> {
    panic!("no such data")
}

#[divan::bench]
fn without_a_loop(_: divan::Bencher) {}

#[divan::bench(threads = [1, 2])]
fn local_in_threads(bencher: divan::Bencher) {
    let mut calls = 0;
    bencher.bench_local(|| calls += 1);
}

#[divan::bench(threads = 3)]
fn panics_in_threads(bencher: divan::Bencher) {
    let calls = Arc::new(std::sync::atomic::AtomicUsize::new(0));
    bencher.bench(|| {
        let calls = calls.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        assert!(calls != 4, "in one of several threads");
    });
}

mod a {
    #[divan::bench(args = [1, 1])]
    fn same(_: u8) {}
}

fn one() {
    #[divan::bench]
    fn within() {}
}

fn other() {
    #[divan::bench]
    fn within() {}
}

#[divan::bench]
fn calls() {
    one();
    other();
}
