//! Programs that rustc has linked through the SDK's wrapper, of which it is known what differs for which function.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};
use std::process::Command;

use object::{Object, ObjectSymbol};
use tare_code::{Likeness, LinkedComparison, LinkedProgram};

const CASES: [&str; 9] = ["adds", "table", "pointer", "dynamic", "counts", "chosen", "lucky", "panics", "hooked"];

/// What of the program is replaced in a variant, by what, and which cases aren't the same then.
type Variant = (&'static str, &'static [(&'static str, &'static str)], &'static [&'static str]);

const VARIANTS: [Variant; 20] = [
    ("the same", &[], &[]),
    ("a line above", &[("// Above.", "// Above.\n// More.\n\n")], &[]),
    ("a column", &[("    panic!(", "            panic!(")], &[]),
    ("an operand", &[("of + 1", "of + 2")], &["adds"]),
    ("a constant in a table", &[("2, 3, 5, 7", "2, 3, 5, 8")], &["table"]),
    ("behind a pointer in a static", &[("wrapping_mul(3)", "wrapping_mul(5)")], &["pointer"]),
    ("behind a table of methods", &[("rotate_left(7)", "rotate_left(9)")], &["dynamic"]),
    ("who else counts", &[("for _ in 0..10", "for _ in 0..11")], &["chosen"]),
    ("who else chooses", &[("fn others() {", "fn others() { CHOICE.store(4, Relaxed);")], &["chosen"]),
    // The same code with another argument: who calls it differs.
    ("what equal code is given", &[("give(1)", "give(3)")], &["chosen"]),
    ("what equal code reads", &[("CONFIG: u8 = 1", "CONFIG: u8 = 3")], &["chosen"]),
    ("another function", &[("set(slow); set(fast)", "set(fast); set(slow)")], &["hooked", "chosen"]),
    ("what stays in force", &[("fn others() {", "fn others() { std::env::set_var(\"A\", \"b\");")], &CASES),
    ("files", &[("fn others() {", "fn others() { let _ = std::fs::write(\"/nowhere/a\", \"b\");")], &CASES),
    ("a hook", &[("fn others() {", "fn others() { let _ = std::panic::take_hook();")], &CASES),
    ("the alignment of a constant", &[("repr(align(8))", "repr(align(64))")], &["table"]),
    ("a constant of many bytes", &[("1.625", "1.375")], &["lucky"]),
    ("the message of a panic", &[("too large", "too small")], &["panics"]),
    ("a text of a file's shape", &[("(\"a.rs\", 1, 2)", "(\"b.rs\", 1, 2)")], &["dynamic"]),
    (
        "the processor's state",
        &[(
            "fn others() {",
            "fn others() { static STATE: u32 = 0x1f80; unsafe { std::arch::asm!(\"ldmxcsr [{}]\", in(reg) std::ptr::addr_of!(STATE)) };",
        )],
        &CASES,
    ),
];

/// Those that are tried where all objects are put into one, too; that takes long.
const AS_ONE: [&str; 2] = ["a line above", "an operand"];

const SOURCE: &str = r#"
// Above.
use std::hint::black_box;
use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};

static COUNT: AtomicUsize = AtomicUsize::new(0);
static CHOICE: AtomicU8 = AtomicU8::new(0);
static PLACE: (&str, u32, u32) = ("a.rs", 1, 2);

#[no_mangle] #[inline(never)]
pub fn adds() -> u64 { let of = black_box(5u64); of + 1 }

#[no_mangle] #[inline(never)]
pub fn table() -> u64 { static TABLE: Aligned = Aligned([2, 3, 5, 7]); TABLE.0[black_box(2usize) & 3] }
#[repr(align(8))] struct Aligned([u64; 4]);

static STEP: fn(u64) -> u64 = step;
fn step(of: u64) -> u64 { of.wrapping_mul(3) }
#[no_mangle] #[inline(never)]
pub fn pointer() -> u64 { black_box(&STEP)(black_box(7)) }

trait Turns { fn turn(&self) -> u64; }
struct One(u64);
impl Turns for One { fn turn(&self) -> u64 { self.0.rotate_left(7) } }
#[no_mangle] #[inline(never)]
pub fn dynamic() -> u64 { let one: Box<dyn Turns> = black_box(Box::new(One(black_box(3)))); one.turn() + black_box(&PLACE).0.len() as u64 }

#[no_mangle] #[inline(never)]
pub fn counts() -> usize { COUNT.fetch_add(1, Relaxed) }

fn choice() -> u8 {
    let known = CHOICE.load(Relaxed);
    if known != 0 { return known; }
    let found = if std::env::args().count() > 100 { 2 } else { 1 };
    CHOICE.store(found, Relaxed);
    found
}
#[no_mangle] #[inline(never)]
pub fn chosen() -> u8 { choice() }

#[no_mangle] #[inline(never)]
pub fn lucky() -> f64 { black_box(2.0f64) * 1.625 }

#[no_mangle] #[inline(never)]
pub fn panics() -> u64 {
    let of = black_box(5u64);
    if of > 9 {
    panic!("too large: {of}");
    }
    of
}

static CONFIG: u8 = 1;
static mut HOOK: fn() -> u64 = fast;
fn fast() -> u64 { black_box(1) }
fn slow() -> u64 { black_box(1) * black_box(9) }
#[inline(never)]
fn set(hook: fn() -> u64) { unsafe { HOOK = hook } }
#[no_mangle] #[inline(never)]
pub fn hooked() -> u64 { unsafe { HOOK() } }

