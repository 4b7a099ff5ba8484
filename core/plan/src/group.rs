use std::collections::HashMap;

use tare_samples::{Calls, Case, Likeness, Runtime, RuntimeCommand, Variant};

use crate::layouts::Layouts;

/// The cases that a runtime's worker found.
#[derive(Debug, Clone)]
pub struct Enumerated {
    /// The runtime.
    pub runtime: Runtime,
    /// What it found.
    pub cases: Vec<FoundCase>,
    /// A source to load before them.
    pub bootstrap: Option<String>,
    /// Name of the runtime that it is compared with; `None` for a base.
    pub base: Option<String>,
}

/// A case, and what it takes to launch it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FoundCase {
    /// What is to be measured.
    pub case: Case,
    /// The source that was named or found, an absolute path; where the language builds programs, they are in `sources`.
    pub source: String,
    /// Sources for the worker's `load`.
    pub sources: Vec<String>,
    /// What a launch starts.
    pub start: RuntimeCommand,
    /// Where its machine code begins in the executable, as linked; empty where the worker doesn't say.
    pub code: Vec<u64>,
    /// What its listing saw of starting.
    pub startup: Startup,
}

/// What starting a process for a case takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Startup {
    /// Until its sources were loaded, in nanoseconds, as the listing took it; 0 where that isn't known.
    pub takes_ns: u64,
    /// When they are loaded copies of the process may serve cases.
    pub copies: bool,
    /// A process that serves several sources may load what runs these before it is asked to.
    pub prelude: bool,
}

/// A variant and what its launch has to load.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Planned {
    /// What is measured.
    pub variant: Variant,
    /// Sources for the worker's `load`.
    pub sources: Vec<String>,
    /// A source to load before them.
    pub bootstrap: Option<String>,
    /// What a launch starts: the runtime's command, made ready for these sources.
    pub start: RuntimeCommand,
    /// As in [`FoundCase`].
    pub code: Vec<u64>,
    /// Which files of its program launches start.
    pub layouts: Layouts,
    /// As in [`FoundCase`].
    pub startup: Startup,
}

/// Variants of one case: measured side by side, in the same rounds.
#[derive(Debug, Clone, PartialEq)]
pub struct Group {
    /// Identity of the case; where several are compared, that of the base.
    pub case: String,
    /// Its variants, in the order of runtimes, then of calls; a base's before those of other cases. Never empty.
    pub variants: Vec<Planned>,
    /// What is compared with what. Empty where variants only stand side by side.
    pub pairs: Vec<Pair>,
}

/// A candidate and its base, as positions in [`Group::variants`].
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pair {
    /// What it is compared with.
    pub base: usize,
    /// What is judged.
    pub candidate: usize,
    /// Both are the same code: what they show is noise.
    pub control: bool,
    /// What is known of the machine code of both.
    pub code: MachineCode,
    /// The least fraction by which gates let it be slower; `None` where none states one.
    pub gate: Option<f64>,
    /// It is known that something differs that it executes or reads.
    pub differs: bool,
}

/// How the machine code of two variants compares that were compiled apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum MachineCode {
    /// It differs, or nobody can tell.
    #[default]
    Unknown,
    /// It differs, or nobody can tell; but functions that both have begin at the same places within lines of the cache.
    InPlace,
    /// It is the same, and lies at the same places within lines of the cache.
    Same,
    /// It is the same, and a part of it begins elsewhere within a line of the cache: so many bytes after its beginning.
    Moved {
        /// In the base, 0 to 63.
        base: u8,
        /// In the candidate, 0 to 63.
        candidate: u8,
    },
}

impl MachineCode {
    /// What is known to be alike, as a report tells it; `None` where nothing is known.
    pub fn likeness(self) -> Option<Likeness> {
        match self {
            Self::Unknown | Self::InPlace => None,
            Self::Same => Some(Likeness::Same),
            Self::Moved { .. } => Some(Likeness::Moved),
        }
    }
}

impl Pair {
    /// Two variants of whose machine code nothing is known.
    pub fn new(base: usize, candidate: usize) -> Self {
        Self { base, candidate, control: false, code: MachineCode::Unknown, gate: None, differs: false }
    }
}

