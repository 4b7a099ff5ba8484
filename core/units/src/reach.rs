//! Which units a case executed, and which it could execute in another call, by the names that what it executed mentions.
//!
//! A call finds code by a name: of a variable of a module, of an attribute, or in a string. So a unit that nothing names can't be called, but by what
//! enumerates members or gets a function when it is defined. Methods need their class named, too (rapid type analysis, Bacon & Sweeney 1996, with names in
//! place of types), and functions within functions need the outer one.

use std::collections::{BTreeSet, HashMap, HashSet};

use crate::index::{Change, Index, Node, normal};
use crate::origin::Origin;
use crate::unit::{Flag, Kind, Language, Unit, loads_any};
use crate::vocabulary::{self, Opens};

/// When a unit was executed, or that it can be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum When {
    /// It can be named.
    Named,
    /// While sources were loaded.
    Loading,
    /// By the case.
    Case,
}

/// What was found is never taken back: a closure may be copied, hear of more, and be closed again.
#[derive(Clone)]
pub(crate) struct Closure<'a, 'b> {
    pub(crate) language: Language,
    pub(crate) index: &'b Index<'a>,
    pub(crate) when: Vec<Option<When>>,
    /// Classes of which there may be objects.
    live: Vec<bool>,
    pub(crate) names: HashMap<&'a str, Option<usize>>,
    pub(crate) globals: HashMap<&'a str, Option<usize>>,
    /// What the runtime's library looks up in objects that it is handed: in a module only where one is.
    looked_up: HashSet<&'a str>,
    /// What code of the library mentions that the case executed: it may load sources by that.
    pub(crate) mentioned_by_runtime: HashSet<&'a str>,
    /// The unit whose names are followed.
    by: Option<usize>,
    /// From which names may be put together, as `normal` writes them; and those that are joined to what isn't known.
    pub(crate) pieces: HashSet<String>,
    pub(crate) joints: BTreeSet<&'a str>,
    pub(crate) dynamic: Option<usize>,
    /// One that ran.
    pub(crate) computes: Option<usize>,
    /// Some unit computes names, and calls what they mean.
    pub(crate) makes_names: bool,
    /// How units that are executed, or could be, load sources ([`Unit::loading`]).
    loading: BTreeSet<Flag>,
    /// The unit that lists members, where there is one.
    pub(crate) enumerated: Option<usize>,
    class_names: bool,
    /// A unit mentions more than was read.
    pub(crate) unbounded: bool,
    /// Files whose code lists names of the module that it stands in.
    pub(crate) enumerates_module_of: HashSet<&'a str>,
    imported: HashSet<&'a str>,
    /// Names by which code hands modules on as values; `None` where it may hand on any.
    pub(crate) modules: Option<HashSet<&'a str>>,
    star: bool,
    pub(crate) documentation: Option<usize>,
    /// The unit that may read any source as text; and by path of the file, one that may read the file that it stands in.
    pub(crate) sources: Option<usize>,
    pub(crate) opens_itself: HashMap<&'a str, usize>,
    waiting: Vec<usize>,
    begun: bool,
    /// Of how many modules it was known that they are handed on, when units that the runtime may look up were considered; `None`: of any.
    handed: Option<usize>,
    /// How far names have been put together: of these joints, of so many pieces; and names that haven't been spelled in other ways.
    spoken: BTreeSet<&'a str>,
    put_together: usize,
    unspelled: Vec<&'a str>,
}

impl<'a, 'b> Closure<'a, 'b> {
    pub(crate) fn new(language: Language, index: &'b Index<'a>) -> Self {
        Self {
            language,
            index,
            when: vec![None; index.nodes.len()],
            live: vec![false; index.nodes.len()],
            names: HashMap::new(),
            globals: HashMap::new(),
            looked_up: HashSet::new(),
            mentioned_by_runtime: HashSet::new(),
            by: None,
            pieces: HashSet::new(),
            joints: BTreeSet::new(),
            dynamic: None,
            computes: None,
            makes_names: false,
            loading: BTreeSet::new(),
            enumerated: None,
            class_names: false,
            unbounded: false,
            enumerates_module_of: HashSet::new(),
            imported: HashSet::new(),
            modules: Some(HashSet::new()),
            star: false,
            documentation: None,
            sources: None,
            opens_itself: HashMap::new(),
            waiting: Vec::new(),
            begun: false,
            handed: Some(0),
            spoken: BTreeSet::new(),
            put_together: 0,
            unspelled: Vec::new(),
        }
    }

