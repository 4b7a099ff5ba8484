//! Which CPUs share a core, found by measuring: the guest of a virtual machine is often told that each CPU is a core of its own.
//!
//! Hardware threads of one core share its multiplier, so code that does nothing but multiply takes about twice as long on one of them while the other does
//! the same; CPUs of different cores slow each other by less than what the clock rate gives way. Which CPU it is that slows one is found by halves.

use std::collections::BTreeMap;
use std::hint::{black_box, spin_loop};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use crate::affinity::pin_current_thread;

/// From here on a CPU that works slows another by sharing its core. Siblings were seen to slow each other by 30 to 100 %, all other cores together by up to
/// 25 % (clock rates).
const SLOWED: f64 = 1.27;
/// Beyond this many CPUs it takes too long to look.
const MOST_CPUS: usize = 64;
/// Stretches of work, alone and beside others by turns; the medians count.
const STRETCHES: usize = 9;
/// About 60 µs each.
const MULTIPLICATIONS: u64 = 40_000;
/// Working threads are on their CPUs after this, or never.
const PATIENCE: Duration = Duration::from_millis(50);

/// For each of these CPUs those that share its core, itself included, ascending: found by measuring, in about 3 ms for each CPU and doubling of their number.
///
/// `None` where that can't be told: too many CPUs, or threads that can't be bound to them.
#[must_use]
pub fn siblings_by_measuring(cpus: &[usize]) -> Option<BTreeMap<usize, Vec<usize>>> {
    if cpus.len() > MOST_CPUS {
        return None;
    }
    found(cpus, &mut slowed)
}

/// The same, of a function that says by what factor work on a CPU takes longer while others work.
fn found(
    cpus: &[usize],
    slowed: &mut dyn FnMut(usize, &[usize]) -> Option<f64>,
) -> Option<BTreeMap<usize, Vec<usize>>> {
    let mut left: Vec<usize> = cpus.to_vec();
    left.sort_unstable();
    left.dedup();
    let mut cores: Vec<Vec<usize>> = Vec::new();
    while !left.is_empty() {
        let cpu = left.remove(0);
        let mut core = vec![cpu];
        while let Some(sibling) = one_that_slows(cpu, &left, slowed)? {
            left.retain(|other| *other != sibling);
            core.push(sibling);
        }
        cores.push(core);
    }
    let of_core = |mut core: Vec<usize>| {
        core.sort_unstable();
        core.clone().into_iter().map(move |cpu| (cpu, core.clone()))
    };
    Some(cores.into_iter().flat_map(of_core).collect())
}

/// The one among `others` that slows `cpu`, if there is one. The outer `None` says that it can't be measured.
fn one_that_slows(
    cpu: usize,
    others: &[usize],
    slowed: &mut dyn FnMut(usize, &[usize]) -> Option<f64>,
) -> Option<Option<usize>> {
    let mut among = others;
    // All together take power and clock rate from it as well, so half of them must slow it, too.
    while among.len() > 1 {
        let (first, second) = among.split_at(among.len() / 2);
        if slowed(cpu, first)? >= SLOWED {
            among = first;
        } else if slowed(cpu, second)? >= SLOWED {
            among = second;
        } else {
            return Some(None);
        }
    }
    let Some(&one) = among.first() else { return Some(None) };
    // A neighbour on the same machine may have done it: it must be seen twice.
    let again = slowed(cpu, &[one])? >= SLOWED && slowed(cpu, &[one])? >= SLOWED;
    Some(again.then_some(one))
}

/// By what factor work on `cpu` takes longer while the others work.
fn slowed(cpu: usize, others: &[usize]) -> Option<f64> {
    let (working, at_it, over) = (AtomicBool::new(false), AtomicUsize::new(0), AtomicBool::new(false));
    thread::scope(|scope| {
        for &other in others {
            let (working, at_it, over) = (&working, &at_it, &over);
            scope.spawn(move || {
                let bound = pin_current_thread(&[other]).is_ok();
                while bound && !over.load(Ordering::Relaxed) {
                    if !working.load(Ordering::Acquire) {
                        // Beside a thread that only asks, the other has its core for itself, all but.
                        thread::sleep(Duration::from_micros(20));
                        continue;
                    }
                    at_it.fetch_add(1, Ordering::Relaxed);
                    while working.load(Ordering::Relaxed) && !over.load(Ordering::Relaxed) {
                        multiply(MULTIPLICATIONS / 16);
                    }
                    at_it.fetch_sub(1, Ordering::Relaxed);
                }
            });
        }
        let measured = scope.spawn(|| {
            let measured = pin_current_thread(&[cpu]).ok().and_then(|()| {
                let (mut alone, mut beside) = (Vec::new(), Vec::new());
                for _ in 0..STRETCHES {
                    working.store(false, Ordering::Release);
                    wait_for(&at_it, 0)?;
                    alone.push(stretch());
                    working.store(true, Ordering::Release);
                    wait_for(&at_it, others.len())?;
                    beside.push(stretch());
                }
                Some(median(beside) / median(alone))
            });
            over.store(true, Ordering::Relaxed);
            measured
        });
        measured.join().ok().flatten()
    })
}

