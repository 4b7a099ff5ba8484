use super::{Facts, frame_pointers};
use crate::fitness::{Finding, Level};

pub(super) fn findings(facts: &Facts<'_>) -> Vec<Finding> {
    let mut findings = vec![
        facts.judged("race", "race", race),
        facts.judged("optimised", "optimised", optimised),
        processors(facts),
        facts.judged("gogc", "GOGC", collector),
        frame_pointers(facts),
    ];
    if let Some(cover) = facts.get("-cover").filter(|cover| cover != "false") {
        findings.push(Finding::new(
            "cover",
            Level::Disturbs,
            format!("-cover={cover}"),
            "every block counts how often it is executed",
            "take -cover out of GOFLAGS",
        ));
    }
    if let Some(settings) = facts.get("GODEBUG").filter(|settings| !settings.is_empty()) {
        findings.push(Finding::new(
            "godebug",
            Level::MayDisturb,
            settings,
            "the runtime behaves otherwise than by default, and may check or log more",
            "unset GODEBUG",
        ));
    }
    findings
}

fn race(value: &str) -> Finding {
    const CODE: &str = "race";
    match value {
        "no" => Finding::good(CODE, "no race detector"),
        _ => Finding::new(
            CODE,
            Level::Disturbs,
            "built with -race",
            "every access to memory is recorded: code takes two to twenty times as long",
            "take -race out of GOFLAGS",
        ),
    }
}

fn optimised(value: &str) -> Finding {
    const CODE: &str = "optimised";
    match value {
        "yes" => Finding::good(CODE, "yes"),
        value => Finding::new(
            CODE,
            Level::Disturbs,
            value,
            "code that wasn't optimised or inlined is measured: code is slower than in production",
            "take -N and -l out of GOFLAGS' -gcflags",
        ),
    }
}

fn processors(facts: &Facts<'_>) -> Finding {
    const CODE: &str = "gomaxprocs";
    let number = |name: &str| facts.get(name).and_then(|value| value.parse::<u64>().ok());
    let (Some(processors), Some(cpus)) = (number("GOMAXPROCS"), number("cpus")) else {
        return super::unsaid(CODE, "GOMAXPROCS and cpus");
    };
    let found = format!("{processors}, on {cpus} {}", if cpus == 1 { "CPU" } else { "CPUs" });
    if processors > cpus {
        let effect = "goroutines of several processors push each other off the CPU in the middle of samples";
        return Finding::new(CODE, Level::MayDisturb, found, effect, "unset GOMAXPROCS, or give more CPUs (--cpus)");
    }
    Finding::good(CODE, found)
}

fn collector(value: &str) -> Finding {
    const CODE: &str = "gogc";
    match value {
        "off" => Finding::new(
            CODE,
            Level::MayDisturb,
            "off",
            "the collector never runs: times lack what production pays for garbage, and memory grows",
            "unset GOGC, unless that is what you want to know",
        ),
        value => Finding::good(CODE, value),
    }
}
