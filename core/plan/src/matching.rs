//! Which links of two programs are started together: those that have the functions which take the time at the same places within lines of the cache.
//!
//! What a link is worth is nearly all where a few functions begin within lines of 64 bytes: over 12 links of fastjson the place of `parseRawNumber` explained 98 % of the variance of its
//! benchmarks' times (19 % between links), over 12 of zerolog that of `AppendString` 95 % (docs/notebook/0111). Where both sides of a pair have it at the same place that cancels, so a
//! comparison needs a fraction of the pairs. Nothing that is timed takes part in the choice, and each link that is left is met once on each side, so that what is estimated stays the
//! same: the mean over layouts. A function that is itself other code is at the same place on both sides, as often at each as links have it there.

/// A function that takes a part of a case's time, and where the links of one side have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Function {
    /// Its part of the time, 0 to 1.
    pub share: f64,
    /// Its place within lines, by link; `None`: the link hasn't one function of that name.
    pub places: Vec<Option<u8>>,
}

/// A pair whose functions all lie elsewhere is as far off as the noise of so many pairs is wide: what layouts are worth goes by the square of shares.
const NOISE: f64 = 0.02;
/// Fewer pairs of links than these aren't left.
const FEWEST: usize = 4;

/// The links that the launches of several sides start, in turns: the first ones of all together, then the second ones. `sides`: for each, its functions in the same order; the first side's
/// are what the others are matched with. Nothing where places say nothing: no function is known on both sides, or there are fewer than two links.
///
/// Where leaving out the worst pairs makes the interval narrower they are left out: the error of the mean of n pairs that are off by a variance of v is t (n − 1) √(v / n), with Student's t at 99 %.
pub fn matched(sides: &[Vec<Function>]) -> Option<Vec<Vec<u32>>> {
    let (anchor, others) = sides.split_first()?;
    let links = sides.iter().flatten().map(|function| function.places.len()).min().filter(|&links| links >= 2)?;
    let mut orders = vec![(0..links).collect::<Vec<usize>>()];
    let mut off = vec![0.0f64; links];
    for other in others {
        let cost = |one: usize, another: usize| differ(anchor, other, one, another);
        let is_known = |function: &Function| function.places.iter().any(Option::is_some);
        if !anchor.iter().zip(other).any(|(ours, theirs)| is_known(ours) && is_known(theirs)) {
            return None;
        }
        let order = assigned(links, cost);
        for (one, &another) in order.iter().enumerate() {
            off[one] += cost(one, another);
        }
        orders.push(order);
    }
    let mut best: Vec<usize> = (0..links).collect();
    best.sort_by(|&one, &another| off[one].total_cmp(&off[another]).then(one.cmp(&another)));
    best.truncate(kept(&best.iter().map(|&link| off[link]).collect::<Vec<_>>()));
    // In the order of the first side's links, which is random.
    best.sort_unstable();
    Some(orders.iter().map(|order| best.iter().map(|&link| order[link] as u32).collect()).collect())
}

/// By how much two links differ: the squares of the shares of functions that they have at different places.
fn differ(ours: &[Function], theirs: &[Function], one: usize, another: usize) -> f64 {
    let is_apart = |(ours, theirs): &(&Function, &Function)| match (ours.places[one], theirs.places[another]) {
        (Some(one), Some(another)) => one != another,
        _ => false,
    };
    ours.iter().zip(theirs).filter(is_apart).map(|(ours, _)| ours.share * ours.share).sum()
}

/// A link for each, so that they cost little together: two are exchanged as long as that is less. With one function that is the least there is; with several it is near it.
fn assigned(links: usize, cost: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let mut order: Vec<usize> = (0..links).collect();
    let mut is_better = true;
    while is_better {
        is_better = false;
        for one in 0..links {
            for another in one + 1..links {
                let as_it_is = cost(one, order[one]) + cost(another, order[another]);
                if cost(one, order[another]) + cost(another, order[one]) < as_it_is - 1e-12 {
                    order.swap(one, another);
                    is_better = true;
                }
            }
        }
    }
    order
}

/// How many pairs are left of these, which are sorted by how far off they are.
fn kept(off: &[f64]) -> usize {
    let error = |count: usize| {
        let n = count as f64;
        let variance = off[..count].iter().sum::<f64>() / n + NOISE;
        student_99(n - 1.0) * (variance / n).sqrt()
    };
    let fewest = FEWEST.min(off.len()).max(2);
    (fewest..=off.len()).min_by(|&one, &another| error(one).total_cmp(&error(another))).unwrap_or(off.len())
}

