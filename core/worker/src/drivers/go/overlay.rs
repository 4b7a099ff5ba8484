//! What the build gets that the user's module doesn't have: package `testing` of the toolchain itself, with a call of Tare's at
//! the beginning of a few functions, and Tare's files beside it. The functions are found by their signatures, which Go has kept
//! since 1.21.

use std::fmt;

/// A function and what is put behind its opening brace, on the same line, so that places in traces stay right.
struct Patch {
    signature: &'static str,
    head: &'static str,
}

/// Without these there is no worker.
const ESSENTIAL: [Patch; 3] = [
    Patch {
        signature: "func (b *B) run1() bool {",
        head: "if tare != nil { if !tare.enters(b) { return false }; defer tare.left(b) }",
    },
    Patch { signature: "func (b *B) run() {", head: "if tare != nil && tare.runs(b) { return }" },
    Patch { signature: "func (b *B) runN(n int) {", head: "if tare != nil { defer tareRecover(b) }" },
];

const ENTRY: Patch =
    Patch { signature: "func (m *M) Run() (code int) {", head: "if tare != nil { return tare.main(m) }" };

/// These tell how a benchmark runs; a version that lacks the function lacks the feature.
const OBSERVING: [Patch; 2] = [
    Patch { signature: "func (b *B) loopSlowPath() bool {", head: "if b == tareWatch.b { tareWatch.looped = true }" },
    Patch { signature: "func (b *B) RunParallel(body func(*PB)) {", head: "if tare != nil { tare.runsParallel(b) }" },
];

/// The timer's own. `POISON` is what the version does there to make `b.Loop` look at the timer.
const TIMER: [Patch; 4] = [
    Patch {
        signature: "func (b *B) StartTimer() {",
        head: "if b == tareWatch.b { if !b.timerOn { b.timerOn = true; POISON; tareStart() }; return }",
    },
    Patch {
        signature: "func (b *B) StopTimer() {",
        head: "if b == tareWatch.b { if b.timerOn { tareWatch.elapsed += tareNow() - tareWatch.started; tareStopped(); b.timerOn = false; POISON; b.duration = time.Duration(tareWatch.elapsed) }; tareWatch.stops++; return }",
    },
    Patch { signature: "func (b *B) ResetTimer() {", head: "if b == tareWatch.b { tareReset(b); return }" },
    Patch { signature: "func (b *B) Elapsed() time.Duration {", head: "if b == tareWatch.b { return tareElapsed(b) }" },
];

/// Every statement that the four functions of the timer have had. Another one means that they do something new, which the
/// replacement would leave out.
const KNOWN: [&str; 30] = [
    "if !b.timerOn {",
    "if b.timerOn {",
    "runtime.ReadMemStats(&memStats)",
    "b.startAllocs = memStats.Mallocs",
    "b.startBytes = memStats.TotalAlloc",
    "b.start = time.Now()",
    "b.start = highPrecisionTimeNow()",
    "b.timerOn = true",
    "b.timerOn = false",
    POISON_OFF,
    POISON_ON,
    "b.duration += time.Since(b.start)",
    "b.duration += highPrecisionTimeSince(b.start)",
    "b.netAllocs += memStats.Mallocs - b.startAllocs",
    "b.netBytes += memStats.TotalAlloc - b.startBytes",
    "if b.extra == nil {",
    "b.extra = make(map[string]float64, 16)",
    "} else {",
    "for k := range b.extra {",
    "delete(b.extra, k)",
    "clear(b.extra)",
    "b.duration = 0",
    "b.netAllocs = 0",
    "b.netBytes = 0",
    "d := b.duration",
    "d += time.Since(b.start)",
    "d += highPrecisionTimeSince(b.start)",
    "return d",
    "}",
    "",
];

const POISON_OFF: &str = "b.loop.i &^= loopPoisonTimer";
const POISON_ON: &str = "b.loop.i |= loopPoisonTimer";

const COLLECTION: &str = "\truntime.GC()\n";

/// Package `testing` as it is built.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Patched {
    pub(super) benchmark: String,
    pub(super) testing: String,
    /// The constants by which Tare's files know what was possible.
    pub(super) constants: String,
    /// A stopped timer stops the world, as in `go test`: why.
    pub(super) warning: Option<String>,
}

/// This package `testing` has no place where it can be asked.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Unknown(pub(super) &'static str);

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "its package testing has no `{}`", self.0)
    }
}

/// Puts Tare's calls into `benchmark.go` and `testing.go`.
pub(super) fn patch(benchmark: &str, testing: &str) -> Result<Patched, Unknown> {
    let testing = insert(testing, &ENTRY, "").ok_or(Unknown(ENTRY.signature))?;
    let mut patched = benchmark.to_owned();
    for patch in &ESSENTIAL {
        patched = insert(&patched, patch, "").ok_or(Unknown(patch.signature))?;
    }
    patched = without_collection(&patched).ok_or(Unknown("runtime.GC() in runN"))?;
    for patch in &OBSERVING {
        patched = insert(&patched, patch, "").unwrap_or(patched);
    }
    let (benchmark, warning) = match cheap_timer(&patched) {
        Ok(cheap) => (cheap, None),
        Err(why) => (patched, Some(why)),
    };
    let mode = if warning.is_none() { "cheap" } else { "stops the world" };
    let constants = format!(
        "package testing\n\nconst (\n\ttareCheapTimer   = {}\n\ttareStoppedTimer = \"{mode}\"\n)\n",
        warning.is_none()
    );
    Ok(Patched { benchmark, testing, constants, warning })
}

