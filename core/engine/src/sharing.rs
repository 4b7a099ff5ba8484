//! From what is left of a budget for the whole suite to which groups may go on: what [`total`] says, for the queue.

use crate::queue::Queue;
use crate::total::{self, KnownBefore, Outlook, TimeLeft, WaitingGroup};

/// Says which groups have to wait for others, and how many more may begin. `differs`: of each group,
/// whether something is known to differ that it executes or reads.
pub(crate) fn share_out(
    queue: &mut Queue,
    outlooks: &[Option<Outlook>],
    differs: &[bool],
    left: TimeLeft,
    lanes: usize,
) {
    let waiting = queue.waiting();
    let needs = |outlook: &Outlook| WaitingGroup { needs_ns: Some(outlook.least_ns), lanes: outlook.lanes() };
    let unknown = WaitingGroup { needs_ns: None, lanes: 1.0 };
    let needed: Vec<WaitingGroup> =
        waiting.iter().map(|&group| outlooks[group].as_ref().map_or(unknown, needs)).collect();
    let under_way = queue.under_way();
    let known: Vec<f64> = outlooks.iter().flatten().map(|outlook| outlook.reach_ns).filter(|&ns| ns > 0.0).collect();
    let of_those: Vec<Option<Outlook>> = under_way.iter().map(|&group| outlooks[group]).collect();
    let may_begin = total::may_begin(&needed, &of_those, &known, left, lanes);
    // What there is beside the least that all need goes where it decides something.
    let usual_ns = total::usual_ns(outlooks).unwrap_or(0.0);
    let begun = of_those.iter().map(|outlook| outlook.map_or(usual_ns, |outlook| outlook.least_ns));
    let least = under_way
        .iter()
        .zip(begun)
        .chain(waiting.iter().zip(needed.iter().map(|group| group.needs_ns.unwrap_or(usual_ns))));
    let mut promised_ns = [0.0; 2];
    for (&group, least_ns) in least {
        promised_ns[usize::from(!differs[group])] += least_ns;
    }
    let mut postponed =
        total::postponed(outlooks, KnownBefore { differs, kin: queue.kin() }, left.lanes_ns, promised_ns);
    if left.lanes_ns <= 0.0 {
        // The others may have what second measurements leave of the time that is kept for them.
        for (postponed, outlook) in postponed.iter_mut().zip(outlooks) {
            *postponed &= !outlook.is_some_and(|outlook| outlook.keeps_time(left.wall_ns));
        }
    }
    let reached = outlooks.iter().map(|outlook| outlook.is_some_and(|outlook| outlook.is_reached())).collect();
    queue.share(reached, postponed, may_begin);
}
