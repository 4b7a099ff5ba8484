//! The two sides of a comparison, by their names and their commits.

use crate::text::abbreviated;
use tare_results::{RunView, SideView};

/// What the name of a working tree's commit ends with.
const WITH_CHANGES: &str = " with changes";

/// A side, and the commit that it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Side {
    /// As the user called it; from outside.
    pub(crate) label: String,
    /// The first digits of its commit, and whether its files differed; `None` where it is no revision, or is called so.
    pub(crate) commit: Option<String>,
    is_revision: bool,
}

/// Both sides.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Sides {
    pub(crate) base: Side,
    pub(crate) candidate: Side,
}

/// The sides of a run's comparisons, where all have the same.
pub(crate) fn of(view: &RunView) -> Option<Sides> {
    let mut pairs = view.comparisons.judged();
    let first = pairs.next()?;
    let labels = (&first.base.label, &first.candidate.label);
    if pairs.any(|pair| (&pair.base.label, &pair.candidate.label) != labels) {
        return None;
    }
    let commit = |side: &SideView| {
        let variant = view.variants.iter().find(|variant| variant.variant.id == side.id)?;
        let revision = variant.variant.runtime.revision()?;
        // A working tree is measured as it is; git says whether a tracked file differs.
        let is_clean = view.origin.git.get("dirty").is_some_and(|dirty| dirty == "false");
        Some(abbreviated(revision.strip_suffix(WITH_CHANGES).filter(|_| is_clean).unwrap_or(revision)))
    };
    let side = |side: &SideView| {
        let commit = commit(side);
        Side {
            is_revision: commit.is_some(),
            // A revision that is called by its commit needs it once.
            commit: commit.filter(|commit| side.label.is_empty() || !commit.starts_with(&side.label)),
            label: side.label.clone(),
        }
    };
    Some(Sides { base: side(&first.base), candidate: side(&first.candidate) })
}

impl Sides {
    /// Whether both are revisions.
    pub(crate) fn have_commits(&self) -> bool {
        self.base.is_revision && self.candidate.is_revision
    }

    /// `feature (4f2a9be07d) against main (1b2c3d4e5f)`, labels and commits as `named` writes them.
    pub(crate) fn text(&self, named: impl Fn(&str) -> String) -> String {
        let side = |side: &Side| match &side.commit {
            Some(commit) => format!("{} ({})", named(&side.label), named(commit)),
            None => named(&side.label),
        };
        format!("{} against {}", side(&self.candidate), side(&self.base))
    }
}
