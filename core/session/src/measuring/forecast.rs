//! How long a run will take, in words.

use tare_engine::{Forecast, HeavyStarts, ReachableWidth};
use tare_plan::Settings;

use crate::event::Event;

/// What takes less needs no word, in nanoseconds.
const WORTH_A_WORD_NS: f64 = 10e9;

/// An interval that is as wide says nothing that is worth a word, unless a budget would make it narrower.
const UNKNOWN: f64 = 0.3;

/// Of a `--total` that is longer than what is measured by this factor the rest is for counting.
const COUNTED: f64 = 1.02;

/// Starts that take less are of no interest to anybody, in nanoseconds.
const WORTH_STARTS_NS: f64 = 50e6;

/// A range whose ends are farther apart than by this factor is said as one.
const WIDE: f64 = 1.1;

/// The line on a forecast; `sides`: variants of a group, at the most. Nothing where the run is short.
pub(crate) fn told(forecast: &Forecast, sides: usize, settings: &Settings) -> Option<Event> {
    let wall_ns = forecast.wall_ns;
    // Of a total it is said once how long it is, unless it turns out that it isn't enough.
    let is_said = is_most(forecast, settings) && forecast.setup.is_some() && forecast.left_out == 0;
    ((wall_ns >= WORTH_A_WORD_NS || forecast.left_out > 0) && !is_said).then(|| Event::Forecast {
        wall_ns,
        setup_ns: forecast.setup.map(|setup| setup * wall_ns),
        left_out: forecast.left_out,
        line: line(forecast, sides, settings),
    })
}

/// All may be decided before the total is over; else the rest goes where it decides something.
fn is_most(forecast: &Forecast, settings: &Settings) -> bool {
    settings.total.is_some() && !forecast.total
}

fn line(forecast: &Forecast, sides: usize, settings: &Settings) -> String {
    let Forecast { groups, lanes, wall_ns, range_ns, setup, left_out, total, launches } = forecast;
    let several = |count: usize, what: &str| format!("{count} {what}{}", if count == 1 { "" } else { "s" });
    let sides = if sides > 1 { format!(" × {}", several(sides, "side")) } else { String::new() };
    let at_once = if *lanes > 1 { format!(", {lanes} at a time") } else { String::new() };
    let what = format!("{}{sides}{at_once}", several(*groups, "case"));
    let is_wide = range_ns.most > WIDE * range_ns.least;
    let time = match (settings.total, is_most(forecast, settings)) {
        (Some(total), true) => format!("at most {}", seconds(total.as_nanos() as f64)),
        _ if is_wide && !total => format!("{} to {}", seconds(range_ns.least), seconds(range_ns.most)),
        _ => seconds(*wall_ns),
    };
    let is_part = settings.total.is_some_and(|total| total.as_nanos() as f64 > COUNTED * wall_ns);
    let by = match total {
        true if is_part => ", the rest of --total is for counting",
        true => ", as --total says",
        false => "",
    };
    let about = if *total || is_wide || is_most(forecast, settings) { "" } else { "about " };
    let mut line = match setup {
        None => format!("{what}: {about}{time}{by}"),
        Some(setup) => {
            format!("{what}: {time} in all{by}, {:.0} % of it set-up (starts, loading, hooks)", 100.0 * setup)
        }
    };
    if *left_out > 0 {
        line += &format!("; {left_out} or more won't be measured for lack of time");
    }
    if let Some(starts) = launches {
        line += &of_starts(starts, settings);
    }
    line
}

/// What the time buys where starts are heavy.
fn of_starts(starts: &HeavyStarts, settings: &Settings) -> String {
    let HeavyStarts { start_ns, launches, took_ns, half_width, reaches } = starts;
    if *start_ns < WORTH_STARTS_NS {
        return String::new();
    }
    let mut text = format!("; a process takes {} to start", seconds(*start_ns));
    if *launches < 1.0 {
        return text;
    }
    text += &format!(": {launches:.0} of them a side in {}", seconds(*took_ns));
    let reaches = reaches.filter(|_| settings.total.is_none() && settings.launches.is_none());
    if *half_width > 0.0 && (*half_width < UNKNOWN || reaches.is_some()) {
        text += &format!("; half of the cases are known to ± {:.1} %", 100.0 * half_width);
    }
    if let Some(ReachableWidth { half_width: wanted, budget_ns }) = reaches {
        text += &format!(", `--budget {:.0}s` would reach ± {:.0} %", (budget_ns / 1e9).ceil(), 100.0 * wanted);
    }
    text
}

