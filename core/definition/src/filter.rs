mod possible;

use regex::Regex;
use tare_samples::Case;

use crate::error::ArgumentError;
use crate::pattern::last_line;
use crate::quantity::shown;
use possible::Words;

/// Which cases to measure.
#[derive(Debug, Clone, Default)]
pub struct Filter {
    patterns: Vec<(String, Regex)>,
    /// Of each pattern.
    words: Vec<Words>,
    groups: Vec<String>,
    /// What is left out, whatever the rest takes.
    excluded: Vec<(String, Regex)>,
}

/// Two filters are the same when they are written alike.
impl PartialEq for Filter {
    fn eq(&self, other: &Self) -> bool {
        let texts = |filter: &Self| {
            let all = filter.patterns.iter().chain(&filter.excluded);
            (filter.patterns.len(), all.map(|(text, _)| text.clone()).collect::<Vec<_>>())
        };
        texts(self) == texts(other) && self.groups == other.groups
    }
}

impl Filter {
    /// Takes cases that match any of `patterns` and stand in any of `groups`; an empty list asks for nothing.
    ///
    /// A pattern is a regular expression (RE2 syntax, so that no pattern takes exponential time), matched anywhere in
    /// `Class::method#parameters`, with or without the language before it (`php/…`). A case whose text holds the pattern as
    /// it is written is taken as well, so that a namespaced name can be pasted.
    ///
    /// # Errors
    /// A pattern that isn't a regular expression.
    pub fn new(patterns: &[String], groups: &[String]) -> Result<Self, ArgumentError> {
        let words = patterns.iter().map(|pattern| Words::of(pattern)).collect();
        Ok(Self { patterns: compiled(patterns)?, words, groups: groups.to_vec(), excluded: Vec::new() })
    }

    /// Leaves out the cases that match any of `patterns`, which are matched as those of [`Filter::new`] are, also where those take them.
    ///
    /// # Errors
    /// A pattern that isn't a regular expression.
    pub fn excluding(mut self, patterns: &[String]) -> Result<Self, ArgumentError> {
        self.excluded = compiled(patterns)?;
        Ok(self)
    }

    /// Whether all that a class of this name may have is left out: a pattern matches whatever follows the name.
    pub fn excludes_class(&self, name: &str) -> bool {
        self.excluded.iter().any(|(_, regex)| [name, &format!("{name}::")].iter().all(|form| regex.is_match(form)))
    }

    /// Whether cases are chosen by their names.
    pub fn chooses_by_name(&self) -> bool {
        !self.patterns.is_empty()
    }

    /// Whether a benchmark that can't be listed may have cases that match, as far as its name tells: a pattern matches the name, or
    /// holds it, as one for a parameter set or a sub-benchmark of it does. Its groups aren't known, and rule nothing out.
    pub fn may_match_name(&self, benchmark: &str) -> bool {
        let matches = |(text, regex): &(String, Regex)| {
            regex.is_match(benchmark) || text.contains(benchmark) || benchmark.contains(text.as_str())
        };
        // A set of it may still be asked for where only the bare name is left out.
        let left_out =
            |(_, regex): &(String, Regex)| regex.is_match(benchmark) && regex.is_match(&format!("{benchmark}#"));
        (self.patterns.is_empty() || self.patterns.iter().any(matches)) && !self.excluded.iter().any(left_out)
    }

    /// Whether a source that can't be loaded may have cases that match, as far as its path and its text tell: all the words that a
    /// pattern's match needs stand in them. Names that are made at run time can't be found so.
    pub fn may_match_in(&self, text: &str) -> bool {
        self.words.is_empty() || self.words.iter().any(|words| words.may_be_in(text))
    }

    /// The same of names that a program puts together of `pieces`, or that stand in `text`.
    pub fn may_match_made_of(&self, text: &str, pieces: &[&str]) -> bool {
        self.words.is_empty() || self.words.iter().any(|words| words.may_be_made_of(text, pieces))
    }

