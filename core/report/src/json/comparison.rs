use serde_json::{Value, json};
use tare_samples::Likeness;
use tare_statistics::Estimate;
use tare_statistics::comparison::{CONFIDENCE, Flag};
use tare_statistics::memory::{MARGIN, MemoryComparison};
use tare_statistics::metric::MetricComparison;
use tare_statistics::work::{FunctionWork, Happenings, Work, WorkVaries};

use super::parts::{Object, interval, warnings};
use tare_results::{
    AssertionCounts, ComparisonKind, ComparisonView, ComparisonsView, GateOutcome, GateView, GroupMean, MachinesView,
    NoiseFloor, SessionView,
};
use tare_results::{MemoryComparisons, MetricComparisons};

/// The pairs that are judged. Controls are told apart from them: who counts the verdicts must not count noise.
pub(super) fn comparisons(
    view: &ComparisonsView,
    memory: &MemoryComparisons<'_>,
    metrics: &MetricComparisons<'_>,
) -> Value {
    view.judged()
        .map(|pair| {
            let ids = (pair.base.id.as_str(), pair.candidate.id.as_str());
            let told = metrics.get(&ids).map(|figures| figures.iter().map(metric).collect::<Value>());
            comparison(pair).maybe("memory", memory.get(&ids).map(weighed)).maybe("metrics", told).done()
        })
        .collect()
}

/// A figure that launches tell beside their time.
fn metric(one: &MetricComparison) -> Value {
    Object::default()
        .with("name", one.name.as_str())
        .figure("base", one.base)
        .figure("candidate", one.candidate)
        .figure("ratio", one.ratio.estimate)
        .figure("low", one.ratio.low)
        .figure("high", one.ratio.high)
        .figure("confidence", one.confidence)
        .with("verdict", one.verdict.name())
        .done()
}

/// What is known beyond the contract, only where there is any.
pub(super) fn additions(document: Object, view: &ComparisonsView) -> Object {
    let controls: Vec<Value> = view
        .pairs
        .iter()
        .filter(|pair| pair.kind == ComparisonKind::Control)
        .map(|pair| comparison(pair).done())
        .collect();
    let unpaired = view.unpaired.iter().map(|case| json!({"title": case.title, "side": case.side}));
    let some = |values: Vec<Value>| (!values.is_empty()).then_some(values);
    document
        .maybe("controls", some(controls))
        .maybe("unpaired", some(unpaired.collect()))
        .maybe("gates", some(view.gates.iter().map(gate).collect()))
        .maybe("assertions", (view.assertions.total() > 0).then(|| assertions(view.assertions)))
        .maybe("geometric_means", some(view.geometric_means.iter().map(mean).collect()))
        .maybe("session", view.session.as_ref().map(session))
        .maybe("noise_floor", view.noise_floor().map(|floor| noise_floor(&floor, view)))
}

fn session(view: &SessionView) -> Value {
    Object::default()
        .with("name", view.name.as_str())
        .with("number", view.number)
        .figure("level", view.level)
        .figure("error", view.error)
        .figure("left", view.left)
        .done()
}

fn assertions(counts: AssertionCounts) -> Value {
    json!({"held": counts.held, "failed": counts.failed, "undecided": counts.undecided})
}

fn comparison(pair: &ComparisonView) -> Object {
    let found = &pair.comparison;
    // A figure that isn't finite isn't known.
    let effect = found.minimum_detectable_effect.filter(|effect| effect.is_finite());
    Object::default()
        .with("base", pair.base.id.as_str())
        .with("candidate", pair.candidate.id.as_str())
        .with("ratio", ratio(found.ratio.as_ref(), found.confidence))
        .with("verdict", found.verdict.name())
        .figure("margin", found.margin)
        .with("minimum_detectable_effect", effect)
        .with("pairs", found.pairs)
        .with("confirmed", found.confirmed)
        .with("kind", pair.kind.name())
        .with("title", pair.title.as_str())
        .with("labels", json!({"base": pair.base.label, "candidate": pair.candidate.label}))
        .maybe("typical", found.typical.as_ref().map(|typical| ratio(Some(typical), found.confidence)))
        .with("verdict_about", found.about.name())
        .with("rests_on", found.rests_on.name())
        .maybe("within", found.within.filter(|bound| bound.is_finite()))
        .maybe("proof", found.proof.as_ref().map(|proof| json!(proof)))
        .maybe("differs", found.differs.as_deref())
        .maybe("flag", found.flag.as_ref().map(flag))
        .maybe("machine_code", pair.machine_code.map(Likeness::name))
        .maybe("machines", pair.machines.as_ref().map(machines))
        .maybe("work", pair.work.as_ref().map(|own| work(own, &pair.work_by)))
        .with("warnings", warnings(&found.warnings))
}

