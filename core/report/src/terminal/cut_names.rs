//! Names that stand below each other in a column: whole, cut so that each still tells itself from the others, or on a
//! line of its own.

use std::collections::{BTreeSet, HashMap};

use super::line::{Line, Page, Style};
use crate::text::{ellipsis, one_line, truncate_middle, visible, width};

/// Columns that names under a heading stand to the right of it.
pub(super) const INDENT: usize = 2;
/// Columns that a name needs if something is left out of its middle.
pub(super) const READABLE: usize = 20;
/// Bytes that are worth being left out of the beginning of all names.
const LEAST_LEFT_OUT: usize = 4;
/// Columns of a name on its own line, and on those below it; a parameter set may have any size.
pub(super) const LONGEST: usize = 400;

/// Names under one heading.
#[derive(Debug)]
struct Group {
    heading: Option<String>,
    indent: usize,
    names: BTreeSet<String>,
    /// Bytes that all begin with, and that are left out of all where one has no room.
    beginning: usize,
}

/// The names of a column, by the heading that they stand under.
#[derive(Debug, Default)]
pub(super) struct CutNames {
    unicode: bool,
    groups: Vec<Group>,
    /// Of each group: what is shown in place of a name. A name that has no room and isn't there has its own line.
    cut: Vec<HashMap<String, String>>,
}

impl CutNames {
    /// Of names with their headings.
    pub(super) fn of<'n>(page: &Page, names: impl Iterator<Item = (Option<&'n str>, &'n str)>) -> Self {
        let mut groups: Vec<Group> = Vec::new();
        for (heading, name) in names {
            let name = visible(&one_line(name), page.unicode);
            match groups.iter_mut().find(|group| group.heading.as_deref() == heading) {
                Some(group) => _ = group.names.insert(name),
                None => groups.push(Group {
                    heading: heading.map(str::to_owned),
                    indent: if heading.is_some() { INDENT } else { 0 },
                    names: BTreeSet::from([name]),
                    beginning: 0,
                }),
            }
        }
        for group in &mut groups {
            group.beginning = match group.heading {
                Some(_) => beginning(&group.names),
                None => beginning_without_heading(&group.names),
            };
        }
        Self { unicode: page.unicode, groups, cut: Vec::new() }
    }

    /// Columns of the longest name with its indent.
    pub(super) fn longest(&self) -> usize {
        let all = self.groups.iter().flat_map(|group| group.names.iter().map(|name| group.indent + width(name)));
        all.max().unwrap_or(0)
    }

    /// The same without what the names of a group begin with.
    pub(super) fn longest_short(&self) -> usize {
        let all = self.groups.iter().flat_map(|group| {
            group.names.iter().map(|name| group.indent + width(&short(name, group.beginning, self.unicode)))
        });
        all.max().unwrap_or(0)
    }

    /// The same names in a column of `room`.
    pub(super) fn cut_to(mut self, room: usize) -> Self {
        self.cut = self.groups.iter().map(|group| group.cut_to(room, self.unicode)).collect();
        self
    }

    /// Names as they stand in a sentence: cut to `room` columns where each can be told from the others, else whole.
    pub(super) fn in_text(page: &Page, names: &[&str], room: usize) -> Vec<String> {
        let all = Self::of(page, names.iter().map(|name| (None, *name))).cut_to(room);
        let shown = |name: &&str| {
            let name = visible(&one_line(name), page.unicode);
            let cut = all.cut.first().and_then(|cut| cut.get(&name));
            cut.cloned().unwrap_or_else(|| all.groups[0].whole(&name, page.unicode))
        };
        names.iter().map(shown).collect()
    }

    /// The line of what `text` names, with the name at its begin, `room` columns from the left at most; the name
    /// stands on the lines before where it has no room.
    pub(super) fn begin(&self, page: &mut Page, heading: Option<&str>, text: &str, room: usize, style: Style) -> Line {
        let name = visible(&one_line(text), page.unicode);
        let at = self.groups.iter().position(|group| group.heading.as_deref() == heading);
        let indent = at.map_or(0, |at| self.groups[at].indent);
        let cut = at.and_then(|at| self.cut.get(at)?.get(&name));
        let shown = cut.unwrap_or(&name);
        let mut line = page.line();
        if indent + width(shown) <= room {
            line.pad_to(indent).push(style, shown);
            return line;
        }
        let group = at.map(|at| &self.groups[at]);
        let whole = group.map_or_else(|| name.clone(), |group| group.whole(&name, self.unicode));
        page.put_whole(indent, style, &whole);
        line
    }
}

