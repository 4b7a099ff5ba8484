//! From the cases that were found to groups of variants that take their turns together.

use tare_definition::SameCases;
use tare_plan::{BaseError, BaseRule, Group, Same, across_languages, groups, pair_cases, together, with_controls};
use tare_request::Request;

use crate::error::Error;
use crate::listing::enumerate::CaseListing;
use crate::planning::machine_code;
use crate::session::Session;

/// Variants that one round may hold: with more, a round takes so long that the machine changes within it.
const MOST_TOGETHER: usize = 32;

/// What was asked for now, and doesn't only stand in tare.toml: what stands there is for the runs that it fits.
#[derive(Debug, Clone, Copy, Default)]
pub struct Given {
    /// A base.
    pub base: bool,
    /// Controls.
    pub control: bool,
}

pub(crate) fn base_rule(request: &Request) -> Result<BaseRule, Error> {
    Ok(match &request.comparing.base {
        Some(name) => BaseRule::Named(name.parse().map_err(Error::usage)?),
        None => BaseRule::Marked,
    })
}

/// Whether cases of several languages are compared, where there are some.
pub(crate) fn crosses_languages(request: &Request) -> bool {
    request.comparing.base.is_none() && request.sides.len() == 1
}

/// What is measured with what. `given`: what the command line says of it; what tare.toml says is for runs that it fits.
pub(crate) fn planned(
    request: &Request,
    found: &CaseListing,
    given: Given,
    rule: &BaseRule,
    same: &[SameCases],
    session: &Session<'_>,
) -> Result<Vec<Group>, Error> {
    let mut groups = groups(&found.enumerated, &request.settings.calls);
    if crosses_languages(request) {
        let same: Vec<Same> =
            same.iter().map(|same| Same { name: same.name.clone(), cases: same.cases.clone() }).collect();
        groups = across_languages(groups, &same);
    }
    // Between revisions and runtimes a case is compared with itself.
    let started = request.started();
    let alone = started
        .iter()
        .all(|(command, ..)| started.iter().filter(|(other, ..)| other.driver == command.driver).count() == 1);
    machine_code::look(&mut groups);
    if !groups.is_empty() && (request.comparing.base.is_some() || alone) {
        match pair_cases(groups.clone(), rule) {
            Ok(paired) => groups = paired,
            Err(error @ (BaseError::NoMatch { .. } | BaseError::Alone { .. })) if !given.base => {
                session.notice(format!("base in tare.toml: {error}; Tare compares nothing"));
            }
            Err(error) => return Err(Error::usage(error)),
        }
    }
    if request.comparing.control {
        // Where something failed, that is what has to be told.
        let refused = given.control && found.failures.is_empty() && !request.compares_sides();
        if refused && groups.iter().all(|group| group.pairs.is_empty()) {
            return Err(Error::usage(
                "--control compares a base with itself, and there is no comparison: name a base (--base), several runtimes, or use `tare compare`",
            ));
        }
        groups = with_controls(groups);
    }
    if request.settings.interleave {
        groups = together(groups);
    }
    let most = groups.iter().map(|group| group.variants.len()).max().unwrap_or(0);
    if most > MOST_TOGETHER {
        return Err(Error::usage(format!(
            "measuring in the same rounds needs {most} processes at once, and {MOST_TOGETHER} are the most; choose fewer with --filter, or name fewer commands"
        )));
    }
    Ok(groups)
}
