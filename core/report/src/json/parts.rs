use std::collections::BTreeMap;

use serde_json::{Map, Number, Value, json};
use tare_samples::{Case, Failure};
use tare_statistics::{Estimate, Severity, Warning};

use tare_results::NoticeView;

/// An object whose members keep their order; figures that can't be written are left out.
#[derive(Debug, Default)]
pub(super) struct Object(Map<String, Value>);

impl Object {
    pub(super) fn with(mut self, name: &str, value: impl Into<Value>) -> Self {
        self.0.insert(name.to_owned(), value.into());
        self
    }

    pub(super) fn maybe(self, name: &str, value: Option<impl Into<Value>>) -> Self {
        match value {
            Some(value) => self.with(name, value),
            None => self,
        }
    }

    /// A figure; JSON has no infinities and no NaN.
    pub(super) fn figure(self, name: &str, value: f64) -> Self {
        self.maybe(name, Number::from_f64(value))
    }

    pub(super) fn estimate(self, name: &str, estimate: &Estimate) -> Self {
        self.maybe(name, interval(estimate).map(Self::done))
    }

    pub(super) fn done(self) -> Value {
        Value::Object(self.0)
    }

    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// `{"estimate":…,"low":…,"high":…}`; `None` without a finite estimate.
pub(super) fn interval(estimate: &Estimate) -> Option<Object> {
    estimate.estimate.is_finite().then(|| {
        Object::default()
            .figure("estimate", estimate.estimate)
            .figure("low", estimate.low)
            .figure("high", estimate.high)
    })
}

/// `[{"code":…,"severity":…,"message":…,"remedy":…}]`; no severity where this version doesn't know the code.
pub(super) fn warnings(all: &[Warning]) -> Value {
    let warning = |warning: &Warning| {
        Object::default()
            .with("code", warning.code.as_str())
            .maybe("severity", warning.severity().map(Severity::name))
            .with("message", warning.message.as_str())
            .with("remedy", warning.remedy.as_str())
            .done()
    };
    all.iter().map(warning).collect()
}

pub(super) fn strings(map: &BTreeMap<String, String>) -> Value {
    Value::Object(map.iter().map(|(name, value)| (name.clone(), json!(value))).collect())
}

/// The set's name, and its printed values in an object of their own: a parameter may be called `name` too.
pub(super) fn parameters(case: &Case) -> Value {
    let parameters = &case.parameters;
    let Some(name) = &parameters.name else { return json!({}) };
    let values: Map<String, Value> =
        parameters.values.iter().map(|(name, value)| (name.clone(), json!(value))).collect();
    Object::default().with("name", name.as_str()).with("values", values).done()
}

pub(super) fn failure(failure: &Failure) -> Value {
    let place = !failure.file.is_empty();
    Object::default()
        .with("kind", failure.kind.to_string())
        .with("message", failure.message.as_str())
        .with("stdout", failure.stdout.as_str())
        .with("stderr", failure.stderr.as_str())
        .maybe("trace", (!failure.trace.is_empty()).then_some(failure.trace.as_str()))
        .maybe("file", place.then_some(failure.file.as_str()))
        .maybe("line", (place && failure.line > 0).then_some(failure.line))
        .with("remedy", failure.remedy.as_str())
        .done()
}

pub(super) fn notices(notices: &[NoticeView]) -> Value {
    let notice = |notice: &NoticeView| {
        let place = !notice.file.is_empty();
        Object::default()
            .with("level", notice.level.name())
            .with("message", notice.message.as_str())
            .maybe("file", place.then_some(notice.file.as_str()))
            .maybe("line", (place && notice.line > 0).then_some(notice.line))
            .with("remedy", notice.remedy.as_str())
            .done()
    };
    notices.iter().map(notice).collect()
}
