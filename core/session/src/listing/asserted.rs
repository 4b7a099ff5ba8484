//! What is asserted of a case.

use tare_samples::CaseAssertion;

/// Takes the place of what the sources assert, as in PHPBench.
pub(crate) fn replace(assertions: &mut Vec<CaseAssertion>, given: &[String]) {
    if !given.is_empty() {
        let of = |text: &String| CaseAssertion { text: text.clone(), place: "--assert".to_owned() };
        *assertions = given.iter().map(of).collect();
    }
}
