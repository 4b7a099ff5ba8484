//! Units as the languages' own parsers give them, of texts that a test states.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use tare_units::{
    Begins, Call, CaseRan, Decision, Language, Origin, Question, Recording, Source, Units, Words, decide, read,
};

/// The files of a case's process, and what it executed.
pub(crate) struct Look {
    language: Language,
    files: BTreeMap<String, String>,
    unloaded: Vec<String>,
    case: Vec<(String, String)>,
    pub(crate) words: Words,
}

impl Look {
    pub(crate) fn python(files: &[(&str, &str)]) -> Self {
        Self::new(Language::Python, files)
    }

    pub(crate) fn php(files: &[(&str, &str)]) -> Self {
        Self::new(Language::Php, files)
    }

    fn new(language: Language, files: &[(&str, &str)]) -> Self {
        let files = files.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect();
        Self { language, files, unloaded: Vec::new(), case: Vec::new(), words: Words::default() }
    }

    /// These units, as `FILE NAME`, ran in the case; all bodies ran before.
    pub(crate) fn ran(mut self, units: &[&str]) -> Self {
        let named = units.iter().map(|unit| unit.split_once(' ').unwrap());
        self.case = named.map(|(file, name)| (file.to_owned(), name.to_owned())).collect();
        self
    }

    pub(crate) fn unloaded(mut self, file: &str) -> Self {
        self.unloaded.push(file.to_owned());
        self
    }

    /// The answer where a text of a file is replaced on the other side. Of PHP the case is `Bench::bench` of `bench.php`.
    pub(crate) fn changed(&self, file: &str, from: &str, to: &str) -> Decision {
        let text = &self.files[file];
        assert_eq!(text.matches(from).count(), 1, "{from} stands once in {file}");
        let other = text.replace(from, to);
        let texts: Vec<&str> = self.files.values().map(String::as_str).chain([other.as_str()]).collect();
        let mut units = units(self.language, &texts);
        let head = [self.source(file, units.pop().unwrap())];
        let base: Vec<Source> = self.files.keys().zip(units).map(|(path, units)| self.source(path, units)).collect();
        let loading = Recording::default();
        let case = Recording { calls: self.calls(&base), ..Recording::default() };
        let begins = Begins { file: "bench.php", class: "Bench", method: "bench" };
        let begins = (self.language == Language::Php).then_some(begins);
        // What another case ran and read is none of this one's business, before it or after it.
        let nothing = CaseRan { begins, ran: &Recording::default(), words: &[] };
        let decided = |cases: &[CaseRan<'_>]| {
            decide(&Question {
                language: self.language,
                base: &base,
                head: &head,
                gone: &[],
                loading: &loading,
                words: &[],
                cases,
            })
        };
        let asked = CaseRan { begins, ran: &case, words: &[&self.words] };
        let [alone] = decided(&[asked]).try_into().unwrap();
        let beside = decided(&[nothing, asked, nothing]);
        assert_eq!(beside[1], alone);
        assert_eq!(beside[0], beside[2]);
        alone
    }

    pub(crate) fn is_same(&self, file: &str, from: &str, to: &str) -> bool {
        matches!(self.changed(file, from, to), Decision::Same { .. })
    }

    /// The unit that differs.
    pub(crate) fn differing(&self, file: &str, from: &str, to: &str) -> String {
        match self.changed(file, from, to) {
            Decision::Different { unit, .. } => unit,
            other => format!("{other:?}"),
        }
    }

    fn calls(&self, base: &[Source]) -> std::collections::BTreeSet<Call> {
        let call = |(file, name): &(String, String)| {
            let source = base.iter().find(|source| source.path == *file).unwrap();
            let Units::Known(units) = source.units.as_ref() else { panic!("{file} has units") };
            let unit = units.iter().find(|unit| unit.name == *name).unwrap_or_else(|| panic!("{file} has {name}"));
            Call { file: file.clone(), name: unit.simple.clone(), line: unit.line, names: Vec::new() }
        };
        self.case.iter().map(call).collect()
    }

    fn source(&self, path: &str, units: Units) -> Source {
        let origin = match path {
            _ if path.contains("site-packages") => Origin::Library,
            _ if path.starts_with("/usr/lib/python3") => Origin::Runtime,
            _ => Origin::Project,
        };
        let loaded = !self.unloaded.iter().any(|file| file == path);
        // The look sought nothing but at the top.
        let around = path.rsplit('/').skip(usize::from(!loaded)).map(str::to_owned);
        let folders = if loaded { Vec::new() } else { around.collect() };
        Source { path: path.to_owned(), origin, loaded, folders, units: units.into() }
    }
}

/// What the extraction says of texts.
pub(crate) fn units(language: Language, texts: &[&str]) -> Vec<Units> {
    let sdk = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sdk");
    let folder = tempfile::tempdir().unwrap();
    let path = |at: usize| folder.path().join(at.to_string());
    texts.iter().enumerate().for_each(|(at, text)| std::fs::write(path(at), text).unwrap());
    let mut command = match language {
        Language::Python => Command::new("python3"),
        Language::Php => Command::new("php"),
    };
    match language {
        Language::Python => command.args(["-I", "-B"]).arg(sdk.join("python/units.py")),
        Language::Php => command.arg(sdk.join("php/units.php")),
    };
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let list: String = (0..texts.len()).map(|at| format!("{}\n", path(at).display())).collect();
    child.stdin.take().unwrap().write_all(list.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    read(&output.stdout).unwrap().files.into_iter().map(|(_, units)| units).collect()
}
