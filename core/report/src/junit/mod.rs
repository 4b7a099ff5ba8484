//! Results as the XML that CI servers read: Surefire's report, in the shape that Jenkins' xUnit plugin validates
//! (`junit-10.xsd`). Figures stand in `system-out`: a test's `time` would be read as how long it ran.

mod cases;
mod xml;

use crate::RunView;
use cases::Suite;

/// A test case for each measured variant and one for each judged comparison.
///
/// A tripped gate is a `failure` and a failed benchmark an `error`. What was skipped, interrupted, or couldn't be
/// decided is `skipped`. Characters that XML 1.0 (section 2.2) forbids are escaped in names and dropped from output.
pub fn junit_xml(view: &RunView) -> String {
    let suites: Vec<Suite> = cases::suites(view).into_iter().filter(|suite| !suite.cases.is_empty()).collect();
    xml::document(view, &suites)
}
