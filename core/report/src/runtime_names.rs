//! What runtimes are called to people: a built C++ program has none, and its place in commands says nothing to a reader.

use std::borrow::Cow;

use tare_results::{RunView, SideView};
use tare_samples::Runtime;

/// What stands in commands, and in stores, for a built program.
const BUILT: &str = "native";
const LANGUAGE: &str = "cpp";
const SHOWN: &str = "C++";

/// The name of a runtime whose times are in a store.
pub fn runtime_name(stored: &str) -> &str {
    if stored == BUILT { SHOWN } else { stored }
}

/// The name of a language.
pub(crate) fn language_name(language: &str) -> &str {
    if language == LANGUAGE { SHOWN } else { language }
}

fn is_built(runtime: &Runtime) -> bool {
    runtime.language == LANGUAGE && runtime.name == BUILT
}

/// The run with names for people, labels of its sides included: as it is, where it has no such runtime.
pub(crate) fn for_people(view: &RunView) -> Cow<'_, RunView> {
    if !view.variants.iter().any(|variant| is_built(&variant.variant.runtime)) {
        return Cow::Borrowed(view);
    }
    let mut view = view.clone();
    let mut renamed = Vec::new();
    for variant in view.variants.iter_mut().map(|one| &mut one.variant).filter(|one| is_built(&one.runtime)) {
        SHOWN.clone_into(&mut variant.runtime.name);
        variant.label = relabelled(&variant.label);
        renamed.push(variant.id.clone());
    }
    let rename = |side: &mut SideView| {
        if renamed.contains(&side.id) {
            side.label = relabelled(&side.label);
        }
    };
    for pair in &mut view.comparisons.pairs {
        rename(&mut pair.base);
        rename(&mut pair.candidate);
    }
    Cow::Owned(view)
}

/// The same label, the runtime in it by its name.
fn relabelled(label: &str) -> String {
    label.split(", ").map(runtime_name).collect::<Vec<_>>().join(", ")
}
