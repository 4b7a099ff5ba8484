//! Which file of a program a launch starts.
//!
//! Where the linker put a function, and which pages of physical memory hold it, is drawn once for a file and is the same in all launches of
//! it. Where builds are compared it is drawn for each launch, so that the launches scatter by it.

/// The files of a program of which each launch starts another.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Layouts {
    /// One file for all launches.
    #[default]
    One,
    /// A fresh copy for each launch.
    Copies,
    /// So many links, with the functions in another order in each; 2 or more. Launches take them in turns.
    Links(u32),
    /// The budget of the suite has no time to link it: its group isn't measured.
    Unlinked,
}

impl Layouts {
    /// The number of the file that a launch starts; `None` where all start one. `offset` is the group's own random number, `ordinal` the launch's,
    /// `variant` its variant's place among `variants`.
    ///
    /// Variants of one launch are as far apart in the circle of links as they can be. Two of them thus never have the same order of
    /// functions, and of the same code each is as likely to have the better one. They keep their distance, so that launches with
    /// the same [`Layouts::pair`] have the same two links.
    pub fn number(self, offset: u64, ordinal: u32, (variant, variants): (usize, usize)) -> Option<u64> {
        match self {
            Self::One | Self::Unlinked => None,
            Self::Copies => Some(u64::from(ordinal)),
            Self::Links(count) => {
                let count = u64::from(count.max(1));
                let apart = variant as u64 * count / variants.max(1) as u64;
                Some((offset % count + u64::from(ordinal) + apart) % count)
            }
        }
    }

    /// The same of a variant whose links were chosen ([`crate::matching`]): these, in turns. Those of the variants are started together in their order.
    pub fn chosen(links: &[u32], offset: u64, ordinal: u32) -> Option<u64> {
        let count = links.len() as u64;
        let at = (offset % count.max(1) + u64::from(ordinal)) % count.max(1);
        links.get(at as usize).map(|&link| u64::from(link))
    }

    /// Which pair of files the launches of that number have; pairs of one number are no independent evidence of what layouts are worth. `None`
    /// where each has its own, or all have the same.
    pub fn pair(self, ordinal: u32) -> Option<u32> {
        match self {
            Self::Links(count) => Some(ordinal % count.max(1)),
            Self::One | Self::Copies | Self::Unlinked => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::Layouts;

    #[test]
    fn links_go_round_and_the_sides_of_a_launch_never_have_the_same() {
        let links = Layouts::Links(8);
        for offset in [0, 5, u64::MAX] {
            let of = |variant| (0..16).map(|ordinal| links.number(offset, ordinal, (variant, 2)).unwrap()).collect();
            let (base, candidate): (Vec<u64>, Vec<u64>) = (of(0), of(1));
            assert!(base.iter().zip(&candidate).all(|(one, other)| one != other && *other < 8));
            assert_eq!(base[..8].iter().collect::<BTreeSet<_>>().len(), 8, "each once before one comes again");
            for (ordinal, pair) in base.iter().zip(&candidate).enumerate() {
                let again = links.pair(ordinal as u32).unwrap() as usize;
                assert_eq!(pair, (&base[again], &candidate[again]));
            }
        }
    }

    #[test]
    fn three_variants_have_three_links() {
        let numbers: BTreeSet<u64> =
            (0..3).map(|variant| Layouts::Links(8).number(7, 4, (variant, 3)).unwrap()).collect();
        assert_eq!(numbers.len(), 3);
    }

    #[test]
    fn copies_are_all_different_and_one_file_has_no_number() {
        assert_eq!(Layouts::Copies.number(9, 3, (1, 2)), Some(3));
        assert_eq!(
            (Layouts::Copies.pair(3), Layouts::One.pair(3), Layouts::One.number(9, 3, (1, 2))),
            (None, None, None)
        );
    }

    /// Links 5, 0 and 9, from the second on.
    #[test]
    fn chosen_links_go_round_from_the_groups_own() {
        let of = |ordinal| Layouts::chosen(&[5, 0, 9], 4, ordinal);
        assert_eq!([0, 1, 2, 3].map(of), [Some(0), Some(9), Some(5), Some(0)]);
        assert_eq!(Layouts::chosen(&[], 4, 1), None);
    }
}
