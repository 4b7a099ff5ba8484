//! What has to be there before anything is looked for: checked out revisions, builds, a machine of our own.

pub(crate) mod benchmarks;
pub(crate) mod build;
pub(crate) mod layouts;
pub(crate) mod lock;
pub(crate) mod placement;
pub(crate) mod sides;
