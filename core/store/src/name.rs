//! From what a person types to a run.

use crate::rows::RunName;
use crate::{Result, StoreError};

const LATEST: &str = "latest";

/// The id that `name` means among `runs`, newest first.
pub(crate) fn resolve(name: &str, runs: &[RunName]) -> Result<String> {
    if let Some(run) = runs.iter().find(|run| run.id == name) {
        return Ok(run.id.clone());
    }
    // A tag may hold a tilde of its own, so the whole name comes first.
    for (word, back) in [Some((name, 0)), split_back(name)].into_iter().flatten() {
        let called: Vec<&RunName> =
            runs.iter().filter(|run| word == LATEST || run.tags.iter().any(|tag| tag == word)).collect();
        if let Some(run) = called.get(back) {
            return Ok(run.id.clone());
        }
        if !called.is_empty() {
            return Err(StoreError::TooFarBack { name: name.to_owned(), count: count(called.len(), word) });
        }
    }

    let of = |meant: &dyn Fn(&RunName) -> bool| runs.iter().filter(|run| !name.is_empty() && meant(run)).collect();
    let mut partly: Vec<&RunName> = of(&|run| run.id.starts_with(name));
    if partly.is_empty() {
        // The end of an id is what tells the runs of a day apart.
        partly = of(&|run| run.id.contains(name));
    }
    match partly.as_slice() {
        [run] => Ok(run.id.clone()),
        [] => Err(unknown(name, runs)),
        several => Err(StoreError::Ambiguous {
            name: name.to_owned(),
            candidates: several.iter().map(|run| run.id.clone()).collect(),
        }),
    }
}

/// That there is no such run, and what there is instead.
pub(crate) fn unknown(name: &str, runs: &[RunName]) -> StoreError {
    StoreError::UnknownRun { name: name.to_owned(), exists: what_exists(runs) }
}

/// `main~2` is `main`, two back. A bare `~` is one back, as in git.
fn split_back(name: &str) -> Option<(&str, usize)> {
    let (word, back) = name.rsplit_once('~')?;
    match back {
        "" => Some((word, 1)),
        digits if digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            Some((word, digits.parse().unwrap_or(usize::MAX)))
        }
        _ => None,
    }
}

fn count(runs: usize, word: &str) -> String {
    let noun = if runs == 1 { "run" } else { "runs" };
    match word {
        LATEST => format!("{runs} {noun}"),
        tag => format!("{runs} {noun} with the tag {tag:?}"),
    }
}

