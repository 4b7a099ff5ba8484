//! `[[limit]]`: what cases may take.

use super::Check;
use super::raw::{LIMITS, Located, RawLimit};
use crate::error::ArgumentError;
use crate::error::DefinitionError;
use crate::filter::Filter;
use crate::gate::Limit;
use crate::quantity::{parse_increase, parse_percentage, parse_size, parse_time};

impl Check<'_> {
    pub(super) fn limit(&self, raw: RawLimit) -> Result<Limit, DefinitionError> {
        let line = raw.line;
        let missing = |key: &str, remedy: String| ArgumentError::new("it is missing", remedy).at(self.place(line), key);
        let Some(Located { line: of_case, value: pattern }) = raw.case else {
            return Err(missing("case", "say which cases are limited, such as case = \"HashBench\"".to_owned()));
        };
        let cases =
            Filter::new(std::slice::from_ref(&pattern), &[]).map_err(|error| error.at(self.place(of_case), "case"))?;
        let [max_time, max_slowdown, max_memory, max_memory_growth, max_instructions, max_work_change] = LIMITS;
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
            max_work_change: self.value(max_work_change, raw.max_work_change, |text| parse_percentage(&text))?,
        };
        if !limit.limits_anything() {
            let message = "it limits nothing".to_owned();
            let remedy = format!("add one of {}", LIMITS.join(", "));
            return Err(ArgumentError { message, remedy }.at(self.place(line), "[[limit]]"));
        }
        Ok(limit)
    }
}

fn above_zero<T>(value: T, is_above: bool, example: &str) -> Result<T, ArgumentError> {
    match is_above {
        true => Ok(value),
        false => Err(ArgumentError::new("it is 0", format!("write a limit above it, such as {example}"))),
    }
}
