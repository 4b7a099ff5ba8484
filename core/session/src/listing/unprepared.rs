//! Revisions that are checked out without the packages that their code needs, where nobody said how these are installed.

use std::path::Path;

use tare_languages::{Packages, of_name};
use tare_request::Request;
use tare_results::{NoticeLevel, NoticeView};

/// What is said beside failures of a comparison; `None` where its checkouts have their packages, or somebody prepares them.
pub(crate) fn notice(request: &Request) -> Option<NoticeView> {
    if request.prepare.is_some() {
        return None;
    }
    let started = request.started();
    let mut known: Vec<Packages> = Vec::new();
    for (command, _, _) in &started {
        let packages = of_name(&command.driver).packages_of_projects;
        known.extend(packages.filter(|new| known.iter().all(|other| other.folder != new.folder)));
    }
    known.into_iter().find_map(|packages| {
        let lack = |folder: &Path| folder.join(packages.named_in).is_file() && !folder.join(packages.folder).exists();
        let sides = request.sides.iter().filter(|side| !side.in_place() && (lack(&side.folder) || lack(&side.root)));
        let names: Vec<&str> = sides.map(|side| side.name.as_str()).collect();
        let Packages { named_in, folder, command } = packages;
        (!names.is_empty()).then(|| NoticeView {
            level: NoticeLevel::Warning,
            message: format!(
                "{} checked out without {folder}/: git doesn't keep it, and nothing says how what {named_in} names is installed",
                match names.as_slice() {
                    [one] => format!("{one} is"),
                    several => format!("{} are", several.join(" and ")),
                }
            ),
            file: String::new(),
            line: 0,
            remedy: format!(
                "say it, for each revision: --prepare \"{command}\", or in tare.toml [compare] prepare = \"{command}\""
            ),
        })
    })
}
