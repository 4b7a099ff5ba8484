//! What a group does differently when its variants are compared.

use tare_plan::{Pair, Settings};
use tare_samples::{Calibration, Calls};
use tare_statistics::comparison::{NewestPair, State, adjusted_p_values};
use tare_statistics::quantile::{mean, standard_error};

use super::{GroupRun, LaunchAverage, SecondMeasurement, StepContext};
use crate::budget;
use crate::comparing::LivePair;
use crate::heap;
use crate::observer::ComparedPair;
use crate::pilot;
use crate::variant_run::{Hooks, Role, VariantRun};

/// Variants whose calls differ in time by no more than this factor make the same number of them in a sample.
const ALIKE: f64 = 4.0;

/// Each sample may hold a set-up beside its calls. Where the set-ups of two sides differ by more than this share of a sample, and by half of the larger, two sizes of samples
/// are measured: the slope between them is free of the set-up.
const DIFFERENT_SETUPS: f64 = 0.02;
/// What a pilot sees of a set-up is as often as not what the machine did at that moment. Where it makes sides differ, all sides are looked at this many times again,
/// and the difference has to be this many standard errors.
const SETUP_LOOKS: usize = 6;
const SETUP_ERRORS: f64 = 3.0;
/// After so many looks that show hardly any set-up there is none to differ by.
const ENOUGH_SETUP_LOOKS: usize = 3;
/// Looks that have taken this long are enough, and in doubt the sides differ: the line costs precision, a set-up that passes for calls the
/// truth.
const SETUP_LOOKS_NS: u64 = 400_000_000;

/// The share that a set-up has of samples of other calls.
fn share_at(share: f64, calls: u64, others: u64) -> f64 {
    let more = others.max(1) as f64 / calls.max(1) as f64;
    share / (share + (1.0 - share) * more)
}

fn differs(least: f64, most: f64) -> bool {
    most - least > DIFFERENT_SETUPS && most > 2.0 * least
}