fn cheap_timer(source: &str) -> Result<String, String> {
    let mut patched = source.to_owned();
    for patch in &TIMER {
        let body = body(source, patch.signature).ok_or_else(|| format!("there is no `{}`", patch.signature))?;
        if let Some(new) = body.lines().map(statement).find(|line| !KNOWN.contains(line)) {
            return Err(format!("`{}` does something new: `{new}`", patch.signature));
        }
        let poison = [POISON_OFF, POISON_ON].into_iter().find(|poison| body.contains(poison)).unwrap_or("");
        patched = insert(&patched, patch, poison).ok_or_else(|| format!("there is no `{}`", patch.signature))?;
    }
    Ok(patched)
}

/// A line without its indentation and comment. The timer's functions have no string literals.
fn statement(line: &str) -> &str {
    line.split("//").next().unwrap_or("").trim()
}

fn insert(source: &str, patch: &Patch, poison: &str) -> Option<String> {
    let line = format!("\n{}", patch.signature);
    let mut places = source.match_indices(&line);
    let (at, _) = places.next()?;
    // Two functions of one signature would be no Go.
    if places.next().is_some() {
        return None;
    }
    let head =
        if poison.is_empty() { patch.head.replace("POISON; ", "") } else { patch.head.replace("POISON", poison) };
    let (before, after) = source.split_at(at + line.len());
    Some(format!("{before} {head};{after}"))
}

/// The lines between a function's opening brace and its end.
fn body<'a>(source: &'a str, signature: &str) -> Option<&'a str> {
    let from = source.find(&format!("\n{signature}"))? + 1 + signature.len();
    let length = source[from..].find("\n}\n")?;
    Some(&source[from..from + length])
}

fn without_collection(source: &str) -> Option<String> {
    let from = source.find("\nfunc (b *B) runN(n int) {")?;
    let length = source[from..].find("\n}\n")? + 1;
    let body = &source[from..from + length];
    body.contains(COLLECTION).then(|| {
        format!("{}{}{}", &source[..from], body.replace(COLLECTION, "\ttareCollect()\n"), &source[from + length..])
    })
}

#[cfg(test)]
mod tests {
    use super::{COLLECTION, Unknown, patch};

    const TESTING: &str = "package testing\n\nfunc (m *M) Run() (code int) {\n\tm.numRun++\n}\n";

    fn benchmark() -> String {
        let mut source = "package testing\n".to_owned();
        for (signature, body) in [
            (
                "func (b *B) StartTimer() {",
                "\tif !b.timerOn {\n\t\tb.timerOn = true // on\n\t\tb.loop.i &^= loopPoisonTimer\n\t}\n",
            ),
            (
                "func (b *B) StopTimer() {",
                "\tif b.timerOn {\n\t\tb.timerOn = false\n\t\tb.loop.i |= loopPoisonTimer\n\t}\n",
            ),
            ("func (b *B) ResetTimer() {", "\tb.duration = 0\n"),
            ("func (b *B) Elapsed() time.Duration {", "\td := b.duration\n\treturn d\n"),
            ("func (b *B) runN(n int) {", COLLECTION),
            ("func (b *B) run1() bool {", "\treturn true\n"),
            ("func (b *B) run() {", ""),
            ("func (b *B) loopSlowPath() bool {", "\treturn true\n"),
            ("func (b *B) RunParallel(body func(*PB)) {", ""),
        ] {
            source.push_str(&format!("\n{signature}\n{body}}}\n"));
        }
        source
    }

    #[test]
    fn each_function_asks_first_and_no_line_moves() {
        let source = benchmark();
        let patched = patch(&source, TESTING).unwrap();
        assert_eq!(patched.warning, None);
        assert_eq!(patched.benchmark.lines().count(), source.lines().count());
        assert_eq!(patched.benchmark.matches("tareWatch.b {").count(), 5);
        assert_eq!(patched.benchmark.matches("tare.runsParallel(b)").count(), 1);
        assert_eq!(patched.benchmark.matches("b.loop.i &^= loopPoisonTimer").count(), 2);
        assert!(!patched.benchmark.contains("POISON"));
        assert!(!patched.benchmark.contains("runtime.GC()"));
        assert!(patched.testing.contains("(code int) { if tare != nil { return tare.main(m) };\n\tm.numRun++"));
        assert!(patched.constants.contains("tareCheapTimer   = true"));
    }

    #[test]
    fn a_timer_that_does_something_new_is_left_alone_and_said() {
        let source = benchmark().replace("\td := b.duration\n", "\td := b.duration\n\tb.newThing()\n");
        let patched = patch(&source, TESTING).unwrap();
        assert!(patched.warning.unwrap().contains("b.newThing()"));
        assert!(!patched.benchmark.contains("tareElapsed"));
        assert!(!patched.benchmark.contains("tareReset"), "all four or none");
        assert!(patched.benchmark.contains("tare.runs(b)"));
        assert!(patched.constants.contains("stops the world"));
    }

    #[test]
    fn a_version_before_loop_is_fine() {
        let source =
            benchmark().replace("loopSlowPath", "somethingElse").replace("\t\tb.loop.i &^= loopPoisonTimer\n", "");
        let patched = patch(&source, TESTING).unwrap();
        assert_eq!(patched.warning, None);
        assert!(patched.benchmark.contains("b.timerOn = true; tareStart()"));
    }

    #[test]
    fn a_package_without_the_places_is_refused() {
        let source = benchmark().replace("func (b *B) run1() bool {", "func (b *B) first() bool {");
        assert_eq!(patch(&source, TESTING), Err(Unknown("func (b *B) run1() bool {")));
        assert!(patch(&benchmark().replace("runtime.GC()", "collect()"), TESTING).is_err());
        assert!(patch(&benchmark(), "package testing\n").is_err());
    }
}
