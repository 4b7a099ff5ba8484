//! One series, its history and what a comparison of stored runs needs of it, among 100,000 stored
//! measurements: 1,000 runs of 50 cases on 2 runtimes.
#![allow(missing_docs, reason = "criterion's macros make undocumented items")]

#[path = "../tests/common/mod.rs"]
mod common;

use std::hint::black_box;
use std::path::Path;

use common::{launch, origin, summary, variant};
use criterion::{Criterion, criterion_group, criterion_main};
use tare_samples::Outcome;
use tare_store::{Access, RunFilter, RunState, SqliteStore, Store};

const RUNS: u32 = 1_000;
const CASES: u32 = 50;
const RUNTIMES: [&str; 2] = ["php8.2", "jit"];

/// A store as runs leave it: every row through the public interface, and the variants of a run one after the other.
fn fill(path: &Path) -> SqliteStore {
    let mut store = SqliteStore::open(path, Access::ReadWrite).expect("a store");
    for number in 0..RUNS {
        let origin = origin(number, &["main"]);
        store.begin_run(&origin, "{}").expect("a run");
        let variants =
            (0..CASES).flat_map(|case| RUNTIMES.map(|runtime| variant(&format!("Bench::bench{case}"), runtime)));
        for (ordinal, variant) in variants.enumerate() {
            store.put_variant(&origin.id, ordinal as u32, &variant).expect("a variant");
            store.put_launch(&origin.id, &variant.id, &launch(0)).expect("a launch");
            let summary = summary(f64::from(number));
            store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, Some(&summary)).expect("an outcome");
        }
        store.finish_run(&origin.id, RunState::Complete).expect("a run");
    }
    store
}

fn history(criterion: &mut Criterion) {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("tare.db");
    let mut store = fill(&path);
    let case = variant("Bench::bench7", "jit").case.id();
    assert_eq!(store.history(&case, "jit").expect("a history").len() as u32, RUNS);

    assert_eq!(store.series(&case, "jit", None).expect("a series").len() as u32, RUNS);

    let mut group = criterion.benchmark_group("100,000 measurements");
    group.bench_function("history of one series", |bencher| {
        bencher.iter(|| black_box(store.history(&case, "jit").expect("a history")));
    });
    group.bench_function("open and history of one series", |bencher| {
        bencher.iter(|| {
            let store = SqliteStore::open(&path, Access::ReadOnly).expect("a store");
            black_box(store.history(&case, "jit").expect("a history"))
        });
    });
    group.bench_function("series of one case, all runs", |bencher| {
        bencher.iter(|| black_box(store.series(&case, "jit", None).expect("a series")));
    });
    group.bench_function("open and series of one case, the newest 20 runs", |bencher| {
        bencher.iter(|| {
            let store = SqliteStore::open(&path, Access::ReadOnly).expect("a store");
            black_box(store.series(&case, "jit", Some(20)).expect("a series"))
        });
    });
    group.bench_function("the newest 20 runs", |bencher| {
        let filter = RunFilter { limit: Some(20), ..RunFilter::default() };
        bencher.iter(|| black_box(store.runs(&filter).expect("runs")));
    });
    group.bench_function("resolve", |bencher| bencher.iter(|| black_box(store.resolve("latest~2").expect("a run"))));
    let run = store.resolve("latest").expect("a run");
    group.bench_function("one run of 100 variants", |bencher| {
        bencher.iter(|| black_box(store.run(&run).expect("a run")));
    });
    let other = variant("Bench::bench7", "jit").id;
    let mut ordinal = 1;
    group.bench_function("store a launch of 40 samples", |bencher| {
        bencher.iter(|| {
            store.put_launch(&run, &other, &launch(ordinal)).expect("a launch");
            ordinal += 1;
        });
    });
    group.finish();
}

criterion_group!(benches, history);
criterion_main!(benches);
