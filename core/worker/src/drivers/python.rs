//! Python: the interpreter runs the embedded worker.

use std::path::Path;

use tare_samples::{Failure, RuntimeCommand};

use super::{Driver, Ready, not_unpacked, text};
use crate::embedded::unpack_python;

/// Python.
pub(super) struct Python;

impl Driver for Python {
    fn ready(&self, runtime: &RuntimeCommand, source: &Path, _: &mut dyn FnMut(&str)) -> Result<Ready, Failure> {
        ready(runtime, source)
    }
}

/// The interpreter's own options and settings stay as the user gave them; the worker comes last. What the user's environment says,
/// such as `PYTHONHASHSEED`, holds in launches too: without it each launch draws its own hash seed, as it draws its memory layout.
fn ready(runtime: &RuntimeCommand, source: &Path) -> Result<Ready, Failure> {
    let entry = unpack_python().map_err(|error| not_unpacked(&error))?;
    let mut start = runtime.clone();
    start.command.push(text(&entry));
    Ok(Ready { start, files: vec![text(source)], notices: Vec::new() })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use tare_samples::RuntimeCommand;

    use super::ready;

    #[test]
    fn the_worker_comes_after_the_interpreters_options() {
        let runtime = RuntimeCommand {
            name: "optimised".into(),
            driver: "python".into(),
            command: vec!["python3".into(), "-O".into()],
            ..RuntimeCommand::default()
        };
        let ready = ready(&runtime, Path::new("/project/bench_a.py")).unwrap();
        assert_eq!(ready.start.command[..2], runtime.command);
        let [.., entry] = ready.start.command.as_slice() else { panic!("there is no command") };
        let folder = Path::new(entry).parent().unwrap();
        for part in ["worker.py", "src/tare/__init__.py", "src/tare_worker/stand_in/__init__.py"] {
            assert!(fs::read(folder.join(part)).is_ok_and(|content| !content.is_empty()), "{part} is unpacked");
        }
        for part in ["tests", "example"] {
            assert!(!folder.join(part).exists(), "{part} stays at home");
        }
        assert_eq!(ready.files, ["/project/bench_a.py"]);
    }
}
