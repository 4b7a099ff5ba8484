//! `tare load`: concurrent work.

mod arguments;
mod blocks;
mod compared;
mod gate;
mod hire;
mod http;
mod limits;
mod log;
mod mixes;
mod pairs;
mod progress;
mod quiet;
mod seen;
mod started;
mod suites;
mod view;
mod workers;

pub(crate) use arguments::LoadArguments;

use crate::exit::{Refusal, Status};
use arguments::LoadKind;

pub(crate) fn load(arguments: &LoadArguments) -> Result<Status, Refusal> {
    match &arguments.kind {
        Some(LoadKind::Http(http)) => http::http(http),
        Some(LoadKind::Hdr(options)) => log::show(options),
        None => workers::load(&arguments.workers),
    }
}
