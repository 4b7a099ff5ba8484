use std::ffi::OsStr;
use std::path::Path;

use crate::entry::{Entry, Execution, IN_C, Pattern, SharedNames};

pub(crate) const ENTRY: Entry = Entry {
    name: "rust",
    endings: &["rs"],
    patterns: &[Pattern {
        text: Some(is_benchmarks),
        told: Some("*.rs (targets of cargo bench with Criterion, Divan or #[bench])"),
        ..Pattern::plain("*.rs")
    }],
    passes_over,
    programs: &["cargo"],
    usual_command: Some("cargo"),
    execution: Execution::Built,
    // That of C++, whose compilers share the back end; none of its own was measured.
    builds_differ_by: 0.06,
    loads_itself: true,
    lists_on_every_cpu: true,
    // 0.05 s for 5 MB of program (LLD of Rust 1.95); larger ones take longer.
    link_ns: 0.1e9,
    shared_names: SharedNames::ByModule,
    // Compiled code is mostly without frame pointers.
    perf_stacks: "dwarf,16384",
    allocated_by: IN_C,
    ..Entry::UNKNOWN
};

/// Whether a text is the root of a program of benchmarks, which ends in one of the macros, calls what they call, or runs Criterion from a `main` of its own; or any file with `#[bench]`.
fn is_benchmarks(text: &str) -> bool {
    has_own_main(text) || (says(text, "fn main()") && says(text, "criterion::")) || has_bench_attribute(text)
}

/// Whether a source begins a framework in the main function, which rustc's own harness would take the place of.
#[must_use]
pub fn has_own_main(text: &str) -> bool {
    ["criterion_main!", "divan::main()", "divan::Divan::"].iter().any(|what| says(text, what))
}

/// Whether a source has functions with `#[bench]`, which nightly toolchains compile.
#[must_use]
pub fn has_bench_attribute(text: &str) -> bool {
    says(text, "#[bench]")
}

/// Outside of comments that take the line.
fn says(text: &str, what: &str) -> bool {
    text.lines().any(|line| line.contains(what) && !line.trim_start().starts_with("//"))
}

/// Where Cargo builds.
fn passes_over(path: &Path) -> bool {
    path.iter().any(|name| name == OsStr::new("target"))
}

#[cfg(test)]
mod tests {
    use super::is_benchmarks;

    #[test]
    fn the_root_of_a_program_of_benchmarks_is_told_by_how_it_begins() {
        assert!(is_benchmarks("criterion_group!(benches, a);\ncriterion_main!(benches);\n"));
        assert!(is_benchmarks("fn main() {\n    divan::main();\n}\n"));
        assert!(is_benchmarks("use criterion::Criterion;\nfn main() { Criterion::default().final_summary(); }\n"));
        assert!(is_benchmarks("mod benches {\n    #[bench]\n    fn a(b: &mut Bencher) {}\n}\n"));
        for other in [
            "/// Not of `#[bench]`.\nfn a() {}\n",
            "use criterion::Criterion;\npub fn a(c: &mut Criterion) {}\ncriterion_group!(benches, a);\n",
            "// criterion_main!(benches);\nfn main() {}\n",
            "fn main() { println!(\"no benchmark\"); }\n",
        ] {
            assert!(!is_benchmarks(other), "{other}");
        }
    }
}
