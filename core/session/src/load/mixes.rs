//! In which parts operations are done: `--mix get=9,put=1`.

use tare_frames::MAX_WEIGHT;
use tare_load::workers::WeightedOperation;

use crate::error::Error;

/// Weights by name, as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Mix(Vec<(String, u64)>);

impl Mix {
    pub(crate) fn parse(text: &str) -> Result<Self, Error> {
        let wrong = |what: String| Error::usage(format!("--mix {text}: {what}; write it as get=9,put=1"));
        let mut weights: Vec<(String, u64)> = Vec::new();
        for part in text.split(',').map(str::trim) {
            let (name, weight) = part.rsplit_once('=').ok_or_else(|| wrong(format!("`{part}` has no weight")))?;
            let (name, weight) = (name.trim(), weight.trim());
            let weight: u64 = weight
                .parse()
                .ok()
                .filter(|weight| *weight <= MAX_WEIGHT)
                .ok_or_else(|| wrong(format!("`{weight}` is no whole number from 0 to {MAX_WEIGHT}")))?;
            if name.is_empty() {
                return Err(wrong("an operation has no name".to_owned()));
            }
            if weights.iter().any(|(other, _)| other == name) {
                return Err(wrong(format!("`{name}` stands twice")));
            }
            weights.push((name.to_owned(), weight));
        }
        if weights.iter().all(|(_, weight)| *weight == 0) {
            return Err(wrong("all weights are 0, so nothing would be done".to_owned()));
        }
        Ok(Self(weights))
    }

    /// The weights of a suite's operations, in its order; those that the mix doesn't name aren't done.
    pub(crate) fn weigh(&self, suite: &str, operations: &[WeightedOperation]) -> Result<Vec<WeightedOperation>, Error> {
        for (name, _) in &self.0 {
            if !operations.iter().any(|known| known.name == *name) {
                let known: Vec<&str> = operations.iter().map(|known| known.name.as_str()).collect();
                return Err(Error::usage(format!(
                    "--mix: {suite} has no operation `{name}`; it has {}",
                    known.join(", ")
                )));
            }
        }
        let weight = |name: &str| self.0.iter().find(|(known, _)| known == name).map_or(0, |(_, weight)| *weight);
        let weighed = |one: &WeightedOperation| WeightedOperation { weight: weight(&one.name), ..one.clone() };
        Ok(operations.iter().map(weighed).collect())
    }
}

/// As it is shown: `get=9,put=1`.
pub(crate) fn shown(operations: &[WeightedOperation]) -> String {
    let parts: Vec<String> = operations
        .iter()
        .filter(|operation| operation.weight > 0)
        .map(|operation| format!("{}={}", operation.name, operation.weight))
        .collect();
    parts.join(",")
}

#[cfg(test)]
mod tests {
    use super::{Mix, WeightedOperation, shown};

    fn operations() -> Vec<WeightedOperation> {
        [(0, "get", 1), (1, "put", 1), (2, "scan", 5)]
            .map(|(number, name, weight)| WeightedOperation { number, name: name.to_owned(), weight })
            .to_vec()
    }

    #[test]
    fn what_is_not_named_is_not_done() {
        let weighed = Mix::parse("put=1, get = 9").unwrap().weigh("S", &operations()).unwrap();
        assert_eq!(shown(&weighed), "get=9,put=1");
        assert_eq!(weighed[2].weight, 0);
        let none = Mix::parse("get=1,put=0").unwrap().weigh("S", &operations()).unwrap();
        assert_eq!(shown(&none), "get=1");
    }

    #[test]
    fn what_makes_no_mix_is_refused() {
        for (text, why) in [
            ("get", "no weight"),
            ("get=0,put=0", "all weights are 0"),
            ("get=-1", "no whole number"),
            ("get=1.5", "no whole number"),
            ("get=99999999", "no whole number"),
            ("get=1,get=2", "stands twice"),
            ("=1", "no name"),
            ("", "no weight"),
        ] {
            let refusal = Mix::parse(text).unwrap_err();
            assert!(refusal.message.contains(why), "{text}: {}", refusal);
        }
        let refusal = Mix::parse("gett=1").unwrap().weigh("KeyValue", &operations()).unwrap_err();
        let told = refusal.message;
        assert!(told.contains("KeyValue has no operation `gett`; it has get, put, scan"), "{told}");
    }
}