impl GroupRun<'_> {
    /// Comparisons that look different and haven't been measured a second time.
    pub(crate) fn flagged(&self) -> usize {
        self.live_pairs.iter().filter(|live_pair| matches!(live_pair.live.state(), State::Flagged(_))).count()
    }

    /// Comparisons that something is claimed of.
    pub(crate) fn judged(&self) -> usize {
        self.live_pairs.iter().filter(|live_pair| !live_pair.pair.control).count()
    }

    /// Of its first comparison.
    pub(crate) fn newest_pair(&self) -> Option<NewestPair> {
        self.live_pairs.first()?.live.newest()
    }

    /// Goes on with fresh launches of what is flagged; `family`: the comparisons of the suite that something is claimed of.
    pub(crate) fn begin_second(&mut self, family: usize) {
        let expected_ns = self.outlook().map_or(0.0, |outlook| outlook.again_ns);
        let second = SecondMeasurement { from: self.made(), before_ns: self.spent.wall_ns as f64, expected_ns };
        self.second = Some(second);
        self.average = LaunchAverage::default();
        self.family = family;
        for live_pair in &mut self.live_pairs {
            // What reaches the level of Holm's smallest needs no more launches, whatever the others do.
            live_pair.live.begin_second(live_pair.live.second_level(family));
        }
        self.end = None;
        if self.rest_or_wake() {
            self.schedule.launches = self.made() + self.to_next_look();
        } else {
            self.end_if(true);
        }
    }

    /// What its comparisons say as far as it is known by now: the p-value of a second measurement can only fall when those of the others are
    /// known, since Holm's is at most the number of comparisons times it.
    pub(super) fn comparisons_so_far(&self) -> Vec<ComparedPair> {
        let said = |live_pair: &LivePair| {
            let mut second = vec![None; self.family.max(1)];
            second[0] = live_pair.live.second_p_value();
            let p_value = adjusted_p_values(&second)[0];
            ComparedPair {
                group: self.number,
                pair: live_pair.pair,
                comparison: live_pair.live.comparison(p_value, false),
            }
        };
        self.live_pairs.iter().map(said).collect()
    }

    /// Comparisons of launches that were made before an interruption.
    pub(super) fn replay(&mut self, made: u32) {
        for live_pair in &mut self.live_pairs {
            for ordinal in 0..made {
                live_pair.take(&self.variants, ordinal);
            }
        }
    }

    /// Lets variants rest that no open comparison needs. Whether any is needed.
    pub(super) fn rest_or_wake(&mut self) -> bool {
        let judged = |live_pair: &LivePair| !live_pair.pair.control;
        if self.live_pairs.iter().any(judged) && !self.live_pairs.iter().any(|c| judged(c) && c.is_open(&self.variants))
        {
            // Nobody waits for a control when all that it stands beside is settled.
            self.live_pairs
                .iter_mut()
                .filter(|live_pair| live_pair.pair.control)
                .for_each(|live_pair| live_pair.live.close());
        }
        let open: Vec<Pair> = self
            .live_pairs
            .iter()
            .filter(|live_pair| live_pair.is_open(&self.variants))
            .map(|live_pair| live_pair.pair)
            .collect();
        // Variants of the group that stand beside the comparisons are measured along with them.
        for (index, variant) in self.variants.iter_mut().enumerate() {
            let is_needed = open.iter().any(|pair| pair.base == index || pair.candidate == index);
            if variant.is_compared() {
                variant.role = if is_needed { Role::Compared } else { Role::Resting };
            }
        }
        !open.is_empty()
    }

    /// Launches until the first open comparison may be settled.
    pub(super) fn to_next_look(&self) -> u32 {
        let open = self.live_pairs.iter().filter(|live_pair| live_pair.is_open(&self.variants));
        open.map(|live_pair| live_pair.live.to_next_look()).max().unwrap_or(0)
    }

    pub(super) fn after_compared_launch(&mut self, context: &mut StepContext<'_>) {
        for live_pair in self.live_pairs.iter_mut().filter(|live_pair| live_pair.is_open(&self.variants)) {
            live_pair.take(&self.variants, self.ordinal - 1);
        }
        let each_ns = self.costs.launch_ns + f64::from(self.schedule.rounds) * self.costs.round_ns;
        let left_ns = self.budget_left(context);
        // Where comparisons share one budget, the suite's queue decides when the time is up.
        let out_of_time = !self.is_second()
            && self.share_ns.is_none()
            && budget::is_used_up(context.settings, self.ordinal, left_ns, 0.5 * each_ns);
        if out_of_time {
            self.live_pairs.iter_mut().for_each(|live_pair| live_pair.live.close());
        }
        let is_needed = self.rest_or_wake();
        self.end_if(!is_needed);
        let more = if !is_needed {
            0
        } else if self.is_second() || context.settings.launches.is_some() {
            self.to_next_look()
        } else {
            ((left_ns / each_ns.max(1.0)).ceil().max(1.0) as u32)
                .min(budget::most_pairs(context.settings).saturating_sub(self.ordinal).max(1))
        };
        self.schedule.launches = self.made() + more;
        self.tell_if_done(context);
    }

    /// What is compared is treated alike: one warm-in, as many samples in a turn, and, where calls take about as long, the same
    /// number of calls in each. A share of the first call, a cold cache or a state that grows then weigh the same on both
    /// sides, and so does what goes on beside them, of which long samples meet more. Pilots that differ by accident of the
    /// moment once made identical code differ by 2 %, and where one of them was badly disturbed, by half.
    pub(super) fn agree(&mut self, context: &mut StepContext<'_>) {
        let mut bases: Vec<usize> = self.live_pairs.iter().map(|live_pair| live_pair.pair.base).collect();
        bases.sort_unstable();
        bases.dedup();
        // Sizes of an earlier part of the run are kept.
        if self.ordinal == 0 {
            bases.iter().for_each(|&base| self.agree_on_calls(context, base));
            self.find_cold_starts(context);
        }
        bases.iter().for_each(|&base| self.agree_on_turns(base));
        for (index, variant) in self.variants.iter().enumerate() {
            if variant.is_compared() && variant.is_live() && variant.is_calibrated() {
                self.tell(context, variant.calibrated_news(index));
            }
        }
    }

    /// Which of the group's codes a variant has that is compared with one on the same version of the same language, as a number. Most of
    /// the code of these is the same, and lies at the same addresses. Of two versions nothing is the same, and they would only get into each
    /// other's way in the predictors.
    pub(super) fn shared_code(&self, index: usize) -> Option<u64> {
        let code = |index: usize| {
            let runtime = &self.variants[index].planned.variant.runtime;
            (&runtime.language, &runtime.version)
        };
        let shared =
            |Pair { base, candidate, .. }: Pair| (base == index || candidate == index) && code(base) == code(candidate);
        let is_shared = self.live_pairs.iter().any(|live_pair| shared(live_pair.pair));
        let first =
            (0..self.variants.len()).find(|&other| self.variants[other].is_compared() && code(other) == code(index));
        first.filter(|_| is_shared).map(|first| first as u64)
    }

    /// Says how long heaps are let grow before a launch is measured, once allocations are counted: where those of a comparison grow
    /// alike, as long as that of a variant alone, since a part of it is then the same on both sides.
    pub(super) fn plan_growth(&mut self, settings: &Settings) {
        let budget_ns = self.budget_ns(settings) / self.judged().max(1) as f64;
        let mut collections: Vec<_> = self.variants.iter().map(|variant| variant.collections(budget_ns)).collect();
        let language = |index: usize| &self.variants[index].planned.variant.runtime.language;
        let pairs = self.live_pairs.iter().map(|live_pair| (live_pair.pair.base, live_pair.pair.candidate));
        let kin: Vec<_> = pairs.filter(|&(base, candidate)| language(base) == language(candidate)).collect();
        heap::alike(&kin, &mut collections);
        self.variants.iter_mut().zip(collections).for_each(|(variant, planned)| variant.plan_collections(planned));
        self.tell_heaps_apart();
        let together = heap::together(
            self.variants.iter().filter(|variant| variant.heap.grows_first).map(VariantRun::own_growth_ns),
        );
        let alike = self
            .variants
            .iter()
            .filter(|variant| variant.is_compared())
            .map(|variant| heap::alone(variant.own_growth_ns()));
        let alike = alike.fold(0.0, f64::max);
        for variant in &mut self.variants {
            variant.heap.growth_ns = match (variant.is_compared(), variant.heap.grows_first) {
                (false, _) => heap::alone(variant.own_growth_ns()),
                (true, true) => together,
                (true, false) => alike,
            };
            self.costs.round_ns += variant.lengthen_turns();
        }
    }

    /// Sees where heaps grow at another pace than those beside them. A variant that is compared with one that is let grow first is so as well,
    /// and so on: the base of two pairs would be grown in one, and its partner not in the other.
    fn tell_heaps_apart(&mut self) {
        let pairs: Vec<Pair> = self.live_pairs.iter().map(|live_pair| live_pair.pair).collect();
        loop {
            let mut changed = false;
            for &Pair { base, candidate, .. } in &pairs {
                let (one, other) = (&self.variants[base], &self.variants[candidate]);
                let either = one.heap.grows_first || other.heap.grows_first || one.allocates_unlike(other);
                for index in [base, candidate] {
                    changed |= either && !self.variants[index].heap.grows_first;
                    self.variants[index].heap.grows_first |= either;
                }
            }
            if !changed {
                return;
            }
        }
    }

    /// A base and those of its candidates that make as many calls in a sample have one warm-in, and as many samples in a turn.
    fn agree_on_turns(&mut self, base: usize) {
        let calls = self.variants[base].calibration.iterations;
        let candidates = self.live_pairs.iter().filter(|live_pair| live_pair.pair.base == base);
        let alike: Vec<usize> = candidates
            .map(|live_pair| live_pair.pair.candidate)
            .chain([base])
            .filter(|&variant| {
                let variant = &self.variants[variant];
                variant.is_live() && variant.is_calibrated() && variant.calibration.iterations == calls
            })
            .collect();
        let most = |of: fn(&Calibration) -> u64| {
            alike.iter().map(|&variant| of(&self.variants[variant].calibration)).max().unwrap_or(1)
        };
        let (warm, samples) = (most(|calibration| calibration.warm), most(|calibration| calibration.samples_per_turn));
        let all_ahead = alike.iter().all(|&variant| self.variants[variant].pilot.hooks == Hooks::Ahead);
        for variant in alike {
            let variant = &mut self.variants[variant];
            (variant.calibration.warm, variant.calibration.samples_per_turn) = (warm, samples);
            if !all_ahead && variant.pilot.hooks == Hooks::Ahead {
                variant.pilot.hooks = Hooks::Dear;
            }
        }
    }

    /// A base and those of its candidates that are as fast, nearly, make as many calls in a sample as the one of them with the
    /// fewest; or, where samples hold something beside them, as the one with the most of these.
    fn agree_on_calls(&mut self, context: &mut StepContext<'_>, base: usize) {
        let piloted = |variant: &VariantRun<'_>| {
            variant.is_live()
                && variant.is_calibrated()
                && variant.planned.variant.calls == Calls::Pilot
                && variant.pilot.call_ns > 0.0
        };
        if !piloted(&self.variants[base]) {
            return;
        }
        let candidates: Vec<usize> = self
            .live_pairs
            .iter()
            .filter(|live_pair| live_pair.pair.base == base)
            .map(|live_pair| live_pair.pair.candidate)
            .filter(|&candidate| piloted(&self.variants[candidate]))
            .collect();
        let mut alike: Vec<usize> =
            candidates.into_iter().filter(|&candidate| self.are_alike(context, base, candidate)).collect();
        alike.push(base);
        let calls = |variant: usize| self.variants[variant].calibration.iterations;
        let fewest = alike.iter().copied().min_by_key(|&variant| calls(variant));
        // Where samples hold something beside their calls, as many as make them long enough for that. One pilot may have missed it.
        let most_with = |holds: fn(&Calibration) -> bool| {
            let holding = alike.iter().copied().filter(|&variant| holds(&self.variants[variant].calibration));
            holding.max_by_key(|&variant| calls(variant))
        };
        let chosen = most_with(|own| own.setup_ns > 0).or_else(|| most_with(|own| own.setup_ppm > 0)).or(fewest);
        let Some(chosen) = chosen.map(|variant| self.variants[variant].calibration.clone()) else { return };
        alike.retain(|&variant| self.variants[variant].is_live());
        let shares: Vec<f64> = alike
            .iter()
            .map(|&variant| &self.variants[variant].calibration)
            .map(|own| share_at(f64::from(own.setup_ppm) / 1e6, own.iterations, chosen.iterations))
            .collect();
        let (least, most) =
            shares.iter().fold((1.0f64, 0.0f64), |(low, high), &share| (low.min(share), high.max(share)));
        // A set-up that one side has and the other hasn't would pass for a difference of the calls.
        let by_line = chosen.setup_ns > 0 && chosen.far.len() > 1;
        let longest_ns = alike.iter().map(|&variant| self.variants[variant].pilot.call_ns).fold(0.0, f64::max)
            * chosen.iterations as f64;
        // Few looks at long samples are as likely to be wrong as the pilots', which took several.
        let afresh = longest_ns <= pilot::FAR_SAMPLE_AT_MOST_NS;
        let (differ, most) = if differs(least, most) && !by_line && afresh {
            self.look_at_setups(context, &alike, chosen.iterations)
        } else {
            (differs(least, most), most)
        };
        alike.retain(|&variant| self.variants[variant].is_live());
        for variant in alike {
            let variant = &mut self.variants[variant];
            let own = &mut variant.calibration;
            if own.iterations != chosen.iterations {
                variant.pilot.sample_wall_ns *= chosen.iterations as f64 / own.iterations.max(1) as f64;
                // As many samples as fit a turn, and as warm, as was found for samples of that size.
                (own.warm, own.samples_per_turn) = (chosen.warm, chosen.samples_per_turn);
            }
            own.setup_ns = own.setup_ns.max(chosen.setup_ns.min(1));
            own.setup_ppm = if chosen.setup_ns > 0 || differ { 0 } else { (1e6 * most).round() as u32 };
            own.iterations = chosen.iterations;
            own.far.clone_from(&chosen.far);
            if differ && own.far.len() < 2 {
                (own.setup_ns, own.far) = (1, vec![chosen.iterations, 4 * chosen.iterations]);
            }
        }
    }

    /// Looks again at the share that set-ups have of samples of `calls` calls, in turns: whether those of two sides differ, and the largest share.
    fn look_at_setups(&mut self, context: &mut StepContext<'_>, alike: &[usize], calls: u64) -> (bool, f64) {
        let begun_ns = context.launcher.now_ns();
        let mut seen: Vec<(usize, Vec<f64>)> = alike.iter().map(|&variant| (variant, Vec::new())).collect();
        let mut cut_short = false;
        for look in 0..SETUP_LOOKS {
            for (variant, shares) in &mut seen {
                let variant = &mut self.variants[*variant];
                if variant.is_live() {
                    shares.extend(pilot::setup_share(variant, context.launcher, context.settings, calls));
                }
            }
            seen.retain(|(variant, _)| self.variants[*variant].is_live());
            // The second one has the warmer core.
            seen.reverse();
            let hardly_any = |(_, shares): &(usize, Vec<f64>)| mean(shares).is_some_and(|mean| mean < DIFFERENT_SETUPS);
            cut_short = look + 1 < SETUP_LOOKS && context.launcher.now_ns() - begun_ns >= SETUP_LOOKS_NS;
            if cut_short || (look + 1 >= ENOUGH_SETUP_LOOKS && seen.iter().all(hardly_any)) {
                break;
            }
        }
        let mut means: Vec<(f64, &[f64])> =
            seen.iter().filter_map(|(_, shares)| Some((mean(shares)?, shares.as_slice()))).collect();
        means.sort_by(|a, b| a.0.total_cmp(&b.0));
        let (Some(&(least, fewer)), Some(&(most, more))) = (means.first(), means.last()) else { return (false, 0.0) };
        let differences: Vec<f64> = fewer.iter().zip(more).map(|(fewer, more)| more - fewer).collect();
        let sure = mean(&differences)
            .zip(standard_error(&differences))
            .is_none_or(|(mean, error)| mean > SETUP_ERRORS * error);
        (differs(least, most) && (sure || cut_short), most)
    }

    /// Whether calls of the two take about as long. Where the pilots say that they don't, both are looked at once more, now with the
    /// same number of calls: pilots see different moments, and a long sample on a busy machine is mostly waiting.
    fn are_alike(&mut self, context: &mut StepContext<'_>, base: usize, candidate: usize) -> bool {
        let within = |a: f64, b: f64| a.max(b) <= ALIKE * a.min(b);
        if within(self.variants[base].pilot.call_ns, self.variants[candidate].pilot.call_ns) {
            return true;
        }
        let calls = self.variants[base].calibration.iterations.min(self.variants[candidate].calibration.iterations);
        let mut least = [f64::INFINITY; 2];
        for _ in 0..2 {
            for (least, variant) in least.iter_mut().zip([base, candidate]) {
                let variant = &mut self.variants[variant];
                let Some(call_ns) = pilot::least_call_ns(variant, context.launcher, context.settings, calls) else {
                    return false;
                };
                *least = least.min(call_ns);
            }
        }
        (self.variants[base].pilot.call_ns, self.variants[candidate].pilot.call_ns) = (least[0], least[1]);
        within(least[0], least[1])
    }
}
