use std::path::Path;

/// What is known of a language.
#[derive(Debug)]
pub struct Entry {
    /// As ids of cases, options and `tare.toml` have it.
    pub name: &'static str,
    /// As people write it, where that is another word.
    pub title: Option<&'static str>,
    /// Endings of its files, in lower case: what a file is that the user names.
    pub endings: &'static [&'static str],
    /// What its sources are called in a folder that is searched.
    pub patterns: &'static [Pattern],
    /// Whether its own tools pass over what lies there, a path below the searched folder.
    pub passes_over: fn(&Path) -> bool,
    /// A source is the folder of its files, not a file.
    pub packages: bool,
    /// A file is named as the class of its benchmarks.
    pub named_by_class: bool,
    /// Each call is a process of its own: calls of one launch differ as those of several do.
    pub calls_are_processes: bool,
    /// The lines of a source's text that can give its benchmarks their names, where not all can: a string or a comment says nothing of them. `None` where
    /// that isn't known.
    pub names_in: fn(&str) -> Option<String>,
    /// What a source begins with that has no text: a program that was built.
    pub magic: Option<&'static [u8]>,
    /// Endings of files of which such a program is built, as they are written.
    pub built_from: &'static [&'static str],
    /// Names of programs that run its sources, without version.
    pub programs: &'static [&'static str],
    /// What runs its sources where nobody says otherwise; `None` for those that need a worker of the user's.
    pub usual_command: Option<&'static str>,
    /// `tare doctor` judges the usual command where no runtime is named.
    pub judged_by_itself: bool,
    /// Which programs have clocks.
    pub clocks: Clocks,
    /// How its sources are executed.
    pub execution: Execution,
    /// By how much two builds of the same code differ, since the linker puts it elsewhere: a standard deviation of the logarithm of the time, the root mean
    /// square over the subjects of docs/decisions/0063. 0 where nothing is built.
    pub builds_differ_by: f64,
    /// What its worker loads is its own program, so a copy of that has to be told whose it is.
    pub loads_itself: bool,
    /// Benchmarks ask how many CPUs there are, and those with several threads get every one: so they are listed where they see all.
    pub lists_on_every_cpu: bool,
    /// What a link takes of one CPU, in nanoseconds, where Tare links its programs.
    pub link_ns: f64,
    /// What sources may have in common.
    pub shared_names: SharedNames,
    /// Sampling profilers for it, the best first.
    pub profilers: &'static [&'static str],
    /// How perf walks its stacks.
    pub perf_stacks: &'static str,
    /// Why the instructions of a whole process can't be counted, and what there is instead.
    pub uncounted: Option<(&'static str, &'static str)>,
    /// The function that its worker calls at both ends of a turn, and nowhere in it: by it a counter of instructions is read.
    pub counted_at: &'static str,
    /// Its runtime has threads of its own, of which only the one that measures is counted: the function that another one calls before it executes
    /// code of the program.
    pub taken_over_at: Option<&'static str>,
    /// Functions that allocate on the heap, by their symbols; empty where these aren't known.
    pub allocated_by: &'static [&'static str],
    /// Its worker tells which functions of the program calls execute (PROTOCOL 1.15): those that a counter of instructions sees are the interpreter's.
    pub tells_functions: bool,
    /// Whether a frame of a profile is of the worker and not of what it measures.
    pub is_worker_frame: fn(&str) -> bool,
    /// The environment by which its runtime traces allocations, from its start on.
    pub memory_tracer: Option<(&'static str, &'static str)>,
    /// How the packages of a project come to where its code looks for them.
    pub packages_of_projects: Option<Packages>,
}

/// Packages that are installed into a project's folder, which git seldom keeps.
#[derive(Debug, Clone, Copy)]
pub struct Packages {
    /// The file that names them.
    pub named_in: &'static str,
    /// The folder that they are in.
    pub folder: &'static str,
    /// What is usually typed to install them.
    pub command: &'static str,
}

/// What sources are called.
#[derive(Debug)]
pub struct Pattern {
    /// Of the file's name.
    pub glob: &'static str,
    /// Some files of that name are none: whether the text is of one.
    pub text: Option<fn(&str) -> bool>,
    /// How it is told to people who look for their benchmarks; `None` where it is rare.
    pub told: Option<&'static str>,
    /// PHPBench's configuration may name another.
    pub of_phpbench: bool,
}

