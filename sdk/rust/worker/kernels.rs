//! The reference subjects: fixed work of about 0.1 to 2 µs whose time shows how fast machine and build are at the moment. Stored runs are compared by them, so their bodies
//! must never change; a new kernel gets a new name.

use std::hint::black_box;

/// By their names on the wire.
pub(crate) const KERNELS: [(&str, fn()); 4] =
    [("arithmetic", arithmetic), ("allocation", allocation), ("text", text), ("arrays", arrays)];

/// Dependent integer and floating-point operations.
#[inline(never)]
fn arithmetic() {
    let mut integer: u32 = black_box(12_345);
    let mut real: f64 = black_box(1.0);
    for i in 1..256 {
        integer = integer.wrapping_mul(1_103_515_245).wrapping_add(12_345) & 0x7fff_ffff;
        real = real * 1.000_000_1 + 1.0 / f64::from(i);
    }
    black_box(integer);
    black_box(real);
}

/// Blocks of several sizes taken from the heap and given back.
#[inline(never)]
fn allocation() {
    let mut blocks: [Vec<u8>; 16] = Default::default();
    for (i, block) in blocks.iter_mut().enumerate() {
        *block = black_box(Vec::with_capacity(16 + 24 * i));
    }
    for i in 0..16 {
        // In another order than they were taken.
        drop(std::mem::take(&mut blocks[(i * 7) % 16]));
    }
}

/// Text joined, searched and changed.
#[inline(never)]
fn text() {
    let words: &str = black_box("the quick brown fox jumps over the lazy dog");
    let mut joined = String::new();
    for i in 0..16 {
        joined.push_str(&words[i..i + 5]);
        joined.push(' ');
    }
    let mut found = joined.find("zz").unwrap_or(usize::MAX);
    let upper = joined.to_ascii_uppercase();
    found = found.wrapping_add(upper.rfind("QUICK").unwrap_or(0));
    black_box(found);
    black_box(upper);
}

/// An array filled, sorted and summed.
#[inline(never)]
fn arrays() {
    let mut values = [0i32; 64];
    let mut value = black_box(17);
    for place in &mut values {
        value = (value * 31 + 7) % 101;
        *place = value;
    }
    // Written out: the library's own sort changes with its version.
    let mut gap = 32;
    while gap > 0 {
        for i in gap..64 {
            let moved = values[i];
            let mut place = i;
            while place >= gap && values[place - gap] > moved {
                values[place] = values[place - gap];
                place -= gap;
            }
            values[place] = moved;
        }
        gap /= 2;
    }
    black_box(values.iter().sum::<i32>());
}