/// What calls of both sides execute: instructions a call, those of the null taken off.
fn work(work: &Work, by: &[FunctionWork]) -> Value {
    let of = |figure: fn(&Estimate) -> f64| work.ratio.as_ref().map(figure).filter(|figure| figure.is_finite());
    Object::default()
        .figure("base", work.base)
        .figure("candidate", work.candidate)
        .with("ratio", of(|ratio| ratio.estimate))
        .with("low", of(|ratio| ratio.low))
        .with("high", of(|ratio| ratio.high))
        .with("verdict", work.verdict.name())
        .maybe("varies", work.varies.map(WorkVaries::name))
        .with("by", "callgrind")
        .maybe("system_calls", work.system_calls.as_ref().map(happenings))
        .maybe("allocations", work.allocations.as_ref().map(happenings))
        .maybe("functions", (!by.is_empty()).then(|| by.iter().map(function).collect::<Value>()))
        .done()
}

/// How often a call of each side does something.
fn happenings(happenings: &Happenings) -> Value {
    let Happenings { base, candidate, differs } = happenings;
    Object::default().figure("base", *base).figure("candidate", *candidate).with("differs", *differs).done()
}

/// A function that a difference of work lies in.
fn function(by: &FunctionWork) -> Value {
    let calls = |[before, after]: [f64; 2]| Object::default().figure("base", before).figure("candidate", after).done();
    let caller = by.by.as_ref();
    let caller =
        caller.map(|one| Object::default().with("name", one.name.as_str()).with("calls", calls(one.calls)).done());
    Object::default()
        .with("name", by.name.as_str())
        .with("unit", by.unit.name())
        .figure("part", by.part)
        .with("calls", calls(by.calls))
        .with("by", caller)
        .done()
}

/// What each machine says, and each kind of them.
fn machines(view: &MachinesView) -> Value {
    let each = view.each.iter().map(|one| {
        let found = one.comparison.as_ref();
        Object::default()
            .with("machine", one.machine.as_str())
            .with("cpu", one.kind.as_str())
            .with("ratio", found.map_or(Value::Null, |found| ratio(found.ratio.as_ref(), found.confidence)))
            .with("verdict", found.map(|found| found.verdict.name()))
            .with("pairs", found.map(|found| found.pairs))
            .done()
    });
    let kinds = view.kinds.iter().map(|(kind, found)| {
        Object::default().with("cpu", kind.as_str()).with("ratio", ratio(Some(found), CONFIDENCE)).done()
    });
    Object::default()
        .with("each", each.collect::<Value>())
        .with("kinds", kinds.collect::<Value>())
        .with("between", view.between.filter(|between| between.is_finite()))
        .done()
}

/// The process's memory at its peak.
fn weighed(compared: &MemoryComparison) -> Value {
    Object::default()
        .with("ratio", ratio(Some(&compared.ratio), compared.confidence))
        .with("verdict", compared.verdict.name())
        .figure("margin", MARGIN)
        .done()
}

/// `null` where the ratio is undefined or an end of its interval can't be written.
fn ratio(ratio: Option<&Estimate>, confidence: f64) -> Value {
    // Of a ratio without an interval its ends are left out; of one that reaches without end on one side nothing is known.
    let is_whole = |r: &&Estimate| r.is_bounded() || r.low == f64::NEG_INFINITY;
    let known = ratio.filter(is_whole);
    let confidence = if known.is_some_and(Estimate::is_bounded) { confidence } else { f64::NAN };
    known.and_then(interval).map_or(Value::Null, |ratio| ratio.figure("confidence", confidence).done())
}

fn flag(flag: &Flag) -> Value {
    Object::default().with("first", flag.first.name()).with("pairs", flag.pairs).figure("p_value", flag.p_value).done()
}

fn gate(gate: &GateView) -> Value {
    let outcome = match gate.outcome {
        GateOutcome::Tripped => "tripped",
        GateOutcome::Undecided => "undecided",
    };
    Object::default()
        .with("title", gate.title.as_str())
        .with("variant", gate.variant.as_str())
        .maybe("base", gate.base.as_deref())
        .with("rule", gate.rule.as_str())
        .with("message", gate.message.as_str())
        .with("outcome", outcome)
        .done()
}

fn mean(mean: &GroupMean) -> Value {
    let finite = |time: Option<f64>| time.filter(|time| time.is_finite());
    Object::default()
        .with("group", mean.group.as_str())
        .with("labels", json!({"base": mean.base_label, "candidate": mean.candidate_label}))
        .maybe("base", finite(mean.base))
        .maybe("candidate", finite(mean.candidate))
        .with("ratio", ratio(mean.ratio.as_ref(), mean.confidence))
        .maybe("verdict", mean.verdict.map(|verdict| verdict.name()))
        .maybe("within", mean.within.filter(|bound| bound.is_finite()))
        .with("cases", mean.cases)
        .maybe("left_out", (!mean.left_out.is_empty()).then_some(mean.left_out.as_slice()))
        .done()
}

fn noise_floor(floor: &NoiseFloor, view: &ComparisonsView) -> Value {
    Object::default()
        .figure("error", floor.error)
        .figure("reach", floor.reach)
        .with("controls", floor.controls)
        .maybe("warnings", (!view.warnings.is_empty()).then(|| warnings(&view.warnings)))
        .done()
}
