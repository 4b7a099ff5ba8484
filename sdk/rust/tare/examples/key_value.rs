//! Operations under load: `tare load` on this program measures them.
use std::collections::HashMap;
use tare::load::{main as load, Suite, Worker};

struct Store(HashMap<u64, u64>);

fn main() {
    let store = Suite::new("store", |worker: &Worker| Store(HashMap::from([(worker.number, 0)])))
        .operation("get", 9, |store, worker| store.0.get(&worker.turn).copied().ok_or("no such key"))
        .operation("put", 1, |store, worker| {
            store.0.insert(worker.turn % 1000, worker.turn);
        })
        .clean_up(|store, _| store.0.clear());
    let hostile = Suite::new("hostile", |_: &Worker| ())
        .operation("panics", 1, |(), _| {
            assert!(std::hint::black_box(false), "not today");
        })
        .operation("fails", 0, |(), worker| {
            Err::<(), std::io::Error>(std::io::Error::new(std::io::ErrorKind::Other, format!("turn {}", worker.turn)))
        });
    let broken = Suite::new("broken", |_: &Worker| -> u8 { panic!("no connection") }).operation("never", 1, |_, _| ());
    load(vec![store.into(), hostile.into(), broken.into()]);
}
