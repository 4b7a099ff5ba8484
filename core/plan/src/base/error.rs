use tare_samples::{Case, printable_line};

use super::{BasePattern, BaseRule, class_of};

/// Why no comparisons can be formed. Names of benchmarks are shown without control characters, and cut.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BaseError {
    /// A text that names nothing.
    #[error(
        "`{}` doesn't name a base: {reason}; write a method, such as benchOld or HashBench::benchOld, or a parameter set, \
         such as #md5 or benchHash#md5",
        shown(.text)
    )]
    BadPattern {
        /// What was written.
        text: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// No case has the name.
    #[error("the base `{}` is no case of this run: names are compared whole, with their case; {remedy}", shown(&.pattern.to_string()))]
    NoMatch {
        /// What was asked for.
        pattern: BasePattern,
        /// The names that may have been meant.
        remedy: String,
    },
    /// Its source asks to leave the base out.
    #[error(
        "the base `{}` isn't measured, as its source asks to skip it ({}); take another one, or let it be measured",
        shown(&.pattern.to_string()),
        shown(.reason)
    )]
    LeftOut {
        /// What was asked for.
        pattern: BasePattern,
        /// What the source says.
        reason: String,
    },
    /// The base exists, but nothing that could be compared with it.
    #[error(
        "the base `{}` has no candidate: there is no other {} on the same runtime that makes its calls in the \
         same way; widen the filter, or name another base",
        shown(&.pattern.to_string()),
        if .pattern.is_set() { "parameter set of its benchmark" } else { "method of its class, with a set that the base has," }
    )]
    Alone {
        /// What was asked for.
        pattern: BasePattern,
    },
    /// A class or benchmark with more than one base.
    #[error("{} has two bases, `{}` and `{}`; {remedy}", shown(.place), shown(&.bases[0]), shown(&.bases[1]))]
    Several {
        /// The class, or the file where there is none.
        place: String,
        /// Two of the bases.
        bases: [String; 2],
        /// How to have one.
        remedy: &'static str,
    },
}

impl BaseError {
    pub(super) fn several(rule: &BaseRule, bases: [Option<&Case>; 2]) -> Self {
        let name = |case: Option<&Case>| {
            let id = case.map(Case::id).unwrap_or_default();
            id.split_once('/').map_or(id.clone(), |(_, name)| name.to_owned())
        };
        let place = bases[0].map(class_of).map_or("", |(_, file, class)| if class.is_empty() { file } else { class });
        Self::Several {
            place: place.to_owned(),
            bases: bases.map(name),
            remedy: match rule {
                BaseRule::Marked => "leave the mark at one of them, or name the base on the command line",
                BaseRule::Named(_) => "give more of the name",
            },
        }
    }
}

/// Characters of a name that a message repeats.
const LONGEST_SHOWN: usize = 80;

/// User's text inside a message: with what is hidden in it escaped, and not at length.
pub(super) fn shown(text: &str) -> String {
    printable_line(text, LONGEST_SHOWN)
}
