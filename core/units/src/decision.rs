//! Whether a unit that differs is executed by a case, or could be.

use std::collections::HashMap;

use crate::index::{Change, Index};
use crate::origin::Origin;
use crate::reach::{Closure, When};
use crate::recording::{Call, Recording};
use crate::unit::{Kind, Language, Source, Unit};
use crate::vocabulary;
use crate::words::Words;

/// What a worker calls it that an exception was caught.
const CAUGHT: &str = "(catch)";

/// What is known of a case's look, and of both sides' sources.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Of the sources.
    pub language: Language,
    /// Every source file that the case's process loaded, of the base; and the project's files that differ and weren't loaded.
    pub base: &'a [Source],
    /// Of those, the files whose content differs, as the head has them. One that the head lacks has no entry, and stands in `gone`.
    pub head: &'a [Source],
    /// Paths of `base` that the head lacks, and of modules that aren't source and differ.
    pub gone: &'a [String],
    /// What ran.
    pub ran: Ran<'a>,
    /// Words of data files that the case read, of native extension modules that aren't the runtime's, of parameters, arguments and environment.
    pub words: &'a Words,
}

/// What is known of the code that ran.
#[derive(Clone, Copy, Debug)]
pub enum Ran<'a> {
    /// It was recorded.
    Recorded {
        /// From the start of the process until the sources were loaded.
        loading: &'a Recording,
        /// Since then: the case's hooks, and the case.
        case: &'a Recording,
    },
    /// It was recorded, and where it begins is known: PHP's hooks and annotations are named by nothing that ran.
    Begins {
        /// The path of the benchmark's file, as in `Source::path`.
        file: &'a str,
        /// The class, with or without its namespace.
        class: &'a str,
        /// The method that is the case.
        method: &'a str,
        /// As of `Recorded`.
        loading: &'a Recording,
        /// As of `Recorded`.
        case: &'a Recording,
    },
}

/// How the case comes to a unit that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reach {
    /// It was executed.
    Executed,
    /// It wasn't, but another call could execute it, by its name.
    Named {
        /// File and name of a unit that mentions the name, or that it stands in; empty where the runtime may call it by itself.
        by: String,
    },
    /// That unit lists the members of something, and could call any.
    Enumerated {
        /// Its file and name.
        by: String,
    },
}

/// The answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Decision {
    /// No unit that differs is executed, or could be.
    Same {
        /// How many units of the project and of its dependencies are executed, or could be: all of them are equal.
        units: usize,
    },
    /// The first one that is, by path and place in the file.
    Different {
        /// As in `Source::path`.
        file: String,
        /// Its qualified name, such as `Parser::next`; `<module>` and `<file>` are what a file does when it is loaded.
        unit: String,
        /// How the case comes to it.
        reach: Reach,
    },
    /// What can't be told, as a sentence without its full stop.
    Unknown {
        /// The sentence.
        why: String,
    },
}

/// Decides whether a case executes a unit that differs between base and head, or could execute one in another call.
#[must_use]
pub fn decide(question: &Question<'_>) -> Decision {
    match decided(question) {
        Ok(decision) => decision,
        Err(why) => Decision::Unknown { why },
    }
}

fn decided(question: &Question<'_>) -> Result<Decision, String> {
    let loaded = |path: &str| question.base.iter().any(|source| source.path == path && source.loaded);
    if let Some(gone) = question.gone.iter().find(|path| loaded(path)) {
        return Ok(different(gone, "<file>", Reach::Executed));
    }
    if let Some(stray) = question.head.iter().find(|source| !question.base.iter().any(|base| base.path == source.path))
    {
        return Err(format!("`{}` is no file of the base", stray.path));
    }
    // What runs benchmarks is told by its folder's name, and may be what a case calls: a copy in the project's dependencies, say.
    let is_harness = |path: &&str| question.base.iter().any(|it| it.path == **path && it.origin == Origin::Harness);
    let mut changed =
        question.head.iter().map(|source| source.path.as_str()).chain(question.gone.iter().map(String::as_str));
    if let Some(harness) = changed.find(is_harness) {
        return Ok(different(harness, "<file>", Reach::Executed));
    }
    let index = Index::new(question.base, question.head)?;
    let mut closure = Closure::new(question.language, &index);
    begin(question, &index, &mut closure)?;
    closure.hears(question.words.words.iter().map(String::as_str), true);
    closure.hears(question.words.native.iter().map(String::as_str), false);
    closure.close();
    judged(question, &index, &closure)
}

fn begin<'a>(question: &Question<'a>, index: &Index<'a>, closure: &mut Closure<'a, '_>) -> Result<(), String> {
    for (at, node) in index.nodes.iter().enumerate() {
        let body = node.unit.kind == Kind::Module
            || (node.unit.kind == Kind::Class
                && question.language == Language::Python
                && index.function_around(at).is_none());
        if body && node.source.loaded {
            closure.executed(at, When::Loading);
        }
    }
    let (loading, case) = match question.ran {
        Ran::Recorded { loading, case } => (loading, case),
        Ran::Begins { file, class, method, loading, case } => {
            begin_at(index, closure, file, class, method)?;
            (loading, case)
        }
    };
    recorded(question, index, closure, (loading, case))
}

