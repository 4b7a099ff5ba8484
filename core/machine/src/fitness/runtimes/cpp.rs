use super::{Facts, frame_pointers};
use crate::fitness::{Finding, Level};

pub(super) fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    vec![
        facts.judged("optimisation", "optimisation", optimisation),
        facts.judged("assertions", "assertions", assertions),
        facts.judged("sanitizers", "sanitizers", sanitizers),
        frame_pointers(facts),
    ]
}

fn optimisation(value: &str) -> Finding {
    const CODE: &str = "optimisation";
    match value {
        "off" => Finding::new(
            CODE,
            Level::Disturbs,
            "off",
            "every value goes through memory and no call is inlined: code is slower than in production",
            "build with -O2, or CMAKE_BUILD_TYPE=Release",
        ),
        value => Finding::good(CODE, value),
    }
}

fn assertions(value: &str) -> Finding {
    const CODE: &str = "assertions";
    match value {
        "off" => Finding::good(CODE, "off"),
        _ => Finding::new(
            CODE,
            Level::MayDisturb,
            "on (NDEBUG isn't defined)",
            "the work of each assert() is in the times",
            "build with -DNDEBUG, or CMAKE_BUILD_TYPE=Release",
        ),
    }
}

fn sanitizers(value: &str) -> Finding {
    const CODE: &str = "sanitizers";
    match value {
        "none" => Finding::good(CODE, "none"),
        value => Finding::new(
            CODE,
            Level::Disturbs,
            value,
            "every access to memory is checked: code takes two to fifteen times as long",
            "build without -fsanitize",
        ),
    }
}