    /// Whether code of the project that was executed has the name of a unit in it; libraries have units of that name themselves.
    pub(crate) fn project_names(&self, at: usize) -> bool {
        let simple = self.index.nodes[at].unit.simple.as_str();
        let is_named = |(at, node): (usize, &Node<'_>)| {
            let ran = matches!(self.when[at], Some(When::Case | When::Loading));
            ran && node.source.origin == Origin::Project && node.unit.mentioned().any(|name| name == simple)
        };
        self.index.nodes.iter().enumerate().any(is_named)
    }

    /// Whether something loads sources by names that it makes.
    pub(crate) fn loads_any(&self) -> bool {
        loads_any(&self.loading)
    }

    /// The unit was executed.
    pub(crate) fn executed(&mut self, at: usize, when: When) {
        if self.when[at] < Some(when) {
            self.when[at] = Some(when);
            self.waiting.push(at);
        }
        // An executed method had an object.
        if let Some(outer) = self.index.nodes[at].outer
            && self.index.nodes[outer].unit.kind == Kind::Class
        {
            self.make_live(outer);
        }
    }

    /// Words that code may look names up by, wherever they came from; names may be made of them unless they are the runtime's.
    pub(crate) fn hears(&mut self, words: impl Iterator<Item = &'a str>, own: bool) {
        for word in words {
            self.attribute(word);
            self.global(word);
            if own {
                self.pieces.insert(normal(word));
            }
        }
    }

    /// Follows names until no more units are found.
    pub(crate) fn close(&mut self) {
        if !std::mem::replace(&mut self.begun, true) {
            self.begin();
        }
        loop {
            while let Some(at) = self.waiting.pop() {
                self.by = Some(at);
                self.mention(at);
            }
            self.by = self.dynamic;
            if self.class_names && self.dynamic.is_some() {
                let index = self.index;
                let named = |node: &&Node<'a>| node.unit.kind == Kind::Class && node.source.origin != Origin::Runtime;
                self.pieces.extend(index.nodes.iter().filter(named).map(|node| normal(&node.unit.simple)));
            }
            if self.dynamic.is_some() {
                let new: Vec<_> = self.joints.difference(&self.spoken).copied().collect();
                let mut found: Vec<usize> = new.iter().flat_map(|joint| self.index.made_of(joint)).collect();
                self.spoken.extend(new);
                if self.put_together < self.pieces.len() {
                    self.put_together = self.pieces.len();
                    found.extend(self.index.put_together(&self.pieces));
                }
                // `__getattr__` may hand a name on with an underscore before it.
                let unspelled = std::mem::take(&mut self.unspelled);
                // No code computes the name of another benchmark to call it, or that of a version.
                let language = self.language;
                found.retain(|at| {
                    let unit = self.index.nodes[*at].unit;
                    !vocabulary::is_subject(language, unit) && !vocabulary::is_metadata(language, unit)
                });
                found.extend(unspelled.into_iter().flat_map(|name| self.index.spelled_like(name)));
                for at in found {
                    self.attribute(&self.index.nodes[at].unit.simple);
                    self.global(&self.index.nodes[at].unit.simple);
                }
            }
            let handed = self.modules.as_ref().map(HashSet::len);
            if self.handed != handed {
                self.handed = handed;
                self.by = None;
                let names: Vec<&'a str> = self.looked_up.iter().copied().collect();
                for at in names.into_iter().flat_map(|name| self.index.named(name)) {
                    self.consider(*at);
                }
            }
            if self.waiting.is_empty() {
                self.by = None;
                return;
            }
        }
    }

    /// What needs nothing that is executed.
    fn begin(&mut self) {
        // The runtime's library is too large to be followed call by call: whatever it looks up in objects that it is handed counts as named.
        let index = self.index;
        for node in index.nodes.iter().filter(|node| node.source.origin == Origin::Runtime) {
            // `__all__` is read by star imports and by what writes documentation.
            node.unit.names.iter().filter(|name| *name != "__all__").for_each(|name| self.look_up(name));
        }
        let always: Vec<_> = (0..self.index.nodes.len()).filter(|at| self.needs_no_name(*at)).collect();
        for at in always {
            self.consider(at);
        }
    }

    fn follows(&self, at: usize) -> bool {
        match self.index.nodes[at].source.origin {
            Origin::Project | Origin::Library => true,
            // What the runtime's own library does while it is loaded knows no name of the project; what it may do later see `close`.
            Origin::Runtime => self.when[at] == Some(When::Case),
            Origin::Harness => false,
        }
    }