impl Group {
    /// The name, or as much of it as anybody reads: its number tells it from those that are as long.
    fn whole(&self, name: &str, unicode: bool) -> String {
        if width(name) <= LONGEST {
            return name.to_owned();
        }
        let number = self.names.iter().position(|one| one == name).unwrap_or(0) + 1;
        format!("{} #{number}", truncate_middle(name, LONGEST, unicode))
    }

    fn cut_to(&self, room: usize, unicode: bool) -> HashMap<String, String> {
        let room = room.saturating_sub(self.indent);
        if self.names.iter().all(|name| width(name) <= room) {
            return HashMap::new();
        }
        let mut alike: HashMap<String, Vec<&String>> = HashMap::new();
        for name in &self.names {
            let short = short(name, self.beginning, unicode);
            let cut = if room < READABLE { short } else { truncate_middle(&short, room, unicode) };
            alike.entry(cut).or_default().push(name);
        }
        // Names that would look the same have their own lines.
        alike.into_iter().filter_map(|(cut, names)| (names.len() == 1).then(|| (names[0].clone(), cut))).collect()
    }
}

/// The name without what all begin with.
fn short(name: &str, beginning: usize, unicode: bool) -> String {
    if beginning > 0 { format!("{}{}", ellipsis(unicode), &name[beginning..]) } else { name.to_owned() }
}

