//! Nodes that aren't fit to measure on: the task says so and ends, and is submitted again for another node.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use tare_session::{Error, FitnessNow};

use crate::begun::Begun;

/// A node that a task refused.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(crate) struct Refused {
    /// Which.
    pub(crate) node: String,
    /// Why.
    pub(crate) why: String,
}

fn refused_in(place: &Path, part: u32) -> PathBuf {
    place.join(format!("part-{part}.refused"))
}

/// The nodes that a part's tasks refused, the first one first.
pub(crate) fn refused_by(place: &Path, part: u32) -> Vec<Refused> {
    let text = fs::read_to_string(refused_in(place, part)).unwrap_or_default();
    text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect()
}

/// Lets all nodes be asked again.
pub(crate) fn forget_refused(place: &Path, part: u32) {
    // Where nothing was refused there is no file.
    let _ = fs::remove_file(refused_in(place, part));
}

/// Notes that the task of a part can't be measured on this node; the error that it ends with.
pub(crate) fn refuse(place: &Path, part: u32, node: &str, why: String) -> Error {
    let file = refused_in(place, part);
    let mut text = fs::read_to_string(&file).unwrap_or_default();
    let line = serde_json::to_string(&Refused { node: node.to_owned(), why: why.clone() }).unwrap_or_default();
    text.push_str(&line);
    text.push('\n');
    match fs::write(&file, text) {
        Ok(()) => Error::failed(format!("Tare doesn't measure on {node}: {why}")),
        Err(error) => Error::failed(format!("{}: {error}", file.display())),
    }
}

/// Why a node is unfit; `others`: what other parts said when they began.
pub(crate) fn unfit(found: &FitnessNow, others: &[Begun]) -> Option<String> {
    if let Some(first) = found.disturbed.first() {
        return Some(format!("{first}; `unfit = \"measure\"` under [fleet] in tare.toml measures on it anyway"));
    }
    let differs = |other: &&Begun| {
        other.cpu == found.cpu
            && ![other.governor.as_str(), found.governor.as_str()].contains(&"")
            && other.governor != found.governor
    };
    let other = others.iter().find(differs)?;
    Some(format!(
        "its frequency is governed by {}, and that of {}, which has the same processor, by {}; set one governor on all nodes",
        found.governor, other.node, other.governor
    ))
}

#[cfg(test)]
mod tests {
    use super::{forget_refused, refuse, refused_by, unfit};
    use crate::begun::Begun;
    use tare_session::FitnessNow;

    fn begun(node: &str, cpu: &str, governor: &str) -> Begun {
        Begun {
            node: node.into(),
            at: "2026-11-25T00:00:00Z".into(),
            tare: "1".into(),
            cpu: cpu.into(),
            governor: governor.into(),
        }
    }

    #[test]
    fn a_node_is_unfit_that_is_disturbed_or_governed_otherwise_than_its_like() {
        let found = |disturbed: &[&str], governor: &str| FitnessNow {
            disturbed: disturbed.iter().map(|&text| text.to_owned()).collect(),
            cpu: "epyc".into(),
            governor: governor.into(),
        };
        let others = [begun("n1", "xeon", "powersave"), begun("n2", "epyc", "performance")];
        assert!(unfit(&found(&["load: others take 80 %"], "performance"), &[]).unwrap().starts_with("load: "));
        assert_eq!(unfit(&found(&[], "performance"), &others), None);
        assert!(unfit(&found(&[], "powersave"), &others).unwrap().contains("that of n2"));
        assert_eq!(unfit(&found(&[], ""), &others), None, "it isn't known");
    }

    #[test]
    fn refused_nodes_are_kept_for_the_next_submission() {
        let place = tempfile::tempdir().unwrap();
        assert!(refused_by(place.path(), 2).is_empty());
        for node in ["n1", "n3"] {
            assert!(refuse(place.path(), 2, node, "load".into()).message.contains(node));
        }
        let nodes: Vec<String> = refused_by(place.path(), 2).into_iter().map(|refused| refused.node).collect();
        assert_eq!(nodes, ["n1", "n3"]);
        assert!(refused_by(place.path(), 1).is_empty());
        forget_refused(place.path(), 2);
        assert!(refused_by(place.path(), 2).is_empty());
    }
}
