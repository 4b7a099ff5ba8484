//! The way of a request over HTTP/1 allocates nothing, redirects that were met before included.
#![allow(unsafe_code, reason = "an allocator that counts is one")]
#![allow(clippy::unwrap_used, reason = "a test that can't be set up has failed")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener};
use std::time::Duration;

use tare_load::client::{Client, Clients};
use tare_load::http::{Address, Connections, HttpClients, Request, Target, Tls, Trust, Version};
use tokio::time::Instant;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

/// Counts for each thread.
struct Counting;

// SAFETY: all that is asked is asked of the system's allocator; the count is a cell of the thread that needs no allocation.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let _ = ALLOCATIONS.try_with(|count| count.set(count.get() + 1));
        // SAFETY: the caller's layout.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: it came from there.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Answers `/` with a redirect, and what it leads to with a body.
fn server() -> SocketAddr {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = [0; 4096];
        while stream.read(&mut buffer).is_ok_and(|count| count > 0) {
            let answer: &[u8] = match buffer.starts_with(b"GET / ") {
                true => b"HTTP/1.1 302 Found\r\nLocation: /there\r\nContent-Length: 0\r\n\r\n",
                false => b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
            };
            if stream.write_all(answer).is_err() {
                break;
            }
        }
    });
    address
}

#[test]
fn a_request_allocates_nothing_and_no_more_where_it_is_led_elsewhere() {
    for (follow, kind) in [(false, "http-3xx"), (true, "")] {
        let address = server();
        let target = Target::parse(&format!("http://{address}/")).unwrap();
        let request = Request::new(None, &[], None).unwrap();
        let tls = Tls::new(&Trust::Anybody, Version::One).unwrap();
        let connections = Connections { follow, ..Connections::of(Version::One) };
        let clients = HttpClients::new(&[(target, Address::Tcp(address))], &[request], &tls, connections).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let allocated = runtime.block_on(async {
            let mut client = clients.client(0);
            let mut before = 0;
            for number in 0..1_100 {
                if number == 100 {
                    before = ALLOCATIONS.get();
                }
                let answer = client.operate(Instant::now() + Duration::from_secs(60)).await;
                assert!(answer.err().map_or(kind.is_empty(), |failure| failure.kind == kind), "{kind}");
            }
            ALLOCATIONS.get() - before
        });
        assert_eq!(allocated, 0, "follow: {follow}");
    }
}
