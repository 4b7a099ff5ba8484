use std::collections::BTreeSet;

/// CPUs are numbered below this: what the kernel's fixed affinity mask holds (`CPU_SETSIZE`).
pub(crate) const MOST_CPUS: usize = 1024;

/// Why a text isn't a list of CPUs.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{}; {}", self.message(), Self::REMEDY)]
pub struct CpuListError {
    text: String,
    reason: String,
}

impl CpuListError {
    /// What to write instead.
    pub const REMEDY: &'static str = "write numbers and ranges, such as 0,2-3";

    /// What is wrong.
    pub fn message(&self) -> String {
        format!("`{}` is not a list of CPUs: {}", self.text, self.reason)
    }
}

/// Reads a list of CPUs in the kernel's form (`cpuset(7)`, *List format*): `0,2-3`.
///
/// Gives each CPU once, ascending. Blanks around numbers are allowed.
///
/// # Errors
/// An empty list, anything but numbers and ranges, a range that falls, a CPU of 1024 or more.
pub fn parse_cpu_list(text: &str) -> Result<Vec<usize>, CpuListError> {
    let error = |reason: String| CpuListError { text: text.trim().escape_debug().to_string(), reason };
    let number = |part: &str| -> Result<usize, CpuListError> {
        let digits = part.trim();
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(error(format!("`{}` is not a number", digits.escape_debug())));
        }
        let cpu = digits.parse().ok().filter(|&cpu: &usize| cpu < MOST_CPUS);
        cpu.ok_or_else(|| error(format!("there is no CPU {digits}")))
    };

    if text.trim().is_empty() {
        return Err(error("it is empty".into()));
    }
    let mut cpus = BTreeSet::new();
    for part in text.split(',') {
        let (first, last) = match part.split_once('-') {
            Some((first, last)) => (number(first)?, number(last)?),
            None => (number(part)?, number(part)?),
        };
        if first > last {
            return Err(error(format!("the range `{}` ends before it begins", part.trim())));
        }
        cpus.extend(first..=last);
    }
    Ok(cpus.into_iter().collect())
}

/// The shortest list in the same form; empty for no CPUs.
pub fn format_cpu_list(cpus: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for cpu in cpus.iter().copied().collect::<BTreeSet<_>>() {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == cpu => *last = cpu,
            _ => ranges.push((cpu, cpu)),
        }
    }
    let part = |&(first, last): &(usize, usize)| match last - first {
        0 => first.to_string(),
        1 => format!("{first},{last}"),
        _ => format!("{first}-{last}"),
    };
    ranges.iter().map(part).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{format_cpu_list, parse_cpu_list};

    #[test]
    fn numbers_and_ranges_are_read_in_any_order() {
        assert_eq!(parse_cpu_list("0,2-3"), Ok(vec![0, 2, 3]));
        assert_eq!(parse_cpu_list(" 4-5 , 1,4\n"), Ok(vec![1, 4, 5]));
        assert_eq!(parse_cpu_list("1023"), Ok(vec![1023]));
    }

    #[test]
    fn what_is_not_a_list_is_refused_with_its_reason() {
        for (text, reason) in [
            ("", "it is empty"),
            ("all", "`all` is not a number"),
            ("1,,2", "`` is not a number"),
            ("-1", "`` is not a number"),
            ("+1", "`+1` is not a number"),
            ("3-2", "the range `3-2` ends before it begins"),
            ("0-99999999999999999999", "there is no CPU 99999999999999999999"),
            ("1024", "there is no CPU 1024"),
        ] {
            let message = parse_cpu_list(text).unwrap_err().to_string();
            assert!(message.contains(reason), "{text:?}: {message}");
        }
    }

    #[test]
    fn a_list_is_written_with_ranges_of_three_or_more() {
        assert_eq!(format_cpu_list(&[3, 1, 2, 7, 8, 10]), "1-3,7,8,10");
        assert_eq!(format_cpu_list(&[]), "");
    }

    proptest! {
        #[test]
        fn writing_and_reading_give_the_same_cpus(cpus in proptest::collection::btree_set(0usize..1024, 1..40)) {
            let cpus: Vec<usize> = cpus.into_iter().collect();
            prop_assert_eq!(parse_cpu_list(&format_cpu_list(&cpus)), Ok(cpus));
        }

        #[test]
        fn any_text_is_read_or_refused(text in "\\PC*") {
            let _ = parse_cpu_list(&text).map(|cpus| assert!(!cpus.is_empty()));
        }
    }
}
