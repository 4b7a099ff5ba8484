//! `tare mcp`: a server for coding agents on standard input and output.

use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::{AsFd, OwnedFd};

use anyhow::anyhow;
use rustix::io::fcntl_dupfd_cloexec;
use rustix::stdio::{dup2_stdin, dup2_stdout};

use crate::arguments::VERSION;
use crate::asked::{STORE, folder_here};
use crate::exit::{Refusal, Status};
use crate::interrupt::{ROUND, stop_flag};
use crate::screen;

/// What the descriptors of the client are above: those of standard streams are given to all that is started.
const FIRST: i32 = 3;

pub(crate) fn mcp() -> Result<Status, Refusal> {
    let stop = stop_flag(ROUND)?;
    if io::stdin().is_terminal() {
        screen::complain(
            "it waits for the messages of a coding agent on standard input; docs/agents.md says how to register it there. Ctrl-C ends it",
        );
    }
    let ends = kept().map_err(|error| Refusal::failed(anyhow!("standard input and output can't be kept: {error}")))?;
    let store = STORE.get().cloned().flatten();
    tare_mcp::serve((folder_here()?, store), VERSION, ends, &stop).map_err(Refusal::failed)?;
    Ok(Status::Done)
}

/// The client's ends as descriptors that nothing else has: what a build or a benchmark prints goes to standard error, and it finds nothing to read.
fn kept() -> io::Result<(File, File)> {
    let own = |stream: &dyn AsFd| fcntl_dupfd_cloexec(stream.as_fd(), FIRST).map(|copy: OwnedFd| File::from(copy));
    let ends = (own(&io::stdin())?, own(&io::stdout())?);
    dup2_stdin(File::open("/dev/null")?)?;
    dup2_stdout(io::stderr())?;
    Ok(ends)
}
