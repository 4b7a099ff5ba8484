//! What the user named as a Rust runtime: `cargo`, `cargo +nightly`, `env RUSTFLAGS=-Ctarget-cpu=native cargo --features simd`.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tare_samples::{Failure, FailureKind, RuntimeCommand};

/// Cargo with its settings.
#[derive(Debug, Clone)]
pub(super) struct Invocation {
    /// `K=V` words before the program; they go to the build and to the program that is built.
    pub(super) environment: Vec<(String, String)>,
    program: String,
    /// `+nightly`, for rustup.
    toolchain: Option<String>,
    /// Words behind it: flags of `cargo bench`.
    pub(super) flags: Vec<String>,
    /// Where a relative path of the program counts from.
    folder: Option<PathBuf>,
}

/// Flags that Tare gives itself, and why a user's aren't taken.
const OWN: [(&str, &str); 15] = [
    ("--target-dir", "Tare builds in a folder of its own; CARGO_TARGET_DIR says on which disk"),
    ("--target", "Tare measures programs of this machine"),
    ("--message-format", "Tare reads what Cargo prints"),
    ("--manifest-path", "name the package's folder as a path to measure"),
    ("--bench", "name the benchmark's file as a path to measure"),
    ("--lib", "name the file with #[bench] as a path to measure"),
    ("--bin", "name the file with #[bench] as a path to measure"),
    ("--bins", "name files or folders as paths to measure"),
    ("--benches", "name files or folders as paths to measure"),
    ("--package", "name the package's folder as a path to measure"),
    ("-p", "name the package's folder as a path to measure"),
    ("--workspace", "name the workspace's folder as a path to measure"),
    ("--all", "name the workspace's folder as a path to measure"),
    ("--all-targets", "name files or folders as paths to measure"),
    ("--no-run", "Tare runs the benchmarks itself"),
];

/// Flags that decide what a package depends on, and whether a value follows them.
const OF_THE_GRAPH: [(&str, bool); 8] = [
    ("--features", true),
    ("-F", true),
    ("--all-features", false),
    ("--no-default-features", false),
    ("--offline", false),
    ("--locked", false),
    ("--frozen", false),
    ("--config", true),
];

impl Invocation {
    /// # Errors
    /// A command without a program, and flags that Tare gives itself.
    pub(super) fn of(runtime: &RuntimeCommand) -> Result<Self, Failure> {
        let refused = |message: String, remedy: &str| Err(Failure::new(FailureKind::Runtime, message, remedy));
        let mut words = runtime.command.iter().peekable();
        let mut environment = runtime.environment.clone();
        if words.next_if(|word| *word == "env").is_some() {
            while let Some(word) = words.next_if(|word| word.contains('=')) {
                let (name, value) = word.split_once('=').unwrap_or((word, ""));
                environment.push((name.to_owned(), value.to_owned()));
            }
        }
        let Some(program) = words.next() else {
            return refused(
                format!("the runtime `{}` names no cargo command", runtime.name),
                "give one: --runtime \"NAME=cargo +nightly --features a,b\"",
            );
        };
        let toolchain = words.next_if(|word| word.starts_with('+')).cloned();
        let flags: Vec<String> = words.cloned().collect();
        for flag in &flags {
            let name = flag.split('=').next().unwrap_or(flag);
            if let Some((_, why)) = OWN.iter().find(|(own, _)| *own == name) {
                return refused(
                    format!("the runtime `{}` has the flag {name}, which Tare gives itself", runtime.name),
                    why,
                );
            }
        }
        let folder = runtime.folder.clone();
        Ok(Self { environment, program: program.clone(), toolchain, flags, folder })
    }

    /// Whether Cargo is to take `Cargo.lock` as it is.
    pub(super) fn is_locked(&self) -> bool {
        self.flags.iter().any(|flag| flag == "--locked" || flag == "--frozen")
    }

