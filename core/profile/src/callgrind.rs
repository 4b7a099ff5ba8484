//! Callgrind's files: instructions by function (the format is in the manual of Valgrind, "Callgrind format specification").

use std::collections::{BTreeMap, HashMap};

use crate::counts::Counts;

/// Instructions of a process, by function, callees left out; `None` where the file is cut short.
pub(crate) fn read(text: &str) -> Option<Counts> {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut by: BTreeMap<String, u64> = BTreeMap::new();
    let mut function = "";
    let mut of_a_call = false;
    let mut total = None;
    for line in text.lines() {
        if let Some(name) = line.strip_prefix("fn=").or_else(|| line.strip_prefix("cfn=")) {
            // `(12) name` the first time, `(12)` from then on.
            let (number, name) = name.split_once(' ').unwrap_or((name, ""));
            if !name.is_empty() {
                names.insert(number, name);
            }
            if line.starts_with('f') {
                function = names.get(number).copied().unwrap_or(number);
            }
        } else if line.starts_with("calls=") {
            of_a_call = true;
        } else if line.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '+' | '-' | '*')) {
            // The line after `calls=` holds what the callee took.
            let cost = line.split_whitespace().nth(1).and_then(|cost| cost.parse::<u64>().ok());
            if let (false, Some(cost)) = (std::mem::take(&mut of_a_call), cost) {
                *by.entry(function.to_owned()).or_default() += cost;
            }
        } else if let Some(sum) = line.strip_prefix("totals:").or_else(|| line.strip_prefix("summary:")) {
            total = sum.split_whitespace().next().and_then(|sum| sum.parse().ok()).or(total);
        }
    }
    Some(Counts { total: total?, by })
}

#[cfg(test)]
mod tests {
    use super::read;

    const FILE: &str = "# callgrind format\nversion: 1\npositions: line\nevents: Ir\n\nob=(1) /bin/x\nfl=(1) x.c\nfn=(1) main\n16 20\n+1 5\n\
        cfi=(2) y.c\ncfn=(2) work(int, char const*)\ncalls=3 4\n* 300\n+2 7\n\nfn=(2)\n4 100\n5 200\n\ntotals: 332\n";

    #[test]
    fn functions_have_their_own_instructions() {
        let counts = read(FILE).unwrap();
        assert_eq!(counts.total, 332);
        assert_eq!(counts.by["main"], 32);
        assert_eq!(counts.by["work(int, char const*)"], 300);
    }

    #[test]
    fn a_file_without_its_total_is_none() {
        assert!(read(FILE.split("totals").next().unwrap()).is_none());
        assert!(read("").is_none());
    }
}
