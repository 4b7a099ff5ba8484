//! What is taken off medians and means alike: the clock, the loop and the call.

use tare_samples::Calibration;

/// What comes of medians, or of means, once the scale is off.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Tared {
    /// Elapsed time before anything is taken off.
    pub(super) raw: f64,
    /// The tared time.
    pub(super) time: f64,
    /// Loop and call.
    pub(super) call: f64,
    /// What the first calls cost beyond later ones, per sample.
    pub(super) surplus: Option<f64>,
    /// One pause pair.
    pub(super) pause: Option<f64>,
    /// All pause pairs of a call.
    pub(super) paused: f64,
}

/// What is known beside the samples.
pub(super) struct Scale<'a> {
    pub(super) calibration: &'a Calibration,
    /// Share of the call that is taken off.
    pub(super) share: f64,
    /// The clock pair.
    pub(super) clock: f64,
    /// Pause pairs in a call.
    pub(super) pairs: f64,
}

/// What a whole sample of so many calls takes, in nanoseconds, as a median or as a mean; `None` where there is none of that size.
pub(super) struct AtSizes<'a> {
    pub(super) case: &'a dyn Fn(u64) -> Option<f64>,
    pub(super) null: &'a dyn Fn(u64) -> Option<f64>,
    pub(super) pause: &'a dyn Fn(u64) -> Option<f64>,
    /// The null that pauses are held against.
    pub(super) unpaused: &'a dyn Fn(u64) -> Option<f64>,
}

/// Takes the scale off.
///
/// Correction policy 2: `time = (T − clock) / N − call`, `call = (T_null − clock) / N`, each T a mean for the expected cost of a call and a
/// median for the typical one. Case and null are sampled at the same N, so in a serial runtime the clock cancels exactly. Short samples are
/// tared by their slope, `(T(M₂) − T(M₁)) / (M₂ − M₁)` of the case less that of the null; what T(N) has beyond it is the surplus. A pause
/// pair is what the null gains by one in each call, by slope as well where samples are short. Of variants that are compared the pilot's
/// share of the set-up is the surplus.
pub(super) fn tare(of: &AtSizes<'_>, scale: &Scale<'_>) -> Option<Tared> {
    let near = scale.calibration.iterations;
    let made = near.max(1) as f64;
    let case_total = (of.case)(near)?;
    let null_total = (of.null)(near)?;
    let raw = case_total / made;
    if let &[first, second] = scale.calibration.far.as_slice() {
        let slope = |of: &dyn Fn(u64) -> Option<f64>| Some((of(second)? - of(first)?) / (second - first) as f64);
        let (per_call, call) = (slope(of.case)?, slope(of.null)?);
        let pause = slope(of.pause).and_then(|paused| Some(paused - slope(of.unpaused)?));
        let surplus = (case_total - null_total) - made * (per_call - call);
        let paused = scale.pairs * pause.unwrap_or(0.0);
        let time = per_call - scale.share * call - paused;
        return Some(Tared { raw, time, call, surplus: Some(surplus), pause, paused });
    }
    let call = (null_total - scale.clock) / made;
    let pause = (of.pause)(near).and_then(|paused| Some((paused - (of.unpaused)(near)?) / made));
    let setup = (scale.calibration.setup_ppm > 0)
        .then(|| f64::from(scale.calibration.setup_ppm) / 1e6 * (case_total - scale.clock));
    let tared = (case_total - scale.clock - setup.unwrap_or(0.0)) / made;
    let paused = scale.pairs * pause.unwrap_or(0.0);
    let time = tared - scale.share * call - paused;
    Some(Tared { raw, time, call, surplus: setup, pause, paused })
}
