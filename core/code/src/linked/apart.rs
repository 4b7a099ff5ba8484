//! What runs in a program beside a case: what it leaves behind may matter to the case.

use std::collections::HashSet;

use iced_x86::{Decoder, DecoderOptions, FlowControl, Instruction, Mnemonic, OpKind};
use object::elf;

use super::objects::{Origin, Relocation, Section};
use super::program::{LinkedProgram, Target, Unit};
use super::walk::{Both, Pair, Walk};
use crate::imports;
use crate::pairs::Stop;
use crate::starts::changes_the_processor;

/// Crates of the standard library: where all objects were put into one, the names of their variables still tell.
const OF_THE_TOOLCHAIN: [&str; 4] = ["3std", "4core", "5alloc", "10std_detect"];
/// Crates that are compiled of the SDK's sources.
const OF_THE_SDK: [&str; 2] = ["9criterion", "5divan"];
/// Functions of the C library that change the process for all that comes later. No other library is linked ([`record`](super::record)).
const OF_THE_PROCESS: [&str; 35] = [
    "uselocale",
    "setitimer",
    "alarm",
    "dlsym",
    "setenv",
    "unsetenv",
    "putenv",
    "clearenv",
    "chdir",
    "fchdir",
    "chroot",
    "umask",
    "pthread_create",
    "setrlimit",
    "setpriority",
    "nice",
    "sched_setaffinity",
    "sched_setscheduler",
    "pthread_setaffinity_np",
    "prctl",
    "personality",
    "mlockall",
    "mallopt",
    "malloc_trim",
    "fesetround",
    "fesetenv",
    "feenableexcept",
    "setlocale",
    "srand",
    "srandom",
    "srand48",
    "rand",
    "random",
    "dlopen",
    "dup2",
];
/// The same within the standard library, by parts of mangled names.
const LASTING: [&str; 5] = ["8set_hook", "9take_hook", "6unpark", "3env7set_var", "6Thread3new"];
/// Modules of the standard library through which code changes what is outside of the process.
const OUTSIDE: [&str; 3] = ["3std2fs", "3std3net", "3std7process"];
/// Beside those that call nothing back: functions of the system that leave nothing behind.
const HARMLESS: [&str; 14] = [
    "bcmp",
    "clock_gettime",
    "sysconf",
    "getrandom",
    "__errno_location",
    "gettid",
    "_GLOBAL_OFFSET_TABLE_",
    "__tls_get_addr",
    "__dso_handle",
    "write",
    "writev",
    "posix_memalign",
    "aligned_alloc",
    "sched_yield",
];

/// What rustc keeps the address of a symbol in that need not be there; in writable data, and no code writes it.
const WEAK: &str = "_rust_extern_with_linkage_";

/// All code of the program, whatever the case.
pub(super) struct Others {
    /// Why it isn't all the same, a clause.
    differ: Option<String>,
    /// What is the same by itself, whatever it calls; by sides.
    equal: [HashSet<Unit>; 2],
}

/// Whether what else runs in the programs can matter to the case that `entry` defines and `walk` has followed.
pub(super) fn look(both: Both<'_>, others: &Others, entry: Pair, walk: &Walk) -> Result<(), Stop> {
    let Some(why) = &others.differ else { return Ok(()) };
    let sides = [(both.base, entry.0), (both.candidate, entry.1)];
    let mut reached = [HashSet::new(), HashSet::new()];
    for ((program, end), into) in sides.into_iter().zip(&mut reached) {
        *into = reach(program, end).map_err(not_understood)?;
    }
    let mut touched = [HashSet::new(), HashSet::new()];
    for (side, (program, _)) in sides.into_iter().enumerate() {
        // What is only in one of them isn't equal to anything either.
        let differing = reached[side].iter().filter(|unit| !is_equal(walk, others, side, unit)).copied();
        touched[side] = behind(program, differing.collect()).map_err(not_understood)?;
    }
    for (one, other) in &walk.variables {
        let is_shared = reached[0].contains(one) || reached[1].contains(other);
        let is_chosen_alike = || {
            [(0, both.base, *one), (1, both.candidate, *other)].into_iter().all(|(side, program, variable)| {
                // A byte: libraries keep there what this processor can.
                let is_own = !touched[side].contains(&variable) && program.section(variable).size == 1;
                let is_fit = |unit: &Unit| {
                    is_equal(walk, others, side, unit) && (is_own || replaces_itself(program, variable, *unit))
                };
                only_these_refer(program, variable, &reached[side], &is_fit)
            })
        };
        let is_written = || !both.base.name(*one).starts_with(WEAK);
        if is_shared && is_written() && origin(both.base, *one) == Origin::User && !is_chosen_alike() {
            let name = both.base.shown(*one);
            return Err(Stop::Unknown(format!("the case reads {name}, as other code does, and of that {why}")));
        }
    }
    for (side, (program, _)) in sides.into_iter().enumerate() {
        if let Some(other) = consequence(program, &touched[side]) {
            return Err(Stop::Unknown(format!("of what runs before the case {why}, and {other}")));
        }
    }
    Ok(())
}

