//! Parameters of commands: lists and ranges of values, and every combination of them.

use crate::error::{CommandError, wrong};

/// More combinations than this are a mistake, and would take hours.
pub const MOST_COMBINATIONS: usize = 1_000;

/// Names with their values, in the order in which they were given.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Parameters(Vec<(String, Vec<String>)>);

impl Parameters {
    /// Reads `name=a,b,c` of each list, and `name=1..16..1` of each range (the last part is the step; 1 where it is left out).
    ///
    /// # Errors
    /// A parameter without name or value, one that is given twice, a range that never ends, too many combinations.
    pub fn read(lists: &[String], scans: &[String]) -> Result<Self, CommandError> {
        let mut all: Vec<(String, Vec<String>)> = Vec::new();
        for (text, is_scan) in lists.iter().map(|text| (text, false)).chain(scans.iter().map(|text| (text, true))) {
            let (option, example) = if is_scan { ("-P", "size=1..16..1") } else { ("-L", "level=1,6,9") };
            let write = format!("write it as {option} {example}");
            let Some((name, values)) = text.split_once('=') else {
                return Err(wrong(format!("{option} {text} has no value"), write));
            };
            if all.iter().any(|(other, _)| other == name) {
                return Err(wrong(format!("the parameter `{name}` is given twice"), "name all its values at once"));
            }
            let values = if is_scan { range(text, values)? } else { values.split(',').map(str::to_owned).collect() };
            all.push((name.to_owned(), values));
        }
        Self::of(all)
    }

    /// Names with their values, each name once.
    ///
    /// # Errors
    /// A name that can't stand in braces, one without a value, too many combinations.
    pub(crate) fn of(all: Vec<(String, Vec<String>)>) -> Result<Self, CommandError> {
        for (name, values) in &all {
            if name.is_empty() || name.contains(['{', '}']) {
                return Err(wrong(format!("`{name}` is no name that can stand in `{{…}}`"), "name it by a word"));
            }
            if values.iter().all(String::is_empty) {
                return Err(wrong(format!("the parameter `{name}` has no value"), "give it one, or leave it out"));
            }
        }
        let combinations = all.iter().try_fold(1usize, |product, (_, values)| product.checked_mul(values.len()));
        match combinations.filter(|combinations| *combinations <= MOST_COMBINATIONS) {
            Some(_) => Ok(Self(all)),
            None => Err(wrong(
                format!("the parameters have more than {MOST_COMBINATIONS} combinations"),
                "give fewer values, or a larger step",
            )),
        }
    }

    /// What is wrong where none of the texts has one of them.
    pub fn unused(&self, texts: &[&str]) -> Option<CommandError> {
        let is_used = |name: &str| texts.iter().any(|text| text.contains(&format!("{{{name}}}")));
        let (name, _) = self.0.iter().find(|(name, _)| !is_used(name))?;
        let remedy = format!("write {{{name}}} where its values belong");
        Some(wrong(format!("no command has the parameter `{name}`"), remedy))
    }

    /// Every combination of those of which `{name}` stands in one of the texts; the last one changes fastest. One that is empty where there are none.
    pub fn combinations(&self, texts: &[&str]) -> Vec<Vec<(String, String)>> {
        let mut combinations = vec![Vec::new()];
        let used = |name: &str| texts.iter().any(|text| text.contains(&format!("{{{name}}}")));
        for (name, values) in self.0.iter().filter(|(name, _)| used(name)) {
            let with = |combination: &Vec<(String, String)>| {
                let combination = combination.clone();
                values.iter().map(move |value| {
                    combination.iter().cloned().chain([(name.clone(), value.clone())]).collect::<Vec<_>>()
                })
            };
            combinations = combinations.iter().flat_map(with).collect();
        }
        combinations
    }
}

/// A text with the values in place of `{name}`. What a value has in braces is left as it is.
pub(crate) fn put_in(text: &str, values: &[(String, String)]) -> String {
    let mut result = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('{') {
        result.push_str(&rest[..at]);
        rest = &rest[at..];
        let named = values.iter().find_map(|(name, value)| {
            let behind = rest[1..].strip_prefix(name.as_str())?.strip_prefix('}')?;
            Some((value, behind))
        });
        match named {
            Some((value, behind)) => {
                result.push_str(value);
                rest = behind;
            }
            None => {
                result.push('{');
                rest = &rest[1..];
            }
        }
    }
    result + rest
}

