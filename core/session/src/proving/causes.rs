//! Why cases are measured, in a sentence for who waits.

use std::collections::BTreeMap;

use super::Finding;

/// What differs of the cases that are measured, the commonest first; `None` where nothing is known to.
pub(crate) fn why_measured(findings: &[Option<Finding>]) -> Option<String> {
    let mut causes: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings.iter().flatten() {
        if let Finding::Differs(what) | Finding::MayDiffer(what) = finding {
            *causes.entry(what).or_default() += 1;
        }
    }
    let mut causes: Vec<(&str, usize)> = causes.into_iter().collect();
    causes.sort_by_key(|&(_, cases)| std::cmp::Reverse(cases));
    let is_measured = |finding: &&Finding| !finding.is_unchanged();
    let cases = findings.iter().flatten().filter(is_measured).count();
    let several = |cases: usize| if cases == 1 { "1 case".to_owned() } else { format!("{cases} cases") };
    let (what, of_first) = causes.first()?;
    if *of_first == cases {
        return Some(format!("measuring {}, since {what}", several(cases)));
    }
    Some(format!(
        "measuring {}, {of_first} of them since {what}; `tare compare … --why` says why for each",
        several(cases)
    ))
}

#[cfg(test)]
mod tests {
    use super::super::Finding;
    use super::why_measured;

    #[test]
    fn the_commonest_reason_is_told_and_that_there_are_others() {
        let differs = |what: &str| Some(Finding::Differs(what.to_owned()));
        assert_eq!(why_measured(&[None, Some(Finding::Unproven("it reads the clock".to_owned()))]), None);
        assert_eq!(why_measured(&[differs("`f` differs"), None]).unwrap(), "measuring 1 case, since `f` differs");
        let several = [differs("`g` differs"), differs("`f` differs"), None, differs("`f` differs")];
        let said = why_measured(&several).unwrap();
        assert_eq!(said, "measuring 3 cases, 2 of them since `f` differs; `tare compare … --why` says why for each");
        let unproven = Some(Finding::Unproven("it reads the clock".to_owned()));
        let said = why_measured(&[differs("`f` differs"), unproven.clone(), unproven]).unwrap();
        assert!(said.starts_with("measuring 3 cases, 1 of them since `f` differs"), "{said}");
    }
}