/// Forms groups in the order of the first runtime's enumeration; a case that only some runtimes know is a smaller group.
/// `calls` as in [`crate::Settings`].
pub fn groups(enumerated: &[Enumerated], calls: &[Calls]) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    for Enumerated { runtime, cases, bootstrap, base } in enumerated {
        // A language whose only runtime it is needs no telling apart.
        let many_runtimes = enumerated.iter().filter(|other| other.runtime.language == runtime.language).count() > 1;
        for FoundCase { case, sources, start, code, startup, .. } in cases {
            let id = case.id();
            let modes: Vec<Calls> = if calls.is_empty() { vec![from_source(case)] } else { calls.to_vec() };
            let place = *index.entry(id.clone()).or_insert_with(|| {
                groups.push(Group { case: id.clone(), variants: Vec::new(), pairs: Vec::new() });
                groups.len() - 1
            });
            for &mode in &modes {
                let mut variant_id = id.clone();
                let mut label = Vec::new();
                if many_runtimes {
                    variant_id.push_str(&format!("@{}", runtime.name));
                    label.push(runtime.name.clone());
                }
                if modes.len() > 1 {
                    variant_id.push_str(&format!("*{mode}"));
                    label.push(mode.to_string());
                }
                let group = &mut groups[place];
                if let Some(base) = base.as_ref().and_then(|base| partner(group, base, mode, modes.len())) {
                    group.pairs.push(Pair::new(base, group.variants.len()));
                }
                group.variants.push(Planned {
                    variant: Variant {
                        id: variant_id,
                        case: case.clone(),
                        runtime: runtime.clone(),
                        calls: mode,
                        label: label.join(", "),
                    },
                    sources: sources.clone(),
                    bootstrap: bootstrap.clone(),
                    start: start.clone(),
                    code: code.clone(),
                    layouts: Layouts::One,
                    startup: *startup,
                });
            }
        }
    }
    groups
}

/// The variant of the runtime `base` that one with these calls is compared with. One of a kind on both sides, they are compared
/// though the source asks for another number of calls on one of them, as two revisions of it may; but never a loop with a
/// bare call, which don't measure the same.
fn partner(group: &Group, base: &str, calls: Calls, modes: usize) -> Option<usize> {
    let of_base: Vec<usize> =
        (0..group.variants.len()).filter(|&at| group.variants[at].variant.runtime.name == base).collect();
    let calls_of = |at: usize| group.variants[at].variant.calls;
    match of_base.as_slice() {
        &[only] if modes == 1 => ((calls_of(only) == Calls::Bare) == (calls == Calls::Bare)).then_some(only),
        several => several.iter().copied().find(|&at| calls_of(at) == calls),
    }
}

/// What the id of a control ends with.
const CONTROL: &str = "~control";

/// Whether a variant is a base's control.
pub fn is_control(variant: &Variant) -> bool {
    tare_samples::is_control_id(&variant.id, &variant.case.id())
}

/// Adds to every group with comparisons its bases once more, as candidates: what they show is the noise.
pub fn with_controls(mut groups: Vec<Group>) -> Vec<Group> {
    for group in &mut groups {
        let mut bases: Vec<usize> = group.pairs.iter().map(|pair| pair.base).collect();
        bases.sort_unstable();
        bases.dedup();
        for base in bases {
            let mut control = group.variants[base].clone();
            // A parameter set may have any name.
            let taken = |id: &str| group.variants.iter().any(|planned| planned.variant.id == id);
            while taken(&format!("{}{CONTROL}", control.variant.id)) {
                control.variant.id.push('~');
            }
            control.variant.id.push_str(CONTROL);
            control.variant.label = match control.variant.label.as_str() {
                "" => "control".to_owned(),
                label => format!("{label}, control"),
            };
            group.pairs.push(Pair { control: true, ..Pair::new(base, group.variants.len()) });
            group.variants.push(control);
        }
    }
    groups
}

