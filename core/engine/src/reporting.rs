//! What a lane reports of its work, and how the observer gets it.

use tare_plan::Group;
use tare_samples::{Calibration, Launch, Measurement, Outcome, Variant};

use crate::forecast::Forecast;
use crate::observer::{ComparedPair, Observer, Progress};

/// Something that a lane tells. What is large is moved, and comes back to the lane that told it.
#[derive(Debug)]
pub(crate) enum News {
    Calibrated { variant: usize, calibration: Box<Calibration> },
    Launched { launches: Vec<(usize, Launch)> },
    Ended { variant: usize, outcome: Outcome },
    Flagged { comparisons: Vec<ComparedPair> },
    Measured { measurements: Vec<Measurement>, comparisons: Vec<ComparedPair> },
    Progress(Progress),
    Forecast(Forecast),
}

/// Takes what a lane tells: the observer itself, or a way to it from another thread.
pub(crate) trait Reporter {
    /// Tells it, and gives it back once the observer has dealt with it.
    fn report(&mut self, group: usize, news: News) -> News;

    /// Nothing more is to be measured.
    fn is_stopped(&self) -> bool;
}

/// The observer, on the thread that measures.
pub(crate) struct SameThread<'a> {
    pub(crate) observer: &'a mut dyn Observer,
    pub(crate) groups: &'a [Group],
}

impl Reporter for SameThread<'_> {
    fn report(&mut self, group: usize, mut news: News) -> News {
        pass_on(self.observer, self.groups, group, &mut news);
        news
    }

    fn is_stopped(&self) -> bool {
        self.observer.interrupted()
    }
}

/// Tells the observer, in its own words.
pub(crate) fn pass_on(observer: &mut dyn Observer, groups: &[Group], group: usize, news: &mut News) {
    let variant = |index: usize| &groups[group].variants[index].variant;
    match news {
        News::Calibrated { variant: index, calibration } => observer.calibrated(variant(*index), calibration),
        News::Launched { launches } => {
            let told: Vec<(&Variant, &Launch)> =
                launches.iter().map(|(index, launch)| (variant(*index), launch)).collect();
            observer.launched(&told);
        }
        News::Ended { variant: index, outcome } => observer.ended(variant(*index), outcome),
        News::Flagged { comparisons } => observer.flagged(comparisons),
        News::Measured { measurements, comparisons } => observer.measured(group, measurements, comparisons),
        News::Progress(progress) => observer.progress(progress),
        News::Forecast(forecast) => observer.forecast(forecast),
    }
}