/// `0.4 s`, `75 s`: minutes are for clocks.
fn seconds(ns: f64) -> String {
    if ns < 9.5e9 { format!("{:.1} s", ns / 1e9) } else { format!("{:.0} s", ns / 1e9) }
}

#[cfg(test)]
mod tests {
    use tare_engine::{Forecast, HeavyStarts, ReachableWidth, TimeRange};
    use tare_plan::Settings;

    use super::{line, told};

    #[test]
    fn a_guess_is_about_and_what_is_known_says_why() {
        let guess = Forecast {
            groups: 60,
            lanes: 2,
            wall_ns: 84.2e9,
            range_ns: TimeRange { least: 84.2e9, most: 84.2e9 },
            setup: None,
            left_out: 0,
            total: false,
            launches: None,
        };
        let said = |forecast: Forecast| line(&forecast, 2, &Settings::default());
        assert_eq!(said(guess), "60 cases × 2 sides, 2 at a time: about 84 s");
        let wide = Forecast { range_ns: TimeRange { least: 60e9, most: 144e9 }, ..guess };
        assert_eq!(said(wide), "60 cases × 2 sides, 2 at a time: 60 s to 144 s");
        assert!(said(Forecast { setup: Some(0.5), ..wide }).contains(": 60 s to 144 s in all, 50 % of it set-up "));
        assert_eq!(line(&Forecast { groups: 1, lanes: 1, ..guess }, 1, &Settings::default()), "1 case: about 84 s");
        assert_eq!(said(Forecast { total: true, ..guess }), "60 cases × 2 sides, 2 at a time: 84 s, as --total says");
        let known = Forecast { setup: Some(0.5), ..guess };
        assert_eq!(
            said(known),
            "60 cases × 2 sides, 2 at a time: 84 s in all, 50 % of it set-up (starts, loading, hooks)"
        );
        assert!(said(Forecast { total: true, left_out: 12, ..known }).ends_with(
            "84 s in all, as --total says, 50 % of it set-up (starts, loading, hooks); 12 or more won't be measured for lack of time"
        ));
        let starts = HeavyStarts {
            start_ns: 0.4e9,
            launches: 7.2,
            took_ns: 3e9,
            half_width: 0.061,
            reaches: Some(ReachableWidth { half_width: 0.05, budget_ns: 4.2e9 }),
        };
        let of_starts = "; a process takes 0.4 s to start: 7 of them a side in 3.0 s";
        let of_widths = "; half of the cases are known to ± 6.1 %, `--budget 5s` would reach ± 5 %";
        assert!(said(Forecast { launches: Some(starts), ..known }).ends_with(&[of_starts, of_widths].concat()));
        let unknown = HeavyStarts { half_width: 0.0, reaches: None, ..starts };
        assert!(said(Forecast { launches: Some(unknown), ..known }).ends_with(of_starts));
        // Cases that failed as they began make none.
        let none = HeavyStarts { launches: 0.3, ..starts };
        assert!(said(Forecast { launches: Some(none), ..known }).ends_with("; a process takes 0.4 s to start"));
        let minute = Settings { total: Some(std::time::Duration::from_secs(60)), ..Settings::default() };
        let part = Forecast { total: true, wall_ns: 40e9, range_ns: TimeRange { least: 40e9, most: 40e9 }, ..guess };
        assert_eq!(
            line(&part, 2, &minute),
            "60 cases × 2 sides, 2 at a time: 40 s, the rest of --total is for counting"
        );
        let less = Forecast { total: false, ..part };
        assert_eq!(line(&less, 2, &minute), "60 cases × 2 sides, 2 at a time: at most 60 s");
        assert!(told(&less, 2, &minute).is_some());
        assert!(told(&Forecast { setup: Some(0.2), ..less }, 2, &minute).is_none(), "it is said already");
        let whole = Forecast { wall_ns: 60e9, ..part };
        assert_eq!(line(&whole, 2, &minute), "60 cases × 2 sides, 2 at a time: 60 s, as --total says");
        let wide = HeavyStarts { half_width: 0.6, ..starts };
        let total = Settings { total: Some(std::time::Duration::from_secs(60)), ..Settings::default() };
        assert!(line(&Forecast { launches: Some(wide), ..known }, 2, &total).ends_with(of_starts));
    }
}
