//! Why cases of two revisions are measured, without measuring them.

use std::path::Path;

use regex::Regex;
use tare_plan::Group;
use tare_results::{Reason, ReasonView};
use tare_samples::{Case, Variant};

use crate::error::Error;
use crate::job::Job;
use crate::proving::Finding;
use crate::run::{Wanted, found_before, list, plan};
use crate::session::Session;

/// Why each case that is compared between two revisions would be measured, or what shows that it needn't be; of those whose name matches `pattern`.
///
/// # Errors
///
/// As [`run`](crate::run()), before anything is measured; where no revisions are compared; where a side can't be checked out or prepared.
pub fn reasons(mut job: Job, wanted: &Wanted, pattern: &str, session: &Session<'_>) -> Result<Vec<ReasonView>, Error> {
    if pattern.contains(char::is_alphanumeric) && Path::new(pattern).exists() {
        return Err(Error::usage(format!(
            "{pattern} is a file or a folder, and --why takes a pattern of case names; write paths before --why"
        )));
    }
    let asked = pattern;
    let pattern = Regex::new(pattern).map_err(|error| Error::usage(format!("--why {pattern}: {error}")))?;
    if !job.sides.told().is_empty() {
        return Err(Error::failed(job.sides.told()));
    }
    job.request.revising.measure = None;
    let mut listed = list(job, wanted, session)?;
    let planned = plan(&mut listed, wanted, session)?;
    let matching =
        |group: &Group| group.variants.iter().any(|planned| pattern.is_match(&case_name(&planned.variant.case)));
    let (groups, alone): (Vec<Group>, Vec<Group>) =
        planned.groups.into_iter().filter(matching).partition(|group| !group.pairs.is_empty());
    let alone = alone.iter().flat_map(|group| &group.variants).map(|planned| &planned.variant);
    let alone: Vec<&Variant> = alone.filter(|variant| !planned.unmatched.has(&variant.case)).collect();
    if groups.is_empty() && alone.is_empty() {
        if let Some(failure) = listed.found.failures.first() {
            // What failed to load may be what is asked for.
            return Err(Error::failed(failure.to_string()));
        }
        return Err(Error::usage(format!("--why {asked}: it matches no case; `tare list` shows all cases")));
    }
    let found = found_before(&listed, &groups, session);
    let view = |(group, finding): (&Group, Option<Finding>)| {
        let case = &group.variants[0].variant.case;
        let reason = match finding {
            Some(Finding::Unchanged(proof)) => Reason::Unchanged(proof),
            Some(Finding::Differs(what) | Finding::MayDiffer(what)) => Reason::Differs(what),
            Some(Finding::Unproven(why)) => Reason::Unproven(why),
            None => Reason::Unproven("Tare has no proof for this case".to_owned()),
        };
        ReasonView { title: case_name(case), case: case.id(), reason }
    };
    let unpaired = |variant: &&Variant| ReasonView {
        title: case_name(&variant.case),
        case: variant.case.id(),
        reason: Reason::Unpaired(variant.runtime.name.clone()),
    };
    Ok(groups.iter().zip(found).map(view).chain(alone.iter().map(unpaired)).collect())
}

fn case_name(case: &Case) -> String {
    case.benchmark.clone() + &case.parameters.name.as_deref().map_or(String::new(), |name| format!("#{name}"))
}
