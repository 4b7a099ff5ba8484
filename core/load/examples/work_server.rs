//! A server for `scripts/load-verdicts`: each answer takes a stated number of steps of arithmetic, so that one that makes 5 % more of
//! them is slower by construction. `work_server STEPS [SECONDS]` prints its port, and ends by itself.
#![allow(clippy::print_stdout, clippy::unwrap_used)]

use std::io::{Read, Write};
use std::net::{Ipv4Addr, TcpListener, TcpStream};
use std::time::Duration;

const ANSWER: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<u64>().unwrap());
    let steps = arguments.next().unwrap();
    let seconds = arguments.next().unwrap_or(600);
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    println!("{}", listener.local_addr().unwrap().port());
    std::thread::spawn(move || {
        for stream in listener.incoming().map_while(Result::ok) {
            std::thread::spawn(move || serve(stream, steps));
        }
    });
    std::thread::sleep(Duration::from_secs(seconds));
}

/// Answers what comes on a connection. Each request of a load comes in one piece.
fn serve(mut stream: TcpStream, steps: u64) {
    let mut buffer = [0; 4096];
    let _ = stream.set_nodelay(true);
    while stream.read(&mut buffer).is_ok_and(|count| count > 0) {
        work(steps);
        if stream.write_all(ANSWER).is_err() {
            return;
        }
    }
}

/// Multiplications, each of which needs the one before.
fn work(steps: u64) {
    let mut value = std::hint::black_box(1u64);
    for _ in 0..steps {
        value = std::hint::black_box(value.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1));
    }
    std::hint::black_box(value);
}