/// What ran was executed.
fn recorded<'a>(
    question: &Question<'a>,
    index: &Index<'a>,
    closure: &mut Closure<'a, '_>,
    (loading, case): (&'a Recording, &'a Recording),
) -> Result<(), String> {
    if let Some(why) = case.incomplete.as_ref().or(loading.incomplete.as_ref()) {
        return Err(format!("not all code that ran is known: {why}"));
    }
    let found = Lines::of(index);
    let harness: Vec<_> = question
        .base
        .iter()
        .filter(|source| source.origin == Origin::Harness)
        .map(|source| source.path.as_str())
        .collect();
    // What ran before isn't known: any of it may have, but for the runtime's own.
    let before = loading.before.iter().chain(&case.before);
    for at in before.filter_map(|file| index.files.get(file.as_str())).flatten() {
        if index.nodes[*at].source.origin != Origin::Runtime {
            closure.executed(*at, When::Loading);
        }
    }
    for (recording, when) in [(loading, When::Loading), (case, When::Case)] {
        for call in recording.calls.iter().filter(|call| !harness.contains(&call.file.as_str())) {
            let has_units = match question.language {
                Language::Python => call.file.ends_with(".py"),
                // By another ending a file is data.
                Language::Php => index.files.contains_key(call.file.as_str()),
            };
            // Generated code has its text from what was executed; a template's is compiled from what was read.
            if !has_units {
                // The runtime's frozen modules.
                let own = !call.file.starts_with("<frozen");
                if own || when == When::Case {
                    closure.hears(call.names.iter().map(String::as_str), own);
                }
                continue;
            }
            if call.name == CAUGHT {
                // An exception knows its line, and says it where it is made a text.
                closure.lines = closure.lines.or_else(|| index.files[call.file.as_str()].first().copied());
                continue;
            }
            let units = found.units(call);
            if units.is_empty() {
                let Call { name, file, line, .. } = call;
                return Err(format!("`{name}` of `{file}` (line {line}) ran, and is no unit of it"));
            }
            units.into_iter().for_each(|at| closure.executed(at, when));
        }
    }
    Ok(())
}

/// A PHP case begins with its method, and with every method of its class, and of those above it, that is no benchmark: hooks and providers are
/// among them.
fn begin_at(
    index: &Index<'_>,
    closure: &mut Closure<'_, '_>,
    file: &str,
    class: &str,
    method: &str,
) -> Result<(), String> {
    let short = |name: &str| name.rsplit('\\').next().unwrap_or_default().to_lowercase();
    let (class, method) = (short(class), method.to_lowercase());
    let units = index.files.get(file).ok_or_else(|| format!("`{file}` wasn't loaded"))?;
    let is_class = |at: &usize| index.nodes[*at].unit.kind == Kind::Class;
    let first = units.iter().find(|at| is_class(at) && index.nodes[**at].unit.simple == class).copied();
    let mut waiting = vec![first.ok_or_else(|| format!("`{file}` has no class `{class}`"))?];
    let mut seen = Vec::new();
    let mut begins = false;
    while let Some(at) = waiting.pop() {
        if seen.contains(&at) {
            continue;
        }
        seen.push(at);
        for child in &index.children[at] {
            let simple = &index.nodes[*child].unit.simple;
            begins |= *simple == method;
            if *simple == method || !simple.starts_with("bench") {
                closure.executed(*child, When::Case);
            }
        }
        closure.executed(at, When::Case);
        let mentioned = index.nodes[at].unit.globals.iter().flat_map(|name| index.named(name)).copied();
        waiting.extend(mentioned.filter(is_class));
    }
    begins.then_some(()).ok_or_else(|| format!("`{class}` has no method `{method}`"))
}

