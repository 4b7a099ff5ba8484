//! Which benchmarks of a Go package need not run to be listed, since the filter can't match them.
//!
//! Names of sub-benchmarks are known only once their parents have run. What a parent can name is guessed from the texts of its package, with
//! every doubt in favour of running it; where then nothing is found that the filter asks for, all of them run after all.

use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use regex::Regex;
use tare_definition::{Filter, Source};
use tare_results::{NoticeLevel, NoticeView};

use super::broken::text;

/// What a package is read for.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Narrowed {
    /// None of its benchmarks can match: it needn't even be built.
    None,
    /// All but these may match.
    Without(Vec<String>),
}

/// What `list --verbose` says of so many benchmarks, and packages, that didn't run.
pub(super) fn passed_over(count: usize) -> NoticeView {
    let what = if count == 1 { "1 benchmark or package was" } else { &format!("{count} benchmarks and packages were") };
    NoticeView {
        level: NoticeLevel::Info,
        message: format!("{what} not listed: --filter matches no benchmark in their sources"),
        file: String::new(),
        line: 0,
        remedy: String::new(),
    }
}

/// What of `source` the filter can't match.
pub(super) fn narrowed(source: &Source, filter: &Filter) -> Narrowed {
    if !source.language.entry().packages || !filter.chooses_by_name() || !source.absolute.is_dir() {
        return Narrowed::Without(Vec::new());
    }
    let texts = |test: bool| {
        let files = fs::read_dir(&source.absolute).into_iter().flatten().flatten().map(|entry| entry.path());
        let mut files: Vec<_> = files.filter(|file| is_go(file) && is_test(file) == test).collect();
        files.sort();
        files.iter().map(|file| text(file)).collect::<Vec<String>>().join("\n")
    };
    chosen(&format!("go/{}", source.path.display()), &texts(true), &texts(false), filter)
}

fn is_go(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension == "go") && file.is_file()
}

fn is_test(file: &Path) -> bool {
    file.to_string_lossy().ends_with("_test.go")
}

