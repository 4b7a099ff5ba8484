//! Values of the option `args`. They are made where a benchmark's cases are gone through, and live until it has been.

use crate::bencher::Bencher;
use std::any::Any;
use std::borrow::Cow;
use std::fmt::Debug;

/// Is shown each value of a benchmark.
pub struct Arguments<'v> {
    pub(crate) visit: &'v mut dyn FnMut(String, &mut dyn FnMut(Bencher<'_, '_>)),
}

impl Arguments<'_> {
    pub fn each<I>(
        &mut self,
        make: impl FnOnce() -> I,
        name: impl Fn(&I::Item) -> String,
        bench: impl Fn(Bencher<'_, '_>, &I::Item),
    ) where
        I: IntoIterator,
        I::Item: Any + Send + Sync,
    {
        // The compiler mustn't compute with what it knows of them.
        let values: Vec<I::Item> = crate::black_box(make().into_iter().collect());
        for value in &values {
            (self.visit)(name(value), &mut |bencher| bench(bencher, value));
        }
    }
}

/// A value as text: by `ToString`, which is its own method and goes first, or else by `Debug`.
pub struct Printed<'a, T: 'static>(pub &'a T);

impl<T: ToString> Printed<'_, T> {
    #[allow(clippy::inherent_to_string)]
    pub fn to_string(&self) -> String {
        self.0.to_string()
    }
}

impl<T: Debug> ToString for Printed<'_, T> {
    fn to_string(&self) -> String {
        format!("{:?}", self.0)
    }
}

/// How a function takes a value: by reference, a copy, or what it dereferences to.
pub trait Arg<T> {
    fn get(this: Self) -> T;
}

impl<T> Arg<T> for T {
    #[inline]
    fn get(this: Self) -> T {
        this
    }
}

impl<'a, T: ?Sized + ToOwned> Arg<&'a T> for &'a Cow<'a, T> {
    #[inline]
    fn get(this: Self) -> &'a T {
        this
    }
}

impl<'a> Arg<&'a str> for &'a String {
    #[inline]
    fn get(this: Self) -> &'a str {
        this
    }
}

impl<T: Copy> Arg<T> for &T {
    #[inline]
    fn get(this: Self) -> T {
        *this
    }
}

impl<T: Copy> Arg<T> for &&T {
    #[inline]
    fn get(this: Self) -> T {
        **this
    }
}

impl<T: Copy> Arg<T> for &&&T {
    #[inline]
    fn get(this: Self) -> T {
        ***this
    }
}
