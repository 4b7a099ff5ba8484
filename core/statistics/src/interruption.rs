//! Which samples other processes interrupted: what a typical call takes is asked of the others.
//!
//! Quantiles bear a few samples that were interrupted. On a busy machine turns of one or two long samples may have no other ones, and no quantile
//! of elapsed times then says what the subject takes by itself. How much of a turn others took is known ([`off_in_samples`]), not of which samples:
//! the fewest that can hold it are those that exceed a spared sample by most.

use std::collections::BTreeMap;

use tare_samples::{Launch, Subject, Turn};

use crate::own_time::{off_in_samples, spared_times, timed};

/// Others may have this share of a turn's samples without a word: its figures are longer by no more than that.
const LITTLE: f64 = 0.001;

/// Of each turn of the subject, in order, whether each sample was spared.
pub(crate) fn spared_samples(launch: &Launch, subject: &Subject) -> Vec<Vec<bool>> {
    let times = spared_times(launch, subject);
    launch.turns_of(subject).map(|turn| spared_of(turn, &times)).collect()
}

fn spared_of(turn: &Turn, times: &BTreeMap<u64, f64>) -> Vec<bool> {
    let mut spared = vec![true; turn.elapsed.len()];
    let foreign = off_in_samples(turn);
    if foreign <= LITTLE * timed(turn) {
        return spared;
    }
    let excess =
        |at: usize| (turn.elapsed[at] as f64 - times.get(&turn.iterations[at]).copied().unwrap_or(0.0)).max(0.0);
    let mut longest: Vec<usize> = (0..turn.elapsed.len()).collect();
    longest.sort_by(|&one, &other| excess(other).total_cmp(&excess(one)));
    let mut left = foreign;
    for at in longest {
        if left <= LITTLE * timed(turn) {
            break;
        }
        spared[at] = false;
        left -= excess(at);
    }
    spared
}

/// The subject's turns without the samples that other processes interrupted, and the share of samples that they did
/// interrupt. `None` where there are no such samples.
pub(crate) fn without_interrupted(launch: &Launch, subject: &Subject) -> Option<(Vec<Turn>, f64)> {
    let kept = spared_samples(launch, subject);
    let (all, spared) =
        kept.iter().flatten().fold((0usize, 0usize), |(all, spared), &kept| (all + 1, spared + usize::from(kept)));
    if spared == all {
        return None;
    }
    let turns = launch.turns_of(subject).zip(&kept).map(|(turn, kept)| {
        let of = |values: &[u64]| -> Vec<u64> {
            values.iter().zip(kept).filter(|&(_, &kept)| kept).map(|(&value, _)| value).collect()
        };
        Turn { iterations: of(&turn.iterations), elapsed: of(&turn.elapsed), pauses: of(&turn.pauses), ..turn.clone() }
    });
    Some((turns.collect(), 1.0 - spared as f64 / all as f64))
}

#[cfg(test)]
mod tests {
    use tare_samples::{Launch, Stretch, Subject, Turn};

    use super::{spared_samples, without_interrupted};

    /// Turns of samples of 100 calls, all of them work of `own` nanoseconds and the rest other processes'.
    fn launch(turns: &[&[u64]], own: u64) -> Launch {
        let turn = |(round, elapsed): (usize, &&[u64])| {
            let (wall_ns, cpu_ns) = (elapsed.iter().sum(), own * elapsed.len() as u64);
            Turn {
                round: round as u32,
                subject: Subject::Case,
                warm: 1,
                iterations: vec![100; elapsed.len()],
                elapsed: elapsed.to_vec(),
                pauses: Vec::new(),
                at_ns: 0,
                stretch: Some(Stretch { wall_ns, cpu_ns, yields: 0, only_calls: true }),
            }
        };
        Launch { turns: turns.iter().enumerate().map(turn).collect(), ..Launch::default() }
    }

    const MS: u64 = 1_000_000;

    #[test]
    fn the_fewest_samples_that_can_hold_it_were_interrupted() {
        let found = launch(&[&[MS, 5 * MS, MS, MS], &[MS, MS, MS, MS], &[9 * MS, 4 * MS, MS, MS]], MS);
        let spared = spared_samples(&found, &Subject::Case);
        assert_eq!(spared, [vec![true, false, true, true], vec![true; 4], vec![false, false, true, true]]);
        let (turns, share) = without_interrupted(&found, &Subject::Case).unwrap();
        assert!(turns.iter().flat_map(|turn| &turn.elapsed).all(|&elapsed| elapsed == MS));
        assert!((share - 3.0 / 12.0).abs() < 1e-12 && turns[2].iterations.len() == 2, "{share}");
    }

    /// All of them are longer than what they worked, also the shortest, which would pass for spared.
    #[test]
    fn where_all_were_interrupted_none_is_spared() {
        let found = launch(&[&[3 * MS, 9 * MS], &[4 * MS, 3 * MS], &[30 * MS, 3 * MS]], MS);
        assert!(spared_samples(&found, &Subject::Case).iter().flatten().all(|&spared| !spared));
    }

    #[test]
    fn what_the_subject_does_itself_interrupts_nothing() {
        let mut found = launch(&[&[MS, 5 * MS, MS], &[MS, MS, MS]], MS);
        found.turns[0].stretch = Some(Stretch { wall_ns: 7 * MS, cpu_ns: 7 * MS, yields: 0, only_calls: true });
        assert!(without_interrupted(&found, &Subject::Case).is_none());
    }
}
