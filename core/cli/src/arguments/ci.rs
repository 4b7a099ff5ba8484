//! The command line of `tare ci` and `tare init` as it is typed.

use std::path::PathBuf;

use clap::{Args, Command, ValueEnum};

use super::{Asking, Revising};

#[derive(Debug, Args)]
pub(crate) struct CiArguments {
    /// Write the text of a pull request's comment, with a hidden mark by which a later job finds it
    #[arg(long, value_name = "FILE")]
    pub(crate) comment: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) asking: Asking,
    #[command(flatten)]
    pub(crate) revising: Revising,
}

impl CiArguments {
    /// Options of `tare compare` that say what isn't asked here.
    pub(crate) fn refuses(id: &str) -> bool {
        matches!(id, "serve" | "url" | "why" | "on")
    }

    /// Which of those is given.
    pub(crate) fn refused(&self) -> Option<String> {
        let given = [
            ("--serve", self.revising.serve.is_some()),
            ("--why", self.revising.why.is_some()),
            ("--on", self.asking.measuring.on.is_some()),
        ];
        let (name, _) = given.into_iter().find(|(_, given)| *given)?;
        Some(format!("{name} isn't for `tare ci`; leave it out, or use `tare compare`"))
    }

    /// `--base` names a case elsewhere, and here what the change is compared with.
    pub(crate) fn with_its_base(command: Command) -> Command {
        command.mut_arg("base", |base| {
            base.value_name("REVISION").help(
                "What HEAD is compared with: a branch or commit, from where HEAD left it. Default: the base that GitHub or GitLab names, \
                 else the default branch of `origin`",
            )
        })
    }
}

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// Also write what this build server needs to judge each pull request
    #[arg(long, value_name = "SERVER")]
    pub(crate) ci: Option<BuildServer>,
}

/// A build server that Tare knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum BuildServer {
    /// GitHub Actions: .github/workflows/tare.yml
    Github,
    /// GitLab CI: .gitlab-ci.yml
    Gitlab,
}
