//! Results as people and programs read them.
#![allow(clippy::unwrap_used)]

mod besides;
mod between_runs;
mod brief;
mod clocks;
mod comparison;
mod csv;
mod fixtures;
mod hostile;
mod html;
mod imported;
mod json;
mod junit;
mod load;
mod markdown;
mod order;
mod page_words;
mod pages;
mod pictures;
mod pull_request;
mod schema_check;
mod searches;
mod terminal;
