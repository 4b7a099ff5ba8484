use anyhow::Result;
use tare_plan::Settings;
use tare_validation::page::{EffectRow, RunsRow, ShapeRow, Shapes};
use tare_validation::simulated::{
    Counted, CountedRuns, Detected, Model, Question, compare, detect_printed, models, persistent, shapes, single_runs,
    undecided,
};

use super::simulated::CHUNK;
use crate::Validation;

/// Cases of the suites in which an effect is looked for that is as large as the printed one.
const SUITES: [usize; 3] = [1, 20, 100];

impl Validation {
    pub(crate) fn shapes(&mut self) -> Result<Shapes> {
        let mut found = Shapes::default();
        for shape in shapes() {
            let counted = self.shape("one side", &shape)?;
            found.differing.push(ShapeRow { model: shape, counted });
        }
        for shape in shapes() {
            // Where both have the tail it makes no difference who it was taken from.
            if shape.name.contains("base") {
                continue;
            }
            let alike = shape.alike();
            let counted = self.shape("both sides", &alike)?;
            found.alike.push(ShapeRow { model: alike, counted });
        }
        for model in persistent() {
            let counted = self.shape("both sides", &model)?;
            found.alike.push(ShapeRow { model, counted });
        }
        let of_models = models().into_iter().filter(|model| model.scale.bursts.is_none() && model.name != "drift");
        for model in of_models.chain(shapes()) {
            // Those of the base are seen in the base alone.
            if model.name.contains("base") {
                continue;
            }
            let (key, wanted) = (format!("shapes, alone, {}", model.name), self.counts.shapes);
            let settings = Settings::default();
            let counted =
                self.counted(&key, wanted, CHUNK, CountedRuns::add, |seeds| single_runs(&model, &settings, seeds))?;
            found.alone.push(RunsRow { model, counted });
        }
        for model in undecided() {
            for cases in SUITES {
                let (key, wanted) = (format!("shapes, effect, {}, {cases}", model.name), self.counts.effects);
                let detected = self
                    .counted(&key, wanted, 10, Detected::add, |seeds| detect_printed(&model, &plain(), cases, seeds))?;
                found.effects.push(EffectRow { model: model.clone(), cases, detected });
            }
        }
        Ok(found)
    }

    fn shape(&mut self, sides: &str, model: &Model) -> Result<Counted> {
        let (key, wanted) = (format!("shapes, {sides}, {}", model.name), self.counts.shapes);
        self.counted(&key, wanted, CHUNK, Counted::add, |seeds| compare(model, &plain(), seeds))
    }
}

fn plain() -> Question {
    Question { slowdown: 0.0, setups_ns: [0.0; 2], gate: None, settings: Settings::default() }
}
