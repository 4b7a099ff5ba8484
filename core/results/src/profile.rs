use serde::{Deserialize, Serialize};
use tare_samples::FewAndMany;

/// Where the time of one case goes, or what was counted of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ProfileView {
    /// Id of the case.
    pub case: String,
    /// The runtime.
    pub runtime: ProfiledRuntime,
    /// Id of what is measured by it, whatever runtimes were chosen beside.
    pub subject: String,
    /// When it looked, RFC 3339 in UTC.
    pub started: String,
    /// Which tool looked.
    pub tool: String,
    /// What is known better by a tool that isn't there, and how to get it.
    pub notes: Vec<String>,
    /// Where its files are.
    pub folder: String,
    /// The command that makes it again; `None` of what older versions kept.
    #[serde(default)]
    pub again: Option<String>,
    /// What was found.
    pub found: ProfileFound,
}

/// The runtime of a profile. Written as a pair: older versions read it so.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(String, String)", into = "(String, String)")]
pub struct ProfiledRuntime {
    /// Its name.
    pub name: String,
    /// Its version.
    pub version: String,
}

impl From<(String, String)> for ProfiledRuntime {
    fn from((name, version): (String, String)) -> Self {
        Self { name, version }
    }
}

impl From<ProfiledRuntime> for (String, String) {
    fn from(ProfiledRuntime { name, version }: ProfiledRuntime) -> Self {
        (name, version)
    }
}

/// What a tool found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum ProfileFound {
    /// Stacks.
    Stacks {
        /// Calls of the subject meanwhile.
        calls: u64,
        /// All counts together, more than 0.
        total: u64,
        /// What is counted: `samples`, `µs`.
        unit: String,
        /// Functions by the count in which they are innermost, largest first.
        own: Vec<(String, u64)>,
        /// Stacks, the outermost function first, functions separated by `;`, each with its count.
        stacks: Vec<(String, u64)>,
        /// Files in the folder: the flame graph, the collapsed stacks, what the tool wrote.
        files: [String; 3],
    },
    /// Figures a call.
    Counts {
        /// `instructions` or `system calls`.
        what: String,
        /// Calls of the launches.
        calls: FewAndMany,
        /// Of one call, that of the null taken off.
        per_call: f64,
        /// Of one call with the worker's loop.
        raw_per_call: f64,
        /// How far a second count of the same lay from the first, a call.
        repeat_difference: f64,
        /// The parts by name, largest first.
        parts: Vec<(String, f64)>,
    },
}
