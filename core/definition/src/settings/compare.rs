use std::time::Duration;

use tare_samples::About;

use super::Check;
use super::raw::{LIMITS, Located, RawCompare, RawLimit};
use crate::error::ArgumentError;
use crate::error::DefinitionError;
use crate::filter::Filter;
use crate::gate::{FailOn, Limit, parse_fail_on};
use crate::measure::parse_measure;
use crate::quantity::{parse_about, parse_increase, parse_margin, parse_percentage, parse_size, parse_time};

/// `[compare]`: how to compare, and what to make of it.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct CompareSettings {
    /// What the others are compared with: a method or a parameter set, as written. Not empty; whether it names anything, a
    /// run finds out.
    pub base: Option<String>,
    /// Differences up to this fraction don't matter; above 0, below 1.
    pub margin: Option<f64>,
    /// The bound of `same`: what shows no difference is called so where none larger than this fraction can be hidden; above 0, below 1.
    pub same: Option<f64>,
    /// What the verdicts are about.
    pub about: Option<About>,
    /// The shell command that makes a revision ready to be measured. Not empty.
    pub prepare: Option<String>,
    /// The longest that it may take, above 0.
    pub prepare_timeout: Option<Duration>,
    /// Measuring time for each comparison, above 0.
    pub budget: Option<Duration>,
    /// Whether the base is compared with itself as well, to show what noise alone looks like.
    pub control: Option<bool>,
    /// Whether revisions are compared by measuring all cases, those too that are proven to be unchanged.
    pub measure_all: Option<bool>,
    /// What makes a run end with a status of its own. Empty when nothing is said.
    pub fail_on: Vec<FailOn>,
}

impl Check<'_> {
    pub(super) fn compare(&self, raw: RawCompare) -> Result<CompareSettings, DefinitionError> {
        Ok(CompareSettings {
            base: self
                .value("base", raw.base, |text| stated(&text, "name a method or a set, such as benchOld or #md5"))?,
            margin: self.value("margin", raw.margin, |text| parse_margin(&text))?,
            same: self.value("same", raw.same, |text| parse_margin(&text))?,
            about: self.value("about", raw.about, |text| parse_about(&text))?,
            prepare: self.value("prepare", raw.prepare, |text| {
                stated(&text, "write a command, such as \"composer install\", or leave the key out")
            })?,
            prepare_timeout: self.positive_duration("prepare-timeout", raw.prepare_timeout)?,
            budget: self.positive_duration("budget", raw.budget)?,
            control: raw.control.map(|control| control.value),
            measure_all: self.value("measure", raw.measure, |text| parse_measure(&text))?,
            fail_on: self
                .value("fail-on", raw.fail_on, |list| list.iter().map(|text| parse_fail_on(text)).collect())?
                .unwrap_or_default(),
        })
    }

    pub(super) fn limit(&self, raw: RawLimit) -> Result<Limit, DefinitionError> {
        let line = raw.line;
        let missing = |key: &str, remedy: String| ArgumentError::new("it is missing", remedy).at(self.place(line), key);
        let Some(Located { line: of_case, value: pattern }) = raw.case else {
            return Err(missing("case", "say which cases are limited, such as case = \"HashBench\"".to_owned()));
        };
        let cases =
            Filter::new(std::slice::from_ref(&pattern), &[]).map_err(|error| error.at(self.place(of_case), "case"))?;
        let [max_time, max_slowdown, max_memory, max_memory_growth, max_instructions] = LIMITS;
        let limit = Limit {
            line,
            pattern,
            cases,
            max_time: self.value(max_time, raw.max_time, |text| {
                parse_time(&text).and_then(|time| above_zero(time, time > 0.0, "2us"))
            })?,
            max_slowdown: self.value(max_slowdown, raw.max_slowdown, |text| parse_increase(&text))?,
            max_memory: self.value(max_memory, raw.max_memory, |text| {
                parse_size(&text).and_then(|size| above_zero(size, size > 0, "20MB"))
            })?,
            max_memory_growth: self.value(max_memory_growth, raw.max_memory_growth, |text| parse_percentage(&text))?,
            max_instructions: self
                .value(max_instructions, raw.max_instructions, |count| above_zero(count, count > 0, "5000"))?,
        };
        let Limit { max_time, max_slowdown, max_memory, max_memory_growth, max_instructions, .. } = &limit;
        let others = (max_memory, max_memory_growth, max_instructions);
        if (max_time, max_slowdown, others) == (&None, &None, (&None, &None, &None)) {
            let message = "it limits nothing".to_owned();
            let remedy = format!("add one of {}", LIMITS.join(", "));
            return Err(ArgumentError { message, remedy }.at(self.place(line), "[[limit]]"));
        }
        Ok(limit)
    }
}

pub(super) fn stated(text: &str, remedy: &str) -> Result<String, ArgumentError> {
    match text.trim() {
        "" => Err(ArgumentError::new("it is empty", remedy)),
        _ => Ok(text.to_owned()),
    }
}

fn above_zero<T>(value: T, is_above: bool, example: &str) -> Result<T, ArgumentError> {
    match is_above {
        true => Ok(value),
        false => Err(ArgumentError::new("it is 0", format!("write a limit above it, such as {example}"))),
    }
}

#[cfg(test)]
mod tests {
    use std::path::{Path, PathBuf};

    use tare_samples::Calls;

    use crate::settings::Settings;

    #[test]
    fn a_key_of_an_earlier_version_is_refused_with_what_takes_its_place() {
        let read = of("[compare]\nmean-bound = \"2%\"");
        assert_eq!(
            read.unwrap_err(),
            "tare.toml:2: unknown key `mean-bound` in [compare]; `same` states its bound now: write same = \"3%\" for the largest one, or leave it out"
        );
    }

    fn of(text: &str) -> Result<Settings, String> {
        Settings::parse(Path::new("tare.toml"), text).map_err(|error| error.to_string())
    }

    #[test]
    fn a_single_value_stands_for_a_list_of_one() {
        let settings = of("run = { paths = \"b\", iterations = \"auto\", cpus = 3 }").unwrap();
        assert_eq!(settings.run.paths, [PathBuf::from("b")]);
        assert_eq!((settings.run.iterations, settings.run.cpus), (vec![Calls::Pilot], vec![3]));
        assert_eq!(of("[run]\ncpus = [1, \"3-4\"]").unwrap().run.cpus, [1, 3, 4]);
    }
}
