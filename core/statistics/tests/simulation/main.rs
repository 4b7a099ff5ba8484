//! The methods against samples whose truth is stated: seeded, so that a run repeats to the last digit.

mod between_runs;
mod bisected;
mod counted_bisections;
mod coverage;
mod dependence;
mod detectable;
mod launches;
mod levels;
mod live;
mod machine;
mod mean_cost;
mod overlap;
mod peaks;
mod power;
mod recurring;
mod replicas;
mod servers;
mod sessions;
mod settling;
mod source;
mod stored;
mod warnings;
mod work_histories;