    /// Those of its flags that `cargo metadata` has, too.
    pub(super) fn flags_of_the_graph(&self) -> Vec<&str> {
        let mut words = self.flags.iter().map(String::as_str);
        let mut flags = Vec::new();
        while let Some(word) = words.next() {
            let name = word.split('=').next().unwrap_or(word);
            // `-Fname`, too.
            let known = OF_THE_GRAPH.iter().find(|(own, _)| *own == name || (*own == "-F" && name.starts_with("-F")));
            if let Some((own, has_value)) = known {
                flags.push(word);
                if *has_value && *own == word {
                    flags.extend(words.next());
                }
            }
        }
        flags
    }

    /// What Cargo is asked for, in `folder`.
    pub(super) fn command(&self, arguments: &[&str], folder: &Path) -> Command {
        let program = Path::new(&self.program);
        // A program without a folder is looked for on the path.
        let own = self.folder.as_deref().filter(|_| self.program.contains('/') && program.is_relative());
        let mut command = Command::new(own.map_or_else(|| program.to_owned(), |folder| folder.join(program)));
        command
            .args(&self.toolchain)
            .args(arguments)
            .current_dir(folder)
            .env("PWD", folder)
            // Its errors are read: the frames behind one would take the place of what it says.
            .env("RUST_BACKTRACE", "0")
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// The compiler `rustc`, in `folder`.
    fn compiler(&self, rustc: &str, folder: &Path) -> Command {
        let mut command = Command::new(rustc);
        // Only rustup's takes a toolchain, and whoever names another compiler names no toolchain.
        command
            .args(self.toolchain.as_ref().filter(|_| rustc == "rustc"))
            .current_dir(folder)
            .envs(self.environment.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null());
        command
    }

    /// The compiler that Cargo will call, in `folder`, and its name.
    pub(super) fn own_compiler(&self, folder: &Path) -> (Command, String) {
        let rustc = self.variable("RUSTC").unwrap_or_else(|| "rustc".to_owned());
        (self.compiler(&rustc, folder), rustc)
    }

    /// The program as it was named, for people.
    pub(super) fn named(&self) -> String {
        [Some(&self.program), self.toolchain.as_ref()].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    }

    /// A variable as the build sees it.
    pub(super) fn variable(&self, name: &str) -> Option<String> {
        let own = self.environment.iter().rev().find(|(known, _)| known == name).map(|(_, value)| value.clone());
        own.or_else(|| std::env::var(name).ok()).filter(|value| !value.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use tare_samples::RuntimeCommand;

    use super::Invocation;

    fn of(command: &str) -> Result<Invocation, tare_samples::Failure> {
        let command = command.split_whitespace().map(str::to_owned).collect();
        Invocation::of(&RuntimeCommand { name: "r".to_owned(), command, ..RuntimeCommand::default() })
    }

    #[test]
    fn settings_toolchain_and_flags_are_told_apart() {
        let invocation =
            of("env A=1 cargo +nightly --profile release -F simd --features=a,b --config x=1 --locked -Fc").unwrap();
        assert_eq!(invocation.environment, [("A".to_owned(), "1".to_owned())]);
        assert_eq!(invocation.named(), "cargo +nightly");
        assert_eq!(
            invocation.flags_of_the_graph(),
            ["-F", "simd", "--features=a,b", "--config", "x=1", "--locked", "-Fc"]
        );
        assert_eq!(invocation.flags.len(), 9);
    }

    #[test]
    fn what_tare_gives_itself_is_refused_with_what_to_do() {
        for flag in ["--target-dir=x", "--target wasm32-wasip1", "-p a", "--no-run"] {
            let failure = of(&format!("cargo {flag}")).unwrap_err();
            assert!(failure.message.contains(flag.split(['=', ' ']).next().unwrap()), "{failure}");
            assert!(!failure.remedy.is_empty());
        }
        assert!(of("env A=1").unwrap_err().message.contains("names no cargo command"));
    }
}
