use serde::{Deserialize, Serialize};

/// What a case executes, counted in launches of their own: instructions of the process, or of the thread that measures where a runtime has threads of its
/// own, in user space.
///
/// Launches of equal numbers have equal seeds in all variants that are compared.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedWork {
    /// Launch by launch; the first of all variants have the same seed, and so have the second.
    pub launches: Vec<CountedLaunch>,
    /// Functions of the first launch, where a comparison says that work differs, and functions are known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub functions: Vec<CountedFunction>,
    /// The same of an interpreter's program, where its worker tells its functions: `functions` are the interpreter's own.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub executed: Option<ExecutedFunctions>,
    /// What it was counted in; `None` where nothing of that was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub environment: Option<CountEnvironment>,
}

/// What counts of the same code depend on, beside the machine's model of CPU: counts of unlike environments tell nothing of the code.
#[derive(Debug, Clone, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct CountEnvironment {
    /// The tool and its version, as it names itself: `valgrind-3.24.0`.
    pub tool: String,
    /// Version of the runtime, as its worker says it.
    pub runtime: String,
    /// Digest of the machine's libraries and programs that the process has loaded before the benchmarks, by their build ids; empty where they aren't known.
    pub libraries: String,
}

/// Functions of an interpreter's program, told by a hook of the language in a launch of its own.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ExecutedFunctions {
    /// What they are counted in.
    pub unit: FunctionUnit,
    /// In turns of as many calls as the first launch has.
    pub functions: Vec<CountedFunction>,
}

/// What a function's own work is counted in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FunctionUnit {
    /// Instructions of the processor.
    #[default]
    Instructions,
    /// The same, of functions of the interpreter, not of the program that it runs.
    Interpreter,
    /// Instructions of the language's bytecode.
    Bytecode,
    /// Statements of the source, and calls.
    Statements,
}

impl FunctionUnit {
    /// `instructions`, `interpreter`, `bytecode`, `statements`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Instructions => "instructions",
            Self::Interpreter => "interpreter",
            Self::Bytecode => "bytecode",
            Self::Statements => "statements",
        }
    }
}

/// What a function took of two turns of the subject.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedFunction {
    /// Its symbol as the counter reads it, or its name in the program.
    pub name: String,
    /// Of the turn with the fewest calls.
    pub few: FunctionCount,
    /// Of that with the most.
    pub many: FunctionCount,
    /// Functions that call it more often in more calls; none where the counter doesn't say who calls.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub callers: Vec<CountedCaller>,
}

/// A function that calls another one.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedCaller {
    /// Its symbol.
    pub name: String,
    /// Its calls in the turn with the fewest calls.
    pub few: u64,
    /// In that with the most.
    pub many: u64,
}

/// A function's own instructions (or what the unit says), those of what it calls left out, and how often it was called.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct FunctionCount {
    /// Instructions.
    pub own: u64,
    /// Calls of it.
    pub calls: u64,
}

/// One launch under a counter. Each count is of all calls of a turn, with what the worker does around them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CountedLaunch {
    /// Calls in the three turns of the subject, rising.
    pub calls: [u64; 3],
    /// Instructions of these turns.
    pub subject: [u64; 3],
    /// Calls in the two turns of the null, rising.
    pub null_calls: [u64; 2],
    /// Instructions of these turns.
    pub null: [u64; 2],
    /// Threads that weren't counted took part in a turn.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub several_threads: bool,
    /// System calls of these turns, where they were counted: instructions of the kernel are in no other count.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_calls: Option<TurnCounts>,
    /// Calls that allocate memory of the heap, where the language's are known by their symbols.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub allocations: Option<TurnCounts>,
}

/// How often something happened in the turns of a launch.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnCounts {
    /// In those of the subject.
    pub subject: [u64; 3],
    /// In those of the null.
    pub null: [u64; 2],
}

impl CountedLaunch {
    /// Instructions that a call adds, with the loop and the call that the worker makes: what a turn does once cancels.
    pub fn raw_per_call(&self) -> f64 {
        slope((self.calls[0], self.subject[0]), (self.calls[2], self.subject[2]))
    }

    /// The same of the null.
    pub fn null_per_call(&self) -> f64 {
        slope((self.null_calls[0], self.null[0]), (self.null_calls[1], self.null[1]))
    }

    /// Instructions of a call, those of the null taken off. Not clamped.
    pub fn per_call(&self) -> f64 {
        self.raw_per_call() - self.null_per_call()
    }

