//! Every form of Divan's interface. What a case did is written down where a test can read it: a line for each event, in the file that TARE_TEST_EVENTS names.
use divan::counter::{BytesCount, CharsCount, CyclesCount, IntoCounter, ItemsCount};
use divan::{black_box, black_box_drop, AllocProfiler, Bencher};
use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap, LinkedList};
use std::io::Write;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

#[global_allocator]
static ALLOC: AllocProfiler = AllocProfiler::system();

fn main() {
    divan::main();
}

/// Tells how often each was counted, when a benchmark's function has returned.
struct Events([(&'static str, AtomicU64); 4]);

impl Events {
    fn new() -> Self {
        Events(["made", "calls", "dropped", "counted"].map(|name| (name, AtomicU64::new(0))))
    }
    fn add(&self, name: &str) {
        self.0.iter().find(|(known, _)| *known == name).unwrap().1.fetch_add(1, Relaxed);
    }
}

impl Drop for Events {
    fn drop(&mut self) {
        if let Some(path) = std::env::var_os("TARE_TEST_EVENTS") {
            let mut file = std::fs::OpenOptions::new().append(true).create(true).open(path).unwrap();
            for (name, count) in &self.0 {
                writeln!(file, "{name} {}", count.load(Relaxed)).unwrap();
            }
        }
    }
}

/// Counts its drop.
struct Tracked<'a>(&'a Events);

impl Drop for Tracked<'_> {
    fn drop(&mut self) {
        self.0.add("dropped");
    }
}

#[divan::bench]
fn plain() {
    black_box(());
}

#[divan::bench]
fn lifetime<'a>() -> &'a str {
    "hello"
}

#[divan::bench]
extern "C" fn foreign() {}

#[divan::bench]
fn r#try() -> u8 {
    1
}

#[divan::bench]
fn divan() -> Vec<u8> {
    vec![1; 100]
}

#[divan::bench(name = "named by its author")]
fn unnamed(bencher: Bencher) {
    let events = Events::new();
    bencher.bench(|| events.add("calls"));
}

#[divan::bench]
fn local(bencher: Bencher<'_, '_>) {
    let (events, mut calls) = (Events::new(), 0);
    bencher.bench_local(|| {
        calls += 1;
        events.add("calls");
        calls
    });
}

mod ways {
    use super::*;

    #[divan::bench]
    fn outputs(bencher: Bencher) {
        let events = Events::new();
        bencher.bench(|| {
            events.add("calls");
            Tracked(&events)
        });
    }

    #[divan::bench]
    fn values(bencher: Bencher) {
        let events = Events::new();
        let make = || {
            events.add("made");
            Tracked(&events)
        };
        bencher.with_inputs(make).bench_values(|input| {
            events.add("calls");
            input
        });
    }

    #[divan::bench]
    fn local_values(bencher: Bencher) {
        let events = Events::new();
        let mut made = 0;
        let make = || {
            events.add("made");
            made += 1;
            Tracked(&events)
        };
        bencher.with_inputs(make).bench_local_values(|_input| events.add("calls"));
    }

    #[divan::bench]
    fn refs(bencher: Bencher) {
        let events = Events::new();
        let make = || {
            events.add("made");
            (Tracked(&events), 0)
        };
        bencher.with_inputs(make).bench_refs(|(_, number)| {
            *number += 1;
            events.add("calls");
        });
    }

    #[divan::bench]
    fn local_refs(bencher: Bencher) {
        let events = Events::new();
        let make = || {
            events.add("made");
            Tracked(&events)
        };
        bencher.with_inputs(make).bench_local_refs(|_| events.add("calls"));
    }

    #[divan::bench(threads = [1, 3])]
    fn in_threads(bencher: Bencher) {
        let events = Events::new();
        let make = || {
            events.add("made");
            Tracked(&events)
        };
        bencher.with_inputs(make).bench_refs(|_| events.add("calls"));
    }

    #[divan::bench(threads = 2)]
    fn in_one_number_of_threads(bencher: Bencher) {
        let events = Events::new();
        bencher.with_inputs(|| events.add("made")).bench_values(|()| events.add("calls"));
    }

    #[divan::bench(threads = [2, 3])]
    fn plainly_in_threads(bencher: Bencher) {
        let events = Events::new();
        bencher.bench(|| events.add("calls"));
    }
}

mod values {
    use super::*;

    #[divan::bench(args = [1, 20, 3])]
    fn numbers(number: usize) -> usize {
        number * 2
    }

    #[divan::bench(args = ["", "a b/\"c\""])]
    fn texts(bencher: Bencher, text: &str) {
        bencher.counter(CharsCount::of_str(text)).bench(|| text.len());
    }

    #[divan::bench(args = (1..=2).map(|length| "x".repeat(length)))]
    fn owned(text: &str) -> usize {
        text.len()
    }