fn not_understood(why: String) -> Stop {
    Stop::Unknown(format!("what runs before the case isn't understood: {why}"))
}

fn is_equal(walk: &Walk, others: &Others, side: usize, unit: &Unit) -> bool {
    walk.sides[side].contains(unit) || others.equal[side].contains(unit)
}

/// Compares all that is reached from the beginning of the programs, and goes on where something differs.
pub(super) fn others(both: Both<'_>) -> Others {
    let unknown = |why: &str| Others { differ: Some(why.to_owned()), equal: Default::default() };
    let (Some(base), Some(candidate)) = (roots(both.base), roots(both.candidate)) else {
        return unknown("its beginning isn't understood");
    };
    if base.len() != candidate.len() {
        return unknown("the constructors are others");
    }
    let mut walk = Walk::default();
    for pair in base.into_iter().zip(candidate) {
        walk.add(pair, &"main".into());
    }
    let (mut differ, mut differing) = (None, HashSet::new());
    while let Some((pair, found)) = both.next(&mut walk) {
        if let Err(stop) = found {
            differing.insert(pair);
            differ.get_or_insert(match stop {
                Stop::Different(function) => format!("{function} differs"),
                Stop::Unknown(why) => why,
            });
        }
    }
    // What holds other data, or refers to another function than it did, gives others something else, though its own code is the same.
    let is_itself = |(one, other): Pair| {
        let is_code = both.base.section(one).has(elf::SHF_EXECINSTR);
        is_code && both.base.shown(one) == both.candidate.shown(other)
    };
    loop {
        let before = differing.len();
        let from = walk.edges.iter().filter(|(_, to)| differing.contains(to) && !is_itself(*to)).map(|(from, _)| *from);
        let from: Vec<Pair> = from.collect();
        differing.extend(from);
        if differing.len() == before {
            break;
        }
    }
    let mut equal = walk.sides;
    for (one, other) in differing {
        equal[0].remove(&one);
        equal[1].remove(&other);
    }
    Others { differ, equal }
}

/// `main` and lists of constructors, in the order of the objects.
fn roots(program: &LinkedProgram) -> Option<Vec<Unit>> {
    let mut found = vec![program.global(b"main")?.unit];
    let is_list = |section: &Section| {
        let lists = [".init_array", ".preinit_array", ".ctors", ".fini_array", ".dtors"];
        section.has(elf::SHF_ALLOC) && lists.iter().any(|list| section.name.starts_with(list))
    };
    for (object, content) in program.objects.iter().enumerate() {
        let lists = content.sections.iter().enumerate().filter(|(_, section)| is_list(section));
        found.extend(lists.map(|(section, _)| Unit { object, section }));
    }
    Some(found)
}

/// All that is reached from the beginning of a program without `end`; `Err` with what isn't understood.
fn reach(program: &LinkedProgram, end: Unit) -> Result<HashSet<Unit>, String> {
    follow(program, roots(program).ok_or("its beginning isn't understood")?, |unit| unit != end)
}

/// All that code which differs can call or refer to. The SDK's own objects hold nothing of the user's, and do the same in both.
fn behind(program: &LinkedProgram, differing: Vec<Unit>) -> Result<HashSet<Unit>, String> {
    follow(program, differing, |unit| program.object(unit).origin != Origin::Sdk)
}

