//! What Cargo says of a workspace, asked once for all sources of a listing.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use tare_samples::{Failure, RuntimeCommand};

use super::graph::{Dependencies, Workspace, manifest_of};
use super::invocation::Invocation;

/// The workspaces that were met.
#[derive(Debug, Default)]
pub(crate) struct Asked(Vec<Known>);

/// What is known of a workspace on a runtime.
#[derive(Debug)]
pub(super) struct Known {
    runtime: RuntimeCommand,
    pub(super) workspace: Workspace,
    /// Once it was asked for.
    pub(super) needs: Option<Dependencies>,
    /// Target folders in which what was built is of the packages as they are.
    pub(super) compared: BTreeSet<PathBuf>,
}

impl Asked {
    /// The workspace of a source, and the manifest of its package.
    ///
    /// # Errors
    /// As [`manifest_of`] and [`Workspace::of`].
    pub(super) fn known(
        &mut self,
        runtime: &RuntimeCommand,
        invocation: &Invocation,
        source: &Path,
    ) -> Result<(&mut Known, PathBuf), Failure> {
        let manifest = manifest_of(source)?;
        let serves = |known: &Known| known.runtime == *runtime && known.workspace.serves(invocation, &manifest);
        let at = match self.0.iter().position(serves) {
            Some(at) => at,
            None => {
                let workspace = Workspace::of(invocation, &manifest)?;
                let runtime = runtime.clone();
                self.0.push(Known { runtime, workspace, needs: None, compared: BTreeSet::new() });
                self.0.len() - 1
            }
        };
        Ok((&mut self.0[at], manifest))
    }
}
