//! Code in front of what is measured, of random number and length: it moves everything that follows, and nothing runs it in a measurement.

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

/// The name sorts before the benchmarks' file: Go lays functions out in the order of files.
pub(super) const GO_FILE: &str = "a_padding_test.go";
pub(super) const CPP_FILE: &str = "padding.h";

/// Go functions that the start of the program would call if there were fewer turns than none: the linker keeps what could be called.
pub(super) fn go(seed: u64) -> String {
    let mut rng = Pcg64::seed_from_u64(seed);
    let (mut functions, mut calls) = (String::new(), String::new());
    for number in 0..rng.random_range(1..12) {
        let body = "\tx += x >> 3 ^ x << 5\n".repeat(rng.random_range(1..60));
        functions.push_str(&format!("\n//go:noinline\nfunc padding{number}(x int) int {{\n{body}\treturn x\n}}\n"));
        calls.push_str(&format!("\tsink = padding{number}(sink)\n"));
    }
    format!("package compared\n{functions}\nfunc init() {{\n\tif turns >= 0 {{\n\t\treturn\n\t}}\n{calls}}}\n")
}

/// Up to 4 KiB of instructions that do nothing: functions begin at multiples of 16 bytes, and pages have 4 KiB.
pub(super) fn cpp(seed: u64) -> String {
    let bytes = 16 * Pcg64::seed_from_u64(seed).random_range(0..256);
    format!("__asm__(\".text\\n.skip {bytes}, 0x90\\n\");\n")
}

#[cfg(test)]
mod tests {
    use super::{cpp, go};

    #[test]
    fn each_seed_is_another_draw() {
        for draw in [go, cpp] {
            let drawn: std::collections::BTreeSet<String> = (0..40).map(draw).collect();
            assert!(drawn.len() > 30, "{}", drawn.len());
            assert_eq!(draw(3), draw(3));
        }
    }
}