fn follow(
    program: &LinkedProgram,
    mut waiting: Vec<Unit>,
    is_followed: impl Fn(Unit) -> bool,
) -> Result<HashSet<Unit>, String> {
    let mut seen: HashSet<Unit> = waiting.iter().copied().collect();
    while let Some(unit) = waiting.pop() {
        let section = program.section(unit);
        let handlers = if section.has(elf::SHF_EXECINSTR) {
            program.handlers(unit).ok_or("its handlers of exceptions aren't understood")?
        } else {
            &[]
        };
        for relocation in section.relocations.iter().chain(handlers) {
            let Target::Place(to) = program.target(unit.object, relocation)? else { continue };
            if is_followed(to.unit) && seen.insert(to.unit) {
                waiting.push(to.unit);
            }
        }
    }
    Ok(seen)
}

/// Who wrote it, as a reader sees it: generic functions of libraries are compiled into the user's objects.
pub(super) fn author(program: &LinkedProgram, unit: Unit) -> Origin {
    match program.object(unit).origin {
        Origin::User => of_name(&program.name(unit)),
        origin => origin,
    }
}

/// Whose it is, by its object or, where all objects were put into one, by its name.
fn origin(program: &LinkedProgram, unit: Unit) -> Origin {
    match program.object(unit).origin {
        Origin::User if program.is_whole => of_name(&program.name(unit)),
        origin => origin,
    }
}

/// Whether `unit` only reads a variable that begins as the address of a function, or is that function, which puts another in its place: libraries choose so, at the first call, what is for this
/// processor.
fn replaces_itself(program: &LinkedProgram, variable: Unit, unit: Unit) -> bool {
    let [relocation] = program.section(variable).relocations.as_slice() else { return false };
    let Ok(Target::Place(first)) = program.target(variable.object, relocation) else { return false };
    if program.section(variable).size != 8 || !program.section(first.unit).has(elf::SHF_EXECINSTR) {
        return false;
    }
    first.unit == unit || only_reads(program, variable, unit)
}

/// Whether code loads what is in a variable, and neither writes it nor takes its address.
fn only_reads(program: &LinkedProgram, variable: Unit, unit: Unit) -> bool {
    let section = program.section(unit);
    let refers =
        |it: &&Relocation| matches!(program.target(unit.object, it), Ok(Target::Place(to)) if to.unit == variable);
    let places: Vec<u64> = section.relocations.iter().filter(refers).map(|it| it.place).collect();
    let is_relative = section.relocations.iter().filter(refers).all(|it| it.kind == elf::R_X86_64_PC32);
    if !section.has(elf::SHF_EXECINSTR) || !is_relative {
        return false;
    }
    let code = program.object(unit).content(unit.section);
    let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
    let mut instruction = Instruction::default();
    let mut found = 0;
    while decoder.can_decode() {
        decoder.decode_out(&mut instruction);
        let holds = |place: &&u64| (instruction.ip()..instruction.next_ip()).contains(*place);
        if places.iter().any(|place| holds(&place)) {
            let loads = instruction.mnemonic() == Mnemonic::Mov && instruction.op0_kind() == OpKind::Register;
            let calls = matches!(instruction.flow_control(), FlowControl::IndirectCall | FlowControl::IndirectBranch);
            if !loads && !calls {
                return false;
            }
            found += 1;
        }
    }
    found == places.len()
}

/// Whether of all code that runs only such refers to a variable: the same code gives it a value then.
fn only_these_refer(program: &LinkedProgram, variable: Unit, all: &HashSet<Unit>, are: &dyn Fn(&Unit) -> bool) -> bool {
    let refers = |unit: &Unit| {
        let mut targets = program.section(*unit).relocations.iter().map(|it| program.target(unit.object, it));
        targets.any(|target| matches!(target, Ok(Target::Place(to)) if to.unit == variable))
    };
    all.iter().filter(|unit| refers(unit)).all(are)
}

