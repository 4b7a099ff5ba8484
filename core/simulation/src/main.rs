//! `tare-simulated-worker`: the simulation as a real process on the wire.
//!
//! `--fault KIND --at FRAME` makes it misbehave, for the tests of those who must cope: KIND is `garbage`, `half-frame`,
//! `huge-frame`, `close`, `hang`, `silent-exit`, `kill`, `newer`, `flood` (10 MB on standard output, then on as usual);
//! FRAME is the request at which (`hello`, `load`, `prepare`, `run`, `finish`). `--fault-case NAME` only for that case.

use std::fs::{File, OpenOptions};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::ExitCode;

use tare_frames::{Fault, MAX_FRAME_BYTES, Reply, Request};
use tare_simulation::Simulated;

struct Misbehaviour {
    fault: String,
    at: String,
    case: Option<String>,
}

fn main() -> ExitCode {
    match serve() {
        Ok(()) => ExitCode::SUCCESS,
        Err(_) => ExitCode::FAILURE,
    }
}

fn serve() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let option = |name: &str| arguments.windows(2).find(|pair| pair[0] == name).map(|pair| pair[1].clone());
    let misbehaviour = option("--fault").map(|fault| Misbehaviour {
        fault,
        at: option("--at").unwrap_or_else(|| "run".to_owned()),
        case: option("--fault-case"),
    });
    let seed = std::env::var("TARE_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let mut wire: Box<dyn Write> = match std::env::var_os("TARE_WIRE").filter(|path| !path.is_empty()) {
        Some(path) => Box::new(OpenOptions::new().write(true).open(path)?),
        None => Box::new(io::stdout()),
    };
    let mut worker = Simulated::from_files(seed);
    let mut current = String::new();
    misbehave(misbehaviour.as_ref(), "hello", &current, &mut wire)?;
    send(&mut wire, &[Reply::Hello(worker.hello())])?;

    let mut input = BufReader::new(io::stdin());
    while let Some(line) = next_line(&mut input)? {
        if line.is_empty() {
            continue;
        }
        let replies = match Request::decode(&line) {
            Ok(request) => {
                if let Request::Prepare { benchmark, .. } = &request {
                    current.clone_from(benchmark);
                }
                misbehave(misbehaviour.as_ref(), kind_of(&request), &current, &mut wire)?;
                worker.answer(&request)
            }
            Err(error) => vec![Reply::Fault(Fault {
                id: error.id,
                kind: error.kind.fault_kind().to_owned(),
                message: error.to_string(),
                file: None,
                line: None,
                remedy: None,
                trace: None,
            })],
        };
        send(&mut wire, &replies)?;
    }
    Ok(())
}

fn kind_of(request: &Request) -> &'static str {
    match request {
        Request::Load { .. } => "load",
        Request::Prepare { .. } => "prepare",
        Request::Arrange { .. } => "arrange",
        Request::Run(_) => "run",
        Request::Read(_) => "read",
        Request::Wait(_) => "wait",
        Request::Operations { .. } => "operations",
        Request::Connect(_) => "connect",
        Request::Stamp { .. } => "stamp",
        Request::Work(_) => "work",
        Request::Finish { .. } => "finish",
    }
}

/// One line without its end; a line over the limit is cut to one byte more than it, which no decoder takes.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Vec<u8>>> {
    let mut line = Vec::new();
    let count = input.by_ref().take(MAX_FRAME_BYTES as u64 + 2).read_until(b'\n', &mut line)?;
    if count == 0 {
        return Ok(None);
    }
    if line.last() != Some(&b'\n') && line.len() > MAX_FRAME_BYTES {
        let mut rest = Vec::new();
        while input.by_ref().take(1 << 20).read_until(b'\n', &mut rest)? > 0 && rest.last() != Some(&b'\n') {
            rest.clear();
        }
        return Ok(Some(line));
    }
    while matches!(line.last(), Some(b'\n' | b'\r')) {
        line.pop();
    }
    Ok(Some(line))
}

fn send(wire: &mut Box<dyn Write>, replies: &[Reply]) -> io::Result<()> {
    let mut text = String::new();
    for reply in replies {
        text.push_str(&reply.encode());
        text.push('\n');
    }
    wire.write_all(text.as_bytes())?;
    wire.flush()
}

fn misbehave(
    misbehaviour: Option<&Misbehaviour>,
    at: &str,
    current: &str,
    wire: &mut Box<dyn Write>,
) -> io::Result<()> {
    let Some(Misbehaviour { fault, at: when, case }) = misbehaviour else { return Ok(()) };
    if when != at || case.as_ref().is_some_and(|case| case != current) {
        return Ok(());
    }
    match fault.as_str() {
        "garbage" => wire.write_all(b"\x1b]0;pwned\x07 not a frame \xff\xfe\n")?,
        "half-frame" => {
            wire.write_all(b"{\"frame\":\"samples\",\"id\":3,\"elap")?;
            wire.flush()?;
            end(0);
        }
        "huge-frame" => {
            let block = vec![b'x'; 1 << 20];
            for _ in 0..1024 {
                wire.write_all(&block)?;
            }
            wire.write_all(b"\n")?;
        }
        "close" => {
            *wire = Box::new(File::open("/dev/null")?);
            sleep_long();
        }
        "hang" => sleep_long(),
        "silent-exit" => end(3),
        "kill" => std::process::abort(),
        "newer" => wire.write_all(
            b"{\"frame\":\"hello\",\"wire\":2,\"language\":\"simulated\",\"version\":\"9\",\"sdk\":\"9\",\"correction\":\"serial\",\"clocks\":[\"simulated\"],\"kernels\":[],\"capabilities\":[],\"facts\":[]}\n",
        )?,
        "flood" => {
            let block = vec![b'y'; 1 << 20];
            let mut out = io::stdout();
            for _ in 0..10 {
                out.write_all(&block)?;
            }
        }
        other => return Err(io::Error::other(format!("no fault {other}"))),
    }
    wire.flush()
}

#[allow(clippy::exit)]
fn end(status: i32) -> ! {
    std::process::exit(status)
}

fn sleep_long() {
    std::thread::sleep(std::time::Duration::from_secs(3600));
}
