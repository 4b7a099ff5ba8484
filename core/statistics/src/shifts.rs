//! Shifts of level in a case's history: one time a run, noise that lingers, machines whose levels come back.

use crate::quantile::{mean, select_median};

/// Fewest values of a level.
pub const SHORTEST_LEVEL: usize = 4;

/// Fewest values of a history in which a shift can be seen.
pub const FEWEST_OF_A_HISTORY: usize = 2 * SHORTEST_LEVEL;

/// Correlations of neighbours that are tried: 0 to 0.9. Beyond, a level and a walk can't be told apart.
const CORRELATIONS: usize = 19;
const STEP: f64 = 0.05;

/// A correlation above this is the less likely beforehand, by so much of log-likelihood for each unit: else every shift could as well be noise that
/// lingers longer than noise does (decision 89).
const LINGERING: f64 = 0.5;
const UNLIKELY: f64 = 20.0;

/// Twice the gain in log-likelihood from which on a shift is claimed. Of series of 100 values without one 1 % come to 12 where values are independent, to
/// 14 at a correlation of 0.3, to 18.6 at 0.6, whose correlation they take for less than it is; of series of 60 values to 19.1 (decision 89).
const CLAIMED: f64 = 19.0;

/// What a part of a history needs beyond that: parts are many, and each is a chance to be mistaken.
const OF_PARTS: f64 = 8.0;
/// Fewest values of a part that is looked at by itself.
const PART: usize = 24;

/// A value this many standard deviations of the noise from the median of its neighbours is put there: one run on a machine that stood still is no level.
const FAR: f64 = 5.0;
/// Neighbours on either side whose median it is.
const NEIGHBOURS: usize = 3;

/// The shifts of level in a history: the indices, ascending, at which a new level begins; empty where there is but one, or fewer than eight values.
///
/// A likelihood ratio for each place: one level against two, about either of which the values are a first-order autoregression, whose correlation each
/// hypothesis chooses for itself, the likelier where it is at most a half (Robbins, Gallagher, Lund & Aue, "Mean shift testing in correlated data", Journal of Time Series Analysis 32(5), 2011, §3,
/// with exact likelihoods in place of conditional ones). A shift and noise that lingers are so weighed against each other, and a shift's first value, which
/// no lingering explains, counts whole. The largest ratio above the threshold splits the history; both parts are looked at again, and in the end each shift
/// between its neighbours. How often one is claimed where there is none, and how soon one is seen, is counted by `tests/change_points.rs`.
pub fn history_changes(values: &[f64]) -> Vec<usize> {
    if values.len() < FEWEST_OF_A_HISTORY || values.iter().any(|value| !value.is_finite()) {
        return Vec::new();
    }
    let values = without_spikes(values);
    let mut places = Vec::new();
    split(&values, 0, values.len(), &mut places);
    places.sort_unstable();
    confirmed(&values, places)
}

/// A place and twice the gain in log-likelihood there.
#[derive(Debug, Clone, Copy)]
struct Shift {
    place: usize,
    gain: f64,
}

fn split(values: &[f64], from: usize, to: usize, places: &mut Vec<usize>) {
    let whole = shift(values, from, to).filter(|found| found.gain > CLAIMED);
    let Some(found) = whole.or_else(|| in_parts(values, from, to)) else { return };
    places.push(found.place);
    split(values, from, found.place, places);
    split(values, found.place, to, places);
}

/// The best of parts of a half, a quarter, … that overlap by half (Kovács, Li, Bühlmann & Munk, "Seeded binary segmentation", Biometrika 110(1), 2023): a level
/// that comes and goes hides from who looks at the whole.
fn in_parts(values: &[f64], from: usize, to: usize) -> Option<Shift> {
    let mut best: Option<Shift> = None;
    let mut length = (to - from) / 2;
    while length >= PART {
        let mut start = from;
        while start + length <= to {
            let found = shift(values, start, start + length).filter(|found| found.gain > CLAIMED + OF_PARTS);
            best = [best, found].into_iter().flatten().max_by(|a, b| a.gain.total_cmp(&b.gain));
            start += length / 2;
        }
        length /= 2;
    }
    best
}

/// Those that stand between their neighbours, too, each where it is likeliest there.
fn confirmed(values: &[f64], mut places: Vec<usize>) -> Vec<usize> {
    let mut index = 0;
    while index < places.len() {
        let from = if index == 0 { 0 } else { places[index - 1] };
        let to = places.get(index + 1).copied().unwrap_or(values.len());
        match shift(values, from, to).filter(|found| found.gain > CLAIMED) {
            Some(found) => {
                places[index] = found.place;
                index += 1;
            }
            None => {
                places.remove(index);
                // What stood before it has a longer part behind it now.
                index = index.saturating_sub(1);
            }
        }
    }
    places
}

/// The likeliest shift of the values from `from` to before `to`; `None` of too few, or of equal ones.
fn shift(values: &[f64], from: usize, to: usize) -> Option<Shift> {
    let values = &values[from..to];
    let n = values.len();
    let first = values.first()?;
    if n < 2 * SHORTEST_LEVEL || values.iter().all(|value| value == first) {
        return None;
    }
    let middle = mean(values).unwrap_or(0.0);
    let centred: Vec<f64> = values.iter().map(|value| value - middle).collect();
    let mut without = f64::INFINITY;
    let mut with = vec![f64::INFINITY; n];
    for correlation in (0..CORRELATIONS).map(|number| number as f64 * STEP) {
        without = without.min(squares(&centred, correlation, &mut with));
    }
    let best = (SHORTEST_LEVEL..=n - SHORTEST_LEVEL).min_by(|&a, &b| with[a].total_cmp(&with[b]))?;
    let likelihood = |squares: f64| -(n as f64) / 2.0 * (squares / n as f64).max(f64::MIN_POSITIVE).ln();
    Some(Shift { place: from + best, gain: 2.0 * (likelihood(with[best]) - likelihood(without)) })
}

