//! What code finds that lists the members of something.

use crate::reach::Closure;
use crate::unit::{Flag, Kind, Language};

impl Closure<'_, '_> {
    /// Whether what lists the members of something may find the unit: a function of a module is listed with the module, which has to be handed to what lists.
    pub(crate) fn may_list(&self, at: usize) -> bool {
        let node = &self.index.nodes[at];
        let of_module = node.unit.outer == Some(0) && node.unit.kind != Kind::Class;
        if !of_module || self.language != Language::Python {
            return true;
        }
        let lists_itself = self.enumerates_module_of.contains(node.source.path.as_str());
        self.unbounded || lists_itself || self.is_handed_on(at)
    }

    /// Whether some code may have the module in which the unit stands as a value.
    pub(crate) fn is_handed_on(&self, at: usize) -> bool {
        let Some(modules) = &self.modules else { return true };
        let mut parts = self.index.nodes[at].source.path.rsplit('/');
        let stem = parts.next().and_then(|file| file.split('.').next()).unwrap_or_default();
        modules.contains(if stem == "__init__" { parts.next().unwrap_or_default() } else { stem })
    }

    /// Whether a computed name may mean the constant or function of a module. A function is recorded where it runs, and counts only where its module is handed on for certain.
    pub(crate) fn may_find(&self, at: usize) -> bool {
        let unit = self.index.nodes[at].unit;
        match unit.kind {
            _ if unit.outer != Some(0) => false,
            Kind::Constant => self.may_list(at),
            Kind::Function => self.modules.is_some() && self.may_list(at),
            Kind::Class | Kind::Module => false,
        }
    }

    /// `globals()` has what its module defines and what it imports by name; what another one put there was named by that one. All names of another module
    /// (`import *`) aren't known.
    pub(crate) fn name_all_of_module(&mut self, at: usize) {
        let index = self.index;
        let units = index.files.get(index.nodes[at].source.path.as_str()).map_or(&[][..], Vec::as_slice);
        for other in units.iter().map(|other| index.nodes[*other].unit) {
            if other.has(Flag::Star) {
                self.enumerated.get_or_insert(at);
            }
            let own = (other.outer == Some(0)).then_some(&other.simple);
            for name in own.into_iter().chain(&other.imports) {
                self.attribute(name);
                self.global(name);
            }
        }
    }
}
