use crate::entry::{Clocks, Entry, Execution, IN_C, SharedNames};

pub(crate) const ENTRY: Entry = Entry {
    name: "cpp",
    title: Some("C++"),
    // An executable in the Executable and Linkable Format.
    magic: Some(b"\x7fELF"),
    built_from: &["cc", "cpp", "cxx", "c++", "C", "hh", "hpp", "hxx", "h"],
    programs: &["native"],
    usual_command: Some("native"),
    clocks: Clocks { programs: &["g++", "clang++", "c++"], compilers: true },
    execution: Execution::Built,
    builds_differ_by: 0.06,
    loads_itself: true,
    shared_names: SharedNames::BySource,
    // Compiled code is mostly without frame pointers.
    perf_stacks: "dwarf,16384",
    allocated_by: IN_C,
    ..Entry::UNKNOWN
};
