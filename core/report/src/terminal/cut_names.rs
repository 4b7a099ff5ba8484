//! Names that stand below each other, cut so that each still shows what tells it from the others.

use std::collections::{BTreeSet, HashMap};

use super::block;
use super::line::Page;
use crate::text::{ellipsis, head, one_line, tail, truncate_middle, visible, width};

/// Columns of what tells a name apart where neither its beginning nor its middle does: a mark and a hash.
const HASH: usize = 5;
/// Letters of the word in which names differ that are shown on either side of the difference.
const WORD: usize = 10;
/// Bytes that are worth being left out of the beginning of all names.
const LEAST_LEFT_OUT: usize = 4;

/// Names that would be the same once they are cut in their middle, and how each is shown instead.
#[derive(Debug, Default)]
pub(super) struct CutNames(HashMap<String, String>);

impl CutNames {
    /// Of names that are cut to `room` columns. Where one has to be, what all begin with is left out of all.
    pub(super) fn of<'n>(page: &Page, names: impl IntoIterator<Item = &'n str>, room: usize) -> Self {
        let names: BTreeSet<&str> = names.into_iter().collect();
        let whole = |name: &str| visible(&one_line(name), page.unicode);
        let all: Vec<String> = names.iter().map(|name| whole(name)).collect();
        let left_out = if all.iter().any(|name| width(name) > room) { beginning(&all) } else { 0 };
        let mark = ellipsis(page.unicode);
        let short = |name: &str| if left_out > 0 { format!("{mark}{}", &whole(name)[left_out..]) } else { whole(name) };
        let cut = |name: &str| truncate_middle(&short(name), room, page.unicode);
        let mut alike: HashMap<String, BTreeSet<&str>> = HashMap::new();
        for name in names {
            alike.entry(cut(name)).or_default().insert(name);
        }
        let mut taken: BTreeSet<String> = alike.keys().cloned().collect();
        let mut shown = HashMap::new();
        for group in alike.into_values() {
            let names: Vec<&str> = group.into_iter().collect();
            if let [name] = names[..] {
                if left_out > 0 {
                    shown.insert(name.to_owned(), cut(name));
                }
                continue;
            }
            let whole: Vec<String> = names.iter().map(|name| short(name)).collect();
            let (begin, end) = shared(&whole);
            let (begin, end) =
                (begin - word(whole[0][..begin].chars().rev()), end - word(whole[0][whole[0].len() - end..].chars()));
            for (name, whole) in names.into_iter().zip(&whole) {
                let mut cut = around(whole, begin, whole.len() - end, room, page.unicode);
                if !taken.insert(cut.clone()) {
                    cut = format!(
                        "{}~{:04x}",
                        truncate_middle(whole, room.saturating_sub(HASH), page.unicode),
                        hash(name)
                    );
                    taken.insert(cut.clone());
                }
                shown.insert(name.to_owned(), cut);
            }
        }
        Self(shown)
    }

    /// The name in `room` columns.
    pub(super) fn show(&self, page: &Page, text: &str, room: usize) -> String {
        let own = self.0.get(text).filter(|cut| width(cut) <= room);
        own.cloned().unwrap_or_else(|| block::name(page, text, room))
    }
}

/// Bytes that all begin with, and bytes that all end with, which aren't the same ones.
fn shared(names: &[String]) -> (usize, usize) {
    let first = names[0].as_str();
    let mut begin = first.len();
    for name in names {
        begin = first[..begin]
            .char_indices()
            .zip(name.chars())
            .find(|((_, a), b)| a != b)
            .map_or_else(|| begin.min(name.len()), |((at, _), _)| at);
    }
    let most = names.iter().map(|name| name.len() - begin).min().unwrap_or(0);
    let mut end = 0;
    for (a, c) in first[begin..].chars().rev().map(|c| (c.len_utf8(), c)) {
        let is_shared = |name: &String| name[..name.len() - end].ends_with(c);
        if end + a > most || !names.iter().all(is_shared) {
            break;
        }
        end += a;
    }
    (begin, end)
}

/// Bytes of the words that all begin with; 0 for a letter or two, or one name.
fn beginning(names: &[String]) -> usize {
    let [first, _, ..] = names else { return 0 };
    let (mut begin, _) = shared(names);
    let begins_word = |at: usize| {
        let mut before = first[..at].chars().rev();
        let (last, next) = (before.next(), first[at..].chars().next());
        match (last, next) {
            (Some(last), Some(next)) => !last.is_alphanumeric() || next.is_uppercase() && !last.is_uppercase(),
            _ => false,
        }
    };
    while begin > 0 && !(first.is_char_boundary(begin) && begins_word(begin)) {
        begin -= 1;
    }
    if begin >= LEAST_LEFT_OUT { begin } else { 0 }
}

