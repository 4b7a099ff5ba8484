//! Benchmarks among unit tests, in several files.
#![cfg_attr(test, feature(test))]

#[cfg(test)]
extern crate test;

#[cfg(test)]
#[macro_use]
mod macros;
#[cfg(test)]
mod inner;

#[cfg(test)]
mod benches {
    use std::io::Write;
    use test::{black_box, Bencher};

    /// Tells the test how often something happened.
    fn happened(what: &str, count: u64) {
        let Some(path) = std::env::var_os("TARE_TEST_EVENTS") else { return };
        let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
        writeln!(file, "{what} {count}").unwrap();
    }

    #[test]
    fn a_test() {
        panic!("tests don't run");
    }

    #[bench]
    fn counted(b: &mut Bencher) {
        let mut calls = 0;
        b.iter(|| calls += 1);
        happened("calls", calls);
    }

    #[bench]
    fn twice(b: &mut Bencher) {
        let (mut first, mut second) = (0, 0);
        b.iter(|| first += 1);
        b.iter(|| second += 1);
        happened("first", first);
        happened("second", second);
    }

    #[bench]
    fn bytes_before(b: &mut Bencher) {
        b.bytes = 8;
        b.iter(|| black_box(8u64));
    }

    #[bench]
    fn bytes_behind(b: &mut Bencher) {
        b.iter(|| test::bench::black_box(8u64));
        b.bytes = 16;
    }

    #[bench]
    fn returns(b: &mut Bencher) -> Result<(), std::num::ParseIntError> {
        let number: u64 = "7".parse()?;
        b.iter(|| black_box(number));
        Ok(())
    }

    #[bench]
    #[ignore]
    fn ignored(b: &mut Bencher) {
        b.iter(|| ());
    }

    #[bench]
    #[ignore = "takes an hour"]
    fn ignored_for_a_reason(b: &mut Bencher) {
        b.iter(|| ());
    }
}
