//! What was timed of a case beside what was timed of the null, an empty benchmark.

use maud::{Markup, html};
use tare_statistics::{Bins, Timed};

use super::chart::shape;
use super::distribution::{BINS, GAP, WIDTH, outline, whole};
use super::scale::{Measure, Scale};
use super::{Caption, EDGE, at, labels, picture, roomy};

const LINE: f64 = 16.0;

/// Both on an axis from 0, each as high as the other: how far apart they lie, and whether they can be told apart, is what is to be seen. `None` where
/// an end is no time.
pub(crate) fn beside_null(found: &Timed, said: &Caption<'_>) -> Option<Markup> {
    let ends = [found.null.low, found.null.high, found.case.low, found.case.high];
    let most = ends.iter().copied().fold(0.0, f64::max);
    if most <= 0.0 || !ends.iter().all(|end| end.is_finite()) {
        return None;
    }
    let scale = Scale::linear(0.0, most, Measure::Time);
    let place = |time: f64| EDGE + scale.place(time, WIDTH - 2.0 * EDGE);
    let base = 2.0 * LINE + BINS;
    let ticks = scale.ticks(4).into_iter().map(|(value, label)| (place(value), label)).collect();
    let inside = html! {
        @for (number, (bins, name)) in [(&found.null, "an empty benchmark"), (&found.case, "this benchmark")].into_iter().enumerate() {
            @let y = (number as f64 + 1.0) * LINE - 4.0;
            path class={ "over n" (number) } d=(shape(1, 6.0, y - 4.0)) {}
            text class="name" x="18" y=(at(y)) { (name) }
            path class={ "over n" (number) } d=(drawn(bins, base, &place)) {}
        }
        path class="w" d={ "M" (at(EDGE)) " " (base) "H" (at(WIDTH - EDGE)) } {}
        (labels(&roomy(ticks), base + GAP + 5.0))
    };
    Some(picture(WIDTH, base + GAP + 10.0, "panel", said, &inside))
}

/// The bins; a bar where they would be narrower than can be seen.
fn drawn(bins: &Bins, base: f64, place: &impl Fn(f64) -> f64) -> String {
    let (low, high) = (whole(place(bins.low)), whole(place(bins.high)));
    if bins.counts.is_empty() || high - low < 3 {
        let middle = whole(place(bins.median));
        return format!("M{} {1}v-{2}h2v{2}z", middle - 1, whole(base), whole(BINS) - 4);
    }
    outline((bins.low, bins.high), &bins.counts, base, place)
}

#[cfg(test)]
mod tests {
    use tare_statistics::{Bins, Timed};

    use super::beside_null;
    use crate::svg::Caption;

    #[test]
    fn both_are_there_however_far_apart() {
        let said = Caption { title: "t", description: "", table: "t" };
        let bins = |low: f64, high: f64| Bins { low, high, counts: vec![1, 2, 1], median: (low + high) / 2.0 };
        for case in [bins(9.0, 12.0), bins(1e6, 2e6), Bins { low: 5.0, high: 5.0, counts: Vec::new(), median: 5.0 }] {
            let drawn = beside_null(&Timed { null: bins(8.0, 11.0), case }, &said).expect("a picture").into_string();
            assert_eq!(
                [drawn.matches("over n0").count(), drawn.matches("over n1").count()],
                [2, 2],
                "with the legend: {drawn}"
            );
            assert!(drawn.contains(">0 ") && !drawn.contains("NaN"), "an axis from 0: {drawn}");
        }
        let strange = Timed { null: bins(f64::NAN, 1.0), case: bins(1.0, 2.0) };
        assert!(beside_null(&strange, &said).is_none() && beside_null(&Timed::default(), &said).is_none());
    }
}
