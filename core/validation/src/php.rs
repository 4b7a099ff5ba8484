//! Real PHP: a loop, and copies of it that are slower by a stated part, compared by the built `tare`.
//!
//! Each comparison has a file of its own, with other methods between those that are compared: where a method lies in memory is a draw.

use std::path::{Path, PathBuf};
use std::process::Command;

use rand::{RngExt, SeedableRng};
use rand_pcg::Pcg64;

use crate::said::{RunError, RunReport, access, compared};

/// Turns of the base's loop. The rest of a call costs about as much as one of them.
pub const BASE_TURNS: u32 = 4_000;
/// Turns of the copies; the first is identical code.
pub const COPIES: [u32; 5] = [4_000, 4_010, 4_020, 4_040, 4_200];

/// Where the files are written, and the command.
#[derive(Debug)]
pub struct Php {
    tare: PathBuf,
    folder: PathBuf,
}

impl Php {
    /// Makes `folder` a project.
    ///
    /// # Errors
    /// Files that can't be written; no command at `tare`.
    pub fn new(tare: &Path, folder: &Path) -> Result<Self, RunError> {
        std::fs::create_dir_all(folder).map_err(access(folder))?;
        // The root of a project of its own, whatever lies above.
        std::fs::write(folder.join("tare.toml"), "").map_err(access(folder))?;
        Ok(Self { tare: tare.canonicalize().map_err(access(tare))?, folder: folder.to_owned() })
    }

    /// Compares the copy of `turns` with the base, in a file drawn from the seed. `margin` as for `--margin`.
    ///
    /// # Errors
    /// A file that can't be written; `tare` failing.
    pub fn compare(&self, turns: u32, margin: &str, seed: u64) -> Result<RunReport, RunError> {
        std::fs::write(self.folder.join("LoopBench.php"), source(seed ^ u64::from(turns) << 32))
            .map_err(access(&self.folder))?;
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

/// The file, with a random number of methods of random length before each one that is measured.
fn source(seed: u64) -> String {
    let mut rng = Pcg64::seed_from_u64(seed);
    let mut text = String::from("<?php\n\nfinal class LoopBench\n{\n");
    let names = COPIES.map(|turns| (format!("benchTurns{turns}"), turns));
    for (name, turns) in std::iter::once(("benchBase".to_owned(), BASE_TURNS)).chain(names) {
        for other in 0..rng.random_range(0..6) {
            let sum = "$x += $x >> 3; ".repeat(rng.random_range(0..60));
            text.push_str(&format!("    public function before{name}{other}(int $x): int {{ {sum}return $x; }}\n"));
        }
        text.push_str(&format!("    public function {name}(): void {{ {} }}\n", work(turns)));
    }
    text + "}\n"
}

/// The true ratio of a copy: of its turns to those of the base.
pub fn true_ratio(turns: u32) -> f64 {
    f64::from(turns) / f64::from(BASE_TURNS)
}

#[cfg(test)]
mod tests {
    use super::{COPIES, source};

    #[test]
    fn each_file_is_another_with_the_same_subjects() {
        let files: Vec<String> = (0..20).map(source).collect();
        for (index, file) in files.iter().enumerate() {
            assert!(files[..index].iter().all(|other| other != file));
            assert!(COPIES.iter().all(|turns| file.contains(&format!("function benchTurns{turns}(): void"))));
        }
    }
}