    /// The same of what its turns take more than those of `base`; of turns of other numbers of calls the larger one of both.
    pub fn bends_from(&self, base: &Self) -> f64 {
        if self.calls != base.calls {
            return self.bend().max(base.bend());
        }
        let more = |at: usize| self.subject[at] as f64 - base.subject[at] as f64;
        let slope =
            |from: usize| (more(from + 1) - more(from)) / (self.calls[from + 1] as f64 - self.calls[from] as f64);
        (slope(0) - slope(1)).abs()
    }

    /// How often something happens in a call, those of the null taken off: by the first two turns, and by the last two.
    pub fn in_a_call(&self, counts: &TurnCounts) -> [f64; 2] {
        let of_null = slope((self.null_calls[0], counts.null[0]), (self.null_calls[1], counts.null[1]));
        let turn = |at: usize| (self.calls[at], counts.subject[at]);
        [slope(turn(0), turn(1)) - of_null, slope(turn(1), turn(2)) - of_null]
    }

    /// How far what a call adds from the first turn to the second lies from what it adds from the second to the third.
    pub fn bend(&self) -> f64 {
        let turn = |at: usize| (self.calls[at], self.subject[at]);
        (slope(turn(0), turn(1)) - slope(turn(1), turn(2))).abs()
    }
}

impl CountedWork {
    /// Instructions of a call in the first launch, those of the null taken off; NaN where nothing was counted.
    pub fn per_call(&self) -> f64 {
        self.launches.first().map_or(f64::NAN, CountedLaunch::per_call)
    }

    /// The same with the loop and the call that the worker makes.
    pub fn raw_per_call(&self) -> f64 {
        self.launches.first().map_or(f64::NAN, CountedLaunch::raw_per_call)
    }

    /// How far launches of other seeds lie from the first, at the most; 0 where the count repeats itself, and of one launch.
    pub fn launches_differ_by(&self) -> f64 {
        self.launches.iter().map(|launch| (launch.per_call() - self.per_call()).abs()).fold(0.0, f64::max)
    }

    /// System calls of a call in the first launch, those of the null taken off; `None` where they weren't counted.
    pub fn system_calls(&self) -> Option<f64> {
        self.in_a_call(|launch| launch.system_calls)
    }

    /// Allocations, the same.
    pub fn allocations(&self) -> Option<f64> {
        self.in_a_call(|launch| launch.allocations)
    }

    fn in_a_call(&self, counts: impl Fn(&CountedLaunch) -> Option<TurnCounts>) -> Option<f64> {
        let launch = self.launches.first().filter(|_| !self.several_threads())?;
        let [first, second] = launch.in_a_call(&counts(launch)?);
        Some((first + second) / 2.0)
    }

    /// Whether a part of the work was another thread's, and wasn't counted.
    pub fn several_threads(&self) -> bool {
        self.launches.iter().any(|launch| launch.several_threads)
    }

    /// How far turns of one launch disagree, at the most.
    pub fn turns_differ_by(&self) -> f64 {
        self.launches.iter().map(CountedLaunch::bend).fold(0.0, f64::max)
    }
}

fn slope((few, less): (u64, u64), (many, more): (u64, u64)) -> f64 {
    (more as f64 - less as f64) / (many as f64 - few as f64)
}

#[cfg(test)]
mod tests {
    use super::{CountedLaunch, CountedWork, TurnCounts};

    fn launch(each: u64, once: u64) -> CountedLaunch {
        let calls = [10, 20, 30];
        CountedLaunch {
            calls,
            subject: calls.map(|calls| once + each * calls),
            null_calls: [100, 300],
            null: [once + 50 * 100, once + 50 * 300],
            ..CountedLaunch::default()
        }
    }

    #[test]
    fn a_call_is_what_more_calls_add_without_the_nulls() {
        let found = launch(350, 1000);
        assert_eq!((found.per_call(), found.raw_per_call(), found.bend()), (300.0, 350.0, 0.0));
        let nothing = launch(50, 7);
        assert_eq!(nothing.per_call(), 0.0);
        // Three in a call, and one in each turn of the worker's own.
        let counts = TurnCounts { subject: [31, 61, 97], null: [1, 1] };
        assert_eq!(found.in_a_call(&counts), [3.0, 3.6]);
    }

    #[test]
    fn what_does_not_repeat_itself_says_so() {
        let mut bent = launch(350, 1000);
        bent.subject[1] += 40;
        assert_eq!((bent.per_call(), bent.bend()), (300.0, 8.0));
        let work =
            CountedWork { launches: vec![launch(350, 1), launch(357, 2), launch(348, 2)], ..CountedWork::default() };
        assert_eq!((work.per_call(), work.launches_differ_by(), work.turns_differ_by()), (300.0, 7.0, 0.0));
        assert!(CountedWork::default().per_call().is_nan());
    }
}