/// By a mangled name, old (Itanium) or new (RFC 2603): the crate of a path without types, which could be the user's.
fn of_name(name: &str) -> Origin {
    let within = |rest: &str| {
        let is_of = |crates: &[&str]| crates.iter().any(|known| rest.starts_with(known));
        if is_of(&OF_THE_TOOLCHAIN) {
            Origin::Toolchain
        } else if is_of(&OF_THE_SDK) {
            Origin::Sdk
        } else {
            Origin::User
        }
    };
    if let Some(rest) = name.strip_prefix("_ZN") {
        return within(rest);
    }
    let Some(mut path) = name.strip_prefix("_R") else { return Origin::User };
    // `N` and a letter for each level of the path, `M` or `X` with perhaps a number where it is an `impl`; then the crate: `Cs`, a number, and its name.
    loop {
        path = match path.strip_prefix('N') {
            Some(rest) => rest.get(1..).unwrap_or_default(),
            None => match path.strip_prefix(['M', 'X']) {
                Some(rest) => {
                    rest.strip_prefix('s').and_then(|rest| rest.split_once('_')).map_or(rest, |(_, rest)| rest)
                }
                None => break,
            },
        };
    }
    let hashed = path.strip_prefix("Cs").and_then(|rest| rest.split_once('_'));
    hashed.map_or(Origin::User, |(_, rest)| within(rest))
}

/// Why a case that shares no variable could still see what other code does that differs, a clause; `None` where it can't. `touched`: all that such code can call.
fn consequence(program: &LinkedProgram, touched: &HashSet<Unit>) -> Option<String> {
    let mut all: Vec<Unit> = touched.iter().copied().collect();
    all.sort_unstable();
    for unit in all {
        let of = origin(program, unit);
        let section = program.section(unit);
        let name = || program.shown(unit);
        if of == Origin::Toolchain && LASTING.iter().any(|lasting| program.name(unit).contains(lasting)) {
            return Some(format!("{} may be called", name()));
        }
        for relocation in &section.relocations {
            match program.target(unit.object, relocation) {
                Ok(Target::Import(import)) => {
                    let import = String::from_utf8_lossy(import);
                    let is_known = imports::calls_nothing_back(&import) || HARMLESS.contains(&&*import);
                    let is_of_process = OF_THE_PROCESS.contains(&&*import);
                    if is_of_process || of != Origin::Toolchain && !is_known {
                        return Some(format!("{} uses {import} of the system", name()));
                    }
                }
                // What it leaves in files, and other processes, a case may read.
                Ok(Target::Place(to)) if of != Origin::Toolchain => {
                    let called = program.name(to.unit);
                    if OUTSIDE.iter().any(|outside| called.contains(outside)) {
                        return Some(format!("{} calls {}", name(), program.shown(to.unit)));
                    }
                }
                _ => {}
            }
        }
        if of != Origin::Toolchain && section.has(elf::SHF_EXECINSTR) {
            let code = program.object(unit).content(unit.section);
            let mut decoder = Decoder::new(64, code, DecoderOptions::NONE);
            let mut instruction = Instruction::default();
            while decoder.can_decode() {
                decoder.decode_out(&mut instruction);
                if changes_the_processor(&instruction) {
                    return Some(format!("{} changes the processor's state or calls the system", name()));
                }
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::of_name;
    use crate::linked::objects::Origin;

    #[test]
    fn the_crate_of_a_name_is_told() {
        for (name, origin) in [
            ("_ZN3std9panicking11panic_count18GLOBAL_PANIC_COUNT17h0123456789abcdefE", Origin::Toolchain),
            ("_RNvNtNtCsbmNqQUJIY6D_3std9panicking11panic_count18GLOBAL_PANIC_COUNT", Origin::Toolchain),
            ("_ZN9criterion6worker5front4MODE17h0123456789abcdefE", Origin::Sdk),
            ("COUNT", Origin::User),
            ("_ZN4mine5COUNT17h0123456789abcdefE", Origin::User),
            ("_RNvCsbmNqQUJIY6D_4mine5COUNT", Origin::User),
            ("_RNvMCsbmNqQUJIY6D_4mineINtB2_1ANtCsx_3std1BE5COUNT", Origin::User),
            ("_RNvNvMs0_NtNtNtCsjrHSEGnQ3l9_3std12backtrace_rs9symbolize5gimli14MAPPINGS_CACHE", Origin::Toolchain),
            ("_RNvNCNKNvNvMNtNtCsjrHSEGnQ3l9_3std4hash6randomNtBa_11RandomState3new4KEYS", Origin::Toolchain),
            ("_ZN8stdthing1AE", Origin::User),
            ("_R", Origin::User),
        ] {
            assert_eq!(of_name(name), origin, "{name}");
        }
    }
}
