//! Xdebug's traces in its computerised format (`xdebug.trace_format=1`, version 4): tab-separated, a line at each entry and exit.

use crate::stacks::Stacks;

/// The time inside each stack, in microseconds, callees left out; `None` where the trace has no end.
pub(crate) fn read(text: &str) -> Option<Stacks> {
    let mut stacks = Stacks::default();
    // Name, when it was entered, and what its callees took.
    let mut open: Vec<(String, f64, f64)> = Vec::new();
    let mut whole = false;
    for line in text.lines() {
        let fields: Vec<&str> = line.split('\t').collect();
        whole |= line.starts_with("TRACE END");
        let (Some(&kind), Some(Ok(at))) = (fields.get(2), fields.get(3).map(|at| at.parse::<f64>())) else { continue };
        match (kind, fields.get(5)) {
            ("0", Some(name)) => open.push(((*name).to_owned(), at, 0.0)),
            ("1", _) => {
                // An exit of what was entered before the trace began.
                let Some((_, begun, callees)) = open.last().cloned() else { continue };
                let taken = (at - begun).max(0.0);
                let own = ((taken - callees).max(0.0) * 1e6).round() as u64;
                stacks.add(open.iter().map(|(name, ..)| name.as_str()), own);
                open.pop();
                if let Some((_, _, callees)) = open.last_mut() {
                    *callees += taken;
                }
            }
            _ => {}
        }
    }
    whole.then_some(stacks)
}

#[cfg(test)]
mod tests {
    use super::read;

    const TRACE: &str = "Version: 3.2.0\nFile format: 4\nTRACE START [2026-01-01 00:00:00.000000]\n\
        2\t4\t1\t0.000010\t400000\n\
        2\t5\t0\t0.000100\t400000\tHashBench->benchHash\t1\t\tf.php\t3\t0\n\
        3\t6\t0\t0.000120\t400000\thash\t0\t\tf.php\t4\t2\n\
        3\t6\t1\t0.000170\t400000\n3\t6\tR\t\t\t'x'\n\
        2\t5\t1\t0.000200\t400000\n\
        \t\t\t0.000300\t400000\nTRACE END   [2026-01-01 00:00:01.000000]\n";

    #[test]
    fn each_function_has_what_its_callees_leave_it() {
        let lines: Vec<String> = read(TRACE).unwrap().lines().collect();
        assert_eq!(lines, ["HashBench->benchHash 50", "HashBench->benchHash;hash 50"]);
    }

    #[test]
    fn a_trace_without_its_end_is_none() {
        assert_eq!(read(TRACE.split("TRACE END").next().unwrap()), None);
        assert_eq!(read(""), None);
    }
}