    fn mention(&mut self, at: usize) {
        if !self.follows(at) {
            return;
        }
        let node = &self.index.nodes[at];
        let unit = node.unit;
        let own = node.source.origin != Origin::Runtime;
        let when = self.when[at];
        if unit.has(Flag::Enumerates) || unit.has(Flag::Namespace) || unit.has(Flag::EnumeratesModule) {
            // `vars()` and `dir()` of nothing are of the module, too.
            self.enumerates_module_of.insert(&node.source.path);
        }
        if unit.has(Flag::Unbounded) {
            self.unbounded = true;
            self.enumerated.get_or_insert(at);
        }
        let named = when == Some(When::Named);
        if own {
            self.star |= unit.has(Flag::Star);
            self.imported.extend(unit.imports.iter().map(String::as_str));
            let mut all = unit.names.iter().chain(&unit.own).chain(&unit.globals);
            let hands_on = unit.has(Flag::Enumerates) && unit.globals.iter().any(|name| name == "globals");
            let finds = unit.has(Flag::Star) || hands_on || all.any(|name| vocabulary::finds_modules(name));
            // What libraries could do beside what they did, they do with modules that they know.
            if finds && (node.source.origin == Origin::Project || when == Some(When::Case)) {
                self.modules = None;
            }
            if let Some(modules) = &mut self.modules {
                modules.extend(unit.values.iter().map(String::as_str));
            }
            self.class_names |= unit.has(Flag::ClassNames);
            // Likewise of what they could load.
            if node.source.origin == Origin::Project || when == Some(When::Case) {
                self.loading.extend(unit.loading());
                self.makes_names |= unit.has(Flag::Unbounded);
            }
            if unit.has(Flag::Dynamic) {
                self.dynamic.get_or_insert(at);
                if when == Some(When::Case) || (!named && node.source.origin == Origin::Project) {
                    self.computes.get_or_insert(at);
                }
            }
            // What enumerates while sources are loaded gets classes by decorators, metaclasses or names; modules it gets in their own code.
            let loading = when == Some(When::Loading)
                && node.source.origin == Origin::Library
                && self.language == Language::Python;
            if (unit.has(Flag::Enumerates) || (unit.has(Flag::Namespace) && !named)) && !loading {
                self.enumerated.get_or_insert(at);
            }
        }
        let language = self.language;
        let project = node.source.origin == Origin::Project;
        let copies = !own && vocabulary::copies_documentation(&node.source.path);
        for name in unit.mentioned() {
            // Of PHP libraries read annotations.
            let reads = own && (!named || language == Language::Php) || project || when == Some(When::Case);
            if reads && !copies && vocabulary::reads_documentation(language, name) {
                self.documentation.get_or_insert(at);
            }
            if own && vocabulary::reads_sources(language, name) {
                self.sources.get_or_insert(at);
            }
            if vocabulary::dumps(language, name) {
                self.attribute(vocabulary::SHOWS);
            }
        }
        if unit.has(Flag::EnumeratesOwn) {
            match self.index.nodes[at].outer.filter(|outer| self.index.nodes[*outer].unit.kind == Kind::Class) {
                Some(class) => self.index.members_of_family(class).into_iter().for_each(|name| self.attribute(name)),
                None => _ = self.enumerated.get_or_insert(at),
            }
        }
        if own && unit.has(Flag::EnumeratesModule) {
            self.name_all_of_module(at);
        }
        match vocabulary::opens_sources(language, unit).filter(|_| own) {
            Some(Opens::Any) => _ = self.sources.get_or_insert(at),
            Some(Opens::Itself) => _ = self.opens_itself.entry(&node.source.path).or_insert(at),
            None => {}
        }
        for name in unit.names.iter().chain(&unit.own).chain(&unit.strings) {
            if own { self.attribute(name) } else { self.look_up(name) }
        }
        if own {
            unit.mentioned().for_each(|name| self.global(name));
            self.pieces.extend(unit.pieces.iter().map(|piece| normal(piece)));
            self.joints.extend(unit.joints.iter().map(String::as_str));
        } else {
            self.mentioned_by_runtime.extend(unit.mentioned().map(String::as_str));
        }
        if !own && unit.has(Flag::Dynamic) {
            for at in unit.joints.iter().flat_map(|piece| self.index.made_of(piece)) {
                self.attribute(&self.index.nodes[at].unit.simple);
            }
        }
        // A function within a function is made by it.
        if unit.kind == Kind::Function {
            for child in self.index.children[at].clone() {
                self.consider(child);
            }
        }
    }

    pub(crate) fn attribute(&mut self, name: &'a str) {
        if !self.names.contains_key(name) {
            self.names.insert(name, self.by);
            self.unspelled.push(name);
            for at in self.index.named(name) {
                self.consider(*at);
            }
        }
    }