fn wait_for(count: &AtomicUsize, wanted: usize) -> Option<()> {
    let begun = Instant::now();
    while count.load(Ordering::Relaxed) != wanted {
        if begun.elapsed() > PATIENCE {
            return None;
        }
        spin_loop();
    }
    Some(())
}

fn stretch() -> f64 {
    // What the core did before is over.
    multiply(MULTIPLICATIONS / 4);
    let begun = Instant::now();
    multiply(MULTIPLICATIONS);
    begun.elapsed().as_secs_f64()
}

/// Six chains that don't wait for each other keep a core's multiplier at work all the time.
fn multiply(times: u64) {
    let [mut a, mut b, mut c, mut d, mut e, mut f]: [u64; 6] = black_box([3, 5, 7, 11, 13, 17]);
    let by = black_box(0x9E37_79B9_7F4A_7C15_u64);
    for _ in 0..times {
        a = a.wrapping_mul(by);
        b = b.wrapping_mul(by);
        c = c.wrapping_mul(by);
        d = d.wrapping_mul(by);
        e = e.wrapping_mul(by);
        f = f.wrapping_mul(by);
    }
    black_box([a, b, c, d, e, f]);
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{found, multiply, siblings_by_measuring};
    use crate::affinity::allowed_cpus;

    /// CPUs of one core have one remainder by `cores`. Siblings slow each other by `factor`, and each CPU that works takes clock rate from all.
    fn simulated(cpus: usize, cores: usize, factor: f64, all: f64) -> (BTreeMap<usize, Vec<usize>>, usize) {
        let mut asked = 0;
        let mut slowed = |cpu: usize, others: &[usize]| {
            asked += 1;
            let sibling = others.iter().any(|other| other % cores == cpu % cores);
            let rate = 1.0 + all * others.len() as f64 / cpus as f64;
            Some(if sibling { factor * rate } else { rate })
        };
        let found = found(&(0..cpus).collect::<Vec<_>>(), &mut slowed).unwrap();
        (found, asked)
    }

    #[test]
    fn siblings_are_found_wherever_they_are() {
        for (cpus, cores) in [(4, 2), (16, 8), (64, 32), (6, 3), (2, 1)] {
            for factor in [1.3, 1.6, 2.0] {
                let (found, asked) = simulated(cpus, cores, factor, 0.2);
                for cpu in 0..cpus {
                    let expected: Vec<usize> = (0..cpus).filter(|other| other % cores == cpu % cores).collect();
                    assert_eq!(found[&cpu], expected, "{cpus} CPUs, {cores} cores, {factor}");
                }
                assert!(asked <= cores * 16, "{asked} looks for {cpus} CPUs");
            }
        }
        // Four threads a core.
        assert_eq!(simulated(8, 2, 1.6, 0.1).0[&1], [1, 3, 5, 7]);
    }

    #[test]
    fn cores_that_only_share_power_are_no_siblings() {
        let (found, _) = simulated(16, 16, 2.0, 0.3);
        assert!(found.iter().all(|(cpu, core)| core == &[*cpu]));
    }

    #[test]
    fn a_neighbour_that_slows_once_is_no_sibling() {
        let mut looks = 0;
        let mut slowed = |_: usize, _: &[usize]| {
            looks += 1;
            Some(if looks == 1 { 1.9 } else { 1.0 })
        };
        assert!(found(&[0, 1, 2, 3], &mut slowed).unwrap().iter().all(|(cpu, core)| core == &[*cpu]));
        assert_eq!(found(&[0, 1, 2, 3], &mut |_, _| None), None);
    }

    #[test]
    fn the_machine_at_hand_can_be_asked() {
        multiply(1);
        let cpus = allowed_cpus().unwrap();
        // On a busy machine a thread may not come to its CPU in time; what is found is about these CPUs all the same.
        if let Some(found) = siblings_by_measuring(&cpus) {
            assert_eq!(found.keys().copied().collect::<Vec<_>>(), cpus);
            assert!(found.iter().all(|(cpu, core)| core.contains(cpu)));
        }
        assert_eq!(siblings_by_measuring(&(0..65).collect::<Vec<_>>()), None);
    }
}
