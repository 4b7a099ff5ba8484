//! A store of 100,000 measurements, to look at what reads it: 2,000 runs of 50 cases in FOLDER/.tare, or as many as are named.
//! `cargo run --example large-store FOLDER [RUNS CASES]`.

#[path = "../tests/common/mod.rs"]
#[allow(unused_imports, clippy::unwrap_used)]
mod common;

use std::path::PathBuf;

use common::{launch, summary, variant};
use tare_samples::{Origin, Outcome};
use tare_store::{Access, RunState, SqliteStore, Store};

/// Runs from the one at which every fifth case becomes slower.
const CHANGED: u32 = 100;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = PathBuf::from(std::env::args_os().nth(1).ok_or("name a folder")?);
    let number = |at: usize, usual: u32| std::env::args().nth(at).map_or(Ok(usual), |number| number.parse());
    let (runs, cases) = (number(2, 2_000)?, number(3, 50)?);
    std::fs::create_dir_all(folder.join(".tare"))?;
    std::fs::write(folder.join("tare.toml"), "")?;
    let mut store = SqliteStore::open(folder.join(".tare/tare.db"), Access::ReadWrite)?;
    let now = jiff::Timestamp::now();
    for number in 0..runs {
        let origin = Origin {
            id: format!("20260101-{number:06}-aaaa"),
            started: (now - jiff::SignedDuration::from_mins(30 * i64::from(runs - number)))
                .strftime("%Y-%m-%dT%H:%M:%SZ")
                .to_string(),
            git: [("branch".to_owned(), "main".to_owned()), ("commit".to_owned(), format!("{number:040x}"))].into(),
            ..common::origin(number % 1_000, &["main"])
        };
        store.begin_run(&origin, "{}")?;
        for case in 0..cases {
            let variant = variant(&format!("Bench::bench{case}"), "php8.2");
            store.put_variant(&origin.id, case, &variant)?;
            store.put_launch(&origin.id, &variant.id, &launch(0))?;
            // The fraction of multiples of the golden ratio: noise without chance.
            let noise = (f64::from(number * 7 + case) * 0.618_033_988_75).fract();
            let level = if case % 5 == 0 && number + CHANGED >= runs { 108.0 } else { 100.0 };
            store.put_outcome(&origin.id, &variant.id, &Outcome::Ok, Some(&summary(level + 2.0 * noise)))?;
        }
        store.finish_run(&origin.id, RunState::Complete)?;
    }
    Ok(())
}
