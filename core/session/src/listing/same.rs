//! `[[same]]`: cases of several languages that the user calls the same.

use tare_definition::SameCases;
use tare_results::{NoticeLevel, NoticeView};

use crate::listing::enumerate::CaseListing;
use tare_request::Request;

/// Entries of `[[same]]` that put no cases together. Such an entry is taken for a typing mistake, unless cases were left out on purpose, or couldn't be
/// loaded.
pub(crate) fn without_effect(same: &[SameCases], found: &CaseListing, request: &Request) -> Vec<NoticeView> {
    let chosen = request.chooses() || !request.selection.paths.is_empty();
    if chosen || !found.failures.is_empty() {
        return Vec::new();
    }
    let ids: Vec<(String, &str)> = found
        .enumerated
        .iter()
        .flat_map(|enumerated| &enumerated.cases)
        .map(|found| (found.case.id(), found.case.language.as_str()))
        .collect();
    let language = |id: &String| ids.iter().find(|(known, _)| known == id).map(|(_, language)| *language);
    let notice = |same: &SameCases, what: String, remedy: &str| NoticeView {
        level: NoticeLevel::Warning,
        message: format!("[[same]] {}: {what}", same.name),
        file: "tare.toml".to_owned(),
        line: 0,
        remedy: remedy.to_owned(),
    };
    let mut notices = Vec::new();
    for same in same {
        for unknown in same.cases.iter().filter(|id| language(id).is_none()) {
            notices.push(notice(same, format!("there is no case {unknown}"), "`tare list --json` shows the ids"));
        }
        let mut languages: Vec<&str> = same.cases.iter().filter_map(language).collect();
        let all = languages.len();
        languages.sort_unstable();
        languages.dedup();
        if languages.len() < all {
            let what = "it names two cases of one language".to_owned();
            notices.push(notice(same, what, "name one of each language"));
        }
    }
    notices
}

/// What is said of a pair that the user calls the same: its name there.
pub(crate) fn name<'a>(same: &'a [SameCases], base: &str, candidate: &str) -> Option<&'a str> {
    let has = |same: &SameCases, id: &str| same.cases.iter().any(|known| known == id);
    same.iter().find(|same| has(same, base) && has(same, candidate)).map(|same| same.name.as_str())
}
