use std::fmt::Write;

use crate::means::{MeansFigures, Pair};
use crate::simulated::Quantiles;

/// A row of real subjects whose means are measured without Tare as well.
#[derive(Debug, Clone)]
pub struct MeansRow {
    /// Which.
    pub pair: Pair,
    /// What was seen, run by run.
    pub seen: Vec<MeansFigures>,
}

pub(super) fn write(text: &mut String, rows: &[MeansRow]) {
    text.push_str(
        "## Means of real subjects\n\nSubjects that do much now and then, beside their like that don't: Go's collector beside none or a lazier one, \
         containers that grow, objects in a circle, and each so many-th call, which makes the mean about twice as large. The mean is \
         measured without Tare, in turns with it: what `go test` says (CPU time of its whole process, its end in it, stands in brackets), and CPU time of a plain \
         loop in the other languages, less an empty one (half of it in C++, where a call of a nanosecond or two partly hides behind what it calls); of five processes of each side before and five after, in turns. Medians of the runs; *off* is by how much \
         `time`, and the ratio, differ from that mean, least and greatest of the runs. The means' ratio has an error of its own: its ± (99 %) is by how those turns scatter. \
         *Holds* leaves it out of account; both *agree* where they differ by no more than both errors in quadrature.\n\n\
         | language | subject | runs | mean, base | candidate | `time` off, base | candidate | ratio of means | ± | ratio | off | its interval holds it | both agree | verdicts |\n\
         | --- | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --- |\n",
    );
    for MeansRow { pair, seen } in rows {
        let side = |side: usize| {
            let means: Vec<f64> = seen.iter().map(|seen| seen.means[side]).collect();
            let said: Vec<f64> = seen.iter().filter_map(|seen| seen.process_cpu).map(|means| means[side]).collect();
            let said = median(&said).map_or(String::new(), |said| format!(" ({})", nanoseconds(said)));
            median(&means).map_or("–".to_owned(), |mean| nanoseconds(mean) + &said)
        };
        let off = |side: usize| range(seen.iter().filter_map(|seen| seen.time_errors()[side]));
        let ratios: Vec<f64> = seen.iter().filter_map(|seen| seen.ratio).map(|ratio| ratio.estimate).collect();
        let means: Vec<f64> = seen.iter().map(MeansFigures::mean_ratio).collect();
        let figure = |values: &[f64]| median(values).map_or("–".to_owned(), |value| format!("{value:.3}"));
        let held = seen.iter().filter(|seen| seen.is_held()).count();
        let agree = seen.iter().filter(|seen| seen.agrees()).count();
        let errors: Vec<f64> = seen.iter().filter_map(|seen| seen.mean_ratio_error).collect();
        let error = median(&errors).map_or("–".to_owned(), |error| format!("{:.1} %", 100.0 * error));
        // Writing to a string doesn't fail.
        let _ = writeln!(
            text,
            "| {} | {} | {} | {} | {} | {} | {} | {} | {error} | {} | {} | {held} of {} | {agree} of {} | {} |",
            pair.language.name(),
            pair.meaning,
            seen.len(),
            side(0),
            side(1),
            off(0),
            off(1),
            figure(&means),
            figure(&ratios),
            range(seen.iter().filter_map(MeansFigures::ratio_error)),
            seen.len(),
            seen.len(),
            verdicts(seen)
        );
    }
    text.push('\n');
}

fn median(values: &[f64]) -> Option<f64> {
    Quantiles::of(values).map(|found| found.median)
}

fn nanoseconds(ns: f64) -> String {
    if ns < 1e3 { format!("{ns:.1} ns") } else { format!("{:.2} µs", ns / 1e3) }
}

/// The least and the greatest, in percent.
fn range(errors: impl Iterator<Item = f64>) -> String {
    let mut sorted: Vec<f64> = errors.map(|error| 100.0 * error).collect();
    sorted.sort_unstable_by(f64::total_cmp);
    match sorted.as_slice() {
        [] => "–".to_owned(),
        [only] => format!("{only:+.1} %"),
        [least, .., greatest] => format!("{least:+.1} to {greatest:+.1} %"),
    }
}

fn verdicts(seen: &[MeansFigures]) -> String {
    let of = |verdict: &str| seen.iter().filter(|seen| seen.verdict == verdict).count();
    let counts = ["slower", "faster", "same", "inconclusive"].map(|verdict| (of(verdict), verdict));
    let said: Vec<String> = counts
        .into_iter()
        .filter(|&(count, _)| count > 0)
        .map(|(count, verdict)| format!("{count} {verdict}"))
        .collect();
    said.join(", ")
}

#[cfg(test)]
mod tests {
    use super::{MeansRow, write};
    use crate::means::{MeansFigures, PAIRS};
    use crate::said::Interval;

    #[test]
    fn a_row_shows_how_far_off_each_figure_is() {
        let seen = |factor: f64, verdict: &str| MeansFigures {
            means: [100.0, 200.0],
            mean_ratio_error: Some(0.02),
            process_cpu: Some([110.0, 2_100.0]),
            times: [Some(101.0 * factor), Some(190.0)],
            ratio: Some(Interval { estimate: 1.98, low: 1.9, high: 2.0 * factor }),
            verdict: verdict.to_owned(),
        };
        let row = MeansRow { pair: PAIRS[0], seen: vec![seen(1.0, "slower"), seen(0.98, "inconclusive")] };
        let mut text = String::new();
        write(&mut text, &[row, MeansRow { pair: PAIRS[1], seen: Vec::new() }]);
        let row = "| 2 | 100.0 ns (110.0 ns) | 200.0 ns (2.10 µs) | -1.0 to +1.0 % | -5.0 to -5.0 % | 2.000 | 2.0 % | 1.980 | -1.0 to -1.0 % | 1 of 2 | 2 of 2 | 1 slower, 1 inconclusive |\n";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| 0 | – | – | – | – | – | – | – | – | 0 of 0 | 0 of 0 |  |\n"), "{text}");
    }
}