impl Pattern {
    pub(crate) const fn plain(glob: &'static str) -> Self {
        Self { glob, text: None, told: Some(glob), of_phpbench: false }
    }
}

/// Which programs `tare clock` looks at.
#[derive(Debug)]
pub struct Clocks {
    /// Of those that are installed the first.
    pub programs: &'static [&'static str],
    /// They are compilers: the command that a run is started with has no clocks of its own.
    pub compilers: bool,
}

/// How sources are executed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Execution {
    /// By a program that reads them: if that doesn't start for one, it starts for none.
    Interpreted,
    /// Each is a program of its own, in which the places of code are a linker's choice.
    Built,
    /// Nobody knows.
    Unknown,
}

/// Benchmarks of the same name in several sources.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SharedNames {
    /// Are an error.
    Refused,
    /// Are told apart by their sources, which may be renamed from one revision to the next.
    BySource,
    /// Likewise, and by a file's name alone, without its ending, where those differ.
    ByModule,
    /// Are told apart by their packages, by which they are known from one revision to the next.
    ByPackage,
}

/// What allocates in the C library, which `operator new` and Rust's global allocator call.
pub(crate) const IN_C: &[&str] = &["malloc", "calloc", "realloc", "aligned_alloc", "memalign", "posix_memalign"];

impl Entry {
    /// One of which nothing is known.
    pub(crate) const UNKNOWN: Self = Self {
        name: "",
        title: None,
        endings: &[],
        patterns: &[],
        passes_over: |_| false,
        packages: false,
        named_by_class: false,
        calls_are_processes: false,
        names_in: |_| None,
        magic: None,
        built_from: &[],
        programs: &[],
        usual_command: None,
        judged_by_itself: false,
        clocks: Clocks { programs: &[], compilers: false },
        execution: Execution::Unknown,
        builds_differ_by: 0.0,
        loads_itself: false,
        lists_on_every_cpu: false,
        link_ns: 0.0,
        shared_names: SharedNames::Refused,
        profilers: &["perf"],
        perf_stacks: "fp",
        uncounted: None,
        counted_at: "getrusage",
        taken_over_at: None,
        allocated_by: &[],
        tells_functions: false,
        is_worker_frame: |_| false,
        memory_tracer: None,
        packages_of_projects: None,
    };

    /// Whether each source is a program of its own.
    pub fn is_built(&self) -> bool {
        self.execution == Execution::Built
    }

    /// Whether a file is of this language by its ending.
    pub fn has_ending(&self, path: &Path) -> bool {
        let ending = path.extension().map(|ending| ending.to_ascii_lowercase());
        ending.as_ref().and_then(|ending| ending.to_str()).is_some_and(|ending| self.endings.contains(&ending))
    }

    /// Whether a program of this language is built of a file, by its ending: the program is measured, and not the file.
    pub fn is_built_from(&self, path: &Path) -> bool {
        let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
        self.built_from.contains(&ending) || self.built_from.contains(&ending.to_ascii_lowercase().as_str())
    }

    /// Whether a command's program runs sources of this language, by its name: `php8.2`, `/usr/bin/python3`, `go1.25`. Settings of the
    /// environment before it, as in `env K=1 php`, are passed over.
    pub fn is_run_by(&self, command: &[String]) -> bool {
        let mut words = command.iter().map(String::as_str).peekable();
        if words.next_if_eq(&"env").is_some() {
            while words.next_if(|word| word.contains('=') && !word.starts_with('-')).is_some() {}
        }
        words.next().is_some_and(|program| self.programs.contains(&without_version(program)))
    }

    /// Whether a command is a compiler whose programs have the clocks of this language.
    pub fn is_compiled_by(&self, command: &[String]) -> bool {
        let program = command.first().map_or("", String::as_str);
        self.clocks.compilers && self.clocks.programs.contains(&without_version(program))
    }
}

/// `g++` of `/opt/bin/g++-12`.
fn without_version(program: &str) -> &str {
    let name = program.rsplit('/').next().unwrap_or(program);
    name.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.' || c == '-')
}
