use std::fmt::Write;

use super::{percent, seconds};
use crate::simulated::{Counted, CountedRuns, Detected, Model, Quantiles};

/// A row of simulated comparisons.
#[derive(Debug, Clone)]
pub struct ShapeRow {
    /// What was compared.
    pub model: Model,
    /// What was counted.
    pub counted: Counted,
}

/// A row of runs without comparison, on simulated machines.
#[derive(Debug, Clone)]
pub struct RunsRow {
    /// What was measured: the model's candidate.
    pub model: Model,
    /// What was counted.
    pub counted: CountedRuns,
}

/// A row of effects that are as large as the printed one.
#[derive(Debug, Clone)]
pub struct EffectRow {
    /// On which machine.
    pub model: Model,
    /// Cases of the suite.
    pub cases: usize,
    /// What was counted.
    pub detected: Detected,
}

/// What was counted of subjects with slow work of their own.
#[derive(Debug, Clone, Default)]
pub struct Shapes {
    /// One side has it.
    pub differing: Vec<ShapeRow>,
    /// Both sides have it, or effects that outlast launches.
    pub alike: Vec<ShapeRow>,
    /// Measured without comparison.
    pub alone: Vec<RunsRow>,
    /// Effects as large as the printed one.
    pub effects: Vec<EffectRow>,
}

const HEAD: &str = "| shape | expected cost | comparisons | slower | faster | same | within | too little | wrong sign | met no slow launch | coverage | of typical calls | pairs | time |\n\
                    | --- | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: | --: |\n";

pub(super) fn write(text: &mut String, found: &Shapes) {
    text.push_str(
        "## Simulated subjects with slow work of their own\n\nExpected costs that differ where typical calls hardly do: one side has a tail. \
         *Coverage* is that of the 99 % intervals of expected costs and of typical calls; *met no slow launch*, of subjects that are slow in \
         some launches only, how many comparisons had none of these; *too little*, how often the truth lies beyond the bound of `same` (*within*, median) though such a launch was met.\n\n",
    );
    text.push_str(HEAD);
    found.differing.iter().for_each(|row| of_comparisons(text, row));
    text.push_str(
        "\nIdentical code: both sides with the same tail, and effects that outlast a launch. Of builds each side draws one for all of its launches, as \
         two revisions of compiled code do: the core knows that they are two builds, and not that they do the same.\n\n",
    );
    text.push_str(HEAD);
    found.alike.iter().for_each(|row| of_comparisons(text, row));
    text.push_str(
        "\nRuns without comparison: how often the 95 % interval of `time` holds the expected cost, and that of `typical` the typical one.\n\n\
         | subject | runs | coverage | of typical calls | half-width | mean error | met no slow launch |\n\
         | --- | --: | --: | --: | --: | --: | --: |\n",
    );
    for RunsRow { model, counted } in &found.alone {
        // Writing to a string doesn't fail.
        let _ = writeln!(
            text,
            "| {} ({}) | {} | {} | {} | {:.3} % | {:+.3} % | {} |",
            model.name,
            model.meaning,
            counted.runs,
            percent(counted.coverage()),
            percent(counted.typical_coverage()),
            100.0 * counted.half_width(),
            100.0 * counted.mean_error(),
            counted.unmet
        );
    }
    text.push_str(
        "\nThe smallest effect that would have been called four times in five, as a suite of identical cases has it for one that is not called \
         different: how often just this effect is called, in one case of another such suite.\n\n\
         | machine | cases | printed | median effect | called |\n| --- | --: | --: | --: | --: |\n",
    );
    for EffectRow { model, cases, detected } in &found.effects {
        let median = Quantiles::of(&detected.effects).map_or("–".to_owned(), |effects| percent(effects.median));
        let (printed, called) = (detected.effects.len(), percent(detected.share()));
        let _ = writeln!(text, "| {} | {cases} | {printed} | {median} | {called} |", model.name);
    }
    text.push('\n');
}

fn of_comparisons(text: &mut String, ShapeRow { model, counted }: &ShapeRow) {
    let share = |count| percent(counted.share(count));
    let typical = if counted.typical_defined > 0 { percent(counted.typical_coverage()) } else { "–".to_owned() };
    // Writing to a string doesn't fail.
    let _ = writeln!(
        text,
        "| {} ({}) | {:+.1} % | {} | {} | {} | {} | {} | {} | {} | {} | {} | {typical} | {:.1} | {} |",
        model.name,
        model.meaning,
        100.0 * (model.time_ratio() - 1.0),
        counted.comparisons,
        share(counted.slower),
        share(counted.faster),
        share(counted.same),
        counted.median_bound(),
        share(counted.wrong_bound - counted.wrong_unmet),
        share(counted.wrong_sign),
        share(counted.unmet),
        percent(counted.coverage()),
        counted.mean_pairs(),
        seconds(&counted.run_ms)
    );
}

#[cfg(test)]
mod tests {
    use super::{EffectRow, RunsRow, ShapeRow, Shapes, write};
    use crate::simulated::{Counted, CountedRuns, Detected, shapes};

    #[test]
    fn what_was_counted_stands_in_its_rows() {
        let model = shapes().remove(5);
        let counted = Counted {
            comparisons: 200,
            slower: 150,
            same: 2,
            bounds: vec![0.01, 0.02],
            wrong_bound: 2,
            wrong_unmet: 1,
            unmet: 3,
            defined: 200,
            covered: 198,
            ..Counted::default()
        };
        let runs = CountedRuns {
            runs: 50,
            covered: 47,
            typical_covered: 49,
            typical_defined: 50,
            errors: vec![0.01; 50],
            half_widths: vec![0.004],
            ..CountedRuns::default()
        };
        let found = Shapes {
            differing: vec![ShapeRow { model: model.clone(), counted }],
            alike: Vec::new(),
            alone: vec![RunsRow { model: model.clone(), counted: runs }],
            effects: vec![EffectRow { model, cases: 20, detected: Detected { effects: vec![0.01, 0.02], called: 1 } }],
        };
        let mut text = String::new();
        write(&mut text, &found);
        let row = "| +5.0 % | 200 | 75.00 % | 0.00 % | 1.00 % | 1.00 % | 0.50 % | 0.00 % | 1.50 % | 99.00 % | – | 0.0 | – |\n";
        assert!(text.contains(row), "{text}");
        assert!(text.contains("| 50 | 94.00 % | 98.00 % | 0.400 % | +1.000 % | 0 |\n"), "{text}");
        assert!(text.contains("| 20 | 2 | 1.00 % | 50.00 % |\n"), "{text}");
        // Every table has as many cells in its rows as in its head.
        for table in text.split("\n\n").filter(|block| block.starts_with('|')) {
            let cells: Vec<usize> = table.lines().map(|line| line.matches('|').count()).collect();
            assert!(cells.iter().all(|&count| count == cells[0]), "{table}");
        }
    }
}
