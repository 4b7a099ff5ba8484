use std::fs;
use std::path::{Path, PathBuf};

use crate::Language;
use crate::error::ArgumentError;
use crate::error::DefinitionError;
use crate::phpbench::Phpbench;
use crate::phpbench::document::LARGEST;
use crate::runtime::RuntimeDefinition;
use crate::settings::Settings;

/// What marks a project's root: the first group of which a file is found in the start folder or above it, there.
const MARKS: [&[&str]; 4] = [&["tare.toml"], &PHPBENCH, &[".git"], &["composer.json"]];

/// PHPBench's order: the developer's own file before the project's.
const PHPBENCH: [&str; 2] = ["phpbench.json", "phpbench.json.dist"];

/// A project: its root and what its files say.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Project {
    /// The root; absolute.
    pub root: PathBuf,
    /// What `tare.toml` says; empty without one.
    pub settings: Settings,
    /// The `tare.toml` that was read.
    pub settings_file: Option<PathBuf>,
    /// What `phpbench.json` or `phpbench.json.dist` in the root says, or the file that was chosen.
    pub phpbench: Option<Phpbench>,
    /// What was chosen instead.
    pub choice: PhpbenchChoice,
    /// Where runs are kept, as `--store` or `TARE_STORE` says, in place of `[store]`: a folder, relative to where it was asked, or a URL.
    pub store_choice: Option<String>,
}

/// Which configuration of PHPBench's, as `--config` and `--profile` say.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PhpbenchChoice {
    /// A file in place of the usual ones; absolute.
    pub file: Option<PathBuf>,
    /// A profile of it.
    pub profile: Option<String>,
}

impl PhpbenchChoice {
    fn read(&self, root: &Path) -> Result<Option<Phpbench>, DefinitionError> {
        let usual = || PHPBENCH.iter().map(|name| root.join(name)).find(|file| is_there(file));
        match (self.file.clone().or_else(usual), &self.profile) {
            (Some(file), _) if !is_there(&file) => Err(DefinitionError::Missing { path: file, named_in: None }),
            (Some(file), profile) => Phpbench::read_profile(&file, profile.as_deref()).map(Some),
            (None, None) => Ok(None),
            (None, Some(_)) => Err(ArgumentError::new(
                format!("--profile chooses within a phpbench.json, and {} has none", root.display()),
                "name the file with --config, or leave --profile out",
            )
            .into()),
        }
    }
}

impl Project {
    /// Finds the project that `start` (a folder, or a file in it) belongs to, and reads its settings.
    ///
    /// The root is the nearest folder, from `start` upwards, with a `tare.toml`; without any, the nearest with a `phpbench.json` or
    /// `phpbench.json.dist`; then with a `.git`; then with a `composer.json`; then the start itself.
    ///
    /// # Errors
    /// What [`Settings::parse`] and [`Phpbench::read`] say, and files that can't be read.
    pub fn find(start: &Path) -> Result<Self, DefinitionError> {
        let start = fs::canonicalize(start)
            .or_else(|_| std::path::absolute(start))
            .map_err(|source| DefinitionError::Unreadable { path: start.to_owned(), source })?;
        let start = if start.is_file() { start.parent().unwrap_or(&start).to_owned() } else { start };
        let marked = |marks: &[&str]| {
            let exists = |folder: &&Path| {
                marks.iter().any(|&mark| is_there(&folder.join(mark)) || mark == ".git" && folder.join(mark).exists())
            };
            start.ancestors().find(exists).map(Path::to_owned)
        };
        let root = MARKS.iter().find_map(|marks| marked(marks)).unwrap_or_else(|| start.clone());

        let settings_file = Some(root.join("tare.toml")).filter(|file| is_there(file));
        for file in settings_file.iter().cloned().chain(PHPBENCH.iter().map(|name| root.join(name))) {
            refuse_foreign(&file, &root, &start)?;
        }
        let settings = match &settings_file {
            Some(file) => {
                let text = tare_files::text(file, LARGEST)
                    .map_err(|source| DefinitionError::Unreadable { path: file.clone(), source })?;
                Settings::parse(file, &text)?
            }
            None => Settings::default(),
        };
        let choice = PhpbenchChoice::default();
        let phpbench = choice.read(&root)?;
        Ok(Self { root, settings, settings_file, phpbench, choice, store_choice: None })
    }

