//! Which pairs of variants can be proven to be the same at all, before any file is looked at.

use std::path::Path;

use tare_plan::{Group, Planned};
use tare_reach::{Dependencies, Difference};
use tare_samples::{Case, Runtime, RuntimeCommand};
use tare_worker::target_of;

use super::Sides;

/// A base and its candidate.
pub(super) struct Pair<'a> {
    pub(super) base: &'a Planned,
    pub(super) candidate: &'a Planned,
    /// Why it is measured without looking at files, a clause.
    pub(super) hindrance: Option<String>,
}

impl<'a> Pair<'a> {
    /// The other way round.
    pub(super) fn turned(&self) -> Self {
        Self { base: self.candidate, candidate: self.base, hindrance: None }
    }
}

/// A pair that was looked at.
pub(super) struct LookedPair<'a> {
    pub(super) pair: &'a Pair<'a>,
    /// Of the files that it depends on, those that count.
    pub(super) differences: Vec<&'a Difference>,
    /// Whether nothing that it asked of files differs, counted or not.
    pub(super) all_equal: bool,
    pub(super) seen: &'a Dependencies,
    /// How many it depends on.
    pub(super) files: usize,
}

/// The pairs of a group, without its controls.
pub(super) fn of<'a>(group: &'a Group, sides: &Sides, measured: &dyn Fn(&Case) -> Option<String>) -> Vec<Pair<'a>> {
    let judged = group.pairs.iter().filter(|pair| !pair.control);
    judged
        .map(|pair| {
            let [base, candidate] = [pair.base, pair.candidate].map(|at| &group.variants[at]);
            Pair {
                base,
                candidate,
                hindrance: measured(&candidate.variant.case).or_else(|| hindrance(base, candidate, sides)),
            }
        })
        .collect()
}

/// What differs of two variants beside files: inputs, settings, the runtime and how it is started.
fn hindrance(base: &Planned, candidate: &Planned, sides: &Sides) -> Option<String> {
    let (one, other) = (&base.variant, &candidate.variant);
    if one.case.id() != other.case.id() {
        return Some("it is compared with another case".to_owned());
    }
    if one.case.parameters != other.case.parameters {
        return Some("its parameters differ".to_owned());
    }
    if one.calls != other.calls {
        return Some("its calls in a sample differ".to_owned());
    }
    if one.runtime.language != other.runtime.language || one.runtime.version != other.runtime.version {
        return Some("its runtimes differ".to_owned());
    }
    // A runtime may lie in the checkout, as in a virtual environment that is made for each.
    let settings = |runtime: &Runtime, side: usize| -> Vec<(String, String)> {
        let side = sides.roots[side].folder().display().to_string();
        runtime.settings().map(|(name, value)| (name.to_owned(), value.replace(&side, "{side}"))).collect()
    };
    if settings(&one.runtime, 0) != settings(&other.runtime, 1) {
        return Some("the settings of its runtimes differ".to_owned());
    }
    None
}

/// How a process is started, with the folder of its side as `{side}`, and that in which its program was built as `{target}`: equal texts start the same.
pub(super) fn start_of(start: &RuntimeCommand, side: &Path, program: Option<&Path>) -> Vec<String> {
    let shown = |path: &Path| path.display().to_string();
    let (side, target) = (shown(side), program.and_then(target_of).map(shown));
    let program = program.map(shown);
    let neutral = |text: &str| match &target {
        _ if Some(text) == program.as_deref() => "{program}".to_owned(),
        // It may lie within the checkout.
        Some(target) => text.replace(target, "{target}").replace(&side, "{side}"),
        None => text.replace(&side, "{side}"),
    };
    let mut all = vec![start.driver.clone()];
    all.extend(start.command.iter().map(|word| neutral(word)));
    all.extend(start.folder.iter().map(|folder| neutral(&folder.display().to_string())));
    all.extend(start.environment.iter().map(|(name, value)| format!("{name}={}", neutral(value))));
    all
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tare_samples::RuntimeCommand;

    use super::start_of;

    #[test]
    fn a_start_is_the_same_but_for_the_side_that_it_is_of() {
        let of = |side: &str, option: &str| {
            let command = RuntimeCommand {
                name: "php".into(),
                driver: "php".into(),
                command: vec!["php".into(), option.into(), format!("{side}/worker.php")],
                folder: Some(side.into()),
                environment: vec![("PWD".into(), side.into())],
            };
            start_of(&command, Path::new(side), None)
        };
        assert_eq!(of("/p/a", "-n"), of("/p/b", "-n"));
        assert_ne!(of("/p/a", "-n"), of("/p/b", "-v"));
    }

    #[test]
    fn what_a_build_script_asks_for_is_the_same_but_for_the_folder_of_the_build() {
        let of = |target: &str, level: &str| {
            let program = format!("{target}/tare-programs/sums-01");
            let command = RuntimeCommand {
                name: "cargo".into(),
                driver: "rust".into(),
                command: vec![program.clone(), "--bench".into()],
                folder: None,
                environment: vec![
                    ("OUT_DIR".into(), format!("{target}/release/build/mine-02/out")),
                    ("LEVEL".into(), level.into()),
                ],
            };
            start_of(&command, Path::new("/p"), Some(Path::new(&program)))
        };
        assert_eq!(of("/c/target-1-2", "1"), of("/p/target/tare/target-1-3", "1"));
        assert_ne!(of("/c/target-1-2", "1"), of("/c/target-1-3", "2"));
    }
}
