//! Results as the XML that CI servers read: Surefire's report, in the shape that Jenkins' xUnit plugin validates
//! (`junit-10.xsd`). Figures stand in `system-out`: a test's `time` would be read as how long it ran.

mod cases;
mod xml;

use std::collections::HashSet;

use cases::Suite;
use tare_results::RunView;

/// A test case for each judged comparison, and one for each variant that is in none.
///
/// A tripped gate is a `failure` and a failed benchmark an `error`. What was skipped, interrupted, or couldn't be
/// decided is `skipped`. Characters that XML 1.0 (section 2.2) forbids are escaped in names and dropped from output.
pub fn junit_xml(view: &RunView) -> String {
    let mut suites: Vec<Suite> = cases::suites(view).into_iter().filter(|suite| !suite.cases.is_empty()).collect();
    suites.iter_mut().for_each(number_namesakes);
    xml::document(view, &suites)
}

/// CI servers take two test cases of one name for one: the second failure of a file would hide the first.
fn number_namesakes(suite: &mut Suite) {
    let mut taken: HashSet<(String, String)> = HashSet::new();
    for case in &mut suite.cases {
        let name = case.name.clone();
        let mut number = 1;
        while !taken.insert((case.class.clone(), case.name.clone())) {
            number += 1;
            case.name = format!("{name} ({number})");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::cases::{Case, Outcome, Suite};
    use super::number_namesakes;

    #[test]
    fn no_two_test_cases_have_one_name() {
        let case = |name: &str| Case {
            class: "files".into(),
            name: name.into(),
            outcome: Outcome::Passed,
            out: String::new(),
            err: String::new(),
        };
        let mut suite = Suite { name: "files", cases: ["a", "a", "a (2)", "b", "a"].map(case).into() };
        number_namesakes(&mut suite);
        let names: Vec<&str> = suite.cases.iter().map(|case| case.name.as_str()).collect();
        assert_eq!(names, ["a", "a (2)", "a (2) (2)", "b", "a (3)"]);
    }
}
