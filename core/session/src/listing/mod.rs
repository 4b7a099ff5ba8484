//! Which cases there are, on which side.

pub(crate) mod asserted;
pub(crate) mod broken;
pub(crate) mod counterparts;
pub(crate) mod enumerate;
mod environment;
pub(crate) mod frames;
pub(crate) mod lacking_files;
mod lister;
pub(crate) mod namesakes;
mod narrowed;
mod said;
pub(crate) mod same;
pub(crate) mod settings_of_sides;
mod turns;
pub(crate) mod unprepared;