/// Bytes of the words that all begin with; 0 for a letter or two, or one name.
fn beginning(names: &BTreeSet<String>) -> usize {
    // They are sorted: what the first and the last begin with all begin with.
    let (Some(first), Some(last)) = (names.first(), names.last()) else { return 0 };
    let mut letters = first.char_indices().zip(last.chars());
    let Some(mut begin) = letters.find(|((_, a), b)| a != b).map(|((at, _), _)| at) else { return 0 };
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

/// The same where the class, or the function, stands in the names alone: where it is that of all, only what it lies in
/// may go.
fn beginning_without_heading(names: &BTreeSet<String>) -> usize {
    let (begin, first) = (beginning(names), names.first().map_or("", String::as_str));
    let end = first.find([':', ' ', '/']).unwrap_or(first.len());
    if begin < end && !names.iter().all(|name| name.starts_with(&first[..end])) {
        return begin;
    }
    let path = first[..end].rfind(['\\', '.']).map_or(0, |at| at + 1);
    if path >= LEAST_LEFT_OUT { path.min(begin) } else { 0 }
}

#[cfg(test)]
mod tests {
    use super::{CutNames, Page, Style};
    use crate::terminal::TableOptions;
    use crate::text::width;

    /// What stands in a column of `room`, and what has its own line in front of it.
    fn cut(names: &[String], room: usize) -> Vec<(String, String)> {
        let page = Page::new(&TableOptions::default());
        let cut = CutNames::of(&page, names.iter().map(|name| (None, name.as_str()))).cut_to(room);
        let shown = |name: &String| {
            let mut page = Page::new(&TableOptions::default());
            let line = cut.begin(&mut page, None, name, room, Style::Plain);
            let mut column = Page::new(&TableOptions::default());
            column.put(line);
            (column.finish().trim_end().to_owned(), page.finish())
        };
        names.iter().map(shown).collect()
    }

    fn in_column(names: &[String], room: usize) -> Vec<String> {
        cut(names, room).into_iter().map(|(column, above)| if above.is_empty() { column } else { above }).collect()
    }

    #[test]
    fn a_name_is_cut_only_where_it_can_be_told_from_the_others() {
        let deep = "deeply/nested/".repeat(7);
        let in_the_middle: Vec<String> = (0..30).map(|n| format!("{}/{deep}case{n:02}/{deep}end", n % 2)).collect();
        let shown = cut(&in_the_middle, 40);
        assert_eq!(shown[7].0, "", "the middle is what tells it from the others");
        assert_eq!(shown[7].1.replace('\n', ""), in_the_middle[7]);
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
                let told: Vec<String> = shown.iter().map(|(column, above)| format!("{above}{column}")).collect();
                assert_eq!(distinct(&told), distinct(&names), "{room}: {shown:?}");
                assert!(shown.iter().all(|(column, _)| width(column) <= room), "{room}: {shown:?}");
            }
        }
    }

    #[test]
    fn what_all_begin_with_goes_first() {
        let names: Vec<String> = ["Sum64", "Sum64String", "DigestString"]
            .iter()
            .flat_map(|name| ["4B", "100B"].map(|size| format!("Benchmark{name}/{size}")))
            .collect();
        let of = |room| in_column(&names, room);
        assert_eq!(of(26), names, "there is room");
        for room in [19, 25] {
            assert_eq!(of(room)[..2], ["…Sum64/4B", "…Sum64/100B"]);
            assert_eq!(of(room)[4..], ["…DigestString/4B", "…DigestString/100B"]);
        }
        assert_eq!(of(14)[..3], ["…Sum64/4B", "…Sum64/100B", "BenchmarkSum64String/4B\n"], "too little room for a cut");
        let long: Vec<String> = names.iter().map(|name| name.replace('/', "/bytes of a random text of ")).collect();
        assert_eq!(in_column(&long, 30)[4..], ["…DigestString/b…dom text of 4B", "…DigestString/b…m text of 100B"]);
        // Not within a word, and not for a letter or two.
        let words = ["sortedSmall/of ten", "sortedSlow/of ten"].map(str::to_owned);
        assert_eq!(in_column(&words, 17), ["…Small/of ten", "…Slow/of ten"]);
        let two = ["ab/one thing".to_owned(), "ab/two things".to_owned()];
        assert_eq!(in_column(&two, 12), ["ab/one thing", "ab/two things\n"]);
    }

    #[test]
    fn names_longer_than_anybody_reads_have_numbers() {
        let long = ["a", "b"].map(|middle| format!("{}{middle}{}", "x".repeat(800), "y".repeat(900)));
        let shown = cut(&long, 40);
        assert!(shown[0].1.ends_with("#1\n") && shown[1].1.ends_with("#2\n"), "{shown:?}");
        assert!(shown.iter().all(|(_, above)| above.len() < 500), "{shown:?}");
    }

    #[test]
    fn without_a_heading_the_class_stays() {
        let names = ["Decode", "Encode"].map(|name| format!("App\\Benchmark\\JsonBench::bench{name}"));
        assert_eq!(in_column(&names, 26), ["…JsonBench::benchDecode", "…JsonBench::benchEncode"]);
    }

    #[test]
    fn each_heading_has_its_own_beginning() {
        let page = Page::new(&TableOptions::default());
        let names =
            [(Some("A"), "strategy tuple of ten"), (Some("A"), "strategy dict of ten"), (None, "something else")];
        let names = CutNames::of(&page, names.into_iter());
        assert_eq!((names.longest(), names.longest_short()), (23, 15));
        let names = names.cut_to(18);
        let mut page = Page::new(&TableOptions::default());
        for (heading, name) in [(Some("A"), "strategy dict of ten"), (None, "something else")] {
            let line = names.begin(&mut page, heading, name, 18, Style::Plain);
            page.put(line);
        }
        assert_eq!(page.finish(), "  …dict of ten\nsomething else\n");
    }
}
