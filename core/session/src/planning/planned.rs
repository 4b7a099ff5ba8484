//! What is measured with what, and what needn't be.

use std::collections::HashMap;
use std::time::Duration;

use tare_plan::{Group, is_control};
use tare_samples::{Proof, Variant};

use crate::judging::live::Places;
use crate::listing::counterparts::WithoutCounterpart;

/// It is known which variants are measured together, and which are compared.
pub(crate) struct Planned {
    /// Those that are measured.
    pub(crate) groups: Vec<Group>,
    /// What is known to differ of each of them, a clause.
    pub(crate) differs: Vec<Option<String>>,
    /// Those that are proven to be unchanged, with their places among all.
    pub(crate) unchanged: Vec<(usize, Group, Proof)>,
    /// Cases without a partner, since a side couldn't be loaded.
    pub(crate) unmatched: WithoutCounterpart,
    /// Something is compared.
    pub(crate) compares: bool,
    /// How long cases were listed, and was looked for what is unchanged: a part of `--total`.
    pub(crate) before: Duration,
}

impl Planned {
    /// The places of all comparisons, by the ids of base and candidate.
    pub(crate) fn places(&self) -> Places {
        let order: HashMap<&str, usize> =
            self.variants().into_iter().enumerate().map(|(place, (variant, _))| (variant.id.as_str(), place)).collect();
        let groups = self.groups.iter().chain(self.unchanged.iter().map(|(_, group, _)| group));
        let mut pairs: Vec<(usize, (String, String))> = groups
            .flat_map(|group| {
                group.pairs.iter().map(|pair| {
                    let [base, candidate] =
                        [pair.base, pair.candidate].map(|at| group.variants[at].variant.id.as_str());
                    (order.get(base).copied().unwrap_or(usize::MAX), (base.to_owned(), candidate.to_owned()))
                })
            })
            .collect();
        // Pairs of a group stay in their order.
        pairs.sort_by_key(|(place, _)| *place);
        (0..).zip(pairs).map(|(ordinal, (_, ids))| (ids, ordinal)).collect()
    }

    /// All variants in their order, and whether each is measured: those that are proven to be unchanged aren't, and have no controls.
    pub(crate) fn variants(&self) -> Vec<(&Variant, bool)> {
        let mut measured = self.groups.iter();
        let mut unchanged = self.unchanged.iter().peekable();
        let mut all = Vec::new();
        for place in 0..self.groups.len() + self.unchanged.len() {
            let (group, is_measured) = match unchanged.next_if(|(at, ..)| *at == place) {
                Some((_, group, _)) => (group, false),
                None => match measured.next() {
                    Some(group) => (group, true),
                    None => continue,
                },
            };
            let variants = group.variants.iter().map(|planned| (&planned.variant, is_measured));
            all.extend(variants.filter(|(variant, is_measured)| *is_measured || !is_control(variant)));
        }
        all
    }
}
