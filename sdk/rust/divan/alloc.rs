//! An allocator that counts, where Tare asks for it; otherwise it hands on what it is asked for.

use crate::worker::{self, Allocations};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::atomic::{AtomicBool, Ordering};

static COUNTS: AtomicBool = AtomicBool::new(false);

thread_local! {
    static COUNTED: Cell<(u64, u64)> = const { Cell::new((0, 0)) };
}

/// A global allocator around another one.
#[derive(Debug, Default)]
pub struct AllocProfiler<Alloc = System> {
    alloc: Alloc,
}

impl AllocProfiler {
    pub const fn system() -> Self {
        Self::new(System)
    }
}

impl<A> AllocProfiler<A> {
    pub const fn new(alloc: A) -> Self {
        Self { alloc }
    }
}

/// A block that grows counts as one more, of so many bytes as it grows by.
#[inline(always)]
fn count(bytes: usize) {
    if COUNTS.load(Ordering::Relaxed) {
        // A thread that ends has no counter any more.
        let _ = COUNTED.try_with(|counted| {
            let (count, total) = counted.get();
            counted.set((count + 1, total + bytes as u64));
        });
    }
}

// SAFETY: the other allocator does all the work.
unsafe impl<A: GlobalAlloc> GlobalAlloc for AllocProfiler<A> {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        self.alloc.alloc(layout)
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        count(layout.size());
        self.alloc.alloc_zeroed(layout)
    }

    unsafe fn realloc(&self, ptr: *mut u8, layout: Layout, new_size: usize) -> *mut u8 {
        if new_size > layout.size() {
            count(new_size - layout.size());
        }
        self.alloc.realloc(ptr, layout, new_size)
    }

    unsafe fn dealloc(&self, ptr: *mut u8, layout: Layout) {
        self.alloc.dealloc(ptr, layout)
    }
}

fn switch(is_on: bool) {
    COUNTS.store(is_on, Ordering::Relaxed);
}

fn read() -> Allocations {
    let (count, bytes) = COUNTED.try_with(Cell::get).unwrap_or_default();
    Allocations { count, bytes }
}

/// Tells the worker of the counter, where the program has made it its allocator.
pub(crate) fn announce() {
    let before = read();
    switch(true);
    drop(crate::black_box(Box::new(0u8)));
    switch(false);
    if read() != before {
        worker::count_by(worker::Counter { switch, read });
    }
}
