//! Classes above and below a class, by the names of bases.

use std::collections::HashSet;

use crate::index::Index;
use crate::origin::Origin;
use crate::unit::{Flag, Kind};

impl<'a> Index<'a> {
    /// Whether a metaclass, a decorator or `__init_subclass__` may keep what the class has.
    pub(crate) fn is_exposed(&self, class: usize) -> bool {
        let mut waiting = vec![class];
        let mut seen = HashSet::new();
        while let Some(class) = waiting.pop() {
            let class = &self.nodes[class];
            if class.unit.has(Flag::Exposed) && class.source.origin != Origin::Runtime {
                return true;
            }
            for base in &class.unit.bases {
                // What a protocol has decides what is one.
                if base == "?" || base == "Protocol" {
                    return true;
                }
                for at in self.named(base) {
                    let found = &self.nodes[*at];
                    if found.unit.kind != Kind::Class || found.source.origin == Origin::Runtime || !seen.insert(*at) {
                        continue;
                    }
                    if self.children[*at].iter().any(|child| self.nodes[*child].unit.simple == "__init_subclass__") {
                        return true;
                    }
                    waiting.push(*at);
                }
            }
        }
        false
    }

    /// Names that classes of the runtime's library, from which the class is derived, call in their own objects, and so in its.
    pub(crate) fn called_by_bases(&self, class: usize) -> Vec<&'a str> {
        let mut waiting: Vec<&'a str> = self.nodes[class].unit.bases.iter().map(String::as_str).collect();
        let mut seen = HashSet::new();
        let mut names = Vec::new();
        while let Some(base) = waiting.pop() {
            for at in self.named(base) {
                let found = &self.nodes[*at];
                if found.unit.kind != Kind::Class || found.source.origin != Origin::Runtime || !seen.insert(*at) {
                    continue;
                }
                waiting.extend(found.unit.bases.iter().map(String::as_str));
                for child in &self.children[*at] {
                    let method = self.nodes[*child].unit;
                    names.push(method.simple.as_str());
                    names.extend(method.own.iter().map(String::as_str));
                    if method.has(Flag::Dynamic) {
                        // Its own dispatch by name: `visit_` of `ast.NodeVisitor`.
                        let made = method.joints.iter().flat_map(|joint| self.made_of(joint));
                        names.extend(made.map(|at| self.nodes[at].unit.simple.as_str()));
                    }
                }
            }
        }
        names
    }

    /// Names of all members of the class, of those above and of those below it.
    pub(crate) fn members_of_family(&self, class: usize) -> Vec<&'a str> {
        let class = self.nodes[class].unit;
        let mut family = HashSet::from([class.simple.as_str()]);
        family.extend(class.bases.iter().map(String::as_str));
        loop {
            let before = family.len();
            for node in self.nodes.iter().filter(|node| node.unit.kind == Kind::Class) {
                if node.unit.bases.iter().any(|base| family.contains(base.as_str())) {
                    family.insert(&node.unit.simple);
                }
            }
            if family.len() == before {
                break;
            }
        }
        let classes = family.into_iter().flat_map(|name| self.named(name));
        classes.flat_map(|class| &self.children[*class]).map(|child| self.nodes[*child].unit.simple.as_str()).collect()
    }
}