/// The sum of squares about one level at that correlation; `with` is lowered to that about two, by the place of the second.
///
/// Values are whitened (z₁ = √(1 − ρ²) y₁, zₜ = yₜ − ρ yₜ₋₁), and so are the level and the step, which are then fitted by least squares. The log-likelihood is −n/2 ln(S/n) + ln √(1 − ρ²) + what is likely beforehand, up to a
/// constant. S comes multiplied by exp(−2/n (ln √(1 − ρ²) + what is likely beforehand)): the smallest of such sums is then the likeliest, whatever their correlations, and one logarithm is taken in the end.
fn squares(values: &[f64], correlation: f64, with: &mut [f64]) -> f64 {
    let n = values.len();
    let (first, rest) = ((1.0 - correlation * correlation).sqrt(), 1.0 - correlation);
    let mut white: Vec<f64> = vec![first * values[0]];
    white.extend(values.windows(2).map(|pair| pair[1] - correlation * pair[0]));
    let later: f64 = white[1..].iter().sum();
    let level = first * first + (n - 1) as f64 * rest * rest;
    let level_value = first * white[0] + rest * later;
    let one = white.iter().map(|value| value * value).sum::<f64>() - level_value * level_value / level;
    let beforehand = -UNLIKELY * (correlation - LINGERING).max(0.0);
    let weight = (-2.0 / n as f64 * (beforehand + first.ln())).exp();
    // Of levels without noise rounding leaves a rest, of which nobody can say anything.
    let least = 1e-12 * one;
    let mut after = 0.0;
    for place in (SHORTEST_LEVEL..n).rev() {
        let count = (n - place - 1) as f64;
        let step_value = white[place] + rest * after;
        after += white[place];
        if place > n - SHORTEST_LEVEL {
            continue;
        }
        let step = 1.0 + count * rest * rest;
        let both = rest * (1.0 + count * rest);
        let gained = (step_value - both * level_value / level).powi(2) / (step - both * both / level);
        with[place] = with[place].min(weight * (one - gained).max(least));
    }
    weight * one
}

fn without_spikes(values: &[f64]) -> Vec<f64> {
    let mut steps: Vec<f64> = values.windows(2).map(|pair| (pair[1] - pair[0]).abs()).collect();
    let noise = select_median(&mut steps).unwrap_or(0.0) / (0.674_489_750_196_081_7 * 2f64.sqrt());
    if noise == 0.0 {
        return values.to_vec();
    }
    let put = |(index, value): (usize, &f64)| {
        let around = &values[index.saturating_sub(NEIGHBOURS)..(index + NEIGHBOURS + 1).min(values.len())];
        let middle = select_median(&mut around.to_vec()).unwrap_or(*value);
        if (value - middle).abs() > FAR * noise { middle } else { *value }
    };
    values.iter().enumerate().map(put).collect()
}

#[cfg(test)]
mod tests {
    use super::history_changes;

    /// Noise without chance: the fractions of multiples of the golden ratio, from 0 to 1.
    fn noise(count: usize) -> impl Iterator<Item = f64> {
        (0..count).map(|index| (index as f64 * 0.618_033_988_75).fract())
    }

    #[test]
    fn a_step_is_found_however_high_it_is() {
        for height in [3.0, 10.0, 100.0, 1e4, 1e9] {
            for at in [5, 12, 19] {
                let values: Vec<f64> =
                    noise(24).enumerate().map(|(i, noise)| 200.0 + noise + if i < at { 0.0 } else { height }).collect();
                assert_eq!(history_changes(&values), [at], "{height} at {at}");
            }
        }
        let noiseless: Vec<f64> = (0..24).map(|i| if i < 9 { 12.0 } else { 10.0 }).collect();
        assert_eq!(history_changes(&noiseless), [9]);
    }

    #[test]
    fn a_level_that_comes_and_goes_is_two_changes() {
        let values: Vec<f64> =
            noise(120).enumerate().map(|(i, noise)| noise + if (50..70).contains(&i) { 4.0 } else { 0.0 }).collect();
        assert_eq!(history_changes(&values), [50, 70]);
        let stairs: Vec<f64> = noise(90).enumerate().map(|(i, noise)| noise + (i / 30) as f64 * 40.0).collect();
        assert_eq!(history_changes(&stairs), [30, 60]);
    }

    #[test]
    fn a_spike_is_no_level_and_neither_is_nothing() {
        let mut values: Vec<f64> = noise(60).collect();
        for (at, height) in [(20, 1e6), (21, 500.0), (44, -1e9)] {
            values[at] += height;
        }
        assert!(history_changes(&values).is_empty(), "{:?}", history_changes(&values));
        assert!(history_changes(&[5.0; 40]).is_empty());
        assert!(history_changes(&[1.0, 2.0, 9.0, 9.0, 9.0, 9.0, 9.0]).is_empty());
        assert!(history_changes(&[f64::NAN; 40]).is_empty());
    }
}
