use std::collections::BTreeSet;

use tare_samples::Case;

/// Rows that stand under one heading, as positions in the list that was grouped.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Group {
    /// `None` where the one row carries its whole name itself.
    pub(super) heading: Option<String>,
    pub(super) rows: Vec<(String, usize)>,
}

/// Cases by class, or by benchmark where the language has no classes, in the order of their first appearance. Go benchmarks of several
/// packages are by package, as `go test` shows them.
pub(super) fn groups<'a>(cases: impl Iterator<Item = &'a Case>) -> Vec<Group> {
    let cases: Vec<&Case> = cases.collect();
    let several_languages = cases.iter().any(|case| case.language != cases[0].language);
    let places: BTreeSet<&str> =
        cases.iter().map(|case| case.place.as_str()).filter(|place| !place.is_empty()).collect();
    let package = |case: &'a Case| Some(case.place.as_str()).filter(|place| places.len() > 1 && !place.is_empty());
    let mut keys: Vec<(&str, &str, Vec<usize>)> = Vec::new();
    for (position, case) in cases.iter().enumerate() {
        let class = || case.benchmark.rsplit_once("::").map_or(case.benchmark.as_str(), |(class, _)| class);
        let key = package(case).unwrap_or_else(class);
        match keys.iter_mut().find(|(language, name, _)| *language == case.language && *name == key) {
            Some((_, _, rows)) => rows.push(position),
            None => keys.push((&case.language, key, vec![position])),
        }
    }
    let mut keys_of_rows = Vec::new();
    for (language, key, rows) in keys {
        // Names that are whole, as Google Benchmark prints them, have no headings.
        if rows.iter().all(|&row| cases[row].separator() == "/") {
            keys_of_rows.extend(rows.into_iter().map(|row| (language, key, vec![row])));
        } else {
            keys_of_rows.push((language, key, rows));
        }
    }
    keys_of_rows
        .into_iter()
        .map(|(language, key, rows)| {
            let suffix = if several_languages { format!(" ({language})") } else { String::new() };
            match rows[..] {
                [only] if package(cases[only]).is_none() => {
                    Group { heading: None, rows: vec![(cases[only].title() + &suffix, only)] }
                }
                _ => Group {
                    heading: Some(format!("{key}{suffix}")),
                    rows: rows.into_iter().map(|row| (name_under(key, cases[row]), row)).collect(),
                },
            }
        })
        .collect()
}

fn name_under(key: &str, case: &Case) -> String {
    let method = case.benchmark.strip_prefix(key).and_then(|rest| rest.strip_prefix("::"));
    match (method, case.parameters.name.as_deref()) {
        (Some(method), Some("")) => format!("{method} \"\""),
        (Some(method), Some(set)) => format!("{method} {set}"),
        (Some(method), None) => method.to_owned(),
        (None, Some(set)) if !set.is_empty() => set.to_owned(),
        (None, _) => case.benchmark.clone(),
    }
}

#[cfg(test)]
mod tests {
    use tare_samples::{Case, CaseSettings, Parameters};

    use super::groups;

    #[test]
    fn names_of_cpp_are_whole_in_every_row() {
        let cases =
            [case("cpp", "BM_Sort", Some("25")), case("cpp", "BM_Sort", Some("50")), case("cpp", "Filled/Sum", None)];
        let rows: Vec<_> = groups(cases.iter()).into_iter().map(|group| (group.heading, group.rows)).collect();
        let row = |name: &str, at| (None, vec![(name.to_owned(), at)]);
        assert_eq!(rows, [row("BM_Sort/25", 0), row("BM_Sort/50", 1), row("Filled/Sum", 2)]);
    }

    fn case(language: &str, benchmark: &str, set: Option<&str>) -> Case {
        Case {
            index: 0,
            language: language.into(),
            benchmark: benchmark.into(),
            prefix: String::new(),
            place: String::new(),
            parameters: Parameters { name: set.map(str::to_owned), values: vec![] },
            file: String::new(),
            line: 0,
            groups: vec![],
            settings: CaseSettings::default(),
        }
    }

    fn shown(cases: &[Case]) -> Vec<(Option<String>, Vec<String>)> {
        let names = |rows: Vec<(String, usize)>| rows.into_iter().map(|(name, _)| name).collect();
        groups(cases.iter()).into_iter().map(|group| (group.heading, names(group.rows))).collect()
    }

    #[test]
    fn classes_and_benchmarks_with_parameters_are_headings() {
        let cases = [
            case("php", r"App\HashBench::benchHash", Some("md5")),
            case("php", "OneBench::benchOne", Some("a")),
            case("php", r"App\HashBench::benchAll", None),
            case("php", "sort", Some("10")),
            case("php", "sort", Some("100")),
            case("php", "alone", None),
        ];
        assert_eq!(
            shown(&cases),
            [
                (Some(r"App\HashBench".into()), vec!["benchHash md5".into(), "benchAll".into()]),
                (None, vec!["OneBench::benchOne a".into()]),
                (Some("sort".into()), vec!["10".into(), "100".into()]),
                (None, vec!["alone".into()]),
            ]
        );
    }

    #[test]
    fn go_benchmarks_of_several_packages_are_by_package() {
        let of = |place: &str, prefix: &str, name: &str| Case {
            place: place.into(),
            prefix: prefix.into(),
            ..case("go", &format!("{prefix}{name}"), None)
        };
        let shown = shown(&[
            of(".", "", "BenchmarkAll"),
            of("codec/json", "codec/json::", "BenchmarkParse/small"),
            of("codec/json", "", "BenchmarkEncode"),
            of("codec/xml", "codec/xml::", "BenchmarkParse/small"),
        ]);
        let rows = |names: &[&str]| names.iter().map(|&name| name.to_owned()).collect::<Vec<_>>();
        assert_eq!(
            shown,
            [
                (Some(".".to_owned()), rows(&["BenchmarkAll"])),
                (Some("codec/json".to_owned()), rows(&["BenchmarkParse/small", "BenchmarkEncode"])),
                (Some("codec/xml".to_owned()), rows(&["BenchmarkParse/small"])),
            ]
        );
    }

    #[test]
    fn the_same_name_in_two_languages_is_two_groups() {
        let cases = [case("php", "sort", None), case("go", "sort", None)];
        assert_eq!(shown(&cases), [(None, vec!["sort (php)".into()]), (None, vec!["sort (go)".into()])]);
    }
}
