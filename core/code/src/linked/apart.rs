//! What runs in a program beside a case: what it leaves behind may matter to the case.

use std::collections::HashSet;

use iced_x86::{Decoder, DecoderOptions, Instruction};
use object::elf;

use super::objects::{Origin, Section};
use super::program::{LinkedProgram, Target, Unit};
use super::walk::{LinkedComparison, Pair, Walk};
use crate::imports;
use crate::pairs::Stop;
use crate::starts::changes_the_processor;

/// Crates of the standard library: where all objects were put into one, the names of their variables still tell.
const OF_THE_TOOLCHAIN: [&str; 6] = ["3std", "4core", "5alloc", "10std_detect", "9hashbrown", "9addr2line"];
/// Beside those that call nothing back: what a benchmark can't see.
const HARMLESS: [&str; 9] = [
    "bcmp",
    "clock_gettime",
    "sysconf",
    "getrandom",
    "__errno_location",
    "gettid",
    "rust_eh_personality",
    "_GLOBAL_OFFSET_TABLE_",
    "__tls_get_addr",
];
/// What changes the process for all that comes later, though it is asked for through the standard library.
const OF_THE_PROCESS: [&str; 9] =
    ["setenv", "unsetenv", "putenv", "chdir", "fchdir", "pthread_create", "setrlimit", "sched_setaffinity", "prctl"];
/// The same within the standard library.
const HOOK: &str = "8set_hook";

/// All code of the program, whatever the case.
pub(super) enum Others {
    Same,
    /// Why it isn't.
    Differ(String),
}

/// Whether what else runs in the programs can matter to the case that `entry` defines and `walk` has followed.
pub(super) fn look(comparison: &LinkedComparison<'_>, entry: Pair, walk: &Walk) -> Result<(), Stop> {
    let Others::Differ(why) = comparison.others.get_or_init(|| others(comparison)) else { return Ok(()) };
    let sides = [(comparison.base, entry.0), (comparison.candidate, entry.1)];
    let (mut of_base, mut of_candidate) = (HashSet::new(), HashSet::new());
    for ((program, end), into) in sides.into_iter().zip([&mut of_base, &mut of_candidate]) {
        *into = reach(program, end, |_, _| true)
            .ok_or_else(|| Stop::Unknown("what runs before the case isn't understood".to_owned()))?;
    }
    for (one, other) in &walk.variables {
        let is_shared = of_base.contains(one) || of_candidate.contains(other);
        if is_shared && !is_own(comparison, comparison.base, *one) {
            let name = comparison.base.name(*one);
            return Err(Stop::Unknown(format!("the case reads {name}, as other code does, and of that {why}")));
        }
    }
    for (program, end) in sides {
        if let Some(other) = consequence(comparison, program, end) {
            return Err(Stop::Unknown(format!("of what runs before the case {why}, and {other}")));
        }
    }
    Ok(())
}

