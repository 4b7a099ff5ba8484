//! One load from several generators: processes, mostly on machines of their own, that begin together and keep one schedule.
//!
//! A coordinator gathers them over TCP, measures by how much the clock of each is off, and hands out a share of the connections and of the schedule
//! ([`Share`](crate::share::Share)). Before each block all make their connections and say so; then the coordinator names one moment in which it begins,
//! to each by its own clock. While a block lasts nobody waits for a message: what is sent (how far it is, once a second) goes from a thread that measures
//! nothing. At the end each sends its histograms, which are merged.

pub mod clock;
pub mod generator;
mod lobby;
mod member;
mod merged;
mod messages;
pub mod team;

pub use lobby::Lobby;
