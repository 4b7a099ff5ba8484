//! A distribution in a few characters.

/// Columns of the distribution sketch.
pub(crate) const SKETCH: usize = 12;

/// Densities from 0 to 1 as bars of eighths; ASCII shades without `unicode`.
pub(crate) fn sketch(densities: &[f64], unicode: bool) -> String {
    const BARS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    const SHADES: [char; 8] = [' ', '.', ':', '-', '=', '+', '*', '#'];
    let glyphs: &[char] = if unicode { &BARS } else { &SHADES };
    let merged = densities.len().div_ceil(SKETCH).max(1);
    let means: Vec<f64> = densities.chunks(merged).map(|bin| bin.iter().sum::<f64>() / bin.len() as f64).collect();
    let top = means.iter().copied().fold(0.0, f64::max);
    let steps = (glyphs.len() - 1) as f64;
    let level = |mean: f64| if mean > 0.0 && top > 0.0 { (mean / top * steps).ceil().min(steps) as usize } else { 0 };
    means.into_iter().map(|mean| glyphs[level(mean)]).collect()
}

#[cfg(test)]
mod tests {
    use super::sketch;

    #[test]
    fn a_sketch_shows_what_there_is_and_leaves_out_what_there_is_not() {
        let mut densities = vec![0.0; 24];
        densities[0] = 1.0;
        densities[1] = 1.0;
        densities[4] = 0.01;
        assert_eq!(sketch(&densities, true), "█ ▁         ");
        assert_eq!(sketch(&densities, false), "# .         ");
        assert_eq!(sketch(&[], true), "");
        assert_eq!(sketch(&[0.0; 24], true).trim(), "");
    }
}
