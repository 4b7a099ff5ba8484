//! The manual pages, made of the declarations that give the help: `tare(1)`, and a page for each command.

use std::path::Path;

use anyhow::anyhow;
use clap::Command;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

use crate::arguments::Arguments;
use crate::exit::{Refusal, Status};

const EXIT_STATUS: [(&str, &str); 6] = [
    ("0", "Done, and no gate tripped."),
    ("1", "A gate tripped: --fail-on, a limit of tare.toml, or an assertion."),
    ("2", "Wrong usage or configuration, or nothing to measure."),
    (
        "3",
        "A gate couldn't be decided, and --fail-on inconclusive was asked for; or bisect found no commit that it could confirm.",
    ),
    ("4", "A benchmark, a worker or the store failed. What could be measured is reported."),
    ("130", "Interrupted."),
];

/// `tare man FOLDER`, as `scripts/dist` calls it.
pub(crate) fn write(folder: &Path) -> Result<Status, Refusal> {
    let failed = |error: std::io::Error| {
        Refusal::failed(anyhow!(
            "can't write manual pages to {}: {error}; name a folder that can be written",
            folder.display()
        ))
    };
    std::fs::create_dir_all(folder).map_err(failed)?;
    for (name, page) in pages().map_err(failed)? {
        std::fs::write(folder.join(name), page).map_err(failed)?;
    }
    Ok(Status::Done)
}

/// Names of files, and what they hold.
fn pages() -> std::io::Result<Vec<(String, Vec<u8>)>> {
    let mut root = Arguments::known().disable_help_subcommand(true);
    root.build();
    let mut made = Vec::new();
    add(&root, None, &mut made)?;
    Ok(made)
}

fn add(command: &Command, parent: Option<&str>, made: &mut Vec<(String, Vec<u8>)>) -> std::io::Result<()> {
    let version = command.get_version().unwrap_or_default();
    // The help's own line; clap_mangen would name each option.
    let usage = usage(&mut command.clone());
    let man = Man::new(command.clone().override_usage(usage)).source(format!("tare {version}")).manual("Tare");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|sub| !sub.is_hide_set()) {
        man.render_subcommands_section(&mut page)?;
    }
    let mut end = Roff::new();
    match parent {
        Some(parent) => end.control("SH", ["SEE ALSO"]).text([bold(parent), roman("(1)")]),
        None => {
            end.control("SH", ["EXIT STATUS"]);
            for (status, meaning) in EXIT_STATUS {
                end.control("TP", []).text([bold(status)]).text([roman(meaning)]);
            }
            &mut end
        }
    };
    end.to_writer(&mut page)?;
    made.push((man.get_filename(), page));
    let name = man.get_filename();
    let name = name.strip_suffix(".1").unwrap_or(&name);
    for sub in command.get_subcommands().filter(|sub| !sub.is_hide_set()) {
        add(sub, Some(name), made)?;
    }
    Ok(())
}

/// How a command is called, as its help says it; a line for each way.
fn usage(command: &mut Command) -> String {
    let usage = command.render_usage().to_string();
    usage.strip_prefix("Usage:").unwrap_or(&usage).lines().map(str::trim).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{EXIT_STATUS, pages, usage};
    use crate::arguments::Arguments;
    use crate::exit::Status;

    /// A page as a reader sees it, a line for each of its own, without what is for the formatter.
    fn text(page: &[u8]) -> String {
        let page = String::from_utf8(page.to_vec()).unwrap();
        let mut shown = String::new();
        for line in page.lines() {
            let line =
                ["\\fB", "\\fI", "\\fR", "\\&"].iter().fold(line.to_owned(), |line, code| line.replace(code, ""));
            shown.push_str(&line.replace("\\-", "-").replace("\\*(Aq", "'").replace("\\\\", "\\"));
            shown.push('\n');
        }
        shown
    }

    fn shown() -> BTreeMap<String, String> {
        pages().unwrap().iter().map(|(name, page)| (name.clone(), text(page))).collect()
    }

    /// The options that a page or a help explains, in order of their names. Each stands at the beginning of a line.
    fn options(text: &str) -> Vec<&str> {
        let mut found: Vec<&str> = text
            .lines()
            .map(str::trim_start)
            .filter(|line| line.starts_with('-'))
            .filter_map(|line| {
                let names = line.split([' ', '[', '=', ',']).filter(|word| !word.is_empty()).take(2);
                names.filter(|word| word.starts_with('-')).last()
            })
            .collect();
        found.sort_unstable();
        found
    }

    fn agree(command: &mut clap::Command, name: &str, pages: &mut BTreeMap<String, String>) {
        let page = pages.remove(&format!("{name}.1")).unwrap_or_else(|| panic!("{name} has no page"));
        let help = command.render_help().to_string();
        assert_eq!(options(&page), options(&help), "{name}: the page and the help name other options");
        for arg in command.get_arguments().filter(|arg| !arg.is_hide_set()) {
            let help = arg.get_long_help().or(arg.get_help()).map(ToString::to_string).unwrap_or_default();
            assert!(
                help.lines().all(|line| page.contains(line)),
                "{name}: the page lacks `{help}` of {}",
                arg.get_id()
            );
        }
        let usage = usage(&mut command.clone());
        assert!(!usage.is_empty() && usage.lines().all(|line| page.contains(&format!("\n{line}\n"))), "{name}: {page}");
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        assert!(page.contains(&format!("{name} - {about}")), "{name}: {page}");
        for sub in command.get_subcommands_mut().filter(|sub| !sub.is_hide_set() && sub.get_name() != "help") {
            let name = format!("{name}-{}", sub.get_name());
            assert!(page.contains(&format!("\n{name}(1)\n")), "the page above doesn't name {name}");
            agree(sub, &name, pages);
        }
    }

    #[test]
    fn pages_say_what_the_help_says_and_there_are_no_others() {
        let mut pages = shown();
        let mut command = Arguments::known().term_width(10_000);
        command.build();
        agree(&mut command, "tare", &mut pages);
        assert!(pages.is_empty(), "no help has a command for {:?}", pages.keys());
    }

    #[test]
    fn every_exit_status_is_explained() {
        use Status::{Done, Failed, Interrupted, Tripped, Undecided, Usage};
        let numbers = [Done, Tripped, Usage, Undecided, Failed, Interrupted].map(|status| status.number().to_string());
        assert_eq!(EXIT_STATUS.map(|(status, _)| status), numbers.each_ref().map(String::as_str));
        let page = &shown()["tare.1"];
        assert!(
            EXIT_STATUS.iter().all(|(status, meaning)| page.contains(&format!("\n{status}\n{meaning}\n"))),
            "{page}"
        );
    }
}
