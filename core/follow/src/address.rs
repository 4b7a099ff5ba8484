//! Addresses of sockets, in words.

use std::net::{Ipv4Addr, Ipv6Addr};

use libc::{AF_INET, AF_INET6, AF_UNIX, SOCK_DGRAM, SOCK_SEQPACKET, SOCK_STREAM};

/// The longest address (`struct sockaddr_storage`).
pub(crate) const LONGEST: usize = 128;
/// The type of a socket without its flags.
const TYPE: u64 = 0xf;

/// What a new socket receives before it is connected, bound or sent from; none: nothing.
pub(crate) fn of_socket(family: u64, kind: u64) -> Option<String> {
    let (family, kind) = (family as i32, (kind & TYPE) as i32);
    let is_quiet =
        [AF_UNIX, AF_INET, AF_INET6].contains(&family) && [SOCK_STREAM, SOCK_DGRAM, SOCK_SEQPACKET].contains(&kind);
    (!is_quiet).then(|| format!("family {family}, type {kind}"))
}

/// An address as it stands in memory.
pub(crate) fn words(bytes: &[u8]) -> String {
    let Some(&[low, high]) = bytes.get(..2) else { return "no address".to_owned() };
    let family = i32::from(u16::from_ne_bytes([low, high]));
    let port = bytes.get(2..4).map_or(0, |port| u16::from_be_bytes([port[0], port[1]]));
    match (family, &bytes[2..]) {
        (AF_UNIX, []) => "unix, no name".to_owned(),
        // A name that is no path.
        (AF_UNIX, [0, name @ ..]) => format!("unix @{}", text(name)),
        (AF_UNIX, name) => format!("unix {}", text(name)),
        (AF_INET, [_, _, a, b, c, d, ..]) => format!("{}:{port}", Ipv4Addr::new(*a, *b, *c, *d)),
        (AF_INET6, _) => match bytes.get(8..24).and_then(|part| <[u8; 16]>::try_from(part).ok()) {
            Some(address) => format!("[{}]:{port}", Ipv6Addr::from(address)),
            None => "IPv6".to_owned(),
        },
        _ => format!("family {family}"),
    }
}

/// A name up to its end, without control characters.
fn text(name: &[u8]) -> String {
    let name = name.split(|&byte| byte == 0).next().unwrap_or_default();
    String::from_utf8_lossy(name).escape_debug().to_string()
}

#[cfg(test)]
mod tests {
    use super::{of_socket, words};

    #[test]
    fn addresses_are_named_whatever_they_hold() {
        assert_eq!(words(&[2, 0, 0, 80, 127, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0]), "127.0.0.1:80");
        let mut six = vec![10, 0, 0x1f, 0x90, 0, 0, 0, 0];
        six.extend([0; 15]);
        six.push(1);
        assert_eq!(words(&six), "[::1]:8080");
        assert_eq!(words(&six[..12]), "IPv6");
        assert_eq!(words(b"\x01\0/run/x\0rest"), "unix /run/x");
        assert_eq!(words(b"\x01\0\0a\x1bb"), "unix @a\\u{1b}b");
        assert_eq!(words(b"\x01\0"), "unix, no name");
        assert_eq!(words(b"\x02\0\0"), "family 2");
        assert_eq!(words(b"\x10\0abc"), "family 16");
        assert_eq!(words(b"x"), "no address");
    }

    #[test]
    fn sockets_that_receive_at_once_are_told() {
        assert_eq!(of_socket(1, 0x80001), None);
        assert_eq!(of_socket(2, 2), None);
        assert_eq!(of_socket(2, 3).as_deref(), Some("family 2, type 3"));
        assert_eq!(of_socket(17, 3).as_deref(), Some("family 17, type 3"));
    }
}