    /// The same project as another revision has it, at `root`: its own `phpbench.json`, but the settings of this one, so that
    /// both are measured alike.
    ///
    /// # Errors
    /// What [`Phpbench::read`] says.
    pub fn at_revision(&self, root: &Path) -> Result<Self, DefinitionError> {
        // A chosen file is the revision's own, where it lies in the project.
        let within = |file: &PathBuf| file.strip_prefix(&self.root).map_or(file.clone(), |below| root.join(below));
        let choice = PhpbenchChoice { file: self.choice.file.as_ref().map(within), ..self.choice.clone() };
        Ok(Self { root: root.to_owned(), phpbench: choice.read(root)?, choice, ..self.clone() })
    }

    /// The same project with another configuration of PHPBench's.
    ///
    /// # Errors
    /// What [`Phpbench::read_profile`] says, a file that doesn't exist, and a profile without a file.
    pub fn with(self, choice: PhpbenchChoice) -> Result<Self, DefinitionError> {
        if choice == PhpbenchChoice::default() {
            return Ok(self);
        }
        Ok(Self { phpbench: choice.read(&self.root)?, choice, ..self })
    }

    /// The runtimes to measure sources of `languages` on: those that `arguments` name or define, and no other; without
    /// arguments those of `tare.toml`, and for each language that none of them runs the usual one: `go`, `python3`, PHPBench's
    /// `runner.php_binary` or `php`. The first one of a language is the base of comparisons of it. Each gets its language.
    ///
    /// An argument that is the name of a runtime in `tare.toml` stands for it. PHPBench's `runner.php_config` and
    /// `runner.php_disable_ini` go to every runtime but workers, save for settings that its command makes itself.
    ///
    /// # Errors
    /// What [`RuntimeDefinition::parse`] says, names that two runtimes share, and a command whose language can't be told.
    pub fn runtimes(
        &self,
        arguments: &[String],
        languages: &[Language],
    ) -> Result<Vec<RuntimeDefinition>, DefinitionError> {
        let configured = &self.settings.runtimes;
        let named = |argument: &String| configured.iter().find(|runtime| runtime.name == argument.trim()).cloned();
        let mut runtimes = arguments
            .iter()
            .map(|argument| named(argument).map_or_else(|| RuntimeDefinition::parse(argument), Ok))
            .collect::<Result<Vec<_>, _>>()?;
        if runtimes.is_empty() {
            runtimes = configured.clone();
        }
        let languages = if languages.is_empty() { &[Language::ASSUMED] } else { languages };
        for runtime in &mut runtimes {
            runtime.language = Some(language_of(runtime, languages)?);
        }
        if arguments.is_empty() && !runtimes.iter().any(|runtime| runtime.language == Some(Language::Worker)) {
            for &language in languages {
                if let Some(usual) = language.usual_command()
                    && !runtimes.iter().any(|runtime| runtime.language == Some(language))
                {
                    let binary = self.phpbench.as_ref().and_then(|phpbench| phpbench.php_binary.clone());
                    let command = binary.filter(|_| language == Language::Php).unwrap_or_else(|| usual.to_owned());
                    let name = usual.to_owned();
                    runtimes.push(RuntimeDefinition { name, command: vec![command], language: Some(language) });
                }
            }
        }
        RuntimeDefinition::check_distinct(&runtimes)?;
        if let Some(phpbench) = &self.phpbench {
            for runtime in runtimes.iter_mut().filter(|runtime| runtime.runs(Language::Php)) {
                if phpbench.php_disable_ini && !runtime.command.iter().any(|word| word == "-n") {
                    runtime.command.push("-n".to_owned());
                }
                runtime.add_ini(&phpbench.php_config);
                let mut before: Vec<String> = Vec::new();
                if !phpbench.php_env.is_empty() {
                    before.push("env".to_owned());
                    before.extend(phpbench.php_env.iter().map(|(name, value)| format!("{name}={value}")));
                }
                before.extend(phpbench.php_wrapper.iter().cloned());
                runtime.command.splice(0..0, before);
            }
        }
        Ok(runtimes)
    }

