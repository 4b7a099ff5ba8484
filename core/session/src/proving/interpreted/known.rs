//! What is found out once for all sources of a comparison, by whichever thread asks first.

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tare_reach::Place;
use tare_units::{Extraction, Language, Mentioned, Units, Words};

/// Files that differ, or why that can't be told.
pub(super) type Differing = Result<Arc<Vec<Place>>, String>;

/// By the file that holds them: units and words, of all that have been asked for.
#[derive(Default)]
pub(in super::super) struct Known {
    units: Mutex<HashMap<PathBuf, Arc<Units>>>,
    words: Mutex<HashMap<PathBuf, Arc<Words>>>,
    mentioned: Mutex<HashMap<PathBuf, Arc<Mentioned>>>,
    /// Where the runtimes keep their own libraries.
    folders: Mutex<BTreeSet<PathBuf>>,
    /// Files that differ between the sides, by language.
    differing: Mutex<HashMap<Language, Differing>>,
}

impl Known {
    pub(super) fn units(&self, path: &Path) -> Option<Arc<Units>> {
        held(&self.units).get(path).cloned()
    }

    /// Asks for the units of those files of which none are known yet. Whoever else asks for units waits.
    ///
    /// # Errors
    ///
    /// What `print` says.
    pub(super) fn read_units<'f>(
        &self,
        files: impl Iterator<Item = &'f PathBuf>,
        print: impl FnOnce(&[PathBuf]) -> Result<Extraction, String>,
    ) -> Result<(), String> {
        let mut units = held(&self.units);
        let missing: BTreeSet<&PathBuf> = files.filter(|path| !units.contains_key(*path)).collect();
        if missing.is_empty() {
            return Ok(());
        }
        let extraction = print(&missing.into_iter().cloned().collect::<Vec<_>>())?;
        held(&self.folders).extend(extraction.folders.iter().map(PathBuf::from));
        units.extend(extraction.files.into_iter().map(|(path, units)| (PathBuf::from(path), units.into())));
        Ok(())
    }

    pub(super) fn folders(&self) -> Vec<PathBuf> {
        held(&self.folders).iter().cloned().collect()
    }

    /// Where the runtimes are installed, wherever that is: a runtime's library lies two folders below.
    pub(super) fn prefixes(&self) -> Vec<PathBuf> {
        let prefix =
            |folder: &PathBuf| folder.ancestors().nth(2).filter(|prefix| prefix.parent().is_some()).map(Path::to_owned);
        held(&self.folders).iter().filter_map(prefix).collect()
    }

    /// What a file whose units are known mentions.
    pub(super) fn mentioned(&self, path: &Path) -> Option<Arc<Mentioned>> {
        let units = self.units(path)?;
        let mut known = held(&self.mentioned);
        Some(Arc::clone(known.entry(path.to_owned()).or_insert_with(|| Mentioned::of(&units).into())))
    }

    pub(super) fn words(&self, path: &Path, split: impl FnOnce() -> Words) -> Arc<Words> {
        let mut known = held(&self.words);
        Arc::clone(known.entry(path.to_owned()).or_insert_with(|| split().into()))
    }

    pub(super) fn differing(&self, language: Language, find: impl FnOnce() -> Differing) -> Differing {
        held(&self.differing).entry(language).or_insert_with(find).clone()
    }
}

fn held<T>(known: &Mutex<T>) -> MutexGuard<'_, T> {
    known.lock().unwrap_or_else(PoisonError::into_inner)
}
