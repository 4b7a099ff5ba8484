//! Where a link has its functions within lines of the cache.

use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::path::Path;

use tare_follow::Functions;

/// Bytes of a line of the cache; instructions are fetched, and branches predicted, by lines or parts of them.
const LINE: u64 = 64;

/// The places of a link's functions. Thousands in each of dozens of links, so names are kept as hashes of themselves.
#[derive(Debug, Default)]
pub(crate) struct Places {
    /// By hash of the name; `None`: several have that name.
    places: Vec<(u64, Option<u8>)>,
}

impl Places {
    /// Those of a program; none where it doesn't name its functions.
    pub(crate) fn read(program: &Path) -> Self {
        let Some(functions) = Functions::read(program) else { return Self::default() };
        let mut places: Vec<(u64, Option<u8>)> =
            functions.addresses().map(|(name, address)| (hash(name), Some((address % LINE) as u8))).collect();
        places.sort_unstable();
        places.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            if is_same {
                kept.1 = None;
            }
            is_same
        });
        Self { places }
    }

    /// Where the function of that name begins; `None` where there is none, or several.
    pub(crate) fn of(&self, function: &str) -> Option<u8> {
        let at = self.places.binary_search_by_key(&hash(function), |(hash, _)| *hash).ok()?;
        self.places[at].1
    }
}

fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    name.hash(&mut hasher);
    hasher.finish()
}
