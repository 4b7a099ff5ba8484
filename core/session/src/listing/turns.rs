//! What sides that are listed at once do one after the other.

use std::collections::HashSet;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Builds, and loading what lies at the same place on each side: it may use a port, or a file by its name.
#[derive(Default)]
pub(super) struct Turns {
    building: Mutex<()>,
    loading: Mutex<HashSet<String>>,
    loaded: Condvar,
}

impl Turns {
    /// Toolchains have all CPUs, and share folders.
    pub(super) fn to_build(&self) -> MutexGuard<'_, ()> {
        self.building.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody else loads what lies at this place, and keeps others from it.
    pub(super) fn to_load(&self, place: &str) -> Turn<'_> {
        let loading = self.loading.lock().unwrap_or_else(PoisonError::into_inner);
        let is_taken = |loading: &mut HashSet<String>| loading.contains(place);
        let mut loading = self.loaded.wait_while(loading, is_taken).unwrap_or_else(PoisonError::into_inner);
        loading.insert(place.to_owned());
        Turn { turns: self, place: place.to_owned() }
    }
}

/// Ends when it is dropped.
pub(super) struct Turn<'t> {
    turns: &'t Turns,
    place: String,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        self.turns.loading.lock().unwrap_or_else(PoisonError::into_inner).remove(&self.place);
        self.turns.loaded.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::thread;

    use super::Turns;

    #[test]
    fn one_place_is_loaded_by_one_at_a_time_and_others_meanwhile() {
        let (turns, inside) = (Turns::default(), AtomicU32::new(0));
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        let _turn = turns.to_load("a.py");
                        assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                        thread::yield_now();
                        inside.fetch_sub(1, Ordering::SeqCst);
                    }
                });
            }
        });
        // Both are held at once, or none would be through.
        let barrier = Barrier::new(2);
        thread::scope(|scope| {
            for place in ["a.py", "b.py"] {
                let (turns, barrier) = (&turns, &barrier);
                scope.spawn(move || {
                    let _turn = turns.to_load(place);
                    barrier.wait();
                });
            }
        });
    }
}
