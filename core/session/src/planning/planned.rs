//! What is measured with what, and what needn't be.

use tare_plan::{Group, is_control};
use tare_samples::{Proof, Variant};

use crate::listing::counterparts::WithoutCounterpart;

/// It is known which variants are measured together, and which are compared.
pub(crate) struct Planned {
    /// Those that are measured.
    pub(crate) groups: Vec<Group>,
    /// Those that are proven to be unchanged, with their places among all.
    pub(crate) unchanged: Vec<(usize, Group, Proof)>,
    /// Cases without a partner, since a side couldn't be loaded.
    pub(crate) unmatched: WithoutCounterpart,
    /// Something is compared.
    pub(crate) compares: bool,
}

impl Planned {
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
