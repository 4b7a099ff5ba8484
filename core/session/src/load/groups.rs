//! What takes turns when workers do operations.

use tare_load::workers::Target;

use crate::error::Error;
use crate::load::mixes::{Mix, shown};
use crate::load::suites::Suite;

/// What takes turns: one suite in one mix, on each runtime.
pub(super) struct Group<'a> {
    /// How many were asked for: those beyond are their controls, in the same order.
    pub(super) asked: usize,
    pub(super) suites: Vec<&'a Suite>,
    pub(super) targets: Vec<Target>,
    pub(super) names: Vec<String>,
}

impl Group<'_> {
    /// Each once more, to be compared with itself.
    pub(super) fn add_controls(&mut self) {
        self.suites.extend_from_within(..);
        self.targets.extend_from_within(..);
        self.names.extend_from_within(..);
    }
}

/// Every suite in every mix, with the runtimes that it is there for.
pub(super) fn groups<'a>(suites: &'a [Suite], mixes: &[Mix]) -> Result<Vec<Group<'a>>, Error> {
    let mut names: Vec<&str> = Vec::new();
    for suite in suites {
        if !names.contains(&suite.name.as_str()) {
            names.push(&suite.name);
        }
    }
    let own = [None];
    let mixes: Vec<Option<&Mix>> = mixes.iter().map(Some).collect();
    let mixes = if mixes.is_empty() { own.to_vec() } else { mixes };
    let mut groups = Vec::new();
    for name in &names {
        for mix in &mixes {
            let members: Vec<&Suite> = suites.iter().filter(|suite| suite.name == *name).collect();
            let weighed = members.iter().map(|suite| match mix {
                Some(mix) => mix.weigh(&suite.name, &suite.operations),
                None if suite.operations.iter().all(|operation| operation.weight == 0) => Err(Error::usage(format!(
                    "all operations of {} have the weight 0; give one a weight, or say with --mix which to do",
                    suite.name
                ))),
                None => Ok(suite.operations.clone()),
            });
            let targets: Vec<Target> =
                weighed.map(|weighed| weighed.map(|operations| Target { operations })).collect::<Result<_, _>>()?;
            let called = |(suite, target): (&&Suite, &Target)| {
                let mut parts = vec![suite.runtime.clone()];
                parts.extend((names.len() > 1).then(|| suite.name.clone()));
                parts.extend((mixes.len() > 1).then(|| shown(&target.operations)));
                parts.join(" ")
            };
            let names = members.iter().zip(&targets).map(called).collect();
            groups.push(Group { asked: members.len(), suites: members, targets, names });
        }
    }
    Ok(groups)
}