static HEAD: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r"(?m)^func (Benchmark\w*)\((\w+) \*testing\.B\) \{").ok());
/// `func Operation…` is listed without being run.
static OTHER: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"(?m)^func (Operation|Benchmark)").ok());
static LITERAL: LazyLock<Option<Regex>> =
    LazyLock::new(|| Regex::new(r#""((?:[^"\\\n]|\\.)*)"|`([^`]*)`|(?m:^type (\w+))"#).ok());
/// A call of another package that is given the benchmark may run sub-benchmarks of names that stand there.
static ELSEWHERE: LazyLock<Option<Regex>> = LazyLock::new(|| Regex::new(r"\b(\w+)\.\w+\((\w+)[,)]").ok());
/// Packages of assertions, which don't.
const ASSERTIONS: [&str; 5] = ["require", "assert", "must", "qt", "is"];

fn chosen(place: &str, tests: &str, others: &str, filter: &Filter) -> Narrowed {
    let (Some(head), Some(other)) = (&*HEAD, &*OTHER) else { return Narrowed::Without(Vec::new()) };
    let mut omitted = Vec::new();
    let heads: Vec<_> = head.captures_iter(tests).collect();
    let written = names(tests).chain(names(others)).collect::<Vec<_>>();
    for found in &heads {
        let (name, parameter) = (&found[1], &found[2]);
        let end = found.get(0).map_or(0, |whole| whole.end());
        // As gofmt writes it; else the rest of the file, which is more than its body.
        let body = tests[end..].split("\n}").next().unwrap_or_default();
        let known = format!("{place}\n{name}");
        let may_match = if is_leaf(body, parameter) {
            filter.may_match_name(name) || filter.may_match_name(&format!("go/{name}")) || filter.may_match_in(&known)
        } else {
            goes_elsewhere(tests) || filter.may_match_made_of(&known, &written)
        };
        if !may_match {
            omitted.push(name.to_owned());
        }
    }
    // What isn't written as usual may be anything.
    if omitted.len() == heads.len() && other.find_iter(tests).count() == heads.len() {
        return Narrowed::None;
    }
    Narrowed::Without(omitted)
}

/// It has no sub-benchmarks, and gives nobody the means to make them.
fn is_leaf(body: &str, parameter: &str) -> bool {
    let given = |(at, _): (usize, &str)| {
        let before = body[..at].chars().next_back();
        let after = body[at + parameter.len()..].chars().next();
        let is_word = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
        // `b.N` and the like stay its own.
        !is_word(before) && before != Some('.') && !is_word(after) && after != Some('.')
    };
    !body.contains(".Run(") && !body.match_indices(parameter).any(given)
}

/// Some code of these tests gives its benchmark to another package.
fn goes_elsewhere(tests: &str) -> bool {
    let Some(calls) = &*ELSEWHERE else { return true };
    calls.captures_iter(tests).any(|call| {
        let (package, given) = (&call[1], &call[2]);
        (given == "b" || given == "tb") && package != "b" && !ASSERTIONS.contains(&package)
    })
}

/// Texts that names may be made of: string literals, and names of types, which `%T` prints.
fn names(source: &str) -> impl Iterator<Item = &str> {
    let found = LITERAL.iter().flat_map(move |literal| literal.captures_iter(source));
    // A verb stands for anything.
    found
        .filter_map(|found| found.get(1).or_else(|| found.get(2)).or_else(|| found.get(3)))
        .flat_map(|literal| literal.as_str().split('%'))
}

#[cfg(test)]
mod tests {
    use tare_definition::Filter;

    use super::{Narrowed, chosen};

    const TESTS: &str = "package maps

import \"testing\"

func BenchmarkGet(b *testing.B) {
	for i := 0; i < b.N; i++ {
		get(i)
	}
}

func BenchmarkRangeDelete(b *testing.B) {
	for b.Loop() {
	}
}

func BenchmarkSizes(b *testing.B) {
	for _, size := range []int{1, 2} {
		b.Run(fmt.Sprintf(\"large-%d\", size), func(b *testing.B) {})
	}
}

func BenchmarkHelped(b *testing.B) {
	helped(b, \"Range\")
}
";

    fn of(pattern: &str, tests: &str) -> Narrowed {
        let filter = Filter::new(&[pattern.to_owned()], &[]).unwrap();
        chosen("go/maps", tests, "package maps\n\ntype Deleter struct{}\n", &filter)
    }

    fn without(names: &[&str]) -> Narrowed {
        Narrowed::Without(names.iter().map(|&name| name.to_owned()).collect())
    }

    #[test]
    fn a_name_that_cannot_match_is_left_out() {
        // `Range` and `Deleter` make a part of it.
        assert_eq!(of("RangeDelete", TESTS), without(&["BenchmarkGet"]));
        assert_eq!(
            of("^BenchmarkGet$", TESTS),
            without(&["BenchmarkRangeDelete", "BenchmarkSizes", "BenchmarkHelped"])
        );
        assert_eq!(
            of("BenchmarkSizes/large-1", TESTS),
            without(&["BenchmarkGet", "BenchmarkRangeDelete", "BenchmarkHelped"])
        );
        assert_eq!(of("large", TESTS), without(&["BenchmarkGet", "BenchmarkRangeDelete"]));
    }

    #[test]
    fn every_doubt_lets_a_benchmark_run() {
        for pattern in ["maps", "[Gg]et", "(?i)GET", "", "go/Benchmark", r"\d"] {
            assert_eq!(of(pattern, TESTS), without(&[]), "{pattern}");
        }
        // Another package may name anything.
        let elsewhere = TESTS.replace("helped(b,", "suite.Helped(b,");
        assert_eq!(of("anything", &elsewhere), without(&["BenchmarkGet", "BenchmarkRangeDelete"]));
        // So may what isn't written as usual.
        let odd = format!("{TESTS}\nfunc BenchmarkOdd(b *B) {{}}\n");
        assert_eq!(
            of("anything", &odd),
            without(&["BenchmarkGet", "BenchmarkRangeDelete", "BenchmarkSizes", "BenchmarkHelped"])
        );
    }

    #[test]
    fn a_package_of_which_nothing_can_match_is_passed_over() {
        assert_eq!(of("anything", TESTS), Narrowed::None);
        assert_eq!(of("^BenchmarkOther$", TESTS), Narrowed::None);
    }
}
