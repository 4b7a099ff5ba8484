//! What is compared with what, and what to make of it.

use tare_samples::About;

use super::declared::options;
use super::kinds::Measure;
use super::readers::{about, assertion, base, fail_on, flag, margin, measure, prepare};
use crate::gate::FailOn;

options! {
    /// What is compared with what, and what to make of it.
    struct Comparing {
        /// Compare the methods of each class with this one, as benchOld or Class::benchOld, or the parameter sets of each benchmark
        /// with this one, as #md5: live, in the same rounds. Default: what the source marks
        #[arg(long, value_name = "NAME", value_parser = base)]
        base: Option<String> [Which: Measure | "compare.base" by base],
        /// Differences up to this much don't matter; default 0.5%
        #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
        margin: Option<f64> [Judged: Measure CompareRuns CompareLoads CompareServers | "compare.margin" by margin],
        /// What a verdict is about: time, what a call costs on average, or typical, what an undisturbed call takes; default time
        #[arg(long, value_name = "time|typical", value_parser = about)]
        about: Option<About> [Judged: Measure CompareRuns | "compare.about" by about],
        /// Call `same` what shows no difference and can't hide one larger than this; default 3%
        #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
        same: Option<f64> [Judged: Measure CompareRuns | "compare.same" by margin],
        /// Compare each base with itself as well: what that shows is noise
        #[arg(long)]
        control: bool [How: Measure CompareServers | "compare.control" by flag],
        /// End with status 1 when something is slower (by more than PERCENT), with 3 when that can't be told; may be given
        /// several times
        #[arg(long, value_name = "slower[=PERCENT]|inconclusive", value_parser = fail_on)]
        fail_on: Vec<FailOn> [Judged: Measure Resume CompareRuns CompareLoads CompareServers | "compare.fail-on" by fail_on],
        /// What must hold of each case, as `mode(variant.time.avg) < 200 ms +/- 10%`, in PHPBench's expression language, instead of what the
        /// sources assert; status 1 where it doesn't. May be given several times
        #[arg(long, value_name = "EXPRESSION", value_parser = assertion, allow_hyphen_values = true)]
        assert: Vec<String> [Judged: Measure CompareRuns],
    }
}

options! {
    /// What revisions are compared by.
    struct Revising {
        /// The command that makes a checkout ready, as "composer install", run by a shell at its root; default: what tare.toml says
        #[arg(long, value_name = "COMMAND", value_parser = prepare)]
        prepare: Option<String> [How: Measure CompareServers | "compare.prepare" by prepare],
        /// Whose benchmark files are measured on both sides: one of the two, as it was named
        #[arg(long, value_name = "BASE|CANDIDATE")]
        benchmarks: Option<String> [Which: Measure],
        /// Which cases of two revisions are measured: changed, or all. Of what is proven to execute and read nothing that differs, nothing is
        /// measured; default changed
        #[arg(long, value_name = "changed|all", value_parser = measure)]
        measure: Option<Measure> [How: Measure | "compare.measure" by measure],
        /// Say of each case that matches REGEX (of all without one) what of that which it depends on differs, and measure nothing
        #[arg(long, value_name = "REGEX", num_args = 0..=1, default_missing_value = "")]
        why: Option<String> [Told: Measure],
        /// Compare servers under load: start one in each revision with this command, which gets a free port for {port} and stays in the foreground
        #[arg(long, value_name = "COMMAND", requires = "url")]
        serve: Option<String> [Which: CompareServers],
        /// What requests are sent to, as http://127.0.0.1:{port}/
        #[arg(long, value_name = "URL", requires = "serve")]
        url: Option<String> [Which: CompareServers],
    }
}
