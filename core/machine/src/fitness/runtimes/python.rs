use super::{Facts, frame_pointers};
use crate::fitness::{Finding, Level};

pub(super) fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    vec![
        facts.judged("debug", "debug", debug),
        facts.judged("dev-mode", "dev_mode", dev_mode),
        facts.judged("watched", "watched", watched),
        facts.judged("build", "build", build),
        facts.judged("gil", "gil", gil),
        facts.judged("jit", "jit", |jit| Finding::good("jit", jit)),
        facts.judged("allocator", "allocator", allocator),
        facts.judged("hash-seed", "hash_seed", hash_seed),
        frame_pointers(facts),
    ]
}

fn debug(value: &str) -> Finding {
    const CODE: &str = "debug";
    match value {
        "no" => Finding::good(CODE, "no debug build"),
        _ => Finding::new(
            CODE,
            Level::Disturbs,
            "a debug build",
            "every reference is counted and checked: code is slower than in production",
            "take a Python that was built without --with-pydebug",
        ),
    }
}

fn dev_mode(value: &str) -> Finding {
    const CODE: &str = "dev-mode";
    match value {
        "no" => Finding::good(CODE, "off"),
        _ => Finding::new(
            CODE,
            Level::Disturbs,
            "on",
            "memory is allocated with checks, and more is warned of",
            "unset PYTHONDEVMODE, and leave -X dev out",
        ),
    }
}

fn watched(value: &str) -> Finding {
    const CODE: &str = "watched";
    match value {
        "no" => Finding::good(CODE, "no"),
        value => Finding::new(
            CODE,
            Level::Disturbs,
            value,
            "a debugger, profiler or coverage tool watches calls or lines: code takes up to several times as long",
            "run without it",
        ),
    }
}

fn build(value: &str) -> Finding {
    const CODE: &str = "build";
    if value.starts_with("not profile-guided") {
        let effect = "the interpreter is a tenth to a third slower than most that are shipped";
        let remedy = "take one that was built with --enable-optimizations, as distributions' are";
        return Finding::new(CODE, Level::MayDisturb, value, effect, remedy);
    }
    if value == "unknown" {
        let effect = "whether the interpreter was optimised by a profile isn't known";
        return Finding::new(CODE, Level::Unknown, "how it was configured isn't noted", effect, "");
    }
    Finding::good(CODE, value)
}

fn gil(value: &str) -> Finding {
    const CODE: &str = "gil";
    match value {
        "on" => Finding::good(CODE, "on"),
        _ => Finding::new(
            CODE,
            Level::MayDisturb,
            "off",
            "the free-threaded interpreter runs code of one thread slower than the usual one",
            "take the usual build, unless this one is what you want to know",
        ),
    }
}

fn allocator(value: &str) -> Finding {
    const CODE: &str = "allocator";
    match value {
        "default" | "pymalloc" | "mimalloc" => Finding::good(CODE, value),
        value => Finding::new(
            CODE,
            if value.contains("debug") { Level::Disturbs } else { Level::MayDisturb },
            format!("PYTHONMALLOC={value}"),
            "objects are allocated otherwise, and mostly slower, than by default",
            "unset PYTHONMALLOC",
        ),
    }
}

fn hash_seed(value: &str) -> Finding {
    const CODE: &str = "hash-seed";
    match value {
        "random" => Finding::good(CODE, "random"),
        value => Finding::new(
            CODE,
            Level::MayDisturb,
            format!("PYTHONHASHSEED={value}"),
            "all launches have the same order of sets and the same collisions: the interval doesn't hold what others would do",
            "unset PYTHONHASHSEED",
        ),
    }
}
