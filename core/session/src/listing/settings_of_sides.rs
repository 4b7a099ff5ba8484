//! Settings that aren't the same on both sides, of which those of where the comparison was asked for count for both.

use std::path::Path;

use tare_definition::{Project, Settings};
use tare_request::Request;
use tare_results::{NoticeLevel, NoticeView};

/// A warning where `tare.toml` isn't the same on all sides: a change of it isn't compared.
pub(crate) fn notice(request: &Request, project: &Project) -> Option<NoticeView> {
    // Comments and the order of keys don't count.
    let read = |root: &Path| {
        let file = root.join(FILE);
        let text = tare_files::text(&file, LARGEST).ok();
        let settings = text.as_deref().map(|text| Settings::parse(&file, text).map_err(|_| text.to_owned()));
        settings.unwrap_or_else(|| Ok(Settings::default()))
    };
    let mut sides = request.sides.iter().filter(|side| side.root.is_dir()).map(|side| read(&side.root));
    let first = sides.next()?;
    if sides.all(|other| other == first) {
        return None;
    }
    let file = project.settings_file.as_deref().map_or_else(|| "no file".to_owned(), |file| file.display().to_string());
    Some(NoticeView {
        level: NoticeLevel::Warning,
        message: format!("{FILE} isn't the same on both sides, and {file} counts for both"),
        file: String::new(),
        line: 0,
        remedy: "what it changes (a build's flags, `prepare`) isn't compared; to compare that, measure each side by itself with `tare run --tag`, then compare the tags".to_owned(),
    })
}

/// Its name; and a larger one isn't read, bytes.
const FILE: &str = "tare.toml";
const LARGEST: u64 = 1 << 20;
