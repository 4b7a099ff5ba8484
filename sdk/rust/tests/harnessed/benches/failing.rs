#![feature(test)]
extern crate test;

use test::Bencher;

#[bench]
fn panics(b: &mut Bencher) {
    b.iter(|| panic!("on purpose"));
}

#[bench]
fn returns_an_error(b: &mut Bencher) -> Result<(), String> {
    b.iter(|| 1);
    Err("no".to_owned())
}

#[bench]
fn without_a_loop(_: &mut Bencher) {}
