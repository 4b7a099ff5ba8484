//! Cases of one revision whose partners are in what the other couldn't load: they are left out, since there is nothing to compare
//! them with.

use std::collections::BTreeSet;

use tare_plan::{Group, Pair};
use tare_report::{NoticeLevel, NoticeView};

use crate::request::Request;

/// Names that are told.
const NAMED: usize = 5;

/// Takes the variants that are in no pair out of the groups, and groups of nothing else. The names of their cases.
pub(crate) fn leave_out(groups: &mut Vec<Group>) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for group in groups.iter_mut() {
        let paired: BTreeSet<usize> = group.pairs.iter().flat_map(|pair| [pair.base, pair.candidate]).collect();
        let mut places = vec![None; group.variants.len()];
        let mut kept = Vec::new();
        for (number, planned) in std::mem::take(&mut group.variants).into_iter().enumerate() {
            if paired.contains(&number) {
                places[number] = Some(kept.len());
                kept.push(planned);
            } else if !names.contains(&planned.variant.case.id()) {
                names.push(planned.variant.case.id());
            }
        }
        group.variants = kept;
        let moved = |pair: &Pair| Some(Pair { base: places[pair.base]?, candidate: places[pair.candidate]?, ..*pair });
        group.pairs = group.pairs.iter().filter_map(moved).collect();
    }
    groups.retain(|group| !group.variants.is_empty());
    names
}

/// Tells which were left out, and on whose account.
pub(crate) fn notice(names: &[String], failed: &BTreeSet<usize>, request: &Request) -> Option<NoticeView> {
    let shown = |id: &String| id.split_once('/').map_or(id.as_str(), |(_, name)| name).to_owned();
    let mut told: Vec<String> = names.iter().take(NAMED).map(shown).collect();
    if names.len() > NAMED {
        told.push(format!("… and {} more", names.len() - NAMED));
    }
    let sides: Vec<&str> = failed.iter().map(|&side| request.sides[side].name.as_str()).collect();
    (!names.is_empty()).then(|| NoticeView {
        level: NoticeLevel::Warning,
        message: format!(
            "not measured, since what {} couldn't load may hold what they are compared with: {}",
            sides.join(" and "),
            told.join(", ")
        ),
        file: String::new(),
        line: 0,
        remedy: "mend what failed, or leave it out with --filter".to_owned(),
    })
}
