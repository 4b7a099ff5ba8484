//! Whether functions keep their places within lines of the cache from one build to the next, whatever they hold.

use std::collections::HashMap;

use crate::program::{Program, Symbol};

/// Bytes of a line of the cache.
const LINE: u64 = 64;

/// Whether every function of the user's that both programs have begins at the same place within a line of 64 bytes, and there is one: all do
/// where both were compiled with `-falign-functions=64`. Parts for rare paths, and what runs once before `main`, may lie anywhere.
pub fn keep_their_places(base: &Program, candidate: &Program) -> bool {
    let places: HashMap<&str, u64> = placed(base).collect();
    let mut shared = placed(candidate).filter_map(|(name, place)| Some((places.get(name)?, place))).peekable();
    shared.peek().is_some() && shared.all(|(of_base, place)| *of_base == place)
}

fn placed(program: &Program) -> impl Iterator<Item = (&str, u64)> {
    let told = |symbol: &&Symbol| !symbol.sdk && !runs_once(&symbol.name);
    program.functions.0.iter().filter(told).map(|symbol| (symbol.name.as_str(), symbol.start % LINE))
}

fn runs_once(name: &str) -> bool {
    name == "main" || name.ends_with(".cold") || name.starts_with("_GLOBAL__") || name.starts_with("_start")
}