/// Puts all groups into one: every variant takes its turns in the same rounds. Ids, labels and pairs stay as they are.
pub fn together(groups: Vec<Group>) -> Vec<Group> {
    let mut variants = Vec::new();
    let mut pairs = Vec::new();
    let mut case = String::new();
    for group in groups {
        if case.is_empty() {
            case = group.case;
        } else if !case.ends_with(" …") {
            case.push_str(" …");
        }
        let first = variants.len();
        let moved = |pair: Pair| Pair { base: first + pair.base, candidate: first + pair.candidate, ..pair };
        pairs.extend(group.pairs.into_iter().map(moved));
        variants.extend(group.variants);
    }
    if variants.is_empty() { Vec::new() } else { vec![Group { case, variants, pairs }] }
}

fn from_source(case: &Case) -> Calls {
    match case.settings.iterations {
        None => Calls::Pilot,
        Some(0) => Calls::Bare,
        Some(calls) => Calls::Loop(calls),
    }
}

#[cfg(test)]
mod tests {
    use super::{Enumerated, FoundCase, Pair, Startup, groups, is_control, together, with_controls};
    use std::collections::{BTreeMap, BTreeSet};
    use tare_samples::{Calls, Case, CaseSettings, Correction, Parameters, Runtime, RuntimeCommand};

    fn runtime(name: &str) -> Runtime {
        Runtime {
            name: name.into(),
            language: "php".into(),
            version: "8.2".into(),
            command: RuntimeCommand {
                name: name.into(),
                driver: "php".into(),
                command: vec!["php".into()],
                folder: None,
                environment: Vec::new(),
            },
            correction: Correction::Serial,
            facts: BTreeMap::new(),
        }
    }

    fn case(name: &str, iterations: Option<u64>) -> FoundCase {
        let case = Case {
            index: 0,
            language: "php".into(),
            benchmark: name.into(),
            prefix: String::new(),
            place: String::new(),
            parameters: Parameters::default(),
            file: "a.php".into(),
            line: 1,
            groups: vec![],
            settings: CaseSettings { iterations, ..CaseSettings::default() },
        };
        FoundCase {
            case,
            source: "a.php".into(),
            sources: vec!["a.php".into()],
            start: runtime("php").command,
            code: vec![],
            startup: Startup::default(),
        }
    }

    #[test]
    fn runtimes_of_one_case_stand_in_one_group() {
        let enumerated = [
            Enumerated {
                runtime: runtime("old"),
                cases: vec![case("A::x", None), case("A::y", None)],
                bootstrap: None,
                base: None,
            },
            Enumerated {
                runtime: runtime("new"),
                cases: vec![case("A::y", None), case("A::z", None)],
                bootstrap: None,
                base: Some("old".into()),
            },
        ];
        let groups = groups(&enumerated, &[]);
        let shape: Vec<Vec<&str>> =
            groups.iter().map(|g| g.variants.iter().map(|p| p.variant.id.as_str()).collect()).collect();
        assert_eq!(shape, [vec!["php/A::x@old"], vec!["php/A::y@old", "php/A::y@new"], vec!["php/A::z@new"]]);
        let pairs: Vec<&[Pair]> = groups.iter().map(|group| group.pairs.as_slice()).collect();
        assert_eq!(pairs, [&[][..], &[Pair::new(0, 1)][..], &[][..]]);
    }

    #[test]
    fn a_control_is_the_base_once_more() {
        let side = |name: &str, base: Option<&str>| Enumerated {
            runtime: runtime(name),
            cases: vec![case("A::x", None)],
            bootstrap: None,
            base: base.map(str::to_owned),
        };
        let groups = with_controls(groups(&[side("old", None), side("new", Some("old"))], &[]));
        let ids: Vec<&str> = groups[0].variants.iter().map(|planned| planned.variant.id.as_str()).collect();
        assert_eq!(ids, ["php/A::x@old", "php/A::x@new", "php/A::x@old~control"]);
        assert_eq!(groups[0].pairs[1], Pair { control: true, ..Pair::new(0, 2) });
    }

