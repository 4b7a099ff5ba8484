//! Subjects whose times are known from each other, in Divan's forms.
use divan::{black_box, Bencher};
use std::time::{Duration, Instant};

fn main() {
    divan::main();
}

mod nothing {
    use super::*;

    #[divan::bench]
    fn unit() {}

    #[divan::bench]
    fn number() -> u64 {
        7
    }

    #[divan::bench]
    fn boxed() -> u32 {
        black_box(7)
    }

    #[divan::bench(args = [7])]
    fn argument(_: u64) {}

    #[divan::bench]
    fn values(bencher: Bencher) {
        bencher.with_inputs(|| vec![1u8; 100]).bench_values(|input| input);
    }

    #[divan::bench]
    fn refs(bencher: Bencher) {
        bencher.with_inputs(|| vec![1u8; 100]).bench_refs(|_| ());
    }
}

#[divan::bench(consts = [10, 20, 40, 80])]
fn chain<const LENGTH: usize>(bencher: Bencher) {
    let mut value = black_box(3u64);
    bencher.bench_local(|| {
        let mut product = value;
        for _ in 0..LENGTH {
            product = product.wrapping_mul(black_box_register(product | 1));
        }
        value = product;
        product
    });
}

/// The compiler doesn't know the value, which stays in its register.
#[inline(always)]
#[allow(unused_mut)]
fn black_box_register(mut value: u64) -> u64 {
    #[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
    // SAFETY: there is no instruction in it.
    unsafe {
        std::arch::asm!("/* {0} */", inout(reg) value, options(pure, nomem, nostack, preserves_flags));
    }
    value
}

#[divan::bench(args = [1, 10, 100, 1000])]
fn set_up(bencher: Bencher, microseconds: u64) {
    let spin = || {
        let begin = Instant::now();
        while begin.elapsed() < Duration::from_micros(microseconds) {}
        vec![1u8; 100]
    };
    bencher.with_inputs(spin).bench_refs(|_| ());
}
