//! The parts that are there, and whether they are parts of one suite.

use std::collections::{BTreeMap, BTreeSet};

use tare_definition::{FailOn, Options, Says, Shard};
use tare_request::{Part, Request};
use tare_store::{RunFilter, RunState, Store, StoredRun};

use crate::error::Error;

/// A store, and how it was named.
pub(super) struct Named {
    pub(super) name: String,
    /// It is the one that the whole is stored in.
    pub(super) is_target: bool,
    pub(super) store: Box<dyn Store>,
}

/// The stored run of one part of a suite (`--shard`).
pub(super) struct StoredPart {
    /// Position of its store.
    pub(super) at: usize,
    pub(super) shard: Shard,
    pub(super) part: Part,
    pub(super) request: Request,
    pub(super) run: StoredRun,
}

impl StoredPart {
    pub(super) fn id(&self) -> &str {
        &self.run.row.origin.id
    }

    pub(super) fn is_complete(&self) -> bool {
        self.run.row.state == RunState::Complete
    }
}

/// Parts of one suite, by their numbers.
pub(super) struct Parts {
    pub(super) of: u32,
    pub(super) found: Vec<StoredPart>,
    pub(super) notices: Vec<String>,
}

impl Parts {
    /// The gates that they were measured with.
    pub(super) fn gates(&self) -> &[FailOn] {
        self.found.first().map_or(&[], |part| &part.request.comparing.fail_on)
    }
}

/// Options that may differ from part to part: where, how it is told, and which part.
const OWN: [&str; 5] = ["cpus", "prepare", "fail_on", "seed", "shard"];

/// What must be the same of all parts, by the word that an error names it by.
fn identity(run: &StoredRun, request: &Request) -> BTreeMap<String, String> {
    let origin = &run.row.origin;
    let git = |name: &str| origin.git.get(name).cloned().unwrap_or_default();
    let mut all = BTreeMap::from([
        ("the version of tare".to_owned(), origin.tare.clone()),
        ("the correction policy".to_owned(), origin.policy.to_string()),
        ("the commit".to_owned(), git("commit")),
        ("changes that aren't committed".to_owned(), git("dirty")),
        ("the number of parts".to_owned(), request.part.as_ref().map_or(0, |part| part.shard.of).to_string()),
    ]);
    for (number, side) in request.sides.iter().enumerate() {
        let commit = side.commit.clone().unwrap_or_default();
        all.insert(
            format!("side {} of the comparison", number + 1),
            format!("{} {commit}", side.name).trim().to_owned(),
        );
    }
    // What is in the sources, wherever they lie.
    let within = |path: &std::path::Path| {
        let root = request.sides.iter().map(|side| &side.root).find(|root| path.starts_with(root));
        let path = root.and_then(|root| path.strip_prefix(root).ok()).unwrap_or(path);
        path.display().to_string()
    };
    let mut contents: Vec<String> =
        request.fingerprints.iter().map(|(path, hash)| format!("{}:{hash:x}", within(path))).collect();
    contents.sort();
    all.insert("the content of the sources".to_owned(), contents.join(" "));
    let Request { selection, measuring, comparing, revising, .. } = request;
    let mut selection = selection.clone();
    selection.paths.iter_mut().for_each(|path| *path = within(path).into());
    let mut settings = request.settings.clone();
    // Drawn for each run.
    settings.seed = 0;
    let settings = match serde_json::to_value(settings) {
        Ok(serde_json::Value::Object(members)) => members,
        _ => serde_json::Map::new(),
    };
    for given in [selection.given(), measuring.given(), comparing.given(), revising.given()].into_iter().flatten() {
        let id = given.option.id;
        if !OWN.contains(&id) && !settings.contains_key(id) && given.option.says != Says::Told {
            all.insert(format!("the option `{}`", given.name), shell_words::join(given.words));
        }
    }
    // What is usual may be another with another version, and PHPBench's file has its say.
    all.extend(settings.into_iter().map(|(name, value)| (format!("the setting `{name}`"), value.to_string())));
    all.insert("the runtimes".to_owned(), format!("{:?}", request.runtimes));
    all
}

/// What tells two parts of different suites apart: the word for it, and what each has.
fn difference(one: &StoredPart, other: &StoredPart) -> Option<(String, String, String)> {
    apart((&one.run, &one.request), (&other.run, &other.request))
}

/// What tells runs apart of which not the same was asked: the word for it, and what each has.
pub(super) fn apart(one: (&StoredRun, &Request), other: (&StoredRun, &Request)) -> Option<(String, String, String)> {
    let (one, other) = (identity(one.0, one.1), identity(other.0, other.1));
    let names = one.keys().chain(other.keys());
    let of = |all: &BTreeMap<String, String>, name: &String| match all.get(name).map(String::as_str) {
        None | Some("") => "none".to_owned(),
        Some(value) => value.chars().take(80).collect(),
    };
    names
        .filter(|name| one.get(*name) != other.get(*name))
        .map(|name| (name.clone(), of(&one, name), of(&other, name)))
        .next()
}

