//! The smallest part of a difference that still has a change.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// What a part of a difference shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Shown {
    /// It has the change.
    Changed,
    /// It doesn't have it.
    Unchanged,
    /// It can't be measured, has a share of the change, or isn't told apart from either.
    Unresolved,
}

/// What parts of a difference, by the positions of its pieces in rising order, have shown.
pub type Known = BTreeMap<Vec<usize>, Shown>;

/// The smallest set of so many pieces that still shows the change, which all of them together do: none of it can be left out alone, as far as what was shown is right. A single piece is
/// found in about 2 log₂ of them asked sets; where sets are unresolved the square of them may have to be asked.
///
/// This is ddmin of Zeller & Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE Transactions on Software Engineering 28(2), 2002, section 3: halves, then what is
/// left without each, then finer parts. `ask` is called once for a set that isn't `known`.
///
/// # Errors
/// That of `ask`, beside the smallest set until then.
pub fn smallest<E>(
    pieces: usize,
    known: &mut Known,
    mut ask: impl FnMut(&[usize]) -> Result<Shown, E>,
) -> Result<Vec<usize>, (Vec<usize>, E)> {
    let mut set: Vec<usize> = (0..pieces).collect();
    let mut parts = 2;
    while set.len() > 1 {
        let size = set.len().div_ceil(parts);
        let subsets: Vec<Vec<usize>> = set.chunks(size).map(<[usize]>::to_vec).collect();
        let rest = |of: &Vec<usize>| set.iter().copied().filter(|piece| !of.contains(piece)).collect::<Vec<usize>>();
        // Of two the rest of one is the other.
        let complements = if subsets.len() > 2 { subsets.iter().map(rest).collect() } else { Vec::new() };
        let mut found = None;
        for (at, candidate) in subsets.iter().chain(&complements).enumerate() {
            let shown = match known.get(candidate) {
                Some(shown) => *shown,
                None => match ask(candidate) {
                    Ok(shown) => *known.entry(candidate.clone()).or_insert(shown),
                    Err(error) => return Err((set, error)),
                },
            };
            if shown == Shown::Changed {
                found = Some((candidate.clone(), at >= subsets.len()));
                break;
            }
        }
        match found {
            Some((subset, false)) => (set, parts) = (subset, 2),
            Some((complement, true)) => (set, parts) = (complement, (subsets.len() - 1).max(2)),
            None if subsets.len() < set.len() => parts = (2 * subsets.len()).min(set.len()),
            None => break,
        }
    }
    Ok(set)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use rand::{RngExt, SeedableRng};
    use rand_pcg::Pcg64;

    use super::{Known, Shown, smallest};

    fn found(pieces: usize, shows: impl Fn(&[usize]) -> Shown) -> (Vec<usize>, usize) {
        let mut asked = 0;
        let set = smallest(pieces, &mut Known::new(), |set| {
            asked += 1;
            assert!(set.is_sorted() && !set.is_empty() && set.len() < pieces, "{set:?}");
            Ok::<_, Infallible>(shows(set))
        });
        (set.unwrap_or_else(|(set, _)| set), asked)
    }

    #[test]
    fn each_piece_and_each_pair_is_found() {
        for pieces in [1, 2, 3, 6, 7, 16] {
            for one in 0..pieces {
                let (set, asked) =
                    found(pieces, |set| if set.contains(&one) { Shown::Changed } else { Shown::Unchanged });
                assert_eq!(set, [one], "{pieces}");
                assert!(asked <= 2 * pieces.max(2).ilog2() as usize + 2, "{asked} of {pieces}");
                for other in one + 1..pieces {
                    let both = |set: &[usize]| set.contains(&one) && set.contains(&other);
                    let (set, asked) = found(pieces, |set| if both(set) { Shown::Changed } else { Shown::Unchanged });
                    assert_eq!(set, [one, other], "{pieces}");
                    assert!(asked <= pieces * pieces + 3 * pieces, "{asked} of {pieces}");
                }
            }
        }
    }

    #[test]
    fn pieces_that_can_not_be_built_one_without_the_other_stay_together() {
        // 2 is to blame, needs 5 to build, and 5 needs 2.
        let (set, _) = found(8, |set| match (set.contains(&2), set.contains(&5)) {
            (true, true) => Shown::Changed,
            (false, false) => Shown::Unchanged,
            _ => Shown::Unresolved,
        });
        assert_eq!(set, [2, 5]);
        let (set, _) = found(5, |_| Shown::Unresolved);
        assert_eq!(set, [0, 1, 2, 3, 4]);
    }

    #[test]
    fn no_piece_of_what_is_found_can_be_left_out_whatever_sets_show() {
        let mut random = Pcg64::seed_from_u64(123);
        for _ in 0..200 {
            let pieces = random.random_range(2..12);
            let needed: Vec<usize> = (0..pieces).filter(|_| random.random_bool(0.3)).collect();
            let unresolved = random.random_range(0..1000_usize);
            let shows = |set: &[usize]| {
                let broken = set.iter().fold(7, |sum, piece| (sum * 31 + piece * unresolved) % 97) < 20;
                match needed.iter().all(|piece| set.contains(piece)) {
                    _ if broken => Shown::Unresolved,
                    true => Shown::Changed,
                    false => Shown::Unchanged,
                }
            };
            let (set, _) = found(pieces, shows);
            assert!(needed.iter().all(|piece| set.contains(piece)), "{set:?} {needed:?}");
            for at in 0..set.len() {
                let mut less = set.clone();
                less.remove(at);
                assert!(less.is_empty() || shows(&less) != Shown::Changed, "{set:?} {needed:?}");
            }
        }
    }

    #[test]
    fn what_is_known_is_not_asked_again_and_an_end_keeps_what_was_reached() {
        let mut known = Known::from([(vec![0, 1], Shown::Unchanged), (vec![2, 3], Shown::Changed)]);
        let ended = smallest(4, &mut known, |set| Err(set.to_vec()));
        assert_eq!(ended, Err((vec![2, 3], vec![2])));
        let set = smallest(4, &mut known, |set| {
            Ok::<_, Infallible>(if set == [3] { Shown::Changed } else { Shown::Unchanged })
        });
        assert_eq!(set.ok(), Some(vec![3]));
        assert_eq!(known.len(), 4);
    }
}