#[inline(never)]
fn give(choice: u8) { CHOICE.store(choice, Relaxed); }

#[inline(never)]
fn more() { set(slow); set(fast); give(*black_box(&CONFIG)); }

#[inline(never)]
fn others() {
    give(1);
    for _ in 0..10 { COUNT.fetch_add(1, Relaxed); }
}

fn main() {
    others();
    give(2);
    more();
    black_box((hooked(), adds(), table(), pointer(), dynamic(), counts(), chosen(), lucky(), panics()));
}
"#;

fn wrapper(folder: &Path) -> PathBuf {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk/rust/wrapper/main.rs");
    let made = folder.join("wrapper");
    let status = Command::new("rustc").args(["--edition=2021", "-o"]).arg(&made).arg(source).status().unwrap();
    assert!(status.success());
    made
}

/// The program and its record.
fn program(folder: &Path, wrapper: &Path, name: &str, source: &str, flags: &[&str]) -> (PathBuf, LinkedProgram) {
    let folder = folder.join(name.replace(' ', "-"));
    std::fs::create_dir_all(folder.join("src")).unwrap();
    std::fs::write(folder.join("src/main.rs"), source).unwrap();
    let mut compiler = Command::new(wrapper);
    compiler.args(["rustc", "--crate-name", "subject", "--edition=2021", "-O", "-Cstrip=symbols"]).args(flags);
    let status = compiler.args(["src/main.rs", "-o", "subject"]).current_dir(&folder).status().unwrap();
    assert!(status.success());
    let path = folder.join("subject");
    let linked = LinkedProgram::read(&folder.join("subject.tare-link"), &path).unwrap();
    (path, linked)
}

fn entry(path: &Path, case: &str) -> u64 {
    let bytes = std::fs::read(path).unwrap();
    let file = object::File::parse(&*bytes).unwrap();
    file.symbols().find(|symbol| symbol.name() == Ok(case)).unwrap().address()
}

#[test]
fn what_a_function_executes_or_reads_takes_its_proof_and_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let wrapper = wrapper(folder.path());
    // Units of one function each: where the compiler puts them together, and what it then inlines, is the same.
    for (flags, name) in [(&["-Ccodegen-units=1"][..], ""), (&["-Ccodegen-units=1", "-Clto"], "whole ")] {
        let (path, base) = program(folder.path(), &wrapper, &format!("{name}base"), SOURCE, flags);
        for (variant, replaced, differing) in VARIANTS.iter().filter(|it| name.is_empty() || AS_ONE.contains(&it.0)) {
            let mut source = SOURCE.to_owned();
            for (from, to) in *replaced {
                assert!(source.contains(from), "{variant}");
                source = source.replace(from, to);
            }
            let (other_path, other) = program(folder.path(), &wrapper, &format!("{name}{variant}"), &source, flags);
            let comparison = LinkedComparison::new(&base, &other);
            for case in CASES {
                let found = comparison.of_function(entry(&path, case), entry(&other_path, case));
                let is_same = matches!(&found, Likeness::Same(same) if same.functions > 0);
                // `COUNT` and `HOOK` are shared with `main`: once anything differs, their values may.
                let differs =
                    differing.contains(&case) || ["counts", "hooked"].contains(&case) && !differing.is_empty();
                assert_eq!(is_same, !differs, "{name}{variant}, {case}: {found:?}");
            }
        }
    }
}

#[test]
fn programs_that_are_linked_otherwise_are_unknown() {
    let folder = tempfile::tempdir().unwrap();
    let wrapper = wrapper(folder.path());
    let (path, base) = program(folder.path(), &wrapper, "base", SOURCE, &[]);
    let (other_path, other) = program(folder.path(), &wrapper, "other", SOURCE, &["-Clink-arg=-Wl,-O1"]);
    let comparison = LinkedComparison::new(&base, &other);
    let found = comparison.of_function(entry(&path, "adds"), entry(&other_path, "adds"));
    assert!(matches!(found, Likeness::Unknown { .. }), "{found:?}");
    let nowhere = LinkedComparison::new(&base, &base).of_function(1, 1);
    assert!(matches!(nowhere, Likeness::Unknown { .. }), "{nowhere:?}");
    // Damaged records are refused, whatever is in them.
    let record = path.with_file_name("subject.tare-link");
    let arguments = std::fs::read(record.join("arguments")).unwrap();
    for bytes in [&b""[..], b"\x01nothing.o\0", b"-lown\0", b"-Wl,--wrap=adds\0", &arguments[..arguments.len() / 2]] {
        std::fs::write(record.join("arguments"), bytes).unwrap();
        if let Ok(read) = LinkedProgram::read(&record, &path) {
            let found = LinkedComparison::new(&read, &base).of_function(entry(&path, "adds"), entry(&path, "adds"));
            assert!(matches!(found, Likeness::Unknown { .. } | Likeness::Different { .. }), "{found:?}");
        }
    }
    for name in std::fs::read_dir(&record).unwrap().flatten().map(|entry| entry.path()) {
        let mut bytes = std::fs::read(&name).unwrap();
        for place in (0..bytes.len()).step_by(97) {
            bytes[place] ^= 0x5a;
        }
        std::fs::remove_file(&name).unwrap();
        std::fs::write(&name, bytes).unwrap();
    }
    std::fs::write(record.join("arguments"), arguments).unwrap();
    let _ = LinkedProgram::read(&record, &path);
}
