//! The page of a run: what stands on it, its pictures, and that nothing from outside is more than text.

mod contents;
mod drawings;
mod hostile;

use tare_results::RunView;
use tare_statistics::{Bins, Distribution, LaunchSpread, Stretch, Timed};

/// The run as one that this command makes again.
fn again(view: &RunView, command: &str) -> RunView {
    RunView { again: Some(command.to_owned()), ..view.clone() }
}

/// Samples and launches around the time of each variant.
fn with_distributions(mut view: RunView, launches: usize) -> RunView {
    for variant in &mut view.variants {
        if let Some(summary) = &variant.summary {
            let time = summary.time.estimate;
            let launch = |number: usize| LaunchSpread {
                time: time * (1.0 + number as f64 * 1e-3),
                lower_quartile: time * 0.99,
                median: time,
                upper_quartile: time * 1.01,
            };
            variant.distribution = Some(Distribution {
                launches: (0..launches).map(launch).collect(),
                low: time * 0.97,
                high: time * 1.06,
                counts: (0..40).map(|bin| 40 - bin).collect(),
                below: 0,
                above: 3,
                course: (0..96u32)
                    .map(|number| Stretch {
                        launch: number * launches as u32 / 96,
                        median: time * (1.0 + f64::from(number % 7) * 1e-3),
                        steady: true,
                    })
                    .collect(),
                timed: Some(Timed { case: timed(time + 12.0), null: timed(12.0) }),
            });
        }
    }
    view
}

/// Samples around this time.
fn timed(time: f64) -> Bins {
    Bins { low: time * 0.97, high: time * 1.06, counts: (0..40).map(|bin| 40 - bin).collect(), median: time }
}

/// What stands between each pair of these.
fn between<'a>(page: &'a str, start: &str, end: &str) -> Vec<&'a str> {
    page.split(start).skip(1).map(|rest| rest.split(end).next().unwrap()).collect()
}

/// The drawings that say something: not those that only adorn.
fn pictures(page: &str) -> Vec<&str> {
    between(page, "<svg ", "</svg>").into_iter().filter(|svg| !svg.contains("aria-hidden")).collect()
}

fn marks(svg: &str) -> usize {
    svg.matches("class=\"mark ").count()
}

/// The element whose name and attributes hold this text, up to its end.
fn section<'a>(page: &'a str, start: &str, end: &str) -> &'a str {
    between(page, start, end)[0]
}