/// `1..16..1`: whole or decimal numbers, counted in the smallest place that any of them has, so that 0.1 adds up.
fn range(text: &str, values: &str) -> Result<Vec<String>, CommandError> {
    let unread = || wrong(format!("-P {text} is no range of numbers"), "write it as -P size=1..16..1");
    let parts: Vec<&str> = values.split("..").collect();
    let (from, to, step) = match parts.as_slice() {
        [from, to] => (*from, *to, "1"),
        [from, to, step] => (*from, *to, *step),
        _ => return Err(unread()),
    };
    let places = [from, to, step].iter().map(|part| part.split_once('.').map_or(0, |(_, rest)| rest.len())).max();
    let places = places.filter(|places| *places <= 9).ok_or_else(unread)?;
    let number = |part: &str| -> Option<i64> {
        let (whole, rest) = part.split_once('.').unwrap_or((part, ""));
        if whole.is_empty() || !rest.bytes().all(|byte| byte.is_ascii_digit()) {
            return None;
        }
        format!("{whole}{rest:0<places$}").parse().ok()
    };
    let [Some(from), Some(to), Some(step)] = [from, to, step].map(number) else { return Err(unread()) };
    if step <= 0 || to < from {
        return Err(wrong(format!("-P {text} has no values"), "the last number is the step, above 0"));
    }
    if (i128::from(to) - i128::from(from)) / i128::from(step) >= MOST_COMBINATIONS as i128 {
        return Err(wrong(format!("-P {text} has more than {MOST_COMBINATIONS} values"), "give a larger step"));
    }
    let shown = |value: i64| {
        let digits = format!("{:0>width$}", value.unsigned_abs(), width = places + 1);
        let (whole, rest) = digits.split_at(digits.len() - places);
        let sign = if value < 0 { "-" } else { "" };
        if rest.is_empty() { format!("{sign}{whole}") } else { format!("{sign}{whole}.{rest}") }
    };
    Ok((from..=to).step_by(usize::try_from(step).unwrap_or(usize::MAX)).map(shown).collect())
}

#[cfg(test)]
mod tests {
    use super::{Parameters, put_in};

    fn read(lists: &[&str], scans: &[&str]) -> Result<Parameters, String> {
        let owned = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        Parameters::read(&owned(lists), &owned(scans)).map_err(|error| error.to_string())
    }

    #[test]
    fn combinations_are_those_of_what_a_command_names() {
        let all = read(&["a=x,y", "c=1"], &["n=0..0.2..0.1"]).unwrap();
        let filled: Vec<String> =
            all.combinations(&["{a} {n}"]).iter().map(|values| put_in("{a} {n} {b} {", values)).collect();
        assert_eq!(filled.len(), 6);
        assert_eq!((filled[0].as_str(), filled[5].as_str()), ("x 0.0 {b} {", "y 0.2 {b} {"));
        assert_eq!(all.combinations(&["none"]), [Vec::new()]);
        assert_eq!(put_in("{a}", &[("a".into(), "{a}".into())]), "{a}");
    }

    #[test]
    fn wrong_parameters_are_refused() {
        for (lists, scans, says) in [
            (&["a"][..], &[][..], "-L a has no value"),
            (&["a="], &[], "the parameter `a` has no value"),
            (&["=1"], &[], "is no name"),
            (&["a=1", "a=2"], &[], "given twice"),
            (&[], &["n=1..2..0"], "has no values"),
            (&[], &["n=3..1"], "has no values"),
            (&[], &["n=a..b"], "is no range"),
            (&[], &["n=1..10000"], "more than 1000 values"),
            (&[], &["n=-9223372036854775808..9223372036854775807"], "more than 1000 values"),
            (&[], &["n=1..100", "m=1..100"], "more than 1000 combinations"),
        ] {
            let error = read(lists, scans).unwrap_err();
            assert!(error.contains(says), "{error}");
        }
        let many: Vec<String> = (0..10_000).map(|value| value.to_string()).collect();
        assert!(read(&[&format!("a={}", many.join(","))], &[]).unwrap_err().contains("combinations"));
    }
}