    /// The same project with its runs kept elsewhere: in a folder, relative to where it was asked, or on a server. `None` and an empty text
    /// change nothing.
    #[must_use]
    pub fn storing_in(mut self, choice: Option<&str>) -> Self {
        let Some(choice) = choice.filter(|choice| !choice.is_empty()) else { return self };
        if choice.contains("://") || choice.starts_with("postgres:") || choice.starts_with("postgresql:") {
            self.store_choice = Some(choice.to_owned());
        } else {
            let folder = std::path::absolute(choice).unwrap_or_else(|_| PathBuf::from(choice));
            self.store_choice = folder.to_str().map(str::to_owned);
            self.settings.store_url = None;
            self.settings.store = Some(folder);
        }
        self
    }

    /// The server that keeps the runs: as `--store` or `TARE_STORE` says, else `[store] url`; `None` where the folder does.
    pub fn server(&self) -> Option<&str> {
        let chosen = self.store_choice.as_deref().filter(|choice| !Path::new(choice).is_absolute());
        chosen.or(self.settings.store_url.as_deref())
    }

    /// The project's folder for what is kept: `[store] path`, else `.tare` at the root; absolute.
    pub fn store(&self) -> PathBuf {
        self.root.join(self.settings.store.as_deref().unwrap_or(Path::new(".tare")))
    }
}

/// Whether there is something to read. A folder of the name is something else; what is no regular file is told when it is read.
/// A link that leads nowhere counts as there: reading it then fails with an error, where the settings would otherwise be passed over in silence.
fn is_there(file: &Path) -> bool {
    file.symlink_metadata().is_ok() && !file.is_dir()
}

/// Settings name commands, which are run. A user who stands in a folder trusts it, and so whose it is; but a file further up, or in a
/// folder where everybody may write (`/tmp`), may be anybody's.
fn refuse_foreign(file: &Path, root: &Path, start: &Path) -> Result<(), DefinitionError> {
    let Some(owner) = tare_files::owner(file).filter(|_| root != start || tare_files::everybody_writes(root)) else {
        return Ok(());
    };
    if tare_files::is_mine_or_roots(owner) || tare_files::owner(start) == Some(owner) {
        return Ok(());
    }
    Err(DefinitionError::Foreign { path: file.to_owned(), owner: owner.0 })
}

/// What a runtime runs: what is known of it, else the one language that there are sources of.
fn language_of(runtime: &RuntimeDefinition, languages: &[Language]) -> Result<Language, DefinitionError> {
    let candidates: Vec<Language> =
        languages.iter().copied().filter(|&language| language != Language::Worker).collect();
    match (runtime.known_language(), candidates.as_slice()) {
        (Some(language), _) | (None, &[language]) => Ok(language),
        (None, []) => Ok(Language::ASSUMED),
        (None, several) => {
            let several: Vec<&str> = several.iter().map(|language| language.name()).collect();
            Err(ArgumentError::new(
                format!("the language of the runtime `{}` is unknown from its command", runtime.name),
                format!(
                    "write the language before the command: one of {}, as in {}:COMMAND",
                    several.join(", "),
                    several[0]
                ),
            )
            .into())
        }
    }
}

#[cfg(test)]
#[path = "project/tests.rs"]
mod tests;
