//! What is found of the functions that define benchmarks.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use super::apart::{self, Others};
use super::objects::Origin;
use super::program::LinkedProgram;
use super::walk::{Both, Pair, Walk};
use crate::likeness::{Likeness, SameCode};
use crate::pairs::Stop;

/// A comparison of what two programs were linked of. What is found of a function is kept for all of its cases.
pub struct LinkedComparison<'a> {
    both: Both<'a>,
    found: RefCell<HashMap<Pair, Likeness>>,
    /// What all other code of the programs is, whatever the case.
    others: OnceCell<Others>,
}

impl<'a> LinkedComparison<'a> {
    /// Nothing is compared yet.
    #[must_use]
    pub fn new(base: &'a LinkedProgram, candidate: &'a LinkedProgram) -> Self {
        Self { both: Both { base, candidate }, found: RefCell::default(), others: OnceCell::new() }
    }

    /// Whether all that a case executes or reads is the same in both, where its function begins at these link-time addresses of the executables.
    #[must_use]
    pub fn of_function(&self, base: u64, candidate: u64) -> Likeness {
        let entry = (self.both.base.function_at(base), self.both.candidate.function_at(candidate));
        let (Some(one), Some(other)) = entry else {
            return Likeness::Unknown { why: "its program doesn't say where its code begins".to_owned() };
        };
        if let Some(known) = self.found.borrow().get(&(one, other)) {
            return known.clone();
        }
        let found = self.of_pair((one, other)).unwrap_or_else(Likeness::from);
        self.found.borrow_mut().insert((one, other), found.clone());
        found
    }

    fn of_pair(&self, entry: Pair) -> Result<Likeness, Stop> {
        if self.both.base.settings != self.both.candidate.settings {
            return Err(Stop::Unknown("the programs are linked with other settings".to_owned()));
        }
        let mut walk = Walk::default();
        walk.add(entry, &"the benchmark".into());
        // A function of the user's says more than a library's instance for it.
        let mut of_a_library = None;
        while let Some((pair, found)) = self.both.next(&mut walk) {
            let stop = match (found, &of_a_library) {
                (Ok(()), _) => continue,
                (Err(Stop::Unknown(_)), Some(_)) => break,
                (Err(stop), _) => stop,
            };
            match (apart::author(self.both.base, pair.0), &stop) {
                (Origin::User, _) | (_, Stop::Unknown(_)) => return Err(stop),
                // The compiler has made the benchmark a part of the loop around it.
                (Origin::Sdk, _) => of_a_library = Some(Stop::Different(String::new())),
                (Origin::Toolchain, _) => of_a_library = of_a_library.or(Some(stop)),
            }
        }
        if let Some(stop) = of_a_library {
            return Err(stop);
        }
        let others = self.others.get_or_init(|| apart::others(self.both));
        apart::look(self.both, others, entry, &walk)?;
        Ok(Likeness::Same(SameCode { functions: walk.functions, moved: None }))
    }
}