fn judged(question: &Question<'_>, index: &Index<'_>, closure: &Closure<'_, '_>) -> Result<Decision, String> {
    let place = |at: usize| format!("`{}`: `{}`", index.nodes[at].source.path, index.nodes[at].unit.name);
    for (at, node) in index.nodes.iter().enumerate() {
        let Some(change) = node.change else { continue };
        let begins = matches!(question.ran, Ran::Begins { file, .. } if file == node.source.path);
        let documented = closure.documentation.is_some() || (begins && question.language == Language::Php);
        let of_file = &index.files[node.source.path.as_str()];
        // What a file that wasn't loaded asks for itself, it asks once it is.
        let asked = |reads: fn(Language, &Unit) -> bool| {
            !node.source.loaded && of_file.iter().any(|at| reads(question.language, index.nodes[*at].unit))
        };
        let lines = closure.lines.is_some() || asked(vocabulary::may_read_lines);
        let counts = match change {
            Change::Content | Change::Presence => true,
            Change::Documentation(moved) => documented || asked(vocabulary::may_read_documentation) || (moved && lines),
            Change::Places => lines,
            Change::Moved => true,
        };
        if !counts {
            continue;
        }
        if !node.source.loaded {
            if closure.may_load(node.source, of_file) {
                return Ok(different(&node.source.path, &node.unit.name, Reach::Named { by: String::new() }));
            }
            continue;
        }
        if closure.imports(node.unit, change) || change == Change::Moved {
            return Ok(different(&node.source.path, &node.unit.name, Reach::Executed));
        }
        match closure.when[at] {
            Some(When::Case | When::Loading) => {
                return Ok(different(&node.source.path, &node.unit.name, Reach::Executed));
            }
            Some(When::Named) => {
                let by = closure.named_by(at).map(place).unwrap_or_default();
                return Ok(different(&node.source.path, &node.unit.name, Reach::Named { by }));
            }
            None => {}
        }
        // What has a value runs no function that would be recorded: the body of a class, a constant. Of a module another call may take any.
        let finds = match question.language {
            Language::Php => node.unit.kind == Kind::Class,
            Language::Python => closure.may_find(at),
        };
        if let Some(by) = closure.computes.filter(|_| finds) {
            return Ok(different(&node.source.path, &node.unit.name, Reach::Named { by: place(by) }));
        }
        if let Some(by) = closure.enumerated.filter(|_| closure.may_list(at)) {
            return Ok(different(&node.source.path, &node.unit.name, Reach::Enumerated { by: place(by) }));
        }
    }
    for reordered in &index.reordered {
        let node = &index.nodes[reordered.at];
        let listed = closure.enumerated.filter(|_| node.source.loaded);
        // A class has to stand behind those that it is derived from.
        let derived = reordered.classes && question.language == Language::Php && node.source.loaded;
        let kept = node.unit.kind == Kind::Class && node.source.loaded && index.is_exposed(reordered.at);
        if let Some(by) = listed {
            return Ok(different(&node.source.path, &node.unit.name, Reach::Enumerated { by: place(by) }));
        } else if derived || kept {
            return Ok(different(&node.source.path, &node.unit.name, Reach::Executed));
        }
    }
    for file in question.head {
        if let Some(by) = closure.sources.or_else(|| closure.opens_itself.get(file.path.as_str()).copied()) {
            return Ok(different(&file.path, "<file>", Reach::Enumerated { by: place(by) }));
        }
    }
    for source in question.base.iter().filter(|source| question.gone.contains(&source.path)) {
        let Some(units) = index.files.get(source.path.as_str()) else { continue };
        if closure.may_load(source, units) {
            return Ok(different(&source.path, "<file>", Reach::Named { by: String::new() }));
        }
    }
    if let (Some(by), Some(opaque), true) =
        (closure.dynamic, &question.words.opaque, index.nodes.iter().any(|node| node.change.is_some()))
    {
        return Err(format!("{} finds names as it runs, and the words of `{opaque}` can't be read", place(by)));
    }
    let own = |at: usize| !matches!(index.nodes[at].source.origin, Origin::Runtime | Origin::Harness);
    let units = (0..index.nodes.len()).filter(|at| closure.when[*at].is_some() && own(*at)).count();
    Ok(Decision::Same { units })
}

fn different(file: &str, unit: &str, reach: Reach) -> Decision {
    Decision::Different { file: file.to_owned(), unit: unit.to_owned(), reach }
}

/// Units by the place that the interpreter names.
struct Lines<'a, 'b> {
    index: &'b Index<'a>,
    by_place: HashMap<(&'a str, &'a str, u32), Vec<usize>>,
}

impl<'a, 'b> Lines<'a, 'b> {
    fn of(index: &'b Index<'a>) -> Self {
        let places =
            index.nodes.iter().enumerate().filter(|(_, node)| node.of_base && node.unit.kind != Kind::Constant);
        let mut by_place: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, node) in places {
            let place = (node.source.path.as_str(), node.unit.simple.as_str(), node.unit.line);
            by_place.entry(place).or_default().push(at);
        }
        Self { index, by_place }
    }

    /// All that begin there under the name; of a lambda or comprehension the smallest unit around it.
    fn units(&self, call: &Call) -> Vec<usize> {
        let Some(units) = self.index.files.get(call.file.as_str()) else { return Vec::new() };
        if call.name == "<module>" {
            return units.first().copied().into_iter().collect();
        }
        if !call.name.starts_with('<') && !call.name.starts_with("__annotate") {
            return self
                .by_place
                .get(&(call.file.as_str(), call.name.as_str(), call.line))
                .cloned()
                .unwrap_or_default();
        }
        let holds = |at: &&usize| {
            let node = &self.index.nodes[**at];
            let unit = node.unit;
            node.of_base && unit.kind != Kind::Constant && unit.line <= call.line && call.line <= unit.end
        };
        units.iter().filter(holds).max_by_key(|at| self.index.nodes[**at].unit.line).copied().into_iter().collect()
    }
}