/// Bytes of a word that goes on.
fn word(letters: impl Iterator<Item = char>) -> usize {
    letters.take_while(|c| c.is_alphanumeric() || matches!(c, '=' | '_')).take(WORD).map(char::len_utf8).sum()
}

/// The name's beginning, what stands from `begin` to `end`, and its own end.
fn around(name: &str, begin: usize, end: usize, room: usize, unicode: bool) -> String {
    let mark = ellipsis(unicode);
    let letters = room.saturating_sub(2 * width(mark));
    let middle = truncate_middle(&name[begin..end], letters / 2, unicode);
    let rest = letters.saturating_sub(width(&middle));
    let behind = tail(&name[end..], rest / 2);
    let before = head(&name[..begin], rest - width(behind));
    let gap = |shown: usize, all: usize| if shown < all { mark } else { "" };
    format!("{before}{}{middle}{}{behind}", gap(before.len(), begin), gap(behind.len(), name.len() - end))
}

/// FNV-1a, folded to 16 bits.
fn hash(name: &str) -> u16 {
    let all = name.bytes().fold(0x811c_9dc5u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    (all >> 16) as u16 ^ all as u16
}

#[cfg(test)]
mod tests {
    use super::{CutNames, Page};
    use crate::terminal::TableOptions;
    use crate::text::width;

    fn cut(names: &[String], room: usize) -> Vec<String> {
        let page = Page::new(&TableOptions::default());
        let cut = CutNames::of(&page, names.iter().map(String::as_str), room);
        names.iter().map(|name| cut.show(&page, name, room)).collect()
    }

    #[test]
    fn names_that_differ_differ_when_they_are_cut() {
        let deep = "deeply/nested/".repeat(7);
        let in_the_middle: Vec<String> = (0..30).map(|n| format!("{deep}case{n:02}/{deep}end")).collect();
        let shown = cut(&in_the_middle, 40);
        assert_eq!(shown[7], "…case07/deeply/neste…d/deeply/nested/end");
        // What differs is longer than a line itself, and differs in its own middle.
        let twice = |n: usize| format!("{}{n}{}", "x".repeat(n + 100), "y".repeat(200 - n));
        let of_all_kinds: Vec<Vec<String>> = vec![
            in_the_middle,
            (0..30).map(|n| format!("{deep}{n}")).collect(),
            (0..30).map(twice).collect(),
            (0..10).map(|n| format!("日本語{deep}{}{deep}", "🎉".repeat(n + 1))).collect(),
            vec!["same".to_owned(), "same".to_owned(), deep.clone(), format!("{deep}é"), format!("{deep}è")],
        ];
        for names in of_all_kinds {
            for room in [20, 40, 98] {
                let shown = cut(&names, room);
                let distinct = |all: &[String]| all.iter().collect::<std::collections::BTreeSet<_>>().len();
                assert_eq!(distinct(&shown), distinct(&names), "{room}: {shown:?}");
                assert!(shown.iter().all(|name| width(name) <= room), "{room}: {shown:?}");
            }
        }
    }

    #[test]
    fn what_all_begin_with_goes_first() {
        let names: Vec<String> = ["Sum64", "Sum64String", "DigestString"]
            .iter()
            .flat_map(|name| ["4B", "100B"].map(|size| format!("Benchmark{name}/{size}")))
            .collect();
        let of = |room| cut(&names, room);
        assert_eq!(of(26), names, "there is room");
        for room in [19, 25] {
            assert_eq!(of(room)[..2], ["…Sum64/4B", "…Sum64/100B"]);
            assert_eq!(of(room)[4..], ["…DigestString/4B", "…DigestString/100B"]);
        }
        assert_eq!(of(14)[2..4], ["…Sum64S…ing/4B", "…Sum64S…g/100B"]);
        // Not within a word, and not for a letter or two.
        let words = ["sortedSmall/of ten", "sortedSlow/of ten"].map(str::to_owned);
        assert_eq!(cut(&words, 17), ["…Small/of ten", "…Slow/of ten"]);
        assert_eq!(cut(&["ab/one thing".to_owned(), "ab/two things".to_owned()], 12), ["ab/one thing", "ab/two…hings"]);
    }
}
