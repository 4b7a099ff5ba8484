//! Draws anew in each launch where the heap's blocks lie.
//!
//! A program that is started again gets its blocks from the allocator at the same places of their pages, and a change at its start moves all that come after it, in every
//! process alike: that looks like an effect of the change. So, before anything of the user's runs, the heap is filled with blocks of random sizes, and a random half of them
//! is freed (Curtsinger and Berger, STABILIZER: Statistically Sound Performance Evaluation, ASPLOS 2013). The allocator is the program's own, whichever it has chosen.

use std::alloc::{alloc, dealloc, Layout};

/// Bytes that are asked for, of which half stay. The same in each launch, so that the memory of the process is.
const SHAKEN: usize = 128 * 1024;
const MOST: usize = 1024;

/// Numbers from a seed: splitmix64 (Steele, Lea and Flood, Fast Splittable Pseudorandom Number Generators, OOPSLA 2014).
struct Lots(u64);

impl Lots {
    /// A number from 0 to bound - 1.
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 33) as usize % bound
    }
}

/// By the seed of the launch; `TARE_SHAKE=off` leaves the heap as it is.
pub(crate) fn shake_heap() {
    let is_off = std::env::var_os("TARE_SHAKE").is_some_and(|whether| whether == "off");
    let seed = std::env::var("TARE_SEED").ok().filter(|seed| seed.bytes().all(|byte| byte.is_ascii_digit()));
    if let (false, Some(seed)) = (is_off, seed.and_then(|seed| seed.parse().ok())) {
        shake(seed);
    }
}

/// Blocks of 16 bytes to 4 KiB, small ones as often as large ones.
fn shake(seed: u64) {
    let mut blocks = [(std::ptr::null_mut::<u8>(), 0usize); MOST];
    let (mut count, mut filled) = (0, 0);
    let mut lots = Lots(seed);
    while filled < SHAKEN && count < MOST {
        let range = 2 * lots.below(4);
        let size = 16 * (1 + lots.below(4 << range));
        // SAFETY: the size isn't 0.
        let block = unsafe { alloc(layout(size)) };
        if block.is_null() {
            break;
        }
        filled += size;
        // Each at a random place among those before it.
        let place = lots.below(count + 1);
        blocks[count] = blocks[place];
        blocks[place] = (block, size);
        count += 1;
    }
    // The others stay until the process ends.
    for (block, size) in &blocks[..count / 2] {
        // SAFETY: it was allocated so, and is freed once.
        unsafe { dealloc(*block, layout(*size)) };
    }
}

fn layout(size: usize) -> Layout {
    // SAFETY: 16 is a power of two, and the size is at most 4 KiB.
    unsafe { Layout::from_size_align_unchecked(size, 16) }
}
