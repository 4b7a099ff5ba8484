//! How often the system is right, counted: what `make validate` runs, and what the engine's own tests count in small.
//!
//! [`simulated`] runs whole comparisons on simulated machines whose truth is known, [`php`] and [`compiled`] real ones, [`means`] real
//! subjects with slow work of their own,
//! [`tools`] those of other tools on the same work. [`state`] keeps what was measured, [`page`] writes it down.

pub mod compiled;
pub mod histories;
pub mod means;
pub mod neighbours;
pub mod page;
pub mod php;
pub mod said;
pub mod simulated;
pub mod state;
pub mod suite;
pub mod tools;