fn what_exists(runs: &[RunName]) -> String {
    const SHOWN: usize = 3;
    const TAGS: usize = 8;
    if runs.is_empty() {
        return "The store holds no runs yet: `tare run` makes one.".to_owned();
    }
    let mut text = match runs.len() {
        1 => "The store holds one run: ".to_owned(),
        n => format!("The store holds {n} runs, the newest: "),
    };
    text.push_str(&runs.iter().take(SHOWN).map(|run| format!("{:?}", run.id)).collect::<Vec<_>>().join(", "));
    let mut tags: Vec<&str> = Vec::new();
    for tag in runs.iter().flat_map(|run| &run.tags) {
        if tags.len() < TAGS && !tags.contains(&tag.as_str()) {
            tags.push(tag);
        }
    }
    if !tags.is_empty() {
        text.push_str("; tags: ");
        text.push_str(&tags.iter().map(|tag| format!("{tag:?}")).collect::<Vec<_>>().join(", "));
    }
    text.push_str(". `tare log` lists them.");
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    fn runs(names: &[(&str, &[&str])]) -> Vec<RunName> {
        names
            .iter()
            .map(|(id, tags)| RunName { id: (*id).into(), tags: tags.iter().map(|&tag| tag.into()).collect() })
            .collect()
    }

    fn some() -> Vec<RunName> {
        runs(&[
            ("20250103-bb", &["main"]),
            ("20250102-bc", &["2025", "odd~1", "main"]),
            ("20250102-aa", &[]),
            ("20250101-aa", &["main", "odd"]),
        ])
    }

    #[test]
    fn a_run_is_found_by_a_part_of_its_id_by_tag_and_by_age() {
        for (name, id) in [
            ("20250102-aa", "20250102-aa"),
            ("20250101", "20250101-aa"),
            ("103-b", "20250103-bb"),
            ("bc", "20250102-bc"),
            ("latest", "20250103-bb"),
            ("latest~", "20250102-bc"),
            ("latest~0", "20250103-bb"),
            ("latest~2", "20250102-aa"),
            ("main", "20250103-bb"),
            ("main~2", "20250101-aa"),
            ("odd", "20250101-aa"),
        ] {
            assert_eq!(resolve(name, &some()).unwrap(), id, "{name}");
        }
    }

    #[test]
    fn a_tag_wins_over_the_beginning_of_an_id_and_a_tilde_may_be_its_own() {
        assert_eq!(resolve("2025", &some()).unwrap(), "20250102-bc");
        assert_eq!(resolve("odd~1", &some()).unwrap(), "20250102-bc");
    }

    #[test]
    fn an_id_wins_over_every_other_meaning() {
        let runs = runs(&[("b", &["a"]), ("latest", &[]), ("a", &[])]);
        assert_eq!(resolve("a", &runs).unwrap(), "a");
        assert_eq!(resolve("latest", &runs).unwrap(), "latest");
    }

    #[test]
    fn an_ambiguous_beginning_lists_the_candidates() {
        let error = resolve("20250102", &some()).unwrap_err();
        assert!(
            matches!(&error, StoreError::Ambiguous { candidates, .. } if candidates == &["20250102-bc", "20250102-aa"])
        );
        assert_eq!(
            error.to_string(),
            r#""20250102" is in the ids of 2 runs: "20250102-bc", "20250102-aa". Give more of the id."#
        );
        assert!(matches!(resolve("-aa", &some()), Err(StoreError::Ambiguous { .. })));
        // A beginning goes before what stands within.
        assert_eq!(resolve("b", &runs(&[("ab", &[]), ("ba", &[])])).unwrap(), "ba");
    }

    #[test]
    fn an_unknown_name_says_what_exists() {
        assert_eq!(
            resolve("mian", &some()).unwrap_err().to_string(),
            "no run is called \"mian\". The store holds 4 runs, the newest: \"20250103-bb\", \"20250102-bc\", \
             \"20250102-aa\"; tags: \"main\", \"2025\", \"odd~1\", \"odd\". `tare log` lists them."
        );
        for name in ["latest", "latest~3", "", "x"] {
            let error = resolve(name, &[]).unwrap_err();
            assert!(error.to_string().ends_with("The store holds no runs yet: `tare run` makes one."), "{error}");
        }
    }

    #[test]
    fn an_empty_name_is_no_beginning() {
        let one = runs(&[("20250103-bb", &[])]);
        assert!(matches!(resolve("", &one), Err(StoreError::UnknownRun { .. })));
    }

    #[test]
    fn going_back_too_far_says_how_far_one_can() {
        for (name, held) in [
            ("latest~4", "holds 4 runs."),
            ("latest~99999999999999999999999", "holds 4 runs."),
            ("odd~5", "holds 1 run with the tag \"odd\"."),
        ] {
            let error = resolve(name, &some()).unwrap_err();
            assert!(matches!(error, StoreError::TooFarBack { .. }), "{error}");
            assert!(error.to_string().contains(held), "{error}");
        }
    }

    #[test]
    fn a_message_holds_no_control_characters() {
        let error = resolve("\u{1b}[2Jx\n", &runs(&[("a\u{7}b", &["t\u{1b}"])])).unwrap_err();
        assert!(!error.to_string().contains(char::is_control), "{error}");
    }
}
