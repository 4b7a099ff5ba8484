//! When an answer of a worker isn't waited for any more.

use std::fmt;
use std::sync::Arc;

/// Whether an answer isn't waited for any more; asked ten times a second.
#[derive(Clone)]
pub struct GiveUp(Arc<dyn Fn() -> bool + Send + Sync>);

impl GiveUp {
    /// As soon as this is true.
    pub fn when(is_over: impl Fn() -> bool + Send + Sync + 'static) -> Self {
        Self(Arc::new(is_over))
    }

    /// Whether it isn't waited for now.
    #[must_use]
    pub fn is_now(&self) -> bool {
        (self.0)()
    }
}

impl fmt::Debug for GiveUp {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_tuple("GiveUp").field(&self.is_now()).finish()
    }
}
