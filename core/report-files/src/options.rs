//! Options that write a run's report to a file: one for each format that there is.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use tare_report::{FORMATS, Format};

/// Which formats are written where.
#[derive(Debug, Clone, Default)]
pub struct ReportFiles {
    asked: Vec<(&'static Format, PathBuf)>,
    added: Vec<(&'static Format, PathBuf, Place)>,
}

/// Where in a file a report goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Place {
    /// It is the file's whole content.
    Whole,
    /// What others wrote stands before it.
    End,
}

impl ReportFiles {
    /// Adds one that has no option here.
    pub fn add(&mut self, format: &'static Format, path: PathBuf, place: Place) {
        self.added.push((format, path, place));
    }

    /// Those that are written, with their places.
    pub fn placed(&self) -> impl Iterator<Item = (&'static Format, &Path, Place)> {
        let added = self.added.iter().map(|(format, path, place)| (*format, path.as_path(), *place));
        self.all().map(|(format, path)| (format, path, Place::Whole)).chain(added)
    }

    /// Those that an option asks for.
    pub fn all(&self) -> impl Iterator<Item = (&'static Format, &Path)> {
        self.asked.iter().map(|(format, path)| (*format, path.as_path()))
    }

    /// Files by the names of formats.
    pub fn by_format(&self) -> BTreeMap<String, PathBuf> {
        self.asked.iter().map(|(format, path)| (format.name.to_owned(), path.clone())).collect()
    }

    /// Adds those that aren't asked for now. A format that this version doesn't know isn't written.
    pub fn add_missing(&mut self, earlier: &BTreeMap<String, PathBuf>) {
        for format in FORMATS {
            let known = self.asked.iter().any(|(asked, _)| asked.name == format.name);
            if let (false, Some(path)) = (known, earlier.get(format.name)) {
                self.asked.push((format, path.clone()));
            }
        }
    }
}

impl Args for ReportFiles {
    fn augment_args(command: Command) -> Command {
        FORMATS.iter().fold(command, |command, format| {
            let option = Arg::new(format.name).long(format.name).value_name("FILE").help(format.help);
            command.arg(option.value_parser(clap::value_parser!(PathBuf)))
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ReportFiles {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let asked = |format: &'static Format| Some((format, matches.get_one::<PathBuf>(format.name)?.clone()));
        Ok(Self { asked: FORMATS.iter().filter_map(asked).collect(), added: Vec::new() })
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}
