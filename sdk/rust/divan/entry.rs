//! What the macros say of benchmarks and groups. Each is registered before `main` begins, by a function that the loader calls (`.init_array` and its like): the order is the linker's, and
//! nothing is made of it.

use crate::arguments::Arguments;
use crate::bencher::Bencher;
use crate::options::Options;
use std::ptr;
use std::sync::atomic::{AtomicPtr, Ordering};

/// A benchmark or a group.
pub struct Entry {
    pub raw_name: &'static str,
    pub display_name: &'static str,
    pub module_path: &'static str,
    pub file: &'static str,
    pub line: u32,
    pub column: u32,
    pub options: fn() -> Options,
    pub kind: Kind,
}

pub enum Kind {
    Group,
    Benchmark(&'static [Instance]),
}

/// A benchmark's function, with the types and constants that it has.
pub struct Instance {
    pub type_name: Option<fn() -> &'static str>,
    pub constant: Option<fn() -> String>,
    /// Whether there are so many constants.
    pub is_there: bool,
    pub runner: Runner,
}

#[derive(Clone, Copy)]
pub enum Runner {
    Plain(fn(Bencher<'_, '_>)),
    Args(fn(&mut Arguments<'_>)),
}

/// Where an entry stands in the list of all.
pub struct Node {
    entry: &'static Entry,
    next: AtomicPtr<Node>,
}

static FIRST: AtomicPtr<Node> = AtomicPtr::new(ptr::null_mut());

impl Node {
    pub const fn new(entry: &'static Entry) -> Self {
        Node { entry, next: AtomicPtr::new(ptr::null_mut()) }
    }
}

/// Called before `main`, once for each node: it needs nothing of the standard library.
pub fn register(node: &'static Node) {
    let mut first = FIRST.load(Ordering::Acquire);
    loop {
        node.next.store(first, Ordering::Release);
        let this = node as *const Node as *mut Node;
        match FIRST.compare_exchange(first, this, Ordering::AcqRel, Ordering::Acquire) {
            Ok(_) => return,
            Err(other) => first = other,
        }
    }
}

/// All entries, in no order.
pub(crate) fn entries() -> Vec<&'static Entry> {
    let mut all = Vec::new();
    let mut node = FIRST.load(Ordering::Acquire);
    // SAFETY: `register` has put only nodes there that live as long as the program.
    while let Some(known) = unsafe { node.as_ref() } {
        all.push(known.entry);
        node = known.next.load(Ordering::Acquire);
    }
    all
}
