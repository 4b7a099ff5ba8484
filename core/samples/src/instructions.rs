use serde::{Deserialize, Serialize};

/// What a tool counted of whole processes (instructions, system calls): launches of two numbers of calls, of the subject and of the null
/// in its place.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LaunchCounts {
    /// Calls.
    pub calls: FewAndMany,
    /// Of the launches with the subject.
    pub subject: FewAndMany,
    /// Of those with the null.
    pub null: FewAndMany,
    /// Of the longer launch with the subject, made once more.
    pub again: u64,
}

/// Of a launch with few calls, and of one with many. Written as a pair: older versions read it so.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct FewAndMany {
    /// Of the shorter launch.
    pub few: u64,
    /// Of the longer one.
    pub many: u64,
}

impl From<(u64, u64)> for FewAndMany {
    fn from((few, many): (u64, u64)) -> Self {
        Self { few, many }
    }
}

impl From<FewAndMany> for (u64, u64) {
    fn from(FewAndMany { few, many }: FewAndMany) -> Self {
        (few, many)
    }
}

impl FewAndMany {
    fn difference(self) -> f64 {
        self.many as f64 - self.few as f64
    }
}

impl LaunchCounts {
    /// What a call adds, the null's taken off: what a process does once cancels. Not clamped; NaN where both launches made as many calls.
    pub fn per_call(&self) -> f64 {
        self.a_call(self.subject) - self.a_call(self.null)
    }

    /// What a call adds with the loop and the call that the worker makes.
    pub fn raw_per_call(&self) -> f64 {
        self.a_call(self.subject)
    }

    /// How far the second launch of the same lay from the first, a call; 0 where the count repeats itself.
    pub fn repeat_difference(&self) -> f64 {
        self.a_call(FewAndMany { few: self.subject.many, many: self.again }).abs()
    }

    fn a_call(&self, counts: FewAndMany) -> f64 {
        counts.difference() / self.calls.difference()
    }
}

#[cfg(test)]
mod tests {
    use super::LaunchCounts;

    #[test]
    fn a_call_is_what_more_calls_add_without_the_nulls() {
        // 1,000 at the start, 50 a call for the loop, 300 for the subject.
        let launch = |calls: u64, each: u64| 1000 + each * calls;
        let counts = LaunchCounts {
            calls: (10, 20).into(),
            subject: (launch(10, 350), launch(20, 350)).into(),
            null: (launch(10, 50), launch(20, 50)).into(),
            again: launch(20, 350) + 30,
        };
        assert_eq!((counts.per_call(), counts.raw_per_call(), counts.repeat_difference()), (300.0, 350.0, 3.0));
        let nothing = LaunchCounts { subject: counts.null, again: counts.null.many, ..counts };
        assert_eq!((nothing.per_call(), nothing.repeat_difference()), (0.0, 0.0));
        assert!(LaunchCounts::default().per_call().is_nan());
    }
}
