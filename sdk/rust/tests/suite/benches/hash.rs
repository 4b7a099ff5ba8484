//! For conformance: a few cases, one of them with parameters.
use criterion::{black_box, criterion_group, criterion_main, BenchmarkId, Criterion, Throughput};
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};

fn hash(bytes: &[u8]) -> u64 {
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    hasher.finish()
}

fn hashes(c: &mut Criterion) {
    c.bench_function("hash of a word", |b| b.iter(|| hash(black_box(b"benchmark"))));
    let mut group = c.benchmark_group("hash");
    for length in [16usize, 1024] {
        let bytes = vec![7u8; length];
        group.throughput(Throughput::Bytes(length as u64));
        group.bench_with_input(BenchmarkId::new("bytes", length), &bytes, |b, bytes| b.iter(|| hash(black_box(bytes))));
    }
    group.finish();
}

criterion_group!(benches, hashes);
criterion_main!(benches);
