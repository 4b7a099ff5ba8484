//! What a call processes.

use std::any::Any;

/// Names of the kinds: those that Tare knows, and figures beside the time.
pub(crate) const KINDS: [&str; 4] = ["bytes", "chars", "cycles", "items"];
const BYTES: usize = 0;
const CHARS: usize = 1;
const CYCLES: usize = 2;
const ITEMS: usize = 3;

/// A number of what a call processes.
pub trait Counter: Sized + Any + sealed::Sealed {}

pub(crate) mod sealed {
    pub trait Sealed {
        const KIND: usize;
        fn of_number(count: u64) -> Self;
        fn number(&self) -> u64;
    }
}

/// A counter, or a number of items.
pub trait IntoCounter {
    type Counter: Counter;
    fn into_counter(self) -> Self::Counter;
}

impl<C: Counter> IntoCounter for C {
    type Counter = C;
    fn into_counter(self) -> C {
        self
    }
}

/// Numbers that count.
pub trait CountUInt: Copy + Any {
    #[doc(hidden)]
    fn into_max_uint(self) -> u64;
}

/// Numbers that count, or references to them.
pub trait AsCountUInt {
    #[doc(hidden)]
    fn as_max_uint(&self) -> u64;
}

impl<T: AsCountUInt> AsCountUInt for &T {
    fn as_max_uint(&self) -> u64 {
        T::as_max_uint(self)
    }
}

macro_rules! numbers {
    ($($number:ty),+) => { $(
        impl CountUInt for $number {
            fn into_max_uint(self) -> u64 {
                self as u64
            }
        }
        impl AsCountUInt for $number {
            fn as_max_uint(&self) -> u64 {
                *self as u64
            }
        }
        impl IntoCounter for $number {
            type Counter = ItemsCount;
            fn into_counter(self) -> ItemsCount {
                ItemsCount::new(self)
            }
        }
    )+ };
}
numbers!(u8, u16, u32, u64, usize);

macro_rules! counter {
    ($name:ident, $kind:expr, $what:literal) => {
        #[doc = $what]
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
        pub struct $name {
            count: u64,
        }
        impl sealed::Sealed for $name {
            const KIND: usize = $kind;
            fn of_number(count: u64) -> Self {
                Self { count }
            }
            fn number(&self) -> u64 {
                self.count
            }
        }
        impl Counter for $name {}
        impl<C: AsCountUInt> From<C> for $name {
            fn from(count: C) -> Self {
                Self { count: count.as_max_uint() }
            }
        }
        impl $name {
            pub fn new<N: CountUInt>(count: N) -> Self {
                Self { count: count.into_max_uint() }
            }
        }
    };
}
counter!(BytesCount, BYTES, "Bytes.");
counter!(CharsCount, CHARS, "Characters.");
counter!(CyclesCount, CYCLES, "Cycles of whatever the author counts.");
counter!(ItemsCount, ITEMS, "Items.");

macro_rules! bytes_of {
    ($($number:ident)+) => { $(
        pub const fn $number(n: usize) -> Self {
            Self::of_many::<$number>(n)
        }
    )+ };
}

impl BytesCount {
    pub const fn of<T>() -> Self {
        Self { count: std::mem::size_of::<T>() as u64 }
    }

    pub const fn of_many<T>(n: usize) -> Self {
        match (std::mem::size_of::<T>() as u64).checked_mul(n as u64) {
            Some(count) => Self { count },
            None => panic!("overflow"),
        }
    }

    pub fn of_val<T: ?Sized>(val: &T) -> Self {
        Self { count: std::mem::size_of_val(val) as u64 }
    }

    pub fn of_iter<T, I: IntoIterator<Item = T>>(iter: I) -> Self {
        Self::of_many::<T>(iter.into_iter().count())
    }

    pub fn of_str<S: ?Sized + AsRef<str>>(s: &S) -> Self {
        Self::of_val(s.as_ref())
    }

    pub fn of_slice<T, S: ?Sized + AsRef<[T]>>(s: &S) -> Self {
        Self::of_val(s.as_ref())
    }

    bytes_of!(f32 f64 i8 u8 i16 u16 i32 u32 i64 u64 i128 u128 isize usize);
}

impl CharsCount {
    pub fn of_str<S: ?Sized + AsRef<str>>(s: &S) -> Self {
        Self::new(s.as_ref().chars().count())
    }
}

impl ItemsCount {
    pub fn of_iter<T, I: IntoIterator<Item = T>>(iter: I) -> Self {
        Self::new(iter.into_iter().count())
    }
}

/// Accepted; Tare chooses the units of bytes.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
#[non_exhaustive]
pub enum BytesFormat {
    #[default]
    Decimal,
    Binary,
}

/// One number of each kind.
#[derive(Clone, Copy, Default)]
pub struct Counters(pub(crate) [Option<u64>; 4]);

impl Counters {
    pub(crate) fn put<C: IntoCounter>(&mut self, counter: C) {
        let counter = counter.into_counter();
        self.0[kind_of::<C>()] = Some(sealed::Sealed::number(&counter));
    }

    /// These, and the others of kinds that these lack.
    pub(crate) fn within(self, outer: Counters) -> Counters {
        let mut all = outer;
        for (own, kept) in self.0.into_iter().zip(&mut all.0) {
            *kept = own.or(*kept);
        }
        all
    }
}

pub(crate) fn kind_of<C: IntoCounter>() -> usize {
    <C::Counter as sealed::Sealed>::KIND
}

/// What options make of a list.
pub fn counters(list: impl CounterList) -> Counters {
    let mut all = Counters::default();
    list.put_into(&mut all);
    all
}

/// Counters of several types.
pub trait CounterList {
    fn put_into(self, all: &mut Counters);
}

macro_rules! lists {
    ($($name:ident)*) => {
        impl<$($name: IntoCounter),*> CounterList for ($($name,)*) {
            #[allow(non_snake_case, unused_variables)]
            fn put_into(self, all: &mut Counters) {
                let ($($name,)*) = self;
                $( all.put($name); )*
            }
        }
    };
}
lists!();
lists!(A);
lists!(A B);
lists!(A B C);
lists!(A B C D);
lists!(A B C D E);
lists!(A B C D E F);