/// Student's t at 99 % on both sides: the expansion of Abramowitz & Stegun, "Handbook of Mathematical Functions", 1964, 26.7.5, to its third term. 3 % too small at three degrees
/// of freedom.
fn student_99(freedom: f64) -> f64 {
    let z: f64 = 2.575_829;
    let terms = [
        z,
        (z.powi(3) + z) / 4.0,
        (5.0 * z.powi(5) + 16.0 * z.powi(3) + 3.0 * z) / 96.0,
        (3.0 * z.powi(7) + 19.0 * z.powi(5) + 17.0 * z.powi(3) - 15.0 * z) / 384.0,
    ];
    terms.iter().rev().fold(0.0, |sum, term| sum / freedom + term)
}

#[cfg(test)]
mod tests {
    use super::{Function, matched, student_99};

    fn function(share: f64, places: &[u8]) -> Function {
        Function { share, places: places.iter().map(|&place| Some(place)).collect() }
    }

    #[test]
    fn students_t_is_scipys() {
        // scipy.stats.t.ppf(0.995, [3, 5, 11, 23])
        for (freedom, expected) in [(3.0, 5.8409), (5.0, 4.0321), (11.0, 3.1058), (23.0, 2.8073)] {
            assert!((student_99(freedom) / expected - 1.0).abs() < 0.035, "{freedom}");
        }
    }

    #[test]
    fn links_that_have_the_function_at_the_same_place_are_started_together() {
        let base = vec![function(0.9, &[0, 0, 32, 32, 0, 32, 32, 0])];
        let candidate = vec![function(0.9, &[32, 0, 0, 32, 32, 32, 0, 0])];
        let orders = matched(&[base.clone(), candidate.clone()]).unwrap();
        let at = |side: &[Function], order: &[u32]| -> Vec<Option<u8>> {
            order.iter().map(|&link| side[0].places[link as usize]).collect()
        };
        assert_eq!(at(&base, &orders[0]), at(&candidate, &orders[1]));
        let mut all = orders[1].clone();
        all.sort_unstable();
        assert_eq!((orders[0].clone(), all), ((0..8).collect(), (0..8).collect()), "each once on each side");
    }

    #[test]
    fn pairs_that_no_link_matches_are_left_out_but_four_stay() {
        let base = vec![function(0.9, &[0, 0, 0, 0, 0, 0, 0, 0, 32, 32])];
        let candidate = vec![function(0.9, &[0, 0, 0, 0, 0, 0, 32, 32, 32, 32])];
        let orders = matched(&[base.clone(), candidate]).unwrap();
        assert_eq!(orders.iter().map(Vec::len).collect::<Vec<_>>(), [8, 8]);
        let other = vec![function(0.9, &[32; 10])];
        assert_eq!(matched(&[base, other]).unwrap()[0].len(), 10, "where most are apart all say more together");
    }

    #[test]
    fn pairs_stay_in_the_order_of_the_first_side_however_far_off_they_are() {
        let base = [function(0.9, &[0; 4]), function(0.1, &[0; 4])];
        let candidate = [function(0.9, &[0; 4]), function(0.1, &[32, 0, 0, 0])];
        assert_eq!(matched(&[base.into(), candidate.into()]).unwrap()[0], [0, 1, 2, 3]);
    }

    /// A function of a third of the time comes before two that have a tenth each.
    #[test]
    fn the_function_that_takes_most_comes_first() {
        let base = [function(0.33, &[0, 32]), function(0.1, &[0, 32]), function(0.1, &[0, 32])];
        let candidate = [function(0.33, &[32, 0]), function(0.1, &[0, 32]), function(0.1, &[0, 32])];
        assert_eq!(matched(&[base.into(), candidate.into()]).unwrap(), [[0, 1], [1, 0]]);
    }

    #[test]
    fn places_that_nobody_knows_say_nothing() {
        let unknown = vec![Function { share: 1.0, places: vec![None; 8] }];
        let known = vec![function(1.0, &[0; 8])];
        assert_eq!(matched(&[known.clone(), unknown]), None);
        assert_eq!(matched(&[known.clone(), Vec::new()]), None);
        assert_eq!((matched(&[]), matched(&[vec![function(1.0, &[0])], vec![function(1.0, &[0])]])), (None, None));
        // Three sides go by the first one.
        assert_eq!(matched(&[known.clone(), known.clone(), known]).unwrap().len(), 3);
    }

    #[test]
    fn a_function_that_some_links_lack_is_matched_where_links_have_it() {
        let side = |places: [Option<u8>; 4]| vec![Function { share: 0.9, places: places.into() }];
        let orders = matched(&[side([Some(0), Some(32), None, None]), side([Some(32), Some(0), None, None])]).unwrap();
        assert_eq!((&orders[0][..2], &orders[1][..2]), (&[0, 1][..], &[1, 0][..]));
    }
}