/// What all machines say of themselves; where they differ, what each one's says, `what` and a name before it.
pub(super) fn machines(runs: &[(String, &StoredRun)], what: &str) -> BTreeMap<String, String> {
    let names: BTreeSet<&String> = runs.iter().flat_map(|(_, run)| run.row.origin.machine.keys()).collect();
    let of = |name: &String| {
        let mut said: Vec<(&str, Vec<&str>)> = Vec::new();
        for (of, run) in runs {
            let value = run.row.origin.machine.get(name).map_or("", String::as_str);
            match said.iter_mut().find(|(known, _)| *known == value) {
                Some((_, names)) => names.push(of),
                None => said.push((value, vec![of])),
            }
        }
        match said.as_slice() {
            [(only, _)] => (*only).to_owned(),
            several => several
                .iter()
                .map(|(value, names)| format!("{value} ({what}{})", names.join(", ")))
                .collect::<Vec<_>>()
                .join("; "),
        }
    };
    names.into_iter().map(|name| (name.clone(), of(name))).collect()
}

/// Which parts there are: of each store those of the suite that its newest one belongs to, of each part the newest run, a complete one before others.
pub(super) fn found(stores: &[Named], only: Option<&str>) -> Result<Parts, Error> {
    let mut chosen: BTreeMap<u32, StoredPart> = BTreeMap::new();
    let mut notices = Vec::new();
    for (at, named) in stores.iter().enumerate() {
        for part in of_store(at, named, only, &mut notices)? {
            if let Some(first) = chosen.values().next()
                && let Some((what, of_first, of_part)) = difference(first, &part)
            {
                return Err(Error::usage(format!(
                    "run {} (part {}, in {}) and run {} (part {}, in {}) are no parts of one suite: {what} is {of_first} there and {of_part} here; merge those that were measured alike",
                    first.id(),
                    first.shard,
                    stores[first.at].name,
                    part.id(),
                    part.shard,
                    named.name
                )));
            }
            match chosen.get(&part.shard.number) {
                Some(same) if same.id() == part.id() => {
                    notices.push(format!(
                        "run {} is in {} and in {}; it counts once",
                        part.id(),
                        stores[same.at].name,
                        named.name
                    ));
                }
                Some(other) => {
                    return Err(Error::usage(format!(
                        "part {} is there twice: run {} in {}, and run {} in {}; leave one of the stores out",
                        part.shard,
                        other.id(),
                        stores[other.at].name,
                        part.id(),
                        named.name
                    )));
                }
                None => drop(chosen.insert(part.shard.number, part)),
            }
        }
    }
    let Some(of) = chosen.values().next().map(|part| part.shard.of) else {
        let names: Vec<&str> = stores.iter().map(|store| store.name.as_str()).collect();
        let tagged = only.map_or(String::new(), |tag| format!(" with the tag {tag:?}"));
        return Err(Error::usage(format!(
            "there are no parts of a suite{tagged} in {}; `tare run --shard 1/5` measures one",
            names.join(", ")
        )));
    };
    Ok(Parts { of, found: chosen.into_values().collect(), notices })
}

fn of_store(at: usize, named: &Named, only: Option<&str>, notices: &mut Vec<String>) -> Result<Vec<StoredPart>, Error> {
    let filter = RunFilter { tag: only.map(str::to_owned), ..RunFilter::default() };
    let mut chosen: Vec<StoredPart> = Vec::new();
    for row in named.store.runs(&filter).map_err(Error::store)?.into_iter().filter(|row| row.load.is_none()) {
        let (request, _) = named.store.durations(&row.origin.id).map_err(Error::store)?;
        let Some((request, part)) = serde_json::from_str::<Request>(&request)
            .ok()
            .and_then(|request| request.part.clone().filter(|part| !part.split.is_empty()).map(|part| (request, part)))
        else {
            continue;
        };
        let run = named.store.run(&row.origin.id).map_err(Error::store)?;
        let found = StoredPart { at, shard: part.shard, part, request, run };
        if let Some(newest) = chosen.first()
            && difference(newest, &found).is_some()
        {
            continue;
        }
        match chosen.iter_mut().find(|other| other.shard == found.shard) {
            None => chosen.push(found),
            Some(newer) => {
                let older =
                    if found.is_complete() && !newer.is_complete() { std::mem::replace(newer, found) } else { found };
                notices.push(format!(
                    "part {} was measured more than once in {}: run {} is taken, and {} left out",
                    newer.shard,
                    named.name,
                    newer.id(),
                    older.id()
                ));
            }
        }
    }
    Ok(chosen)
}
