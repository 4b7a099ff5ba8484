//! Cases of one revision whose counterparts may be in files that the other revision failed to load. They are left out, since they
//! can't be compared.

use std::collections::BTreeSet;

use tare_plan::{Group, Pair};
use tare_results::{NoticeLevel, NoticeView};
use tare_samples::Case;

use crate::listing::broken::MissingCases;
use tare_request::Request;

/// Names that are told.
const NAMED: usize = 5;

/// Cases that were left out.
#[derive(Default)]
pub(crate) struct WithoutCounterpart {
    /// Their ids.
    cases: Vec<String>,
    /// The sides that may have them in what failed.
    failed: BTreeSet<usize>,
}

impl WithoutCounterpart {
    pub(crate) fn has(&self, case: &Case) -> bool {
        self.cases.contains(&case.id())
    }
}

/// Takes the variants that are in no pair, and may have their partners in what is `missing` on another side, out of the groups, and
/// groups of nothing else.
pub(crate) fn leave_out(
    groups: &mut Vec<Group>,
    missing: &[(usize, MissingCases)],
    request: &Request,
) -> WithoutCounterpart {
    let started = request.started();
    let mut unmatched = WithoutCounterpart::default();
    for group in groups.iter_mut() {
        let paired: BTreeSet<usize> = group.pairs.iter().flat_map(|pair| [pair.base, pair.candidate]).collect();
        let mut places = vec![None; group.variants.len()];
        let mut kept = Vec::new();
        for (number, planned) in std::mem::take(&mut group.variants).into_iter().enumerate() {
            let variant = &planned.variant;
            let own_runtime = started.iter().find(|(command, ..)| command.name == variant.runtime.name);
            let own = own_runtime.map(|(_, side, _)| *side);
            let holders: Vec<usize> = missing
                .iter()
                .filter(|(side, extent)| Some(*side) != own && extent.may_hold(&planned, request))
                .map(|(side, _)| *side)
                .collect();
            if paired.contains(&number) || holders.is_empty() {
                places[number] = Some(kept.len());
                kept.push(planned);
                continue;
            }
            if !unmatched.has(&variant.case) {
                unmatched.cases.push(variant.case.id());
            }
            unmatched.failed.extend(holders);
        }
        group.variants = kept;
        let moved = |pair: &Pair| Some(Pair { base: places[pair.base]?, candidate: places[pair.candidate]?, ..*pair });
        group.pairs = group.pairs.iter().filter_map(moved).collect();
    }
    groups.retain(|group| !group.variants.is_empty());
    unmatched
}

/// A warning that names the cases that were left out, and the sides that failed.
pub(crate) fn notice(unmatched: &WithoutCounterpart, request: &Request) -> Option<NoticeView> {
    let names = &unmatched.cases;
    let shown = |id: &String| id.split_once('/').map_or(id.as_str(), |(_, name)| name).to_owned();
    let mut told: Vec<String> = names.iter().take(NAMED).map(shown).collect();
    if names.len() > NAMED {
        told.push(format!("… and {} more", names.len() - NAMED));
    }
    let sides: Vec<&str> = unmatched.failed.iter().map(|&side| request.sides[side].name.as_str()).collect();
    (!names.is_empty()).then(|| NoticeView {
        level: NoticeLevel::Warning,
        message: format!(
            "not measured, because files of {} failed to load, and these may contain the counterparts of: {}",
            sides.join(" and "),
            told.join(", ")
        ),
        file: String::new(),
        line: 0,
        remedy: "repair the files that failed, or leave these cases out with --exclude".to_owned(),
    })
}
