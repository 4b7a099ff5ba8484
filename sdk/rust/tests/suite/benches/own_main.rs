//! A main function of the author's own, which knows nothing of an end.
use criterion::Criterion;

fn main() {
    let threads = std::env::var_os("TARE_TEST_THREADS").is_some();
    let other = threads.then(|| std::thread::spawn(|| std::thread::sleep(std::time::Duration::from_secs(60))));
    let data = vec![1u64; 100];
    let mut criterion = Criterion::default().configure_from_args();
    criterion.bench_function("sum", |b| b.iter(|| data.iter().sum::<u64>()));
    {
        let mut group = criterion.benchmark_group("first");
        for index in [0usize, 7] {
            group.bench_with_input(criterion::BenchmarkId::from_parameter(index), &index, |b, index| {
                b.iter(|| data[*index])
            });
        }
    }
    criterion.bench_function("breaks", |b| b.iter(|| -> u8 { panic!("on purpose") }));
    // Only where the cases are listed.
    if std::env::var_os("TARE_TEST_DIFFERS").is_some_and(|flag| std::fs::remove_file(flag).is_ok()) {
        criterion.bench_function("only once", |b| b.iter(|| 1));
    }
    if std::env::var_os("TARE_TEST_BREAKS").is_some() {
        panic!("in main");
    }
    criterion.final_summary();
    drop(other);
}