    #[test]
    fn a_base_of_two_pairs_has_one_control_with_an_id_of_its_own() {
        let side = |name: &str, base: Option<&str>| Enumerated {
            runtime: runtime(name),
            cases: vec![case("A::x", None)],
            bootstrap: None,
            base: base.map(str::to_owned),
        };
        let mut plain = groups(&[side("old", None), side("new", Some("old")), side("newer", Some("old"))], &[]);
        plain[0].variants[2].variant.id = "php/A::x@old~control".to_owned();
        let variants = &with_controls(plain)[0].variants;
        let told: Vec<(&str, &str, bool)> = variants
            .iter()
            .map(|planned| &planned.variant)
            .map(|variant| (variant.id.as_str(), variant.label.as_str(), is_control(variant)))
            .collect();
        assert_eq!(told[..2], [("php/A::x@old", "old", false), ("php/A::x@new", "new", false)]);
        assert_eq!(told[3..], [("php/A::x@old~~control", "old, control", true)]);
    }

    #[test]
    fn revisions_that_ask_for_other_calls_are_compared_but_never_a_loop_with_a_bare_call() {
        let side = |name: &str, base: Option<&str>, calls| Enumerated {
            runtime: runtime(name),
            cases: vec![case("A::x", calls)],
            bootstrap: None,
            base: base.map(str::to_owned),
        };
        let pairs = |old, new, calls: &[Calls]| -> Vec<(usize, usize)> {
            let groups = groups(&[side("old", None, old), side("new", Some("old"), new)], calls);
            groups[0].pairs.iter().map(|pair| (pair.base, pair.candidate)).collect()
        };
        assert_eq!(pairs(Some(100), Some(200), &[]), [(0, 1)]);
        assert_eq!(pairs(Some(100), None, &[]), [(0, 1)]);
        assert_eq!(pairs(Some(0), Some(0), &[]), [(0, 1)]);
        assert_eq!(pairs(Some(0), Some(1), &[]), []);
        assert_eq!(pairs(None, Some(0), &[]), []);
        // Several on each side are compared with their likes.
        assert_eq!(pairs(None, None, &[Calls::Loop(10), Calls::Bare]), [(0, 2), (1, 3)]);
    }

    #[test]
    fn cases_can_be_put_together() {
        let enumerated = [Enumerated {
            runtime: runtime("php"),
            cases: vec![case("A::x", None), case("A::y", None)],
            bootstrap: None,
            base: None,
        }];
        let one = together(groups(&enumerated, &[]));
        let ids: Vec<&str> = one[0].variants.iter().map(|planned| planned.variant.id.as_str()).collect();
        assert_eq!((one.len(), ids), (1, vec!["php/A::x", "php/A::y"]));
        assert_eq!(one[0].case, "php/A::x …");
        assert!(together(Vec::new()).is_empty());
        let side = |name: &str, base: Option<&str>| Enumerated {
            runtime: runtime(name),
            cases: ["A::x", "A::y", "A::z"].map(|name| case(name, None)).to_vec(),
            bootstrap: None,
            base: base.map(str::to_owned),
        };
        let one = &together(groups(&[side("old", None), side("new", Some("old"))], &[]))[0];
        assert_eq!(
            (one.case.as_str(), &one.pairs),
            ("php/A::x …", &vec![Pair::new(0, 1), Pair::new(2, 3), Pair::new(4, 5)])
        );
    }

    #[test]
    fn calls_of_the_command_line_go_before_those_of_the_source() {
        let enumerated = [Enumerated {
            runtime: runtime("php"),
            cases: vec![case("A::x", Some(1000))],
            bootstrap: None,
            base: None,
        }];
        assert_eq!(groups(&enumerated, &[])[0].variants[0].variant.calls, Calls::Loop(1000));
        let three = groups(&enumerated, &[Calls::Loop(10), Calls::Bare, Calls::Pilot]);
        let labels: Vec<&str> = three[0].variants.iter().map(|p| p.variant.label.as_str()).collect();
        assert_eq!(labels, ["10 calls", "no loop", "auto"]);
        let ids: BTreeSet<&str> = three[0].variants.iter().map(|planned| planned.variant.id.as_str()).collect();
        assert_eq!(ids.len(), 3, "{ids:?}");
        assert_eq!(groups(&enumerated, &[Calls::Pilot])[0].variants[0].variant.id, "php/A::x");
    }
}
