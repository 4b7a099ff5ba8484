//! Whether a text, of which no more is known, may speak of what a pattern matches.

use regex_syntax::hir::{Hir, HirKind};
use regex_syntax::parse;
use tare_languages::Language;

/// The words that a match needs, as the pattern has them.
#[derive(Debug, Clone)]
pub(super) struct Words(Hir);

impl Words {
    /// Of a pattern that is known to be one; without what it says of parameter sets and sub-benchmarks, whose names are made at run time.
    pub(super) fn of(pattern: &str) -> Self {
        let rest = pattern.trim_start_matches('^');
        // An id begins with its language; that of simulated cases is none.
        let mut names = Language::all().map(Language::name).chain(["native"]);
        let language = names.find_map(|name| rest.strip_prefix(name)?.strip_prefix('/'));
        let rest = language.unwrap_or(rest);
        let benchmark = rest.split(['#', '/']).next().unwrap_or(rest);
        Self(parse(benchmark).unwrap_or_else(|_| Hir::empty()))
    }

    /// Whether every word that a match can't do without stands in `text`. A pattern without such words may match anything.
    pub(super) fn may_be_in(&self, text: &str) -> bool {
        possible(&self.0, &|word| text.contains(word))
    }

    /// The same of names that are put together of `pieces` while a program runs, numbers between them.
    pub(super) fn may_be_made_of(&self, text: &str, pieces: &[&str]) -> bool {
        possible(&self.0, &|word| {
            text.contains(word) || pieces.iter().any(|piece| piece.contains(word)) || is_joined(word, pieces)
        })
    }
}

/// Whether `known` holds for every word that a match can't do without.
fn possible(hir: &Hir, known: &dyn Fn(&str) -> bool) -> bool {
    match hir.kind() {
        HirKind::Literal(literal) => words(&String::from_utf8_lossy(&literal.0)).all(known),
        HirKind::Capture(capture) => possible(&capture.sub, known),
        HirKind::Concat(parts) => parts.iter().all(|part| possible(part, known)),
        HirKind::Alternation(parts) => parts.iter().any(|part| possible(part, known)),
        HirKind::Repetition(repetition) => repetition.min == 0 || possible(&repetition.sub, known),
        HirKind::Empty | HirKind::Class(_) | HirKind::Look(_) => true,
    }
}

/// The end of one piece and the beginning of another, perhaps with a number at the seam or behind.
fn is_joined(word: &str, pieces: &[&str]) -> bool {
    let digit = |c: char| c.is_ascii_digit();
    word.char_indices().map(|(at, _)| at).skip(1).chain([word.len()]).any(|at| {
        let (left, right) = (word[..at].trim_end_matches(digit), word[at..].trim_matches(digit));
        let ends = left.is_empty() || pieces.iter().any(|piece| piece.ends_with(left));
        ends && (right.is_empty() || pieces.iter().any(|piece| piece.starts_with(right)))
    })
}

/// What a source could be searched for: names end where other characters than letters stand, and numbers are often made at run time.
fn words(literal: &str) -> impl Iterator<Item = &str> {
    let words = literal.split(|c: char| !c.is_alphanumeric() && c != '_');
    words.filter(|word| word.chars().any(char::is_alphabetic))
}

#[cfg(test)]
mod tests {
    use super::Words;

    const SOURCE: &str = "final class HashBench { public function benchHash(array $set) {} }";

    #[test]
    fn all_words_that_a_match_needs_must_be_there() {
        for pattern in [
            "Hash",
            "^HashBench::benchHash$",
            "benchHash#sha1",
            "php/Hash",
            "benchH.sh",
            "Sort|Hash",
            "(Sort)?Hash",
            ".*",
            "",
        ] {
            assert!(Words::of(pattern).may_be_in(SOURCE), "{pattern}");
        }
        for pattern in ["Sort", "^HashBench::benchSort$", "Hash.*Sort", "Sort|Parse", "(Sort)+Hash", "md5"] {
            assert!(!Words::of(pattern).may_be_in(SOURCE), "{pattern}");
        }
    }

    #[test]
    fn what_is_not_a_word_by_itself_rules_nothing_out() {
        for pattern in ["[Hh]ash", "(?i)HASH", r"\d+", "16", r"\p{Greek}", "#", "x*"] {
            assert!(Words::of(pattern).may_be_in(SOURCE), "{pattern}");
        }
    }
}