    #[divan::bench(args = [Cow::Borrowed("cow"), Cow::Owned(String::from("bull"))])]
    fn cows<'a>(text: &'a str) -> usize {
        text.len()
    }

    #[derive(Debug)]
    struct Shown(u8);

    #[divan::bench(args = [Shown(7)])]
    fn shown(of: &Shown) -> u8 {
        of.0
    }

    const PAIRS: &[(u8, &str)] = &[(1, "one"), (2, "two")];

    #[divan::bench(args = PAIRS)]
    fn pairs(&(number, name): &(u8, &str)) -> usize {
        name.len() + usize::from(number)
    }

    #[divan::bench(args = [])]
    fn none(_: usize) {}

    #[divan::bench(args = HashMap::<u8, u8>::from([(5, 6)]), name = "after commas")]
    fn commas(entry: &(u8, u8)) -> u8 {
        entry.0
    }
}

mod generics {
    use super::*;

    mod other {
        #[derive(Default)]
        pub struct Vec<T>(#[allow(dead_code)] T);
    }

    #[divan::bench(types = [Vec<i32>, LinkedList<(u8, String)>, BTreeMap<u8, u16>, &str])]
    fn types<T: Default>() -> T {
        T::default()
    }

    #[divan::bench(types = [Vec<u8>, other::Vec<u8>, String])]
    fn of_one_name<T: Default>() -> T {
        T::default()
    }

    #[divan::bench(consts = [0, -1, isize::MAX])]
    fn constants<const N: isize>() -> isize {
        N
    }

    const LENGTHS: [usize; 3] = [1, 2, 3];

    #[divan::bench(consts = LENGTHS)]
    fn elsewhere<const N: usize>(bencher: Bencher) {
        bencher.bench(|| [0u8; N]);
    }

    #[divan::bench(types = [u8, u16], consts = [true, false], args = [4, 5], threads = [1, 2])]
    fn all<const B: bool, T: From<u8>>(number: u8) -> T {
        T::from(if B { number } else { 0 })
    }

    #[divan::bench(types = [u8], consts = ['a'])]
    fn type_first<T: Default, const C: char>() -> (T, char) {
        (T::default(), C)
    }

    #[divan::bench(types = [], consts = [1])]
    #[allow(dead_code)]
    fn no_types<T, const C: usize>() {}

    #[divan::bench(consts = [], types = [u8])]
    #[allow(dead_code)]
    fn no_constants<T, const C: usize>() {}
}

#[divan::bench_group(name = "a group", items_count = 7u8, sample_size = 12)]
mod grouped {
    use super::*;

    #[divan::bench]
    fn inner() {}

    #[divan::bench_group]
    mod r#inner {
        #[divan::bench(sample_size = 3, counter = divan::counter::BytesCount::of::<u64>())]
        fn inner() {}
    }

    #[divan::bench(counters = [3u32, BytesCount::of_many::<u32>(2), CyclesCount::new(9u8)])]
    fn counted(bencher: Bencher) {
        bencher.bench(|| ());
    }

    #[divan::bench(bytes_count = 1u8, chars_count = 2u16, cycles_count = 3u32)]
    fn all_counters(bencher: Bencher) {
        bencher.counter(ItemsCount::of_iter([1, 2])).bench(|| ());
    }

    #[divan::bench]
    fn of_inputs(bencher: Bencher) {
        let mut length = 0;
        let make = move || {
            length = (length + 1) % 3;
            "é".repeat(length)
        };
        bencher
            .with_inputs(make)
            .input_counter(BytesCount::of_str)
            .input_counter(|text| CharsCount::of_str(text).into_counter())
            .bench_local_refs(|text| black_box_drop(text.len()));
    }

    #[divan::bench]
    fn inputs_as_items(bencher: Bencher) {
        bencher.with_inputs(|| 5u64).count_inputs_as::<ItemsCount>().bench_values(|number| number + 1);
    }
}

macro_rules! made_by_a_macro {
    ($($name:ident: $type:ty = $value:expr;)*) => { $(
        #[divan::bench(args = $value, types = [$type])]
        fn $name<T: From<u8>>(number: u8) -> T {
            T::from(number)
        }
    )* };
}
made_by_a_macro! {
    by_a_macro: u16 = [1];
    by_a_macro_too: u32 = [2];
}

mod ignored {
    #[divan::bench]
    #[ignore]
    fn by_attribute() {}

    #[divan::bench(ignore)]
    fn by_option() {}

    #[divan::bench(ignore = false, sample_count = 1)]
    fn not() {}

    #[divan::bench_group(ignore = cfg!(unix))]
    mod group {
        #[divan::bench]
        fn inner() {}
    }
}

mod renamed {
    use ::divan as other;

    #[other::bench(crate = other)]
    fn root() {}
}

fn outer() {
    #[divan::bench(min_time = 0.5, max_time = 1, skip_ext_time)]
    fn within_a_function() {}
}

#[divan::bench(sample_count = 0)]
fn without_samples() {
    outer();
}
