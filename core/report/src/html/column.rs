//! A side of a case: a column of its figures, and a picture of its own.

use tare_results::VariantView;
use tare_statistics::{Distribution, Summary};

/// A side of a case: what it is called, and what was measured of it.
pub(super) struct Column<'a> {
    pub(super) label: String,
    pub(super) variant: Option<&'a VariantView>,
}

impl<'a> Column<'a> {
    pub(super) fn summary(&self) -> Option<&'a Summary> {
        self.variant?.summary.as_ref()
    }

    pub(super) fn distribution(&self) -> Option<&'a Distribution> {
        self.variant?.distribution.as_ref()
    }
}
