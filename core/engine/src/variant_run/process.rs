//! The process of a variant's launch.

use tare_samples::Launch;
use tare_worker::{Conversation, Starting};

/// The process of a variant, which has one at a time.
#[derive(Default)]
pub(super) enum Process {
    #[default]
    None,
    /// That of the next launch, on its way.
    Starting { starting: Starting, begun_ns: u64 },
    /// That of the launch in progress.
    Open(Box<OpenLaunch>),
    /// That of the last launch, which a copy of it has served.
    Copied(Box<Conversation>),
}

/// The launch in progress.
pub(super) struct OpenLaunch {
    pub(super) conversation: Conversation,
    pub(super) launch: Launch,
    pub(super) begun_ns: u64,
    pub(super) samples_left: Option<u64>,
    /// The round in progress and its samples of the case. Null and pause take their turns by it whether they come
    /// before the case or after it.
    round_samples: Option<RoundSamples>,
    /// Something of the author's is done around samples; `None` where the worker can't tell.
    pub(super) hooks: Option<bool>,
    /// A copy of the process serves it.
    pub(super) copied: bool,
}

/// What a round takes of a case.
struct RoundSamples {
    round: u32,
    samples: u64,
}

impl Process {
    pub(super) fn open(conversation: Conversation, launch: Launch, begun_ns: u64, samples_left: Option<u64>) -> Self {
        Self::Open(Box::new(OpenLaunch {
            conversation,
            launch,
            begun_ns,
            samples_left,
            round_samples: None,
            hooks: None,
            copied: false,
        }))
    }

    pub(super) fn launch(&self) -> Option<&OpenLaunch> {
        if let Self::Open(open) = self { Some(open) } else { None }
    }

    pub(super) fn launch_mut(&mut self) -> Option<&mut OpenLaunch> {
        if let Self::Open(open) = self { Some(open) } else { None }
    }
}

impl OpenLaunch {
    /// Samples of the case in this round: as many as a turn has, or as are left.
    pub(super) fn planned(&mut self, round: u32, samples_per_turn: u64) -> u64 {
        match &self.round_samples {
            Some(known) if known.round == round => known.samples,
            _ => {
                let samples = self.samples_left.map_or(samples_per_turn, |left| samples_per_turn.min(left));
                self.round_samples = Some(RoundSamples { round, samples });
                samples
            }
        }
    }
}
