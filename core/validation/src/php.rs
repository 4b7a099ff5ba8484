//! Real PHP: a loop, and copies of it that are slower by a stated part, compared by the built `tare`.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::said::{RunError, Said, access, compared};

/// Turns of the base's loop. The rest of a call costs about as much as one of them.
pub const BASE_TURNS: u32 = 4_000;
/// Turns of the copies; the first is identical code.
pub const COPIES: [u32; 5] = [4_000, 4_010, 4_020, 4_040, 4_200];

/// The benchmark file and the command.
#[derive(Debug)]
pub struct Php {
    tare: PathBuf,
    folder: PathBuf,
}

impl Php {
    /// Writes the benchmark file into `folder`.
    pub fn new(tare: &Path, folder: &Path) -> Result<Self, RunError> {
        std::fs::create_dir_all(folder).map_err(access(folder))?;
        std::fs::write(folder.join("LoopBench.php"), source()).map_err(access(folder))?;
        // The root of a project of its own, whatever lies above.
        std::fs::write(folder.join("tare.toml"), "").map_err(access(folder))?;
        Ok(Self { tare: tare.canonicalize().map_err(access(tare))?, folder: folder.to_owned() })
    }

    /// Compares the copy of `turns` with the base. `margin` as for `--margin`.
    pub fn compare(&self, turns: u32, margin: &str, seed: u64) -> Result<Said, RunError> {
        compared(
            Command::new(&self.tare)
                .args(["run", "LoopBench.php", "--base", "benchBase", "--json", "--no-store", "--margin", margin])
                .args(["--filter", &format!("::(benchBase|benchTurns{turns})$"), "--seed", &seed.to_string()])
                .current_dir(&self.folder),
        )
    }
}

/// What the loop does: nothing that a compiler could leave out.
pub fn work(turns: u32) -> String {
    format!("$x = 1; for ($i = 0; $i < {turns}; ++$i) {{ $x = ($x * 31 + $i) & 0xffff; }}")
}

fn source() -> String {
    let method = |name: &str, turns: u32| format!("    public function {name}(): void {{ {} }}\n", work(turns));
    let copies: String = COPIES.iter().map(|&turns| method(&format!("benchTurns{turns}"), turns)).collect();
    format!("<?php\n\nfinal class LoopBench\n{{\n{}{copies}}}\n", method("benchBase", BASE_TURNS))
}

/// The true ratio of a copy: of its turns to those of the base.
pub fn true_ratio(turns: u32) -> f64 {
    f64::from(turns) / f64::from(BASE_TURNS)
}
