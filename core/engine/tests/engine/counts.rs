//! How many simulated runs are counted.

/// `part` of them, or `whole` with `TARE_COUNT=whole`, as `make validate` counts them. What is asserted of a part says how sure it is of a fault.
pub(crate) fn runs(whole: u64, part: u64) -> u64 {
    if std::env::var_os("TARE_COUNT").is_some_and(|count| count == "whole") { whole } else { part }
}
