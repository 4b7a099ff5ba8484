//! A case, as a front end defines it.

use super::frame::{cut, Frame};
use std::collections::BTreeSet;

/// Longest name of a benchmark and of its parameters, in bytes: what the wire takes of a text has room for both.
const LONGEST_NAME: usize = 20_000;

/// What is known of a case before it runs. Names and figures are the author's; everything that isn't known stays empty.
#[derive(Clone, Debug, Default)]
pub struct Definition {
    /// Name of the benchmark.
    pub benchmark: String,
    /// Name of its set of parameters; empty where it has none.
    pub parameters: String,
    /// The source's path, as the compiler knows it.
    pub file: String,
    /// From 1; 0 where it isn't known.
    pub line: u32,
    /// Why it is left out; empty where it isn't.
    pub skip: String,
    /// Calls a sample, as the author wants; 0 where it is left to Tare.
    pub calls: u64,
    /// What one call processes.
    pub bytes: Option<u64>,
    /// What one call processes.
    pub items: Option<u64>,
    /// Figures of the author's, beside the time.
    pub metrics: Vec<(String, f64)>,
    /// What a reader must know of how it ran.
    pub labels: Vec<String>,
    /// Whether it works with several threads at once.
    pub is_parallel: bool,
    /// Whether a body that runs no routine is left out: it has nothing to measure. Else it has failed.
    pub may_measure_nothing: bool,
    /// Where the machine code of its calls begins, as addresses in this process; only where all of its code is reached from them.
    pub code: Vec<usize>,
}

impl Definition {
    /// Both names, as a framework prints them.
    pub fn full_name(&self) -> String {
        if self.parameters.is_empty() {
            self.benchmark.clone()
        } else {
            format!("{}/{}", self.benchmark, self.parameters)
        }
    }

    /// Names that the wire has room for. Two names stay two.
    pub(crate) fn with_short_names(mut self) -> Self {
        self.benchmark = short(self.benchmark);
        self.parameters = short(self.parameters);
        self
    }

    pub(crate) fn is_named(&self, names: &(String, String)) -> bool {
        self.benchmark == names.0 && self.parameters == names.1
    }

    pub(crate) fn frame(&self, number: usize, request: i64) -> Frame {
        let mut frame = Frame::new("case", request).integer("case", number as i64).text("benchmark", &self.benchmark);
        frame = frame.optional("parameters", &self.parameters).optional("file", &self.file);
        if self.line > 0 {
            frame = frame.integer("line", i64::from(self.line));
        }
        if self.calls > 0 {
            frame = frame.integer("iterations", self.calls as i64);
        }
        frame = frame.optional("skip", &self.skip);
        if self.is_parallel {
            frame = frame.boolean("parallel", true);
        }
        let code = super::place::linked(&self.code);
        if code.is_empty() {
            frame
        } else {
            frame.integers("code", &code)
        }
    }
}

/// The names that were given. A further case of a name gets a number behind it, as Criterion gives it: `name #2`.
pub(crate) struct Names(BTreeSet<String>);

impl Names {
    pub(crate) const fn new() -> Self {
        Self(BTreeSet::new())
    }

    pub(crate) fn make_own(&mut self, mut definition: Definition) -> Definition {
        let (benchmark, parameters) = (definition.benchmark.clone(), definition.parameters.clone());
        let mut number = 1;
        while !self.0.insert(definition.full_name()) {
            number += 1;
            if parameters.is_empty() {
                definition.benchmark = format!("{benchmark} #{number}");
            } else {
                definition.parameters = format!("{parameters} #{number}");
            }
        }
        definition
    }
}

/// A long name ends with the hash of the whole.
pub(crate) fn short(name: String) -> String {
    if name.len() <= LONGEST_NAME {
        return name;
    }
    // FNV-1a of 64 bits (Fowler, Noll and Vo; https://datatracker.ietf.org/doc/draft-eastlake-fnv): every worker's hash of names.
    let hash = name
        .bytes()
        .fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
    format!("{}…{hash:016x}", cut(&name, LONGEST_NAME))
}