    /// Whether the case is to be measured: by its name, or the one that it has in its source where a path stands in front.
    pub fn matches(&self, case: &Case) -> bool {
        let mut forms = vec![case.clone()];
        if !case.prefix.is_empty() {
            forms.push(Case { benchmark: case.own_name().to_owned(), prefix: String::new(), ..case.clone() });
        }
        let grouped = self.groups.is_empty() || case.groups.iter().any(|group| self.groups.contains(group));
        let named = |patterns: &[(String, Regex)]| forms.iter().any(|form| Self::names(patterns, form));
        grouped && (self.patterns.is_empty() || named(&self.patterns)) && !named(&self.excluded)
    }

    fn names(patterns: &[(String, Regex)], case: &Case) -> bool {
        let id = case.id();
        // The anchor `^` is to mean the start of either form.
        let name = id.strip_prefix(case.language.as_str()).and_then(|rest| rest.strip_prefix('/')).unwrap_or(&id);
        // As tables write it.
        let shown = case.parameters.name.as_ref().map(|set| format!("{}{}{set}", case.benchmark, case.separator()));
        let shown = shown.as_deref().unwrap_or(name);
        let named = |(text, regex): &(String, Regex)| {
            [name, &id, shown].iter().any(|form| regex.is_match(form) || form.contains(text.as_str()))
        };
        patterns.iter().any(named)
    }
}

fn compiled(patterns: &[String]) -> Result<Vec<(String, Regex)>, ArgumentError> {
    let compiled = |pattern: &String| {
        let regex = Regex::new(pattern).map_err(|error| {
            ArgumentError::new(
                format!(
                    "the filter `{}` is not a regular expression: {}",
                    shown(pattern),
                    last_line(&error.to_string())
                ),
                r"correct it; write \\ for a backslash; look-arounds aren't supported",
            )
        })?;
        Ok((pattern.clone(), regex))
    };
    patterns.iter().map(compiled).collect()
}

#[cfg(test)]
mod tests {
    use tare_samples::{Case, CaseSettings, Parameters};

    use super::Filter;

    fn case(benchmark: &str, parameters: Option<&str>, groups: &[&str]) -> Case {
        Case {
            index: 0,
            language: "php".into(),
            benchmark: benchmark.into(),
            prefix: String::new(),
            place: String::new(),
            parameters: Parameters { name: parameters.map(str::to_owned), values: Vec::new() },
            file: "HashBench.php".into(),
            line: 1,
            groups: groups.iter().map(|&group| group.to_owned()).collect(),
            settings: CaseSettings::default(),
        }
    }

    #[test]
    fn names_of_cpp_are_found_as_google_benchmark_prints_them() {
        let sized = Case { language: "cpp".into(), ..case("BM_Sort", Some("n:25/threads:2"), &[]) };
        for pattern in ["^BM_Sort/n:25", "BM_Sort/n:25/threads:2$", "BM_Sort#n:25", "BM_Sort/.*/threads:2"] {
            assert!(filter(&[pattern], &[]).matches(&sized), "{pattern}");
        }
        assert!(!filter(&["^BM_Sort/n:26"], &[]).matches(&sized));
        // In PHP a slash says a language, and nothing of parameters.
        assert!(!filter(&["benchHash/md5"], &[]).matches(&case("HashBench::benchHash", Some("md5"), &[])));
    }

    fn filter(patterns: &[&str], groups: &[&str]) -> Filter {
        let owned = |texts: &[&str]| texts.iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
        Filter::new(&owned(patterns), &owned(groups)).unwrap()
    }

    #[test]
    fn a_pattern_matches_anywhere_in_the_name_of_the_case() {
        let md5 = case("HashBench::benchHash", Some("md5"), &[]);
        for pattern in ["Hash", "^HashBench::", "benchHash#md5$", "^php/Hash", "benchH.sh#", "(?i)MD5"] {
            assert!(filter(&[pattern], &[]).matches(&md5), "{pattern}");
        }
        for pattern in ["Sort", "^benchHash", "^php$", "md4"] {
            assert!(!filter(&[pattern], &[]).matches(&md5), "{pattern}");
        }
        assert!(filter(&["Sort", "md5"], &[]).matches(&md5), "one of several is enough");
    }

