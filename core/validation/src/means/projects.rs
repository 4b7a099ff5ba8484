use std::path::Path;
use std::process::Command;

use super::Language;
use crate::said::{RunError, access, output};

/// Names and texts of a language's files.
pub(super) fn sources(language: Language) -> &'static [(&'static str, &'static str)] {
    match language {
        Language::Go => &[
            ("go.mod", include_str!("../../means/go/go.mod")),
            ("means_test.go", include_str!("../../means/go/means_test.go")),
        ],
        Language::Cpp => &[
            ("subjects.h", include_str!("../../means/cpp/subjects.h")),
            ("means.cc", include_str!("../../means/cpp/means.cc")),
            ("mean.cc", include_str!("../../means/cpp/mean.cc")),
        ],
        Language::Php => &[
            ("MeansBench.php", include_str!("../../means/php/MeansBench.php")),
            ("mean.php", include_str!("../../means/php/mean.php")),
        ],
        Language::Python => &[
            ("subjects.py", include_str!("../../means/python/subjects.py")),
            ("bench_means.py", include_str!("../../means/python/bench_means.py")),
            ("mean.py", include_str!("../../means/python/mean.py")),
        ],
    }
}

/// The program that the language needs and that isn't there.
pub fn missing_tool(language: Language) -> Option<&'static str> {
    let (tool, version) = match language {
        Language::Go => ("go", "version"),
        Language::Cpp => ("c++", "--version"),
        Language::Php => ("php", "--version"),
        Language::Python => ("python3", "--version"),
    };
    output(Command::new(tool).arg(version)).is_err().then_some(tool)
}

pub(super) fn write(language: Language, tare: &Path, folder: &Path) -> Result<(), RunError> {
    // The root of a project of its own, whatever lies above.
    for (name, text) in sources(language).iter().chain(&[("tare.toml", "")]) {
        let path = folder.join(name);
        std::fs::write(&path, text).map_err(access(&path))?;
    }
    match language {
        Language::Go => {
            output(Command::new("go").args(["test", "-c", "-o", "means.test", "."]).current_dir(folder)).map(drop)
        }
        Language::Cpp => {
            let printed = output(Command::new(tare).args(["sdk", "cpp", "--include-dir"]))?;
            let headers = format!("-I{}", String::from_utf8_lossy(&printed).trim());
            for (source, binary) in [("means.cc", "means"), ("mean.cc", "mean")] {
                let mut command = Command::new("c++");
                // Where a function lies within a line of the cache is worth some percent, and lies elsewhere in each program (decision 63).
                command.args(["-O2", "-std=c++17", "-pthread", "-falign-functions=64", &headers, source, "-o", binary]);
                output(command.current_dir(folder))?;
            }
            Ok(())
        }
        Language::Php | Language::Python => Ok(()),
    }
}
