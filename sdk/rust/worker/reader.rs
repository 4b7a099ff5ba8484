//! Reads the clocks of the standard library as a program does, and waits as it does (PROTOCOL §3, `read` and `wait`).

use super::fault::{in_quotes, Fault};
use super::frame::Frame;
use super::request::Request;
use super::sys;
use std::hint::black_box;
use std::sync::OnceLock;
use std::time::{Duration, Instant, SystemTime};

pub(crate) const CLOCKS: [&str; 2] = ["Instant", "SystemTime"];
pub(crate) const WAITS: [&str; 2] = ["yield", "sleep"];

const MOST_PAIRS: i64 = 50_000;
const MOST_READS: i64 = 1_000_000;
const MOST_BLOCKS: i64 = 10_000;
const MOST_WAITS: i64 = 10_000;
/// Nanoseconds of a wait, either way.
const LONGEST_WAIT: i64 = 10_000_000_000;

/// What a `read` asks for.
struct Reads {
    pairs: usize,
    skip: i64,
    blocks: usize,
    reads: i64,
}

pub(crate) fn read(request: &Request) -> Result<Frame, Fault> {
    let clock = request.text("clock")?;
    let asked = Reads {
        pairs: request.integer("pairs", 1, MOST_PAIRS)? as usize,
        skip: request.integer("skip", 0, MOST_READS)?,
        blocks: request.integer("blocks", 0, MOST_BLOCKS)? as usize,
        reads: request.integer("reads", 1, MOST_READS)?,
    };
    static INSTANTS: OnceLock<Instant> = OnceLock::new();
    static DATES: OnceLock<SystemTime> = OnceLock::new();
    let (values, blocks, empty) = match clock {
        "Instant" => {
            let origin = *INSTANTS.get_or_init(Instant::now);
            read_clock(&asked, Instant::now, |moment| moment.duration_since(origin).as_nanos() as i64)
        }
        "SystemTime" => {
            let origin = *DATES.get_or_init(SystemTime::now);
            read_clock(&asked, SystemTime::now, |moment| match moment.duration_since(origin) {
                Ok(since) => since.as_nanos() as i64,
                Err(before) => -(before.duration().as_nanos() as i64),
            })
        }
        _ => return Err(Fault::bad_request(format!("There is no clock {} to read.", in_quotes(clock)))),
    };
    Ok(Frame::new("readings", request.id)
        .integers("values", &values)
        .integers("blocks", &blocks)
        .integers("empty", &empty))
}

pub(crate) fn wait(request: &Request) -> Result<Frame, Fault> {
    let call = request.text("call")?;
    let requested = request.integer("requested", -LONGEST_WAIT, LONGEST_WAIT)?;
    let mut taken = vec![0; request.integer("times", 1, MOST_WAITS)? as usize];
    match call {
        "yield" => time_each(&mut taken, std::thread::yield_now),
        "sleep" => {
            let Ok(nanoseconds) = u64::try_from(requested) else {
                return Err(Fault::new(
                    "runtime",
                    "Duration has no negative values: std::thread::sleep can't be asked for one.",
                ));
            };
            time_each(&mut taken, || std::thread::sleep(Duration::from_nanos(nanoseconds)));
        }
        _ => return Err(Fault::bad_request(format!("There is no call {} to wait by.", in_quotes(call)))),
    }
    Ok(Frame::new("waited", request.id).integers("taken", &taken))
}

fn time_each(taken: &mut [i64], call: impl Fn()) {
    for one in taken {
        let start = sys::now();
        call();
        *one = sys::now().saturating_sub(start) as i64;
    }
}

/// Nanoseconds; the buffers are made before anything is read.
fn read_clock<T: Copy>(
    asked: &Reads,
    now: impl Fn() -> T,
    nanoseconds: impl Fn(T) -> i64,
) -> (Vec<i64>, Vec<i64>, Vec<i64>) {
    let mut values = vec![0; 2 * asked.pairs];
    let mut blocks = vec![0; asked.blocks];
    let mut empty = vec![0; asked.blocks];
    for pair in values.chunks_exact_mut(2) {
        let first = now();
        let second = now();
        pair[0] = nanoseconds(first);
        pair[1] = nanoseconds(second);
        for _ in 0..asked.skip {
            black_box(now());
        }
    }
    for (block, none) in blocks.iter_mut().zip(&mut empty) {
        let start = sys::now();
        for _ in 0..asked.reads {
            black_box(now());
        }
        *block = sys::now().saturating_sub(start) as i64;
        let start = sys::now();
        for i in 0..asked.reads {
            black_box(i);
        }
        *none = sys::now().saturating_sub(start) as i64;
    }
    (values, blocks, empty)
}
