//! Which processes can be followed.

use std::path::Path;

use tare_load::follow::family;

use crate::error::Error;

/// Refuses what can't be followed, before anything is measured.
pub(super) fn check(pids: &[u32], targets: usize, starts: bool, ladder: bool) -> Result<(), Error> {
    if pids.is_empty() {
        return Ok(());
    }
    if starts || ladder {
        return Err(Error::usage(
            "--pid is for servers that run already, under one load: leave out --start and a rate that grows",
        ));
    }
    if pids.len() != 1 && pids.len() != targets {
        return Err(Error::usage(format!(
            "{} processes to follow and {targets} URLs don't go together; give --pid once, or once for each URL in their order",
            pids.len()
        )));
    }
    match pids.iter().find(|pid| family(Path::new("/"), **pid).is_empty()) {
        Some(pid) => Err(Error::usage(format!(
            "--pid {pid}: there is no such process; name the server's (nginx: that of its master)"
        ))),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn what_cannot_be_followed_is_refused_before_the_load() {
        let own = std::process::id();
        let refused = |pids: &[u32], targets, starts| check(pids, targets, starts, false).unwrap_err().to_string();
        assert!(check(&[], 1, true, true).is_ok() && check(&[own], 2, false, false).is_ok());
        assert!(refused(&[own, own], 3, false).contains("don't go together"));
        assert!(refused(&[own], 1, true).contains("leave out --start"));
        assert!(refused(&[u32::MAX], 1, false).contains("there is no such process"));
    }
}
