use crate::clocks::{Read, Wait};
use crate::operations::{Connect, Work};

/// What the core asks of a worker (PROTOCOL §3).
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Request {
    /// Load sources and enumerate their cases.
    Load {
        /// Number of the request.
        id: u64,
        /// Sources in order.
        files: Vec<String>,
        /// A source to load before them.
        bootstrap: Option<String>,
    },
    /// Make a case ready to run.
    Prepare {
        /// Number of the request.
        id: u64,
        /// Number of the case in the worker's enumeration.
        case: u64,
        /// What the core believes its name to be.
        benchmark: String,
        /// Likewise the name of its parameter set; empty where it has none.
        parameters: String,
        /// One of the worker's clocks; its first when absent.
        clock: Option<String>,
        /// A copy of the process is to serve the case.
        copy: bool,
    },
    /// Do what the author wants done before a sample, ahead of it.
    Arrange {
        /// Number of the request.
        id: u64,
    },
    /// Take samples.
    Run(Run),
    /// Read a clock.
    Read(Read),
    /// Wait.
    Wait(Wait),
    /// List the operations of the loaded sources.
    Operations {
        /// Number of the request.
        id: u64,
    },
    /// Set up for operations of a suite.
    Connect(Connect),
    /// Tell the time of the worker's clock.
    Stamp {
        /// Number of the request.
        id: u64,
    },
    /// Do operations.
    Work(Work),
    /// Do what comes once after the benchmark.
    Finish {
        /// Number of the request.
        id: u64,
    },
}

/// One turn: `warm` untimed samples, then a timed one for each entry of `iterations`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Run {
    /// Number of the request.
    pub id: u64,
    /// `case`, `null`, `clock`, `pause` or `kernel/NAME`.
    pub subject: String,
    /// Calls in each sample; 0 is one bare call.
    pub iterations: Vec<u64>,
    /// Untimed samples first.
    pub warm: u64,
    /// What the calls leave behind is collected within the turn.
    pub settle: bool,
    /// What the author wants done around samples is done for these, too, of the null and the pause.
    pub hooks: bool,
}

impl Request {
    /// Number of the request.
    pub fn id(&self) -> u64 {
        match self {
            Self::Load { id, .. }
            | Self::Prepare { id, .. }
            | Self::Arrange { id }
            | Self::Operations { id }
            | Self::Stamp { id }
            | Self::Finish { id } => *id,
            Self::Run(run) => run.id,
            Self::Read(read) => read.id,
            Self::Wait(wait) => wait.id,
            Self::Connect(connect) => connect.id,
            Self::Work(work) => work.id,
        }
    }
}
