use maud::{Markup, html};

const WIDTH: f64 = 120.0;
const HEIGHT: f64 = 24.0;
/// Room for the mark of the newest value.
const EDGE: f64 = 3.0;

/// Values in their order as a line without axes, the newest one marked; `None` of fewer than two. Those that differ by less than the part `flattest` of the largest
/// one are drawn as if they differed by as much: noise is no mountain range. Decoration: what it says stands beside it in words.
pub fn sparkline(values: &[f64], flattest: f64) -> Option<Markup> {
    let values: Vec<f64> = values.iter().copied().filter(|value| value.is_finite()).collect();
    let (least, most) = values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(a, b), v| (a.min(*v), b.max(*v)));
    if values.len() < 2 {
        return None;
    }
    let range = (most - least).max(flattest * most.abs()).max(f64::MIN_POSITIVE);
    let middle = least + (most - least) / 2.0;
    let step = (WIDTH - 2.0 * EDGE) / (values.len() - 1) as f64;
    let x = |at: usize| EDGE + step * at as f64;
    let y = |value: f64| HEIGHT / 2.0 - (value - middle) / range * (HEIGHT - 2.0 * EDGE);
    let last = values.len() - 1;
    let height = |at: usize| format!("{:.1}", y(values[at]));
    // What lies on a level line between its neighbours says nothing.
    let is_level = |at: usize| at > 0 && at < last && [at - 1, at + 1].iter().all(|other| height(*other) == height(at));
    let points: Vec<String> =
        (0..=last).filter(|at| !is_level(*at)).map(|at| format!("{:.1},{}", x(at), height(at))).collect();
    Some(html! {
        svg class="sparkline" viewBox={ "0 0 " (WIDTH) " " (HEIGHT) } width=(WIDTH) height=(HEIGHT) aria-hidden="true" {
            polyline points=(points.join(" ")) fill="none" stroke="currentColor" stroke-width="1.2" {}
            circle cx=(format!("{:.1}", x(last))) cy=(format!("{:.1}", y(values[last]))) r="2.2" fill="currentColor" {}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::sparkline;

    fn points(values: &[f64]) -> Vec<(f64, f64)> {
        let svg = sparkline(values, 0.02).map(|line| line.into_string()).unwrap_or_default();
        let list = svg.split("points=\"").nth(1).and_then(|rest| rest.split('"').next()).unwrap_or_default();
        let pair = |text: &str| text.split_once(',').map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()));
        list.split(' ').filter_map(pair).collect()
    }

    #[test]
    fn what_takes_longer_is_higher_and_noise_is_flat() {
        let up = points(&[100.0, 100.0, 150.0]);
        assert_eq!(up, [(3.0, 21.0), (60.0, 21.0), (117.0, 3.0)]);
        assert_eq!(points(&[1.0, 1.0, 1.0, 1.0, 2.0]).len(), 3);
        let noise = points(&[100.0, 100.1]);
        assert!((noise[0].1 - noise[1].1).abs() < 1.5, "{noise:?}");
        assert_eq!((points(&[1.0]).len(), points(&[f64::NAN, 1.0]).len()), (0, 0));
        for values in [&[0.0, 0.0][..], &[-1.0, 1.0], &[1e300, -1e300], &[f64::INFINITY, 1.0, 2.0]] {
            assert!(points(values).iter().all(|(_, y)| (0.0..=24.0).contains(y)), "{values:?}");
        }
    }
}
