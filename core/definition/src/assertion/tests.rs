use proptest::prelude::*;

use super::{Aggregate, Assertion, Figure, LONGEST_ASSERTION, Metric, Side, Truth};

/// What an assertion without figures is.
fn constant(text: &str) -> Truth {
    Assertion::parse(text).unwrap_or_else(|error| panic!("{text}: {error}")).judge(&[vec![]])
}

/// What an assertion about one figure is, if that is known to lie from `low` to `high`.
fn within(text: &str, low: f64, high: f64) -> Truth {
    Assertion::parse(text).unwrap().judge(&[vec![low], vec![(low + high) / 2.0], vec![high]])
}

fn error(text: &str) -> String {
    Assertion::parse(text).expect_err(text).to_string()
}

/// The examples of PHPBench's documentation (examples/Expression, examples/Assertion) that are about numbers.
#[test]
fn what_phpbench_documents_holds() {
    for text in [
        "1 + 1 = 2",
        "2 + 3 * 4 + 5 = 19",
        "2 + (3 * 4) + 5 = 19",
        "(2 + 3) * 4 + 5 = 25",
        "10 microseconds < 20 microseconds",
        "1 < 2 and 3 < 4",
        "(1 < 2 and 3 < 4) or true",
        "1 megabytes < 2 megabytes",
        "count([1, 2, 3]) = 3",
        "max([10, 12, 4, 20]) = 20",
        "mean([1, 2, 1, 2]) = 1.5",
        "min([10, 12, 4, 20]) = 4",
        "percent_diff(1, 2) = 100",
        "sum([1, 2, 3]) = 6",
        "20 seconds < 20 days",
        "360 days = (3600 seconds * 24) * 360",
        "1000000 as seconds = 1 second",
        "1000000 as seconds precision 4 = 1 second",
        "9 milliseconds <= 10 milliseconds +/- 10%",
        "9 milliseconds <= 10 milliseconds +/- 2 milliseconds",
        "10ms <= 9ms +/- 1ms",
        "1 kib = 1024 bytes and 1 gb = 1000 mb",
    ] {
        assert_eq!(constant(text), Truth::Holds, "{text}");
    }
    for text in ["1 ms > 2 ms", "10ms <= 9ms", "1 = 2", "1 != 1", "1 > 2 and true", "false", "2 < 1 +/- 0.5"] {
        assert_eq!(constant(text), Truth::Fails, "{text}");
    }
}

/// A tolerance widens what holds, on whichever side of the relation a value lies.
#[test]
fn what_lies_within_the_tolerance_holds() {
    for (text, truth) in [
        ("11 < 10 +/- 10%", Truth::Holds),
        ("11.1 < 10 +/- 10%", Truth::Fails),
        ("9 > 10 +/- 1", Truth::Holds),
        ("8.9 > 10 +/- 1", Truth::Fails),
        ("9 = 10 +/- 1", Truth::Holds),
        ("8 = 10 +/- 1", Truth::Fails),
        ("10 != 10 +/- 1", Truth::Holds),
        // The sum is tolerated, not its last part.
        ("16 < 10 + 5 +/- 10%", Truth::Holds),
        ("17 < 10 + 5 +/- 10%", Truth::Fails),
    ] {
        assert_eq!(constant(text), truth, "{text}");
    }
}

/// As in PHPBench, whose lexer takes the two the other way round than other languages do.
#[test]
fn or_binds_closer_than_and() {
    assert_eq!(constant("false and false or true"), Truth::Fails);
    assert_eq!(constant("(false and false) or true"), Truth::Holds);
}

#[test]
fn figures_are_named_by_side_metric_and_function() {
    let assertion =
        Assertion::parse("mode(variant.time.avg) < mean(baseline.mem.peak) and mode(variant.time.avg) > 0").unwrap();
    let figure = |side, metric, aggregate| Figure { side, metric, aggregate };
    let expected = [
        figure(Side::Variant, Metric::TimeAverage, Aggregate::Mode),
        figure(Side::Baseline, Metric::MemoryPeak, Aggregate::Mean),
    ];
    assert_eq!(assertion.figures(), expected);
    assert!(assertion.needs_baseline() && assertion.needs_memory());
    assert_eq!(expected[0].to_string(), "mode(variant.time.avg)");
    let alone = Assertion::parse("rstdev(variant.time.net, true) < 5%").unwrap();
    assert!(!alone.needs_baseline() && !alone.needs_memory());
}

#[test]
fn an_interval_on_both_sides_of_a_limit_leaves_it_open() {
    let text = "mode(variant.time.avg) < 200 ms +/- 10%";
    assert_eq!(within(text, 210e3, 219e3), Truth::Holds);
    assert_eq!(within(text, 221e3, 230e3), Truth::Fails);
    assert_eq!(within(text, 210e3, 230e3), Truth::Open);
    // Times without a unit are microseconds, and a nanosecond is a thousandth of one.
    assert_eq!(within("mean(variant.time.avg) <= 10", 9.0, 10.0), Truth::Holds);
    assert_eq!(within("mean(variant.time.avg) < 1 ns", 0.002, 0.003), Truth::Fails);
    // Both ends miss it, and what lies between doesn't.
    assert_eq!(within("mean(variant.time.avg) = 10 +/- 1", 5.0, 15.0), Truth::Open);
    assert_eq!(within("mean(variant.time.avg) != 10", 11.0, 15.0), Truth::Holds);
    assert_eq!(within("mean(variant.time.avg) < 1 or mean(variant.time.avg) < 10", 2.0, 5.0), Truth::Holds);
    assert_eq!(within("mean(variant.time.avg) < 1 and mean(variant.time.avg) < 3", 2.0, 5.0), Truth::Fails);
    // Nothing is known of what may be divided by 0, nor of what has no end or isn't a number.
    assert_eq!(within("1 / mean(variant.time.avg) < 10", -1.0, 1.0), Truth::Open);
    assert_eq!(within("mean(variant.time.avg) < 10", f64::NEG_INFINITY, f64::INFINITY), Truth::Open);
    assert_eq!(within("mean(variant.time.avg) < 10", f64::NAN, f64::NAN), Truth::Open);
    assert_eq!(Assertion::parse("mean(variant.time.avg) < 10").unwrap().judge(&[]), Truth::Open);
}

