//! Which handler an exception finds: tables beside the code that the code doesn't refer to.

use crate::pairs::{From, Pair, Stop};
use crate::walk::Walk;

impl Walk<'_> {
    pub(crate) fn handlers(&mut self, _at: Pair, _from: &From) -> Result<(), Stop> {
        Ok(())
    }
}
