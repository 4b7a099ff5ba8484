//! Which loads several generators can send.

use crate::error::Error;
use crate::load::asked::HttpLoad;

/// Refuses what several generators can't do.
pub(super) fn check(load: &HttpLoad, connections: u32) -> Result<(), Error> {
    let Some(of) = load.generators else { return Ok(()) };
    if of > connections {
        return Err(Error::usage(format!(
            "--generators {of}: each needs a connection of its own, and there are {connections}; ask for more connections (-c), or for fewer generators"
        )));
    }
    if !load.start.is_empty() {
        return Err(Error::usage(
            "--generators loads servers that run already: --start starts them anew in turns, and generators don't know where; start them before",
        ));
    }
    if !load.pid.is_empty() {
        return Err(Error::usage("--pid counts what a server does for one client; leave it or --generators out"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_generators_can_not_do_is_refused() {
        let load = |of| HttpLoad { generators: Some(of), ..HttpLoad::default() };
        assert!(check(&load(4), 4).is_ok() && check(&HttpLoad::default(), 1).is_ok());
        let many = check(&load(5), 4).unwrap_err().to_string();
        assert!(many.contains("--generators 5") && many.contains("there are 4"), "{many}");
        let started = HttpLoad { start: vec!["./server".into()], ..load(2) };
        assert!(check(&started, 4).unwrap_err().to_string().contains("--start"));
        let followed = HttpLoad { pid: vec![7], ..load(2) };
        assert!(check(&followed, 4).unwrap_err().to_string().contains("--pid"));
    }
}
