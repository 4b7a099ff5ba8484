use super::Facts;
use crate::fitness::{Finding, Level};

pub(super) fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    vec![
        facts.judged("optimisation", "optimisation", optimisation),
        facts.judged("debug-assertions", "debug_assertions", debug_assertions),
        facts.judged("overflow-checks", "overflow_checks", overflow_checks),
    ]
}

fn optimisation(value: &str) -> Finding {
    const CODE: &str = "optimisation";
    match value {
        "0" | "1" => Finding::new(
            CODE,
            Level::Disturbs,
            format!("opt-level {value}"),
            "code is slower than in production",
            "set `opt-level = 3` in [profile.bench] of Cargo.toml, or leave it out",
        ),
        value => Finding::good(CODE, format!("opt-level {value}")),
    }
}

fn debug_assertions(value: &str) -> Finding {
    const CODE: &str = "debug-assertions";
    match value {
        "off" => Finding::good(CODE, "off"),
        _ => Finding::new(
            CODE,
            Level::MayDisturb,
            "on",
            "the work of each debug_assert!() is in the times",
            "set `debug-assertions = false` in [profile.bench] of Cargo.toml, or leave it out",
        ),
    }
}

fn overflow_checks(value: &str) -> Finding {
    const CODE: &str = "overflow-checks";
    match value {
        "off" => Finding::good(CODE, "off"),
        _ => Finding::new(
            CODE,
            Level::MayDisturb,
            "on",
            "the checks of integer arithmetic are in the times",
            "set `overflow-checks = false` in [profile.bench] of Cargo.toml, unless production has them",
        ),
    }
}
