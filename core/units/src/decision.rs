//! Whether a unit that differs is executed by a case, or could be.

use std::collections::{HashMap, HashSet};

use crate::index::{Change, Index};
use crate::origin::Origin;
use crate::reach::{Closure, When};
use crate::recording::{Call, Recording};
use crate::unit::{Kind, Language, Source, Unit};
use crate::vocabulary;
use crate::words::Words;

/// What is known of a look at a source, and of both sides' files. Its cases share nearly all of it.
#[derive(Clone, Copy, Debug)]
pub struct Question<'a> {
    /// Of the sources.
    pub language: Language,
    /// Every source file that the cases' process loaded, of the base; and the project's files that differ and weren't loaded.
    pub base: &'a [Source],
    /// Of those, the files whose content differs, as the head has them. One that the head lacks has no entry, and stands in `gone`.
    pub head: &'a [Source],
    /// Paths of `base` that the head lacks, and of modules that aren't source and differ.
    pub gone: &'a [String],
    /// What ran from the start of the process until the sources were loaded.
    pub loading: &'a Recording,
    /// Words of data files that the process read by then, and of native extension modules that aren't the runtime's.
    pub words: &'a [&'a Words],
    /// Answered one by one.
    pub cases: &'a [CaseRan<'a>],
}

/// What a case ran.
#[derive(Clone, Copy, Debug)]
pub struct CaseRan<'a> {
    /// Of PHP, whose hooks and annotations are named by nothing that ran.
    pub begins: Option<Begins<'a>>,
    /// The case's hooks, and the case.
    pub ran: &'a Recording,
    /// Words of what it read itself, of its parameters, arguments and environment.
    pub words: &'a [&'a Words],
}

/// Where a case begins.
#[derive(Clone, Copy, Debug)]
pub struct Begins<'a> {
    /// The path of the benchmark's file, as in `Source::path`.
    pub file: &'a str,
    /// The class, with or without its namespace.
    pub class: &'a str,
    /// The method that is the case.
    pub method: &'a str,
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
    /// The file that holds it wasn't loaded, but another call could load it.
    Loaded,
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

/// Decides of each case whether it executes a unit that differs between base and head, or could execute one in another call.
#[must_use]
pub fn decide(question: &Question<'_>) -> Vec<Decision> {
    decided(question).unwrap_or_else(|decision| vec![decision; question.cases.len()])
}

/// # Errors
///
/// The answer, where it is that of all cases.
fn decided(question: &Question<'_>) -> Result<Vec<Decision>, Decision> {
    let unknown = |why: String| Decision::Unknown { why };
    let of_base: HashMap<&str, &Source> = question.base.iter().map(|source| (source.path.as_str(), source)).collect();
    let loaded = |path: &str| of_base.get(path).is_some_and(|source| source.loaded);
    if let Some(gone) = question.gone.iter().find(|path| loaded(path)) {
        return Err(different(gone, "<file>", Reach::Executed));
    }
    if let Some(stray) = question.head.iter().find(|source| !of_base.contains_key(source.path.as_str())) {
        return Err(unknown(format!("`{}` is no file of the base", stray.path)));
    }
    // What runs benchmarks is told by its folder's name, and may be what a case calls: a copy in the project's dependencies, say.
    let is_harness = |path: &&str| of_base.get(*path).is_some_and(|it| it.origin == Origin::Harness);
    let mut changed =
        question.head.iter().map(|source| source.path.as_str()).chain(question.gone.iter().map(String::as_str));
    if let Some(harness) = changed.find(is_harness) {
        return Err(different(harness, "<file>", Reach::Executed));
    }
    let index = Index::new(question.base, question.head).map_err(unknown)?;
    let lines = Lines::of(&index, question.base);
    let mut shared = Closure::new(question.language, &index);
    begin(question, &mut shared, &lines).map_err(unknown)?;
    shared.close();
    // Each case goes on from there: what was found stays found, whatever comes to it.
    let of_case = |case: &CaseRan<'_>| -> Result<Decision, String> {
        let mut closure = shared.clone();
        if let Some(Begins { file, class, method }) = case.begins {
            begin_at(&index, &mut closure, file, class, method)?;
        }
        recorded(question, &lines, &mut closure, (case.ran, When::Case))?;
        hear(&mut closure, case.words);
        closure.close();
        judged(question, case, &closure)
    };
    Ok(question.cases.iter().map(|case| of_case(case).unwrap_or_else(unknown)).collect())
}

