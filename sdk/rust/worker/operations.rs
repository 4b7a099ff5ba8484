//! Operations under load, as a program defines them.

use super::fault::Fault;
use super::panics::guarded;
use std::fmt::Debug;
use std::panic::Location;

/// Which of the workers of a load this is.
#[derive(Clone, Copy, Debug, Default)]
pub struct Worker {
    /// From 0.
    pub number: u64,
    /// How many there are.
    pub workers: u64,
    /// Operations that it has begun before the one under way, in processes before this one too.
    pub turn: u64,
}

/// How an operation ended, and what it says where it failed.
pub trait Outcome {
    /// Kind and message of the failure.
    fn failure(self) -> Option<(String, String)>;
}

impl Outcome for () {
    fn failure(self) -> Option<(String, String)> {
        None
    }
}

impl<T, E: Debug> Outcome for Result<T, E> {
    fn failure(self) -> Option<(String, String)> {
        let kind = std::any::type_name::<E>();
        self.err().map(|error| (kind.rsplit("::").next().unwrap_or(kind).to_owned(), format!("{error:?}")))
    }
}

type CleanUp<S> = Box<dyn FnMut(&mut S, &Worker)>;
type Body<S> = Box<dyn FnMut(&mut S, &Worker) -> Option<(String, String)>>;

struct Operation<S> {
    known: Known,
    body: Body<S>,
}

/// What is told of an operation.
#[derive(Clone, Debug)]
pub struct Known {
    pub(crate) name: String,
    pub(crate) weight: u32,
    pub(crate) file: &'static str,
    pub(crate) line: u32,
}

/// Operations that are set up together: each worker has one `S`.
pub struct Suite<S> {
    name: String,
    set_up: Box<dyn FnMut(&Worker) -> S>,
    clean_up: Option<CleanUp<S>>,
    operations: Vec<Operation<S>>,
    state: Option<S>,
}

impl<S: 'static> Suite<S> {
    /// `set_up` is done once in each worker, before its operations.
    pub fn new(name: impl Into<String>, set_up: impl FnMut(&Worker) -> S + 'static) -> Self {
        Self { name: name.into(), set_up: Box::new(set_up), clean_up: None, operations: Vec::new(), state: None }
    }

    /// An operation with its part in the mix, up to 1,000,000; 0: only where a mix names it.
    ///
    /// # Panics
    /// Where the name is empty or another operation of the suite has it, or the weight is greater.
    #[track_caller]
    pub fn operation<R: Outcome>(
        mut self,
        name: &str,
        weight: u32,
        mut body: impl FnMut(&mut S, &Worker) -> R + 'static,
    ) -> Self {
        assert!(weight <= 1_000_000, "a weight is from 0 to 1,000,000");
        let is_new = !name.is_empty() && self.operations.iter().all(|operation| operation.known.name != name);
        assert!(is_new, "an operation has a name, and no other of its suite has it");
        let place = Location::caller();
        let known = Known { name: name.to_owned(), weight, file: place.file(), line: place.line() };
        self.operations.push(Operation { known, body: Box::new(move |state, worker| body(state, worker).failure()) });
        self
    }

    /// Done once in each worker, after its operations.
    pub fn clean_up(mut self, clean_up: impl FnMut(&mut S, &Worker) + 'static) -> Self {
        self.clean_up = Some(Box::new(clean_up));
        self
    }
}

impl<S: 'static> From<Suite<S>> for Box<dyn AnySuite> {
    fn from(suite: Suite<S>) -> Self {
        Box::new(suite)
    }
}

/// A suite of whatever state. Made of a [`Suite`] by `into`.
pub trait AnySuite {
    #[doc(hidden)]
    fn name(&self) -> &str;
    #[doc(hidden)]
    fn known(&self) -> Vec<Known>;
    #[doc(hidden)]
    fn connect(&mut self, worker: &Worker) -> Result<(), Trouble>;
    /// Kind and message of its failure. `number` is its place in the suite.
    #[doc(hidden)]
    fn call(&mut self, number: usize, worker: &Worker) -> Option<(String, String)>;
    #[doc(hidden)]
    fn leave(&mut self, worker: &Worker) -> Result<(), Trouble>;
}

/// What user code did instead of coming back.
#[derive(Debug)]
pub struct Trouble(pub(crate) Fault);

impl<S: 'static> AnySuite for Suite<S> {
    fn name(&self) -> &str {
        &self.name
    }

    fn known(&self) -> Vec<Known> {
        self.operations.iter().map(|operation| operation.known.clone()).collect()
    }

    fn connect(&mut self, worker: &Worker) -> Result<(), Trouble> {
        self.state = Some(guarded("load", || (self.set_up)(worker)).map_err(Trouble)?);
        Ok(())
    }

    fn call(&mut self, number: usize, worker: &Worker) -> Option<(String, String)> {
        let (operation, state) = (self.operations.get_mut(number)?, self.state.as_mut()?);
        match guarded("exception", || (operation.body)(state, worker)) {
            Ok(failure) => failure,
            Err(fault) => Some(("panic".to_owned(), fault.message)),
        }
    }

    fn leave(&mut self, worker: &Worker) -> Result<(), Trouble> {
        let Some(mut state) = self.state.take() else { return Ok(()) };
        guarded("exception", || {
            if let Some(clean_up) = &mut self.clean_up {
                clean_up(&mut state, worker);
            }
            drop(state);
        })
        .map_err(Trouble)
    }
}