    pub(crate) fn global(&mut self, name: &'a str) {
        if !self.globals.contains_key(name) {
            self.globals.insert(name, self.by);
            for at in self.index.named(name) {
                self.consider(*at);
            }
        }
    }

    /// The runtime's library looks that up in what it is handed.
    fn look_up(&mut self, name: &'a str) {
        if self.looked_up.insert(name) {
            for at in self.index.named(name) {
                self.consider(*at);
            }
        }
    }

    /// Whether the runtime's library looks for a name in an object that has the unit.
    fn is_looked_up(&self, at: usize) -> bool {
        let node = &self.index.nodes[at];
        let of_module = self.language == Language::Python && node.unit.outer == Some(0);
        self.looked_up.contains(node.unit.simple.as_str()) && (!of_module || self.is_handed_on(at))
    }

    fn make_live(&mut self, class: usize) {
        if self.live[class] {
            return;
        }
        self.live[class] = true;
        self.index.called_by_bases(class).into_iter().for_each(|name| self.attribute(name));
        // Python executes a class's body when it is defined; of PHP it belongs to the class.
        if self.language == Language::Php && self.when[class].is_none() {
            self.when[class] = Some(When::Named);
            self.waiting.push(class);
        }
        for child in self.index.children[class].clone() {
            self.consider(child);
        }
    }

    /// Units that may be called though nothing names them.
    fn needs_no_name(&self, at: usize) -> bool {
        let node = &self.index.nodes[at];
        let unit = node.unit;
        if vocabulary::called_by_runtime(self.language, &unit.simple) {
            return true;
        }
        let exposed = node
            .outer
            .is_some_and(|outer| self.index.nodes[outer].unit.kind == Kind::Class && self.index.is_exposed(outer));
        let kept = unit.kind == Kind::Class && self.index.is_exposed(at);
        let comes_or_goes = node.change == Some(Change::Presence) && self.index.overrides(at);
        unit.has(Flag::Decorated)
            || kept
            || exposed
            || comes_or_goes
            || vocabulary::called_by_runners(self.language, &unit.simple)
    }

    /// Takes the unit for reachable if everything that it needs is there.
    fn consider(&mut self, at: usize) {
        let node = &self.index.nodes[at];
        if node.source.origin == Origin::Runtime {
            return;
        }
        let unit = node.unit;
        let made = self.index.function_around(at).is_none_or(|outer| self.when[outer].is_some());
        if !made {
            return;
        }
        let named = self.names.contains_key(unit.simple.as_str()) || self.is_looked_up(at);
        let global = self.globals.contains_key(unit.simple.as_str());
        match unit.kind {
            Kind::Class => {
                if named || global || self.index.function_around(at).is_some() || self.index.is_exposed(at) {
                    self.make_live(at);
                }
                if self.index.function_around(at).is_some() {
                    // Its body is executed by the function around it.
                    self.reach(at);
                }
            }
            Kind::Module => {}
            Kind::Constant => {
                if named || global {
                    self.reach(at);
                }
            }
            Kind::Function => {
                let parent = node.outer.filter(|outer| self.index.nodes[*outer].unit.kind != Kind::Module);
                let anyway = self.needs_no_name(at);
                let reached = match parent {
                    Some(class) if self.index.nodes[class].unit.kind == Kind::Class => {
                        // What a decorator keeps of a class is called with an object of it, unless it needs none.
                        let kept = unit.has(Flag::Decorated) && unit.has(Flag::Static);
                        (named || anyway) && (self.live[class] || kept)
                    }
                    Some(_) => true,
                    None => named || global || anyway,
                };
                if reached {
                    self.reach(at);
                }
            }
        }
    }

    fn reach(&mut self, at: usize) {
        if self.when[at].is_none() {
            self.when[at] = Some(When::Named);
            self.waiting.push(at);
        }
    }

    /// The unit that names this one, where one does.
    pub(crate) fn named_by(&self, at: usize) -> Option<usize> {
        let simple = self.index.nodes[at].unit.simple.as_str();
        self.names.get(simple).or_else(|| self.globals.get(simple)).copied().flatten().or(self.index.nodes[at].outer)
    }

    /// Whether an import that is executed notices the change: of what a module has, or of what it gives to all who ask.
    pub(crate) fn imports(&self, unit: &Unit, change: Change) -> bool {
        let top = unit.outer == Some(0);
        top && ((change == Change::Presence && self.imported.contains(unit.simple.as_str()))
            || (self.star && unit.simple == "__all__"))
    }
}
