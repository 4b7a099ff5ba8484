//! Launch pairs that met the same two layouts of the code.

use crate::quantile;

use super::PairRatio;

/// The standard error of the mean of what pairs say, and of how many independent ones it is.
///
/// Where links are drawn for launches and there are more launches than links, pairs of the same two links share what these are worth: each pair
/// more then tells of the machine, and nothing of layouts. The error is that of clusters, with n pairs in G of them and e what a pair is off:
/// G/(G − 1) Σ_clusters (Σ_pairs e)² / n², and Student's t has G − 1 degrees of freedom (Liang & Zeger, "Longitudinal data analysis using
/// generalized linear models", Biometrika 73(1), 1986; Cameron & Miller, "A practitioner's guide to cluster-robust inference", Journal of
/// Human Resources 50(2), 2015, §II and VI). `None` for fewer than two pairs, or clusters.
pub(super) fn standard_error(said: &[f64], pairs: &[PairRatio]) -> Option<(f64, usize)> {
    let mut layouts: Vec<u32> = pairs.iter().filter_map(|pair| pair.layout).collect();
    let drawn = layouts.len();
    layouts.sort_unstable();
    layouts.dedup();
    if layouts.len() == drawn {
        // Each has its own, as one draw of all that differs.
        return Some((quantile::standard_error(said)?, said.len()));
    }
    let mean = quantile::mean(said)?;
    let mut sums = vec![0.0; layouts.len()];
    let mut squares = 0.0;
    for (value, pair) in said.iter().zip(pairs) {
        match pair.layout.and_then(|layout| layouts.binary_search(&layout).ok()) {
            Some(at) => sums[at] += value - mean,
            None => squares += (value - mean).powi(2),
        }
    }
    squares += sums.iter().map(|sum| sum * sum).sum::<f64>();
    let clusters = layouts.len() + said.len() - drawn;
    let others = clusters.checked_sub(1).filter(|&others| others > 0)?;
    Some(((squares * clusters as f64 / others as f64).sqrt() / said.len() as f64, clusters))
}

#[cfg(test)]
mod tests {
    use super::standard_error;
    use crate::comparison::PairRatio;
    use crate::quantile;

    fn pairs(layouts: &[Option<u32>]) -> Vec<PairRatio> {
        let pair = |&layout: &Option<u32>| {
            let mut pair = PairRatio::of_rounds(vec![0.0], 0.0).unwrap();
            pair.layout = layout;
            pair
        };
        layouts.iter().map(pair).collect()
    }

    #[test]
    fn pairs_with_layouts_of_their_own_are_as_many_draws() {
        let said = [0.1, 0.3, -0.2];
        let plain = quantile::standard_error(&said);
        for layouts in [[None; 3], [Some(4), Some(0), Some(2)]] {
            assert_eq!(standard_error(&said, &pairs(&layouts)), plain.map(|error| (error, 3)));
        }
        assert_eq!(standard_error(&said[..1], &pairs(&[None])), None);
    }

    /// Each cluster twice: the error is that of the four means of clusters, however alike the two are.
    #[test]
    fn pairs_of_the_same_layouts_say_it_once() {
        let means = [0.3, -0.1, 0.2, 0.0];
        let said: Vec<f64> = means.iter().map(|mean| mean - 0.05).chain(means.iter().map(|mean| mean + 0.05)).collect();
        let layouts: Vec<Option<u32>> = (0..8).map(|pair| Some(pair % 4)).collect();
        let (error, clusters) = standard_error(&said, &pairs(&layouts)).unwrap();
        assert_eq!(clusters, 4);
        assert!((error - quantile::standard_error(&means).unwrap()).abs() < 1e-12, "{error}");
        assert!(error > 1.2 * quantile::standard_error(&said).unwrap());
    }

    /// One layout twice, 0.3 off together, and two of their own, 0.25 and 0.05 off: three clusters.
    #[test]
    fn pairs_with_layouts_of_their_own_stand_beside_those_that_share_one() {
        let said = [0.1, 0.3, -0.2, 0.0];
        let (error, clusters) = standard_error(&said, &pairs(&[Some(0), Some(0), None, None])).unwrap();
        assert_eq!(clusters, 3);
        let squares: f64 = 0.3 * 0.3 + 0.25 * 0.25 + 0.05 * 0.05;
        assert!((error - (squares * 3.0 / 2.0).sqrt() / 4.0).abs() < 1e-12, "{error}");
    }

    #[test]
    fn one_layout_in_all_pairs_tells_nothing_of_layouts() {
        assert_eq!(standard_error(&[0.1, 0.2], &pairs(&[Some(1), Some(1)])), None);
    }
}