/// Base and candidate of one comparison move together: what their ratio says decides.
#[test]
fn figures_that_move_together_are_judged_together() {
    let assertion = Assertion::parse("mode(variant.time.avg) < mode(baseline.time.avg) +/- 10%").unwrap();
    let states = |ratio: f64| vec![vec![100.0 * ratio, 100.0], vec![200.0 * ratio, 200.0]];
    assert_eq!(assertion.judge(&states(1.05)), Truth::Holds);
    assert_eq!(assertion.judge(&states(1.15)), Truth::Fails);
    assert_eq!(assertion.judge(&[states(1.05), states(1.15)].concat()), Truth::Open);
}

#[test]
fn what_cant_be_evaluated_is_refused_with_its_place_and_the_reason() {
    for (text, told) in [
        ("", "the assertion ``, character 1: a number or a figure is missing before the end; write it like"),
        (
            "mode(variant.tme.avg) < 1 ms",
            "character 6: `variant.tme.avg`: there is no such figure; did you mean `time.avg`?",
        ),
        ("moode(variant.time.avg) < 1", "character 1: there is no function `moode`; did you mean `mode`?"),
        (
            "variant.mode <= baseline.mode +/- 5%",
            "character 1: `variant.mode`: PHPBench 1.0 dropped this form; write mode(variant.time.avg)",
        ),
        ("mode(variant.time.avg)", "character 1: the assertion compares nothing"),
        (
            "variant.time.avg < 1 ms",
            "character 1: a list with a value for each iteration stands where a number is wanted",
        ),
        ("mode(variant.time.avg) < 10 parsecs", "character 29: `parsecs` is no unit; units are ns, us"),
        ("mode(variant.time.avg) < 10 time", "character 29: `time` formats a value"),
        ("mode(variant.mem.final) < 10", "character 6: `variant.mem.final`: Tare measures memory at its peak only"),
        ("mean(variant.comp.z_value) < 10", "`variant.comp.z_value`: how far each iteration lies from the others"),
        ("sum(variant.time.avg) < 10", "character 1: `sum()` of measured values is the number of samples"),
        ("stdev(variant.mem.peak) < 10", "`stdev()` of memory isn't measured"),
        ("first([1, 2]) = 1", "`first()` is for PHPBench's reports"),
        ("format(\"%s\", 1) = 1", "character 8: text stands here"),
        ("data?[1] = 1", "character 5: `?` marks a figure that may be missing, and none can be"),
        ("1 < 2 < 3", "character 1: a comparison stands where a number is wanted"),
        ("1 +/- 2 < 3", "character 1: a tolerance stands where none is wanted"),
        ("1 / 0 = 1", "character 3: the assertion divides by 0"),
        ("-1 < 2", "character 1: PHPBench knows no sign before a number"),
        ("1 < 2 3", "character 7: `3` comes after the end of the comparison"),
        ("1 < 2 )", "character 7: `)` comes after the end"),
        ("(1 < 2", "character 7: `)` is missing before the end"),
        ("1 < 'a", "character 5: the text that begins here has no end"),
        ("1 < 2 ;", "character 7: `;` has no meaning here"),
        ("1 < 1e999", "character 5: `1e999` is not a number"),
        ("mean([]) < 1", "`mean()` of an empty list has no value"),
    ] {
        let error = error(text);
        assert!(error.contains(told), "{text}\n{error}\n{told}");
    }
    assert!(error(&"(".repeat(200)).contains("nested more than 64 deep"));
    assert!(error(&"1".repeat(LONGEST_ASSERTION + 1)).contains("2001 bytes, and 2000 is the most"));
}

#[test]
fn the_longest_assertions_are_judged_without_running_out_of_stack() {
    let sum = format!("{}1 = 1000", "1+".repeat(990));
    assert_eq!(constant(&sum), Truth::Fails);
}

proptest! {
    #[test]
    fn no_input_panics(text in "\\PC{0,60}") {
        let _ = Assertion::parse(&text);
    }

    #[test]
    fn no_sentence_of_known_words_panics(words in prop::collection::vec(prop::sample::select(vec![
        "mode(", "mean(", "min(", "[", "]", ")", "(", "variant.time.avg", "baseline.mem.peak", ".", ",", "1", "0.5e3", "%", "+/-", "ms",
        "<", "<=", "=", "!=", "and", "or", "as", "precision", "+", "-", "*", "/", "true", "percent_diff(", "'", "time", "kb",
    ]), 0..24)) {
        if let Ok(assertion) = Assertion::parse(&words.join(" ")) {
            let row = |value: f64| vec![value; assertion.figures().len()];
            assertion.judge(&[row(0.0), row(f64::INFINITY), row(-1.0), row(f64::NAN)]);
        }
    }
}
