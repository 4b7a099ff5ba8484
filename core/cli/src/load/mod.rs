//! `tare load`: concurrent work.

mod arguments;
mod blocks;
mod gate;
mod http;
mod log;
mod progress;
mod view;

pub(crate) use arguments::LoadArguments;

use crate::exit::{Refusal, Status};
use arguments::LoadKind;

pub(crate) fn load(arguments: &LoadArguments) -> Result<Status, Refusal> {
    match &arguments.kind {
        LoadKind::Http(http) => http::http(http),
        LoadKind::Hdr(options) => log::show(options),
    }
}
