//! `tare sdk`: where the parts of Tare are that benchmarks are built with.

use crate::arguments::{SdkArguments, SdkLanguage};
use crate::exit::{Refusal, Status};
use crate::screen;

pub(crate) fn sdk(arguments: &SdkArguments) -> Result<Status, Refusal> {
    let folder = match arguments.language {
        SdkLanguage::Cpp => tare_worker::unpack_cpp().map_err(Refusal::failed)?,
    };
    screen::print(&format!("{}\n", folder.display()));
    Ok(Status::Done)
}
