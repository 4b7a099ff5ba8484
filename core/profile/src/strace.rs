//! The table that `strace -c` writes.

use std::collections::BTreeMap;

use crate::counts::Counts;

/// Calls by name; `None` where the table has no last line.
pub(crate) fn read(text: &str) -> Option<Counts> {
    let mut by = BTreeMap::new();
    for line in text.lines() {
        let fields: Vec<&str> = line.split_whitespace().collect();
        // % time, seconds, usecs/call, calls, [errors,] name; older versions leave usecs/call out of the total.
        let (Some(name), true) = (fields.last(), fields.len() >= 4) else { continue };
        if fields[0].parse::<f64>().is_err() || fields[1].parse::<f64>().is_err() {
            continue;
        }
        if *name == "total" {
            return Some(Counts { total: by.values().sum(), by });
        }
        if let Some(calls) = fields.get(3).and_then(|calls| calls.parse::<u64>().ok()) {
            *by.entry((*name).to_owned()).or_default() += calls;
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::read;

    const TABLE: &str = "strace: Process 12 attached\n% time     seconds  usecs/call     calls    errors syscall\n\
        ------ ----------- ----------- --------- --------- ----------------\n\
        \x20\x20  nan    0.000000           0        83        10 read\n 12.00    0.000010           1        17           write\n\
        ------ ----------- ----------- --------- --------- ----------------\n100.00    0.000010           0       100        10 total\n";

    #[test]
    fn calls_stand_by_name_with_errors_or_without() {
        let counts = read(TABLE).unwrap();
        assert_eq!((counts.total, counts.by["read"], counts.by["write"]), (100, 83, 17));
    }

    #[test]
    fn a_table_without_its_total_is_none() {
        assert!(read(TABLE.split("100.00").next().unwrap()).is_none());
        assert!(read("strace: ptrace: Operation not permitted").is_none());
    }
}
