//! Checked out revisions that lack the packages that their code needs, when there is no `prepare` command, and projects that lack them.

use std::path::Path;

use tare_languages::{Packages, of_name};
use tare_request::{Request, Side};
use tare_results::{NoticeLevel, NoticeView};

/// A warning beside failures; `None` if the project and the checkouts have their packages, or a command prepares these.
pub(crate) fn notice(request: &Request) -> Option<NoticeView> {
    let started = request.started();
    let mut known: Vec<Packages> = Vec::new();
    for (command, _, _) in &started {
        let packages = of_name(&command.driver).packages_of_projects;
        known.extend(packages.filter(|new| known.iter().all(|other| other.folder != new.folder)));
    }
    known.into_iter().find_map(|packages| {
        let lack = |folder: &Path| folder.join(packages.named_in).is_file() && !folder.join(packages.folder).exists();
        let (here, checkouts): (Vec<&Side>, Vec<&Side>) = request
            .sides
            .iter()
            .filter(|side| lack(&side.folder) || lack(&side.root))
            .partition(|side| side.in_place());
        let Packages { named_in, folder, command } = packages;
        if !here.is_empty() {
            return Some(NoticeView {
                level: NoticeLevel::Warning,
                message: format!("the project has {named_in} and no {folder}/: its packages aren't installed"),
                file: String::new(),
                line: 0,
                remedy: format!("run `{command}`"),
            });
        }
        let names: Vec<&str> = checkouts.iter().map(|side| side.name.as_str()).filter(|_| request.prepare.is_none()).collect();
        (!names.is_empty()).then(|| NoticeView {
            level: NoticeLevel::Warning,
            message: format!(
                "{} checked out without {folder}/, which git doesn't store; Tare has no command that installs the packages of {named_in}",
                match names.as_slice() {
                    [one] => format!("{one} is"),
                    several => format!("{} are", several.join(" and ")),
                }
            ),
            file: String::new(),
            line: 0,
            remedy: format!(
                "add --prepare \"{command}\", or in tare.toml [compare] prepare = \"{command}\""
            ),
        })
    })
}
