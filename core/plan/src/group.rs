use std::collections::HashMap;

use tare_samples::{Calls, Case, Runtime, Variant};

/// The cases that a runtime's worker found.
#[derive(Debug, Clone)]
pub struct Enumerated {
    /// The runtime.
    pub runtime: Runtime,
    /// What it found, with the sources that a launch must load for each.
    pub cases: Vec<(Case, Vec<String>)>,
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
}

/// Variants of one case: measured side by side, in the same rounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Group {
    /// Identity of the case; where several are compared, that of the base.
    pub case: String,
    /// Its variants, in the order of runtimes, then of calls; a base's before those of other cases. Never empty.
    pub variants: Vec<Planned>,
    /// What is compared with what. Empty where variants only stand side by side.
    pub pairs: Vec<Pair>,
}

/// A candidate and its base, as positions in [`Group::variants`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Pair {
    /// What it is compared with.
    pub base: usize,
    /// What is judged.
    pub candidate: usize,
    /// Both are the same code: what they show is noise.
    pub control: bool,
}

/// Forms groups in the order of the first runtime's enumeration; a case that only some runtimes know is a smaller group.
/// `calls` as in [`crate::Settings`].
pub fn groups(enumerated: &[Enumerated], calls: &[Calls], bootstrap: Option<&str>) -> Vec<Group> {
    let default = [Calls::Pilot];
    let many_runtimes = enumerated.len() > 1;
    let mut groups: Vec<Group> = Vec::new();
    let mut index: HashMap<String, usize> = HashMap::new();
    for Enumerated { runtime, cases } in enumerated {
        for (case, sources) in cases {
            let id = case.id();
            let modes: Vec<Calls> = if calls.is_empty() { vec![from_source(case)] } else { calls.to_vec() };
            let modes = if modes.is_empty() { default.to_vec() } else { modes };
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
                // What the first runtime of the case measured with as many calls.
                let base = group.variants.iter().position(|planned| planned.variant.calls == mode);
                if let Some(base) = base.filter(|_| many_runtimes) {
                    group.pairs.push(Pair { base, candidate: group.variants.len(), control: false });
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
                    bootstrap: bootstrap.map(str::to_owned),
                });
            }
        }
    }
    groups
}

/// Adds to every group with comparisons its bases once more, as candidates: what they show is the noise.
pub fn with_controls(mut groups: Vec<Group>) -> Vec<Group> {
    for group in &mut groups {
        let mut bases: Vec<usize> = group.pairs.iter().map(|pair| pair.base).collect();
        bases.sort_unstable();
        bases.dedup();
        for base in bases {
            let mut control = group.variants[base].clone();
            control.variant.id.push_str("~control");
            control.variant.label = match control.variant.label.as_str() {
                "" => "control".to_owned(),
                label => format!("{label}, control"),
            };
            group.pairs.push(Pair { base, candidate: group.variants.len(), control: true });
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
    use super::{Enumerated, groups, together};
    use std::collections::BTreeMap;
    use tare_samples::{Calls, Case, CaseSettings, Correction, Parameters, Runtime, RuntimeCommand};

    fn runtime(name: &str) -> Runtime {
        Runtime {
            name: name.into(),
            language: "php".into(),
            version: "8.2".into(),
            command: RuntimeCommand { name: name.into(), driver: "php".into(), command: vec!["php".into()] },
            correction: Correction::Serial,
            facts: BTreeMap::new(),
        }
    }

    fn case(name: &str, iterations: Option<u64>) -> (Case, Vec<String>) {
        let case = Case {
            index: 0,
            language: "php".into(),
            benchmark: name.into(),
            parameters: Parameters::default(),
            file: "a.php".into(),
            line: 1,
            groups: vec![],
            settings: CaseSettings { iterations, ..CaseSettings::default() },
        };
        (case, vec!["a.php".into()])
    }

    #[test]
    fn runtimes_of_one_case_stand_in_one_group() {
        let enumerated = [
            Enumerated { runtime: runtime("old"), cases: vec![case("A::x", None), case("A::y", None)] },
            Enumerated { runtime: runtime("new"), cases: vec![case("A::y", None), case("A::z", None)] },
        ];
        let groups = groups(&enumerated, &[], None);
        let shape: Vec<Vec<&str>> =
            groups.iter().map(|g| g.variants.iter().map(|p| p.variant.id.as_str()).collect()).collect();
        assert_eq!(shape, [vec!["php/A::x@old"], vec!["php/A::y@old", "php/A::y@new"], vec!["php/A::z@new"]]);
    }

    #[test]
    fn cases_can_be_put_together() {
        let enumerated = [Enumerated { runtime: runtime("php"), cases: vec![case("A::x", None), case("A::y", None)] }];
        let one = together(groups(&enumerated, &[], None));
        let ids: Vec<&str> = one[0].variants.iter().map(|planned| planned.variant.id.as_str()).collect();
        assert_eq!((one.len(), ids), (1, vec!["php/A::x", "php/A::y"]));
        assert!(together(Vec::new()).is_empty());
    }

    #[test]
    fn calls_of_the_command_line_go_before_those_of_the_source() {
        let enumerated = [Enumerated { runtime: runtime("php"), cases: vec![case("A::x", Some(1000))] }];
        assert_eq!(groups(&enumerated, &[], None)[0].variants[0].variant.calls, Calls::Loop(1000));
        let three = groups(&enumerated, &[Calls::Loop(10), Calls::Bare, Calls::Pilot], None);
        let labels: Vec<&str> = three[0].variants.iter().map(|p| p.variant.label.as_str()).collect();
        assert_eq!(labels, ["10 calls", "no loop", "auto"]);
        assert_eq!(groups(&enumerated, &[Calls::Pilot], None)[0].variants[0].variant.id, "php/A::x");
    }
}