/// What ran and was heard before any case.
fn begin<'a>(question: &Question<'a>, closure: &mut Closure<'a, '_>, lines: &Lines<'a, '_>) -> Result<(), String> {
    let index = closure.index;
    for (at, node) in index.nodes.iter().enumerate() {
        let body = node.unit.kind == Kind::Module
            || (node.unit.kind == Kind::Class
                && question.language == Language::Python
                && index.function_around(at).is_none());
        if body && node.source.loaded {
            closure.executed(at, When::Loading);
        }
    }
    recorded(question, lines, closure, (question.loading, When::Loading))?;
    hear(closure, question.words);
    Ok(())
}

fn hear<'a>(closure: &mut Closure<'a, '_>, words: &[&'a Words]) {
    for words in words {
        closure.hears(words.words.iter().map(String::as_str), false);
        closure.pieces.extend(words.plain().iter().cloned());
        closure.hears(words.native.iter().map(String::as_str), false);
    }
}

/// What ran was executed.
fn recorded<'a>(
    question: &Question<'a>,
    lines: &Lines<'a, '_>,
    closure: &mut Closure<'a, '_>,
    (recording, when): (&'a Recording, When),
) -> Result<(), String> {
    let index = closure.index;
    if let Some(why) = &recording.incomplete {
        return Err(format!("not all code that ran is known: {why}"));
    }
    // What ran before isn't known: any of it may have, but for the runtime's own.
    for at in recording.before.iter().filter_map(|file| index.files.get(file.as_str())).flatten() {
        if index.nodes[*at].source.origin != Origin::Runtime {
            closure.executed(*at, When::Loading);
        }
    }
    if when == When::Case && recording.calls.iter().any(|call| vocabulary::collects_tests(&call.name)) {
        closure.hears(index.tests(), false);
    }
    for call in recording.calls.iter().filter(|call| !lines.of_harness.contains(call.file.as_str())) {
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
        let units = lines.units(call);
        if units.is_empty() {
            let Call { name, file, line, .. } = call;
            return Err(format!("`{name}` of `{file}` (line {line}) ran, and is no unit of it"));
        }
        units.into_iter().for_each(|at| closure.executed(at, when));
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

fn judged(question: &Question<'_>, case: &CaseRan<'_>, closure: &Closure<'_, '_>) -> Result<Decision, String> {
    let index = closure.index;
    let place = |at: usize| format!("`{}`: `{}`", index.nodes[at].source.path, index.nodes[at].unit.name);
    for (at, node) in index.nodes.iter().enumerate() {
        let Some(change) = node.change else { continue };
        let begins = case.begins.is_some_and(|begins| begins.file == node.source.path);
        let documented = closure.documentation.is_some() || (begins && question.language == Language::Php);
        let of_file = &index.files[node.source.path.as_str()];
        // What a file that wasn't loaded asks for itself, it asks once it is.
        let asked = |reads: fn(Language, &Unit) -> bool| {
            !node.source.loaded && of_file.iter().any(|at| reads(question.language, index.nodes[*at].unit))
        };
        if change == Change::Documentation && !documented && !asked(vocabulary::may_read_documentation) {
            continue;
        }
        // A release changes it in every file that states it, and nothing else.
        if vocabulary::is_metadata(question.language, node.unit) && !closure.project_names(at) {
            continue;
        }
        if !node.source.loaded {
            if closure.may_load(node.source, of_file) {
                return Ok(different(&node.source.path, &node.unit.name, Reach::Loaded));
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
            return Ok(different(&source.path, "<file>", Reach::Loaded));
        }
    }
    let opaque = question.words.iter().chain(case.words).find_map(|words| words.opaque.as_ref());
    if let (Some(by), Some(opaque), true) =
        (closure.dynamic, opaque, index.nodes.iter().any(|node| node.change.is_some()))
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
    /// Files of what runs benchmarks.
    of_harness: HashSet<&'a str>,
    by_place: HashMap<(&'a str, &'a str, u32), Vec<usize>>,
}

impl<'a, 'b> Lines<'a, 'b> {
    fn of(index: &'b Index<'a>, sources: &'a [Source]) -> Self {
        let places =
            index.nodes.iter().enumerate().filter(|(_, node)| node.of_base && node.unit.kind != Kind::Constant);
        let mut by_place: HashMap<_, Vec<usize>> = HashMap::new();
        for (at, node) in places {
            let place = (node.source.path.as_str(), node.unit.simple.as_str(), node.unit.line);
            by_place.entry(place).or_default().push(at);
        }
        let harness = sources.iter().filter(|source| source.origin == Origin::Harness);
        Self { index, of_harness: harness.map(|source| source.path.as_str()).collect(), by_place }
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
