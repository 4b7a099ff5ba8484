use tare_report::HistoryOf;

use super::{Change, calls, confirming, is_meant};

#[test]
fn what_addresses_named_before_packages_were_told_apart_is_found() {
    assert!(is_meant("Quick; package codec", "Quick") && is_meant("Quick; package codec", "Quick; package codec"));
    assert!(!is_meant("Quick; 500 calls", "Quick") && !is_meant("Quick; package codec", "Quick; package co"));
}

#[test]
fn calls_that_were_asked_for_are_read_from_the_name_of_a_variant() {
    for (variant, expected) in [
        ("php/a*b", ""),
        ("php/a*b@php", ""),
        ("php/a*b@php*auto", ""),
        ("php/a*b@php*500 calls", "500 calls"),
        ("php/a*b*no loop", "no loop"),
        ("php/a*b~2", "number 2 of this name"),
    ] {
        assert_eq!(calls(variant, "php/a*b"), expected, "{variant}");
    }
}

#[test]
fn a_command_names_its_case_and_no_other() {
    let mut change = Change {
        of: HistoryOf::Time,
        case: "cpp/Fibonacci::fib <15> (it's a+b)".to_owned(),
        runtime: "native".to_owned(),
        kind: String::new(),
        calls: String::new(),
        place: String::new(),
        run: String::new(),
        started: String::new(),
        seen: String::new(),
        before: "1".repeat(40),
        after: "2".repeat(40),
        from: 1.0,
        to: 2.0,
        confirmation: None,
    };
    // In an expression `\<` is the beginning of a word.
    assert_eq!(
        confirming(&change).unwrap(),
        r"tare compare 111111111111 222222222222 --filter '^Fibonacci::fib <15> \(it'\''s a\+b\)$'"
    );
    for (calls, option) in [("500 calls", " --calls 500"), ("1 call", " --calls 1"), ("no loop", " --calls 0")] {
        change.calls = calls.to_owned();
        assert!(confirming(&change).unwrap().ends_with(option), "{calls}");
    }
    for (place, path) in [("codec/json", "./codec/json"), ("it's", r"'./it'\''s'")] {
        change.place = place.to_owned();
        let command = confirming(&change).unwrap();
        assert!(command.starts_with(&format!("tare compare 111111111111 222222222222 {path} --filter ")), "{command}");
    }
    change.of = HistoryOf::Work;
    assert!(confirming(&change).unwrap().ends_with(" --work"));
}