    #[test]
    fn the_name_in_the_source_matches_behind_a_path() {
        let prefixed = Case { prefix: "codec::".into(), ..case("codec::BenchmarkParse", None, &[]) };
        for pattern in ["^BenchmarkParse$", "^codec::BenchmarkParse$", "^php/BenchmarkParse$", "^php/codec::"] {
            assert!(filter(&[pattern], &[]).matches(&prefixed), "{pattern}");
        }
        assert!(!filter(&["^Parse"], &[]).matches(&prefixed));
        assert!(!filter(&["^BenchmarkParse$"], &[]).matches(&case("codec::BenchmarkParse", None, &[])));
    }

    #[test]
    fn a_pasted_name_matches_as_it_is() {
        let hostile = case("App\\Bench\\HashBench::benchHash", Some("a+b (1)"), &[]);
        assert!(filter(&["benchHash#a+b (1)"], &[]).matches(&hostile));
        assert!(filter(&["Bench\\\\HashBench"], &[]).matches(&hostile));
    }

    #[test]
    fn groups_and_patterns_must_both_agree() {
        let grouped = case("HashBench::benchHash", None, &["hash", "slow"]);
        assert!(filter(&[], &["fast", "slow"]).matches(&grouped));
        assert!(filter(&["Hash"], &["slow"]).matches(&grouped));
        assert!(!filter(&["Sort"], &["slow"]).matches(&grouped));
        assert!(!filter(&["Hash"], &["slo"]).matches(&grouped));
        assert!(!filter(&[], &["slow"]).matches(&case("HashBench::benchHash", None, &[])));
        assert!(Filter::default().matches(&grouped));
    }

    #[test]
    fn of_what_can_not_be_listed_the_name_or_the_text_decides() {
        let some = filter(&["HashBench::benchHash#md5", "^BenchmarkSubs/size=1$", "Parse"], &["slow"]);
        for name in ["HashBench::benchHash", "BenchmarkSubs", "ParseBench::benchAny"] {
            assert!(some.may_match_name(name), "{name}");
        }
        for name in ["HashBench::benchSort", "BenchmarkFatal"] {
            assert!(!some.may_match_name(name), "{name}");
        }
        assert!(some.may_match_in("class HashBench { function benchHash() { yield 'md5'; } }"));
        assert!(!some.may_match_in("class SortBench { function benchSort() {} }"));
        assert!(Filter::default().may_match_name("any") && Filter::default().may_match_in(""));
    }

    #[test]
    fn a_broken_pattern_is_an_error_that_says_what_is_broken() {
        let error = Filter::new(&["Hash(".to_owned()], &[]).unwrap_err().to_string();
        assert!(error.starts_with("the filter `Hash(` is not a regular expression: unclosed group; "), "{error}");
        assert!(Filter::new(&["(?=x)".to_owned()], &[]).is_err());
    }

    #[test]
    fn what_is_excluded_is_left_out_whatever_a_filter_takes() {
        let excluding = |patterns: &[&str], excluded: &[&str]| {
            let excluded: Vec<String> = excluded.iter().map(|&text| text.to_owned()).collect();
            filter(patterns, &[]).excluding(&excluded).unwrap()
        };
        let md5 = case("HashBench::benchHash", Some("md5"), &[]);
        for pattern in ["md5", "^HashBench::benchHash#md5$", "benchHash md5", "php/Hash"] {
            assert!(!excluding(&[], &[pattern]).matches(&md5), "{pattern}");
            assert!(!excluding(&["Hash"], &[pattern]).matches(&md5), "{pattern}");
        }
        assert!(excluding(&[], &["sha", "MD5"]).matches(&md5));
        assert!(!excluding(&["Sort"], &["sha"]).matches(&md5), "what isn't asked for stays out");
        // Of a benchmark that can't be listed only the name is known.
        assert!(!excluding(&[], &["Hash"]).may_match_name("HashBench::benchHash"));
        assert!(
            excluding(&[], &["benchHash$", "#md5"]).may_match_name("HashBench::benchHash"),
            "other sets of it may be meant"
        );
        assert!(excluding(&[], &["Hash"]).excludes_class("HashBench"));
        assert!(!excluding(&[], &["HashBench::benchHash", "HashBench$"]).excludes_class("HashBench"));
        let error = filter(&[], &[]).excluding(&["Hash(".to_owned()]).unwrap_err().to_string();
        assert!(error.starts_with("the filter `Hash(` is not a regular expression"), "{error}");
        assert!(excluding(&["a"], &["b"]) != excluding(&["a", "b"], &[]));
    }
}
