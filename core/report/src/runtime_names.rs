//! What runtimes are called to people: a built C++ program has none, and its place in commands says nothing to a reader.

use std::borrow::Cow;

use tare_languages::{Language, of_name};
use tare_results::{RunView, SideView};
use tare_samples::Runtime;

/// What a runtime is called whose times are in a store: a built program, which has the name of no interpreter, by its language.
pub fn runtime_name(stored: &str) -> &str {
    let built =
        Language::all().map(Language::entry).find(|entry| entry.is_built() && entry.usual_command == Some(stored));
    built.and_then(|entry| entry.title).unwrap_or(stored)
}

/// The name of a language.
pub(crate) fn language_name(language: &str) -> &str {
    of_name(language).title.unwrap_or(language)
}

fn is_built(runtime: &Runtime) -> bool {
    of_name(&runtime.language).is_built() && runtime_name(&runtime.name) != runtime.name
}

/// The run with names for people, labels of its sides included: as it is, where it has no such runtime.
pub(crate) fn for_people(view: &RunView) -> Cow<'_, RunView> {
    if !view.variants.iter().any(|variant| is_built(&variant.variant.runtime)) {
        return Cow::Borrowed(view);
    }
    let mut view = view.clone();
    let mut renamed = Vec::new();
    for variant in view.variants.iter_mut().map(|one| &mut one.variant).filter(|one| is_built(&one.runtime)) {
        variant.runtime.name = runtime_name(&variant.runtime.name).to_owned();
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
