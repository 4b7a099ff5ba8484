//! What is asked of stored runs.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;
use clap::builder::{PossibleValue, PossibleValuesParser};
use tare_definition::{FailOn, parse_fail_on};
use tare_session::{EXPORT_FORMATS, import_formats};

use super::{Detail, ReportFiles};

#[derive(Debug, Args)]
pub(crate) struct LogArguments {
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Option<String>,
    /// Show at most this many runs
    #[arg(long, short = 'n', value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) limit: u64,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, Args)]
pub(crate) struct MergeArguments {
    /// The stores that have the parts: folders, or postgres://USER@HOST/DATABASE
    #[arg(value_name = "STORE", required = true)]
    pub(crate) stores: Vec<String>,
    /// The stores have the same comparison from several machines instead of parts: judge all together, with the difference between
    /// machines in the intervals, and store nothing
    #[arg(long, conflicts_with = "tag")]
    pub(crate) replicas: bool,
    /// Only runs with this tag
    #[arg(long, value_name = "TAG")]
    pub(crate) only: Option<String>,
    /// A name for the run; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
    /// As in `tare run`; default: that of the parts
    #[arg(long, value_name = "slower[=PERCENT]|inconclusive", value_parser = parse_fail_on)]
    pub(crate) fail_on: Vec<FailOn>,
    /// Print one JSON document and nothing else
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reports: ReportFiles,
    #[command(flatten)]
    pub(crate) detail: Detail,
}

#[derive(Debug, Args)]
pub(crate) struct ShowArguments {
    /// Runs by id, a part of an id, tag, or latest; `~2` after a tag or latest goes back two
    #[arg(value_name = "RUN", default_value = "latest")]
    pub(crate) runs: Vec<String>,
    /// Print one JSON document and nothing else (one run only)
    #[arg(long)]
    pub(crate) json: bool,
    /// Draw where samples and launches of each case lie, and bars where variants stand side by side
    #[arg(long, conflicts_with = "json")]
    pub(crate) plot: bool,
    #[command(flatten)]
    pub(crate) detail: Detail,
}

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run, or two that are compared, the base first: by id, a part of an id, tag, or latest; `~2` after a tag or latest goes back two
    #[arg(value_name = "RUN", default_value = "latest", num_args = 1..=2)]
    pub(crate) runs: Vec<String>,
    #[command(flatten)]
    pub(crate) files: ReportFiles,
    /// Write each picture to a file of its own in this folder, as SVG
    #[arg(long, value_name = "FOLDER")]
    pub(crate) svg: Option<PathBuf>,
    /// The same as PNG
    #[arg(long, value_name = "FOLDER")]
    pub(crate) png: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(crate) struct ServeArguments {
    /// The address to listen on, one of this machine alone; port 0 takes a free one. The first line of standard output states it
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:7357")]
    pub(crate) listen: SocketAddr,
    /// Also open the pages in a browser
    #[arg(long)]
    pub(crate) open: bool,
}

#[derive(Debug, Args)]
pub(crate) struct PublishArguments {
    /// The folder to write the pages to. What an earlier call wrote and no longer belongs there is removed; other files stay
    #[arg(value_name = "DIR")]
    pub(crate) folder: PathBuf,
    /// How many of the newest runs have a page of their own; 0 is none. The histories of cases have all runs
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub(crate) runs: usize,
}

#[derive(Debug, Args)]
pub(crate) struct ImportArguments {
    /// Files that another tool wrote; `-` is standard input
    #[arg(value_name = "FILE", required = true)]
    pub(crate) files: Vec<PathBuf>,
    // The formats are those that there are: a list here would miss a new one.
    #[arg(long, value_name = "FORMAT", help = imported_formats())]
    pub(crate) format: Option<String>,
    /// A tag for the runs; may be given several times
    #[arg(long, value_name = "TAG")]
    pub(crate) tag: Vec<String>,
}

#[derive(Debug, Args)]
pub(crate) struct ExportArguments {
    /// A run by id, a part of an id, tag, or latest; `~2` after a tag or latest goes back two
    #[arg(value_name = "RUN")]
    pub(crate) run: String,
    /// What to write it as
    #[arg(long, value_name = "FORMAT", value_parser = formats())]
    pub(crate) format: String,
    /// Where to write it; default: standard output
    #[arg(long, short, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
}

fn imported_formats() -> String {
    let names: Vec<&str> = import_formats().collect();
    format!("The format of the files, if Tare doesn't recognise it: {}", names.join(", "))
}

fn formats() -> PossibleValuesParser {
    let reports = tare_report::REPORTS_TO_EXPORT.into_iter().map(PossibleValue::new);
    let files = EXPORT_FORMATS.iter().map(|format| PossibleValue::new(format.name).aliases(format.also));
    PossibleValuesParser::new(reports.chain(files))
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;
    use tare_session::import_formats;

    #[test]
    fn the_help_of_import_and_its_page_name_every_format() {
        let mut program = crate::arguments::Arguments::command();
        let import = program.find_subcommand_mut("import").expect("there is such a command");
        let help =
            import.get_arguments().find(|argument| argument.get_id() == "format").and_then(|format| format.get_help());
        let help = help.expect("it has a help").to_string();
        let page = include_str!("../../../../docs/keep.md");
        for name in import_formats() {
            assert!(page.contains(&format!("`{name}`")), "{name} isn't in docs/keep.md");
            assert!(help.split([' ', ',']).any(|word| word == name), "{name} isn't in: {help}");
        }
    }
}
