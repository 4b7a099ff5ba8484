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
    let is_same = |other: Result<Settings, String>| match (&other, &first) {
        (Ok(other), Ok(first)) => other.says_as(first),
        (other, first) => other == first,
    };
    if sides.all(is_same) {
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

#[cfg(test)]
mod tests {
    use std::path::Path;

    use tare_definition::Settings;

    #[test]
    fn a_file_elsewhere_with_other_lines_says_the_same() {
        let read = |file: &str, text: &str| Settings::parse(Path::new(file), text).unwrap();
        let base =
            read("/a/tare.toml", "[compare]\nprepare = \"make\"\n[[limit]]\ncase = \"A\"\nmax-time = \"1 ms\"\n");
        let candidate = "# why\n[compare]\nprepare = \"make\"\n\n[[limit]]\ncase = \"A\"\nmax-time = \"1 ms\"\n";
        assert!(base.says_as(&read("/b/tare.toml", candidate)));
        assert!(!base.says_as(&read("/b/tare.toml", &candidate.replace("make", "make fast"))));
        assert!(!base.says_as(&read("/b/tare.toml", &candidate.replace("1 ms", "2 ms"))));
    }
}
