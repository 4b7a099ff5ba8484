//! Looks at many sources, on all CPUs.

use std::collections::HashMap;
use std::sync::atomic::Ordering;

use tare_reach::{Kept, Look, Stamps};
use tare_request::Request;
use tare_worker::ProcessLauncher;

use super::Sides;
use super::look::{Source, looked};
use super::process::Worker;
use super::progress::Progress;
use crate::event::LookingStep;
use crate::measuring::on_all_cpus::on_all_cpus_in_parts;
use crate::session::Session;

/// How looks are taken.
pub(super) struct Looking<'a, 's> {
    pub(super) request: &'a Request,
    pub(super) launcher: &'a ProcessLauncher,
    pub(super) cpus: &'a [usize],
    pub(super) session: &'a Session<'s>,
    pub(super) stamps: &'a Stamps,
    pub(super) is_late: &'a (dyn Fn() -> bool + Sync),
}

impl Looking<'_, '_> {
    /// Looks at the bases of sources, as far as there is time; by their places.
    ///
    /// # Errors
    ///
    /// Why no process can be followed.
    pub(super) fn at(
        &self,
        sources: &[&Source<'_>],
        kept: Option<&Kept>,
        sides: &Sides,
        step: LookingStep,
    ) -> Result<HashMap<usize, Look>, String> {
        let (mut looks, mut refused) = (HashMap::new(), None);
        let stop = self.session.stop_flag();
        let jobs: Vec<(usize, &Source<'_>)> = sources.iter().copied().enumerate().collect();
        let cases = sources.iter().map(|source| source.bases().len()).sum();
        let mut progress = Progress::begin(self.session, step, cases);
        on_all_cpus_in_parts(
            &jobs,
            self.cpus,
            |cpu| Worker::new(cpu.map_or_else(|| self.launcher.clone(), |cpu| self.launcher.of_cpu(cpu, &[]))),
            |worker, (_, source), tell| {
                let steps: (&dyn Fn() -> bool, &dyn Fn(usize)) =
                    (&|| stop.load(Ordering::Relaxed) || (self.is_late)(), &|cases| tell(Part::Cases(cases)));
                let settings = (worker, &self.request.settings);
                tell(Part::Look(looked(source, kept, sides, settings, self.stamps, steps)));
            },
            |(at, _), part| {
                match part {
                    Part::Cases(cases) => progress.add(cases),
                    Part::Look(Ok(look)) => _ = looks.insert(*at, look),
                    Part::Look(Err(why)) => refused = Some(why),
                }
                refused.is_none() && !self.session.is_stopped() && !(self.is_late)()
            },
        );
        refused.map_or(Ok(looks), Err)
    }
}

/// What comes of looking at a source.
enum Part {
    /// So many more of its cases are done.
    Cases(usize),
    /// All; or why no process can be followed.
    Look(Result<Look, String>),
}
