//! Names of cases among others: what they have in common is said once, and each shows the part that differs.

use tare_results::{ComparisonView, ComparisonsView, GateView};

/// `Class` and `method set` of `Class::method set`; a benchmark without a class, and `set`, of `benchmark set`.
pub(crate) fn split(title: &str) -> (Option<String>, String) {
    let (benchmark, set) = title.split_once(' ').map_or((title, None), |(benchmark, set)| (benchmark, Some(set)));
    match (benchmark.rsplit_once("::"), set) {
        (Some((class, method)), None) => (Some(class.to_owned()), method.to_owned()),
        (Some((class, method)), Some(set)) => (Some(class.to_owned()), format!("{method} {set}")),
        (None, Some(set)) => (Some(benchmark.to_owned()), set.to_owned()),
        (None, None) => (None, benchmark.to_owned()),
    }
}

/// The class of a benchmark, or the package, with what separates it from the rest: `App\HashBench::` of `App\HashBench::benchHash md5`.
pub(crate) fn class(title: &str) -> &str {
    let benchmark = title.find([' ', '#']).map_or(title, |end| &title[..end]);
    benchmark.rfind("::").map_or("", |at| &title[..at + "::".len()])
}

/// What names that stand together begin with.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Names {
    shared: String,
}

impl Names {
    /// Of names that stand together: their class where all are of one, else the namespace, package or folder of their classes. Empty for a single name, which
    /// nothing beside it explains.
    pub fn of<'a>(titles: impl IntoIterator<Item = &'a str>) -> Self {
        let mut titles = titles.into_iter();
        let Some(first) = titles.next() else { return Self::default() };
        let (mut shared, mut several) = (class(first), false);
        for title in titles {
            several |= title != first;
            let class = class(title);
            if class != shared {
                let same = shared.bytes().zip(class.bytes()).take_while(|(a, b)| a == b).count();
                let end = shared.as_bytes()[..same].iter().rposition(|byte| matches!(byte, b'\\' | b'/' | b'.' | b':'));
                // The mark is ASCII, so a character ends with it.
                shared = &shared[..end.map_or(0, |end| end + 1)];
            }
        }
        Self { shared: if several { shared.to_owned() } else { String::new() } }
    }

    /// Of the comparisons that are judged.
    pub(crate) fn of_comparisons(view: &ComparisonsView) -> Self {
        Self::of(view.judged().map(|pair| pair.title.as_str()))
    }

    /// The part of a name that differs.
    pub fn short<'t>(&self, title: &'t str) -> &'t str {
        title.strip_prefix(self.shared.as_str()).filter(|rest| !rest.is_empty()).unwrap_or(title)
    }

    /// The shortest part of a name that no other of `titles` has: without its class, where that is enough.
    pub(crate) fn shortest<'a>(&self, title: &'a str, titles: &[&str]) -> &'a str {
        let method = &title[class(title).len()..];
        let others = titles.iter().filter(|other| **other != title && other[class(other).len()..] == *method);
        if method.is_empty() || others.count() > 0 { self.short(title) } else { method }
    }

    /// What is left out of [`Self::short`], without the mark that separates it: `App\HashBench`, `App`. `None` where nothing is.
    pub fn shared(&self) -> Option<&str> {
        Some(self.shared.trim_end_matches([':', '\\', '/', '.'])).filter(|shared| !shared.is_empty())
    }
}

/// What to call a pair among others: its title, and its candidate where the title comes more than once.
pub(crate) fn of_pair(pair: &ComparisonView, view: &ComparisonsView) -> String {
    let alone = view.judged().filter(|other| other.title == pair.title).count() == 1;
    match (alone, pair.title.as_str()) {
        // Functions have no class in common.
        (_, "") => pair.candidate.label.clone(),
        (true, title) => title.to_owned(),
        (false, title) => format!("{title} ({})", pair.candidate.label),
    }
}

/// What to call the case of a gate: the pair that it judges, where it judges one.
pub(crate) fn of_gate(gate: &GateView, view: &ComparisonsView) -> String {
    let judges = |pair: &&ComparisonView| {
        gate.variant == pair.candidate.id && gate.base.as_ref().is_none_or(|base| *base == pair.base.id)
    };
    if let Some(pair) = view.judged().find(judges) {
        return of_pair(pair, view);
    }
    // A pair that wasn't measured has no row: the gate is called by its candidate, whose label is that of all rows.
    let labels = view.judged().map(|pair| format!(" ({})", pair.candidate.label)).next();
    let bare = labels.as_deref().and_then(|label| gate.title.strip_suffix(label));
    bare.unwrap_or(&gate.title).to_owned()
}

#[cfg(test)]
mod tests {
    use super::{Names, split};

    #[test]
    fn a_title_is_split_where_its_class_ends() {
        let parts = |title| {
            let (heading, name) = split(title);
            (heading.unwrap_or_default(), name)
        };
        let pair = |heading: &str, name: &str| (heading.to_owned(), name.to_owned());
        assert_eq!(parts(r"App\HashBench::benchHash md5"), pair(r"App\HashBench", "benchHash md5"));
        assert_eq!(parts("HashBench::benchAll"), pair("HashBench", "benchAll"));
        assert_eq!(parts("parse a::b c"), pair("parse", "a::b c"));
        assert_eq!(parts("Sort"), pair("", "Sort"));
    }

    #[test]
    fn names_show_the_part_that_differs() {
        let shown = |titles: &[&str]| {
            let names = Names::of(titles.iter().copied());
            let short = titles.iter().map(|title| names.short(title).to_owned()).collect::<Vec<_>>();
            (names.shared().unwrap_or_default().to_owned(), short)
        };
        let of = |shared: &str, short: &[&str]| (shared.to_owned(), short.iter().map(|&one| one.to_owned()).collect());
        assert_eq!(
            shown(&[r"App\RouteBench::dynamicLastRoute mark", r"App\RouteBench::unknownRoute mark"]),
            of(r"App\RouteBench", &["dynamicLastRoute mark", "unknownRoute mark"])
        );
        assert_eq!(
            shown(&[r"App\Hash\MdBench::md5", r"App\Hash\MapBench::get", r"App\Hash\MapBench::put 1::2"]),
            of(r"App\Hash", &["MdBench::md5", "MapBench::get", "MapBench::put 1::2"])
        );
        // A set isn't taken for a class, nor the beginning of a name for one.
        assert_eq!(shown(&["parse a::b", "parse a::c"]), of("", &["parse a::b", "parse a::c"]));
        assert_eq!(shown(&["BenchmarkParse/a", "BenchmarkParse/b"]), of("", &["BenchmarkParse/a", "BenchmarkParse/b"]));
        assert_eq!(shown(&["codec/json::A", "codec/jsonl::B"]), of("codec", &["json::A", "jsonl::B"]));
        // One name alone has nothing beside it that says the rest, however often it comes.
        assert_eq!(shown(&["A::b", "A::b"]), of("", &["A::b", "A::b"]));
        assert_eq!(shown(&["日本::é", "日本語::é"]), of("", &["日本::é", "日本語::é"]));
        assert_eq!(shown(&["", "A::b"]), of("", &["", "A::b"]));
    }

    #[test]
    fn a_class_stands_where_two_have_the_method() {
        let titles = [r"App\A::get x", r"App\B::get x", r"App\B::put", r"App\B::"];
        let names = Names::of(titles);
        let shown = titles.map(|title| names.shortest(title, &titles));
        assert_eq!(shown, ["A::get x", "B::get x", "put", "B::"]);
    }
}
