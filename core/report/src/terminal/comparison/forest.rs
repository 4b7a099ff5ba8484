use tare_statistics::Estimate;

pub(super) use crate::axis::Axis;
use crate::axis::{ENDS, tick};

impl Axis {
    fn column(&self, logarithm: f64, width: usize) -> isize {
        let half = (width as f64 - 1.0) / 2.0;
        // The cast saturates, as infinities should.
        (half + self.place(logarithm) * half).round() as isize
    }

    /// The ends and the middle of the axis, and where there is room a pair of ticks between them.
    pub(super) fn labels(&self, width: usize) -> String {
        let mut cells = vec![' '; width];
        let put = |cells: &mut [char], start: usize, text: &str| {
            for (cell, c) in cells[start..].iter_mut().zip(text.chars()) {
                *cell = c;
            }
        };
        let length = |text: &str| text.chars().count();
        let (_, low, high) = ENDS[self.end];
        if length(low) + length(high) + 4 > width {
            return cells.into_iter().collect();
        }
        put(&mut cells, 0, low);
        put(&mut cells, width - length(high), high);
        // A change of nothing, or the same time.
        match low.ends_with('×') {
            true => put(&mut cells, width / 2 - 1, "1×"),
            false => put(&mut cells, width / 2, "0"),
        }
        let middle = (0..self.end).min_by(|a, b| {
            let off = |at: usize| (self.place(tick(at)) - 0.5).abs();
            off(*a).total_cmp(&off(*b))
        });
        if let Some(at) = middle {
            let (_, low, high) = ENDS[at];
            let starts = [(low, -tick(at)), (high, tick(at))].map(|(text, at)| {
                let start = self.column(at, width) - (length(text) / 2) as isize;
                (text, usize::try_from(start).unwrap_or(0))
            });
            let free = |(text, start): &(&str, usize)| {
                let end = start + length(text) + 1;
                *start > 0 && end <= width && cells[start - 1..end].iter().all(|cell| *cell == ' ')
            };
            if starts.iter().all(free) {
                for (text, start) in starts {
                    put(&mut cells, start, text);
                }
            }
        }
        cells.into_iter().collect()
    }

    /// An interval as a line with its estimate as a point, against the edges of its margin. What lies beyond the axis
    /// is an arrow. What is inside the margin is drawn inside it, and what is outside, outside, however narrow the axis.
    pub(super) fn draw(&self, ratio: &Estimate, margin: f64, width: usize) -> String {
        let mut cells = vec![' '; width];
        let last = width as isize - 1;
        let edge = margin.ln_1p();
        let edges = margin.is_finite().then(|| (self.column(-edge, width), self.column(edge, width)));
        let column = |ratio: f64| {
            let logarithm = ratio.max(0.0).ln();
            let column = self.column(logarithm, width);
            match edges {
                Some((_, high)) if logarithm > edge => column.max(high.saturating_add(1)),
                Some((low, _)) if logarithm < -edge => column.min(low.saturating_sub(1)),
                Some((low, high)) if high.saturating_sub(low) > 1 => column.clamp(low + 1, high - 1),
                _ => column,
            }
        };
        let [low, point, high] = [ratio.low, ratio.estimate, ratio.high].map(column);
        for at in low.clamp(0, last)..=high.clamp(0, last) {
            cells[at as usize] = '─';
        }
        for edge in edges.iter().flat_map(|(low, high)| [low, high]) {
            if let Some(cell) = usize::try_from(*edge).ok().and_then(|at| cells.get_mut(at)) {
                *cell = if *cell == ' ' { '┊' } else { '┼' };
            }
        }
        cells[low.clamp(0, last) as usize] = if low < 0 { '◂' } else { '├' };
        cells[high.clamp(0, last) as usize] = if high > last { '▸' } else { '┤' };
        // An arrow says more than a whisker that happens to fall on the same column.
        if low > last {
            cells[last as usize] = '▸';
        } else if high < 0 {
            cells[0] = '◂';
        } else if (0..=last).contains(&point) {
            // And more than a point at the axis' end.
            let (least, most) = (isize::from(low < 0), last - isize::from(high > last));
            cells[point.clamp(least, most.max(least)) as usize] = '●';
        }
        cells.into_iter().collect()
    }
}

#[cfg(test)]
mod tests {
    use tare_statistics::Estimate;

    use super::Axis;

    fn ratio(estimate: f64, low: f64, high: f64) -> Estimate {
        Estimate { estimate, low, high }
    }

    fn axis(ratios: &[Estimate]) -> Axis {
        let rows: Vec<(Estimate, f64)> = ratios.iter().map(|r| (*r, 0.005)).collect();
        Axis::of(&rows).expect("an axis")
    }

    #[test]
    fn intervals_stand_against_the_margin() {
        let ratios = [ratio(1.0, 0.998, 1.002), ratio(1.03, 1.025, 1.035), ratio(0.96, 0.93, 0.99)];
        let axis = axis(&ratios);
        let drawn = ratios.map(|r| axis.draw(&r, 0.005, 25));
        assert_eq!(axis.labels(25), "-5 %        0        +5 %");
        assert_eq!(drawn, ["       ┊  ├─●─┤  ┊       ", "       ┊         ┊    ●┤ ", "◂●───┤ ┊         ┊       "]);
    }

    #[test]
    fn one_huge_ratio_is_clipped_and_does_not_flatten_the_others() {
        let mut ratios = vec![ratio(1.0, 0.997, 1.003); 9];
        let calm = axis(&ratios);
        ratios.push(ratio(5.0, 4.8, 5.2));
        assert_eq!(axis(&ratios), calm);
        assert_eq!(calm.draw(&ratios[9], 0.005, 15), "   ┊       ┊  ▸");
        assert_eq!(calm.draw(&ratio(0.2, 0.1, 0.3), 0.005, 15), "◂  ┊       ┊   ");
        assert_eq!(calm.draw(&ratio(1.0, 0.0, f64::INFINITY), 0.005, 15), "◂──┼───●───┼──▸");
        // A point at the axis' end leaves the arrow to be seen.
        let near_the_end: Vec<String> =
            (0..60).map(|step| calm.draw(&ratio(0.97 + 0.0005 * f64::from(step), 0.5, 1.0), 0.005, 15)).collect();
        assert!(near_the_end.iter().all(|drawn| drawn.starts_with('◂')), "{near_the_end:?}");
        assert!(near_the_end.iter().any(|drawn| drawn.starts_with("◂●")));
    }

    #[test]
    fn a_suite_of_large_ratios_has_a_wide_axis() {
        let axis = axis(&[ratio(3.0, 2.9, 3.1), ratio(0.4, 0.39, 0.41)]);
        assert_eq!(axis.labels(21), "0.2×     1×        5×");
        assert_eq!(axis.labels(41).split("  ").filter(|label| !label.is_empty()).count(), 5);
        let right = axis.draw(&ratio(3.0, 2.9, 3.1), 0.005, 21);
        assert!(right.find('●') > right.rfind('┊'), "{right}");
    }
}
