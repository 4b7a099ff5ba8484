//! What an earlier `tare tune` has left settled.

use std::path::Path;

use tare_machine::tuning::{self, Left};
use tare_samples::{Finding, FindingLevel};

use std::path::PathBuf;

/// Where the old values lie: not kept over a restart, and neither is what the kernel was told.
const FOLDER: &str = "/run/tare";
/// Names another folder.
const PLACE: &str = "TARE_STATE";
const CODE: &str = "tune";

/// Where `tare tune` keeps the values that it changes.
pub(crate) fn tuning_folder() -> PathBuf {
    std::env::var_os(PLACE).filter(|place| !place.is_empty()).map_or_else(|| PathBuf::from(FOLDER), PathBuf::from)
}

/// A finding where a tune has left anything; nothing where none has.
pub(crate) fn finding(root: &Path) -> Option<Finding> {
    judged(tuning::left(root, &tuning_folder()).map_err(|error| error.to_string()))
}

fn judged(left: Result<Option<Left>, String>) -> Option<Finding> {
    let of = |level, found: String, effect: &str, remedy: &str| Finding {
        runtime: String::new(),
        code: CODE.to_owned(),
        level,
        found,
        effect: effect.to_owned(),
        remedy: remedy.to_owned(),
    };
    let restore = "`sudo tare tune --restore` puts everything back";
    Some(match left {
        Ok(None) => return None,
        Err(reason) => of(
            FindingLevel::Unknown,
            reason,
            "whether an earlier `tare tune` has left the machine settled",
            "run `tare doctor` as the user who runs `tare tune`",
        ),
        Ok(Some(Left { process: Some(process), .. })) => {
            of(FindingLevel::Good, format!("settled by process {process}, which puts everything back"), "", "")
        }
        Ok(Some(Left { changes, .. })) if changes.is_empty() => of(
            FindingLevel::Unknown,
            "an earlier `tare tune` ended without putting back what it changed, and others have changed it since"
                .to_owned(),
            "which settings are the machine's own",
            restore,
        ),
        Ok(Some(Left { changes, .. })) => {
            let mut settings: Vec<&str> = changes.iter().map(|change| change.what.as_str()).collect();
            settings.dedup();
            let count = changes.len();
            let files = if count == 1 { "file" } else { "files" };
            of(
                FindingLevel::MayDisturb,
                format!(
                    "the machine is still settled ({}: {count} {files}): a `tare tune` was killed, or was asked to leave it so",
                    settings.join(", ")
                ),
                "times hold for the settled machine, and everything else runs with its settings too",
                restore,
            )
        }
    })
}

#[cfg(test)]
mod tests {
    use tare_machine::tuning::{Change, Left};
    use tare_samples::FindingLevel;

    use super::judged;

    #[test]
    fn what_is_left_is_told_with_the_way_back() {
        let change =
            |what: &str| Change { what: what.to_owned(), path: String::new(), old: String::new(), new: String::new() };
        let left = |process, changes: &[&str]| {
            Ok(Some(Left { process, changes: changes.iter().map(|what| change(what)).collect() }))
        };
        let killed = judged(left(None, &["governor", "governor", "turbo"])).unwrap();
        assert!(killed.found.contains("(governor, turbo: 3 files)"), "{killed:?}");
        assert!(killed.remedy.contains("--restore") && killed.level == FindingLevel::MayDisturb);
        assert_eq!(judged(left(Some(7), &[])).unwrap().level, FindingLevel::Good);
        assert_eq!(judged(left(None, &[])).unwrap().level, FindingLevel::Unknown);
        assert_eq!(judged(Err("can't be read".to_owned())).unwrap().level, FindingLevel::Unknown);
        assert_eq!(judged(Ok(None)), None);
    }
}
