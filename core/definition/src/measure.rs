use crate::error::ArgumentError;
use crate::quantity::shown;

/// Reads which cases of a comparison of revisions are measured: `changed` or `all`. Whether all are.
///
/// # Errors
/// Any other word.
pub fn parse_measure(text: &str) -> Result<bool, ArgumentError> {
    match text.trim() {
        "changed" => Ok(false),
        "all" => Ok(true),
        other => Err(ArgumentError::new(
            format!("`{}` says nothing of which cases are measured", shown(other)),
            "write changed (cases that are proven to be unchanged aren't) or all",
        )),
    }
}
