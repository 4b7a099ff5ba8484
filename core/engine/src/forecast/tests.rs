use std::time::Duration;

use tare_plan::Settings;

use super::{Course, Forecast, Guess, SuiteBudget, TimeRange, before, known};
use crate::total::{Deadline, Outlook};
use tare_plan::Precedent;

fn reached(took_ns: f64, made: u32) -> Option<Outlook> {
    let launch_ns = 10.0;
    let (start_ns, setup_ns) = (2.0, 0.25 * took_ns);
    Some(Outlook { took_ns, setup_ns, launch_ns, start_ns, made, reach_ns: 70.0, ..Outlook::default() })
}

/// On two lanes, after 90.
const COURSE: Course<'_> = Course { lanes: 2, elapsed_ns: 90.0, budget: None, precedent: None, second: false };

fn left_ns(outlooks: &[Option<Outlook>], course: &Course<'_>) -> Option<f64> {
    known(outlooks, course).map(|Forecast { wall_ns, .. }| wall_ns - course.elapsed_ns)
}

#[test]
fn groups_that_have_not_begun_take_what_others_do() {
    let done = Some(Outlook { done: true, ..reached(100.0, 9).unwrap() });
    let needing = Some(Outlook { needs_ns: Some(40.0), left_ns: 300.0, ..reached(80.0, 7).unwrap() });
    // 0 + 40, and two more of 110.
    assert_eq!(left_ns(&[done, needing, None, None], &COURSE), Some(130.0));
    let deadline = Deadline::new(Duration::from_nanos(150), 0);
    let budget = Some(SuiteBudget { deadline: &deadline, left_ns: 60.0 });
    let within = Course { budget, ..COURSE };
    assert_eq!(left_ns(&[done, needing, None, None], &within), Some(60.0), "a budget ends it");
    assert_eq!(left_ns(&[done, needing], &COURSE), Some(40.0), "one lane has what is left");
    assert_eq!(left_ns(&[None, None], &COURSE), None);
    // Twice 40, of two lanes: nothing is measured beside it.
    assert_eq!(left_ns(&[done.map(|one| one.alone(2)), needing.map(|one| one.alone(2))], &COURSE), Some(40.0));
}

#[test]
fn second_measurements_are_expected_before_anything_is_flagged() {
    let flags = |flagged: usize, through: usize| -> Vec<Option<Outlook>> {
        let one = |number| {
            let second_ns = if number < flagged { 100.0 } else { 0.0 };
            Some(Outlook { done: true, again_ns: 100.0, second_ns, ..reached(100.0, 9).unwrap() })
        };
        (0..through).map(one).chain(vec![None; 40 - through]).collect()
    };
    let of = |outlooks: &[Option<Outlook>], course: &Course<'_>| {
        let known = known(outlooks, course).unwrap();
        let TimeRange { least, most } = known.range_ns;
        assert!(least < known.wall_ns && known.wall_ns < most, "{known:?}");
        (known.wall_ns, most - least)
    };
    // 36 of 100 each, of which one in sixteen is measured again: (0 + 4 / 8) of (4 + 4).
    let (few, wide) = of(&flags(0, 4), &COURSE);
    assert_eq!(few, 90.0 + 36.0 * 100.0 * (1.0 + 0.5 / 8.0) / 2.0);
    let (all, _) = of(&flags(4, 4), &COURSE);
    assert_eq!(all, 90.0 + (400.0 + 36.0 * 100.0 * (1.0 + 4.5 / 8.0)) / 2.0);
    let (_, narrow) = of(&flags(0, 30), &COURSE);
    assert!(narrow < 0.4 * wide, "{narrow} {wide}");
    // An earlier comparison had all of them measured again, by three launches of 10.
    let precedent = Precedent { launches: 9.0, flagged: 1.0, again: 3.0 };
    let (like_it, _) = of(&flags(4, 4), &Course { precedent: Some(precedent), ..COURSE });
    assert_eq!(like_it, 90.0 + (400.0 + 36.0 * (100.0 + 30.0)) / 2.0);
}

#[test]
fn launches_of_an_earlier_comparison_are_expected_again() {
    let begun = Some(Outlook { left_ns: 300.0, least_ns: 50.0, ..reached(20.0, 1).unwrap() });
    let of = |precedent| left_ns(&[begun; 4], &Course { precedent, ..COURSE }).unwrap();
    // Seven tenths of the thirty that the budget holds; or nine, of which one is made.
    assert_eq!(of(None), 4.0 * 210.0 / 2.0);
    assert_eq!(of(Some(Precedent { launches: 9.0, flagged: 0.0, again: 0.0 })), 4.0 * 80.0 / 2.0);
}

#[test]
fn the_first_guess_knows_starts() {
    let settings = Settings { comparison_budget: Duration::from_secs(3), ..Settings::default() };
    let of = |start_ns| {
        let guess = Guess::new(&settings, true, 2, start_ns);
        Guess { took_ns: guess.took_ns.round(), ..guess }
    };
    // A pilot and six launches, each half as long again as its start.
    assert_eq!((of(0.0).took_ns, of(2e9).took_ns, of(2e9).launches), (2.1e9, 21e9, 6.0));
    let said = before(&[of(2e9); 30], 2, 3e9, None);
    assert_eq!(said.wall_ns, 315e9);
    let heavy = said.launches.expect("starts take all of the budget");
    assert_eq!((heavy.start_ns, heavy.launches, heavy.took_ns), (2e9, 6.0, 21e9));
    let light = before(&[of(0.02e9); 30], 2, 3e9, None);
    assert_eq!((light.wall_ns, light.launches), (31.5e9, None));
}
