//! Values to store.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

pub mod server;

use tare_samples::{
    About, Allocations, Calibration, Calls, Case, CaseSettings, Correction, Launch, Memory, Origin, POLICY, Parameters,
    Reported, Runtime, RuntimeCommand, Subject, Turn, Variant,
};
use tare_statistics::comparison::{Comparison, Flag, Verdict};
use tare_statistics::{Estimate, Summary, Warning};
use tare_store::StoredComparison;

/// A run by its place in time.
pub fn origin(number: u32, tags: &[&str]) -> Origin {
    let (hour, minute) = (number / 60 % 24, number % 60);
    let day = number / 1440 + 1;
    Origin {
        id: format!("202501{day:02}T{hour:02}{minute:02}00-{number:04x}"),
        started: format!("2025-01-{day:02}T{hour:02}:{minute:02}:00Z"),
        tags: tags.iter().map(|&tag| tag.to_owned()).collect(),
        machine: [("cpu".to_owned(), "a CPU \"with\" quotes\u{0}".to_owned())].into(),
        git: [("commit".to_owned(), "9f3cf78".to_owned()), ("dirty".to_owned(), "true".to_owned())].into(),
        findings: vec![],
        imported: None,
        policy: POLICY,
        seed: u64::MAX - u64::from(number),
        tare: "0.1.0".to_owned(),
    }
}

/// A variant of one benchmark on a runtime.
pub fn variant(benchmark: &str, runtime: &str) -> Variant {
    let case = Case {
        index: 3,
        language: "php".to_owned(),
        benchmark: benchmark.to_owned(),
        prefix: String::new(),
        place: String::new(),
        parameters: Parameters {
            name: Some("md5".to_owned()),
            values: vec![("size".to_owned(), "10".to_owned()), ("name".to_owned(), "'md5'".to_owned())],
        },
        file: "benchmarks/HashBench.php".to_owned(),
        line: 12,
        groups: vec!["hash".to_owned()],
        settings: CaseSettings::default(),
    };
    Variant {
        id: format!("{}@{runtime}", case.id()),
        case,
        runtime: Runtime {
            name: runtime.to_owned(),
            language: "php".to_owned(),
            version: "8.2.36".to_owned(),
            command: RuntimeCommand {
                name: runtime.to_owned(),
                driver: "php".to_owned(),
                command: vec!["php".to_owned(), "-d".to_owned(), "opcache.enable=1".to_owned()],
                folder: None,
                environment: Vec::new(),
            },
            correction: Correction::Serial,
            facts: [("jit".to_owned(), "off".to_owned())].into(),
        },
        calls: Calls::Pilot,
        label: runtime.to_owned(),
    }
}

/// A launch whose every figure follows from its ordinal.
pub fn launch(ordinal: u32) -> Launch {
    let base = u64::from(ordinal) * 1_000;
    let turns = (0..8)
        .map(|turn: u32| Turn {
            round: turn / 2,
            subject: if turn.is_multiple_of(2) { Subject::Case } else { Subject::Null },
            warm: 2,
            iterations: vec![400; 5],
            elapsed: (0..5).map(|sample| 500_000 + base + u64::from(turn) * 17 + sample * sample * 31).collect(),
            pauses: if turn == 0 { vec![1, 0, 2, 0, 3] } else { Vec::new() },
            at_ns: u64::from(turn) * 2_600_000,
            stretch: None,
        })
        .collect();
    Launch {
        ordinal,
        started_ns: base * 100_000,
        startup_ns: 18_000_000 + base,
        duration_ns: 60_000_000 + base,
        turns,
        memory: Memory {
            peak_rss_bytes: Some(20 << 20 | u64::from(ordinal)),
            runtime_peak_bytes: (ordinal % 2 == 1).then_some(u64::from(ordinal)),
        },
    }
}

/// What a pilot may choose.
pub fn calibration() -> Calibration {
    Calibration {
        iterations: 400,
        far: vec![800, 1],
        warm: 2,
        samples_per_turn: 5,
        rounds: 4,
        clock: "hrtime".to_owned(),
        pauses: true,
        setup_ns: 7,
        setup_ppm: 11,
        links: vec![3, 1],
        told: vec![vec![("hits".to_owned(), "3".to_owned())]],
        reported: Reported {
            bytes: Some(64),
            items: None,
            metrics: vec![("a=b".to_owned(), "-2.5e-3".to_owned())],
            labels: vec!["parallel".to_owned()],
            allocations: Some(Allocations { calls: 3, count: 7, bytes: 1 << 40 }),
            allocations_asked: true,
        },
        memory: None,
        work: None,
    }
}

/// A summary around a time, with figures that have no short decimal form.
pub fn summary(time: f64) -> Summary {
    Summary {
        time: Estimate { estimate: time, low: time * 0.99, high: time * 1.01 },
        confidence: 0.95,
        peaks: vec![time / 3.0, 0.1 + 0.2, 5e-324],
        kernels: vec![("text".to_owned(), Estimate { estimate: time / 7.0, low: -0.0, high: 1e300 })],
        warnings: vec![Warning {
            code: "drift".to_owned(),
            message: "it drifts".to_owned(),
            remedy: "wait".to_owned(),
        }],
        ..Summary::default()
    }
}

/// A comparison around a ratio, with figures that have no short decimal form.
pub fn comparison(base: &str, candidate: &str, ratio: f64) -> StoredComparison {
    StoredComparison {
        base: base.to_owned(),
        candidate: candidate.to_owned(),
        kind: "live".to_owned(),
        title: "HashBench \u{1b}[2J".to_owned(),
        base_label: "old".to_owned(),
        candidate_label: "new".to_owned(),
        comparison: Comparison {
            ratio: Some(Estimate { estimate: ratio, low: ratio / 1.003, high: ratio * 1.003 }),
            typical: None,
            within: None,
            proof: None,
            differs: None,
            about: About::Time,
            rests_on: About::Time,
            confidence: 0.99,
            verdict: if ratio > 1.01 { Verdict::Slower } else { Verdict::Same },
            margin: 0.1 + 0.2,
            same: 0.7,
            minimum_detectable_effect: Some(1.0 / 3.0),
            pairs: 24,
            flag: Some(Flag { first: Verdict::Slower, pairs: 12, p_value: 5e-324, claim: None }),
            confirmed: true,
            warnings: vec![Warning {
                code: "few-pairs".to_owned(),
                message: "there are few".to_owned(),
                remedy: "measure longer".to_owned(),
            }],
        },
        machine_code: None,
    }
}