/// Compares all that is reached from the beginning of the programs.
fn others(comparison: &LinkedComparison<'_>) -> Others {
    let (Some(base), Some(candidate)) = (roots(comparison.base), roots(comparison.candidate)) else {
        return Others::Differ("its beginning isn't understood".to_owned());
    };
    if base.len() != candidate.len() {
        return Others::Differ("the constructors are others".to_owned());
    }
    let mut walk = Walk::default();
    for pair in base.into_iter().zip(candidate) {
        walk.add(pair, &"main".into());
    }
    match comparison.finish(&mut walk, None) {
        Ok(()) => Others::Same,
        Err(Stop::Different(function)) => Others::Differ(format!("{function} differs")),
        Err(Stop::Unknown(why)) => Others::Differ(why),
    }
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

/// All that is reached from the beginning of a program without `end`, along what `follows` says; `None` where something isn't understood.
fn reach(program: &LinkedProgram, end: Unit, follows: impl Fn(Unit, Unit) -> bool) -> Option<HashSet<Unit>> {
    let mut waiting = roots(program)?;
    let mut seen: HashSet<Unit> = waiting.iter().copied().collect();
    while let Some(unit) = waiting.pop() {
        let section = program.section(unit);
        let handlers = if section.has(elf::SHF_EXECINSTR) { program.handlers(unit)? } else { &[] };
        for relocation in section.relocations.iter().chain(handlers) {
            if let Target::Place(to) = program.target(unit.object, relocation).ok()? {
                if to.unit != end && follows(unit, to.unit) && seen.insert(to.unit) {
                    waiting.push(to.unit);
                }
            }
        }
    }
    Some(seen)
}

/// Whether a variable is the standard library's or the SDK's.
fn is_own(comparison: &LinkedComparison<'_>, program: &LinkedProgram, unit: Unit) -> bool {
    match program.object(unit).origin {
        Origin::Toolchain => true,
        Origin::Sdk => comparison.same_sdk,
        Origin::User => is_of_toolchain(&program.name(unit)),
    }
}

/// By a mangled name, old (Itanium) or new (RFC 2603): the first crate that it names.
fn is_of_toolchain(name: &str) -> bool {
    let within = |rest: &str| OF_THE_TOOLCHAIN.iter().any(|known| rest.starts_with(known));
    if let Some(rest) = name.strip_prefix("_ZN") {
        return within(rest);
    }
    // A plain path, `_RNv…Cs…_3std`: one with types (`I`) could be made for the user's.
    let path = name.strip_prefix("_R").filter(|rest| !rest.contains('I'));
    let hashed = path.and_then(|path| path.split_once("Cs"));
    hashed.and_then(|(_, rest)| rest.split_once('_')).is_some_and(|(_, rest)| within(rest))
}

/// Why a case that shares no variable could still see what runs before it, a clause; `None` where it can't.
fn consequence(comparison: &LinkedComparison<'_>, program: &LinkedProgram, end: Unit) -> Option<String> {
    let origin = |unit: Unit| match program.object(unit).origin {
        Origin::Sdk if !comparison.same_sdk => Origin::User,
        Origin::User if is_of_toolchain(&program.name(unit)) => Origin::Toolchain,
        origin => origin,
    };
    // What the SDK asks of the standard library is the same in both.
    let follows = |from: Unit, to: Unit| origin(from) != Origin::Sdk || origin(to) == Origin::User;
    let Some(all) = reach(program, end, follows) else { return Some("it isn't understood".to_owned()) };
    let mut all: Vec<Unit> = all.into_iter().collect();
    all.sort_unstable();
    for unit in all {
        let of = origin(unit);
        if of == Origin::Sdk {
            continue;
        }
        let section = program.section(unit);
        let name = || program.name(unit);
        if of == Origin::Toolchain && name().contains(HOOK) {
            return Some("another hook for panics may be set".to_owned());
        }
        for relocation in &section.relocations {
            let Ok(Target::Import(import)) = program.target(unit.object, relocation) else { continue };
            let import = String::from_utf8_lossy(import);
            let is_harmless = match of {
                Origin::User => imports::calls_nothing_back(&import) || HARMLESS.contains(&&*import),
                _ => !OF_THE_PROCESS.contains(&&*import),
            };
            if !is_harmless {
                return Some(format!("{} uses {import} of the system", name()));
            }
        }
        if of == Origin::User && section.has(elf::SHF_EXECINSTR) {
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
    use super::is_of_toolchain;

    #[test]
    fn variables_of_the_standard_library_are_told_by_their_names() {
        for name in [
            "_ZN3std9panicking11panic_count18GLOBAL_PANIC_COUNT17h0123456789abcdefE",
            "_RNvNtNtCsbmNqQUJIY6D_3std9panicking11panic_count18GLOBAL_PANIC_COUNT",
        ] {
            assert!(is_of_toolchain(name), "{name}");
        }
        for name in ["COUNT", "_ZN4mine5COUNT17h0123456789abcdefE", "_RNvCsbmNqQUJIY6D_4mine5COUNT", "_ZN8stdthing1AE"]
        {
            assert!(!is_of_toolchain(name), "{name}");
        }
    }
}
