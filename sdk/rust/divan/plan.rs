//! Goes through all benchmarks, and offers their cases.
//!
//! A benchmark's name is its path below the crate, as Divan prints it; its parameters are the type, the constant, the argument and the number of threads, those of them that there are. Both
//! come from what the author wrote, never from an order.

use crate::arguments::Arguments;
use crate::bencher::{with_bencher, Bencher};
use crate::divan::{Divan, Ignored};
use crate::entry::{entries, Entry, Instance, Kind, Runner};
use crate::options::Options;
use crate::{alloc, worker};
use std::collections::HashMap;

/// Groups by the module that they are in, and their name in it.
type Groups = HashMap<(&'static str, &'static str), &'static Entry>;

/// A benchmark's path, by the names that are shown, and the groups around it.
struct Path {
    names: Vec<&'static str>,
    groups: Vec<&'static Entry>,
}

impl Path {
    fn of(entry: &'static Entry, groups: &Groups) -> Self {
        let mut path = Path { names: Vec::new(), groups: Vec::new() };
        let mut end = 0;
        for name in entry.module_path.split("::") {
            let around = entry.module_path[..end].strip_suffix("::").unwrap_or("");
            end = (end + name.len() + 2).min(entry.module_path.len());
            match groups.get(&(around, name)) {
                Some(group) => {
                    path.names.push(group.display_name);
                    path.groups.push(group);
                }
                None => path.names.push(name.strip_prefix("r#").unwrap_or(name)),
            }
        }
        path.names.push(entry.display_name);
        path
    }

    fn below_the_crate(&self) -> String {
        self.names[1..].join("::")
    }

    fn whole(&self) -> String {
        self.names.join("::")
    }
}

impl Divan {
    pub fn main(&self) {
        go_through(self);
    }

    pub fn run_benches(&self) {
        go_through(self);
    }
}

fn go_through(divan: &Divan) {
    alloc::announce();
    worker::begin();
    let mut benchmarks = Vec::new();
    let mut groups = Groups::new();
    for entry in entries() {
        match entry.kind {
            Kind::Group => {
                groups.insert((entry.module_path, entry.raw_name), entry);
            }
            Kind::Benchmark(instances) => benchmarks.push((entry, instances)),
        }
    }
    benchmarks.sort_by_key(|(entry, _)| (entry.file, entry.line, entry.column, entry.module_path, entry.raw_name));
    let paths: Vec<Path> = benchmarks.iter().map(|(entry, _)| Path::of(entry, &groups)).collect();
    let mut named: HashMap<String, u32> = HashMap::new();
    for path in &paths {
        *named.entry(path.below_the_crate()).or_default() += 1;
    }
    for ((entry, instances), path) in benchmarks.into_iter().zip(paths) {
        // Several crates may have benchmarks of one name.
        let name = Some(path.below_the_crate()).filter(|name| named[name] == 1).unwrap_or_else(|| path.whole());
        if worker::is_wanted(&name) {
            worker::part(|| Benchmark { divan, entry, path: &path, name: &name }.offer(instances));
        }
    }
}

/// A benchmark, whose cases are gone through.
struct Benchmark<'a> {
    divan: &'a Divan,
    entry: &'static Entry,
    path: &'a Path,
    name: &'a str,
}

impl Benchmark<'_> {
    fn offer(&self, instances: &'static [Instance]) {
        let around = self.path.groups.iter().fold(Options::default(), |outer, group| (group.options)().within(&outer));
        let options = self.divan.options.clone().within(&(self.entry.options)().within(&around));
        let is_ignored = options.ignore.unwrap_or(false);
        if self.divan.ignored == Ignored::Alone && !is_ignored {
            return;
        }
        let skip = if is_ignored && self.divan.ignored == Ignored::LeftOut {
            "its author ignores it"
        } else if options.asks_for_nothing() {
            "its options ask for no sample"
        } else {
            options.tell_ignored();
            ""
        };
        for instance in instances.iter().filter(|instance| instance.is_there) {
            let constant = instance.constant.map(|name| name());
            let of_type = instance.type_name.map(|name| {
                let (whole, shown) = (name(), short(name()));
                // Types of one name differ by their modules. A type comes once for each constant.
                let others = instances.iter().filter_map(|known| known.type_name);
                let is_alone = others.map(|name| name()).all(|other| other == whole || short(other) != shown);
                if is_alone {
                    shown
                } else {
                    whole
                }
            });
            let parts: Vec<String> = of_type.map(str::to_owned).into_iter().chain(constant).collect();
            let code = match instance.runner {
                Runner::Plain(function) => function as usize,
                Runner::Args(function) => function as usize,
            };
            let case = |argument: Option<String>, bench: &mut dyn FnMut(Bencher<'_, '_>)| {
                let parts: Vec<String> = parts.iter().cloned().chain(argument).collect();
                self.offer_case(&parts, &options, skip, code, bench);
            };
            match instance.runner {
                Runner::Plain(function) => case(None, &mut |bencher| function(bencher)),
                Runner::Args(function) => {
                    let mut visit = |name: String, bench: &mut dyn FnMut(Bencher<'_, '_>)| case(Some(name), bench);
                    function(&mut Arguments { visit: &mut visit });
                }
            }
        }
    }

    /// A case for each number of threads.
    fn offer_case(
        &self,
        parts: &[String],
        options: &Options,
        skip: &str,
        code: usize,
        bench: &mut dyn FnMut(Bencher<'_, '_>),
    ) {
        let path: Vec<String> = [self.path.whole()].into_iter().chain(parts.iter().cloned()).collect();
        if !self.divan.has(&path.join("::")) {
            return;
        }
        let counts = options.thread_counts();
        for threads in &counts {
            let of_threads = (counts.len() > 1).then(|| format!("t={threads}"));
            let parameters: Vec<String> = parts.iter().cloned().chain(of_threads).collect();
            let definition = worker::Definition {
                benchmark: self.name.to_owned(),
                parameters: parameters.join("/"),
                file: self.entry.file.to_owned(),
                line: self.entry.line,
                skip: skip.to_owned(),
                calls: u64::from(options.sample_size.unwrap_or(0)),
                is_parallel: *threads > 1,
                labels: if *threads > 1 { vec![threads_on(*threads)] } else { Vec::new() },
                // Divan prints an empty row.
                may_measure_nothing: true,
                code: vec![code],
                ..Default::default()
            };
            worker::offer(definition, &mut |driver| with_bencher(driver, *threads, options.counters, bench));
        }
    }
}

/// A type's name without the modules that it is in; those of its own types stay.
fn short(mut name: &'static str) -> &'static str {
    while let Some((before, after)) = name.split_once("::") {
        if before.contains('<') {
            break;
        }
        name = after;
    }
    name
}

fn threads_on(threads: usize) -> String {
    let cpus = std::thread::available_parallelism().map_or(threads, usize::from);
    match cpus {
        1 => format!("{threads} threads on 1 CPU"),
        cpus if cpus < threads => format!("{threads} threads on {cpus} CPUs"),
        _ => format!("threads {threads}"),
    }
}
