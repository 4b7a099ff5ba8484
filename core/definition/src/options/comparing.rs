//! What Tare compares, and how it judges the result.

use tare_samples::About;

use super::declared::options;
use super::kinds::Measure;
use super::readers::{about, assertion, base, fail_on, flag, margin, measure, prepare, session};
use crate::gate::FailOn;

options! {
    /// What Tare compares, and how it judges the result.
    struct Comparing {
        /// The base: compare the methods of each class with this method (benchOld, Class::benchOld), or the parameter sets of each
        /// benchmark with this set (#md5), in the same rounds. Default: the one that the source marks. Of `tare exec` a command or its name; default: the first
        #[arg(long, value_name = "NAME", value_parser = base)]
        base: Option<String> [Which: Measure Exec | "compare.base" by base],
        /// The largest difference that doesn't matter; default 0.5%
        #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
        margin: Option<f64> [Judged: Measure Exec CompareRuns CompareLoads CompareServers Bisect | "compare.margin" by margin],
        /// What a verdict is about: time (the mean of all calls) or typical (the time of an undisturbed call); default time
        #[arg(long, value_name = "time|typical", value_parser = about)]
        about: Option<About> [Judged: Measure Exec CompareRuns Bisect | "compare.about" by about],
        /// The largest difference that a verdict `same` may hide; default 3%
        #[arg(long, value_name = "PERCENT", value_parser = margin, allow_hyphen_values = true)]
        same: Option<f64> [Judged: Measure Exec CompareRuns | "compare.same" by margin],
        /// Compare each base with itself as well, to show the noise of the machine
        #[arg(long)]
        control: bool [How: Measure Exec CompareServers | "compare.control" by flag],
        /// Exit with status 1 if a case is slower (by more than PERCENT), or, for work, if a call executes more instructions (counted as by --work).
        /// inconclusive: exit with status 3 if that is undecided. May be given several times
        #[arg(long, value_name = "slower[=PERCENT]|work=PERCENT|inconclusive", value_parser = fail_on)]
        fail_on: Vec<FailOn> [Judged: Measure Exec Resume CompareRuns CompareLoads CompareServers | "compare.fail-on" by fail_on],
        /// An assertion about each case in PHPBench's expression language, as `mode(variant.time.avg) < 200 ms +/- 10%`. It replaces the
        /// assertions of the sources. Exit with status 1 if it fails. May be given several times
        #[arg(long, value_name = "EXPRESSION", value_parser = assertion, allow_hyphen_values = true)]
        assert: Vec<String> [Judged: Measure CompareRuns],
        /// Count this comparison in the session NAME of the store. All comparisons of a session together call a difference in vain with 1 % at most,
        /// so that of many changes that are tried those that do nothing aren't kept. Without it each comparison has 1 % of its own
        #[arg(long, value_name = "NAME", value_parser = session, allow_hyphen_values = true)]
        session: Option<String> [Judged: Measure Exec],
    }
}

options! {
    /// How Tare compares revisions.
    struct Revising {
        /// The shell command that prepares a checkout, as "composer install"; it runs at the checkout's root. Default: `prepare` in tare.toml
        #[arg(long, value_name = "COMMAND", value_parser = prepare)]
        prepare: Option<String> [How: Measure CompareServers Bisect | "compare.prepare" by prepare],
        /// The revision whose benchmark files Tare measures on both sides: one of the two, named as in the command
        #[arg(long, value_name = "BASE|CANDIDATE")]
        benchmarks: Option<String> [Which: Measure],
        /// Which cases of two revisions to measure: changed or all. With changed Tare leaves out a case if it can prove that the case executes
        /// and reads nothing that differs. Default changed
        #[arg(long, value_name = "changed|all", value_parser = measure)]
        measure: Option<Measure> [How: Measure | "compare.measure" by measure],
        /// For each case that matches REGEX (default: all), say which of its dependencies differ, and measure nothing
        #[arg(long, value_name = "REGEX", num_args = 0..=1, default_missing_value = "")]
        why: Option<String> [Told: Measure],
        /// Compare servers under load: start one server in each revision with this command. Tare puts a free port in place of {port}. The server must stay in the foreground
        #[arg(long, value_name = "COMMAND", requires = "url")]
        serve: Option<String> [Which: CompareServers],
        /// The URL for requests, as http://127.0.0.1:{port}/
        #[arg(long, value_name = "URL", requires = "serve")]
        url: Option<String> [Which: CompareServers],
    }
}
