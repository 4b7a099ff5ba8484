//! Files as UTF-8, whatever they were saved as.

use std::borrow::Cow;
use std::fmt::Write;

/// The bytes as UTF-8: of UTF-16, as PowerShell's `>` writes it, and with bytes that are no UTF-8 written as `\xe9`. The second value counts such bytes.
pub(super) fn utf8(bytes: &[u8], is_binary: bool) -> (Cow<'_, [u8]>, usize) {
    // Without a mark: of plain letters every other byte is 0.
    let halves = |even: bool| {
        bytes.len() >= 4
            && bytes[..4].iter().enumerate().all(|(at, byte)| (*byte == 0) == (at % 2 == usize::from(even)))
    };
    let of = match bytes {
        [0xff, 0xfe, ..] => Some(u16::from_le_bytes as fn([u8; 2]) -> u16),
        [0xfe, 0xff, ..] => Some(u16::from_be_bytes as fn([u8; 2]) -> u16),
        _ if halves(true) => Some(u16::from_le_bytes as fn([u8; 2]) -> u16),
        _ if halves(false) => Some(u16::from_be_bytes as fn([u8; 2]) -> u16),
        _ => None,
    };
    if let Some(of) = of {
        let units = bytes.chunks_exact(2).map(|pair| of([pair[0], pair[1]]));
        let mut broken = bytes.len() % 2;
        let text: String = char::decode_utf16(units)
            .map(|read| {
                read.unwrap_or_else(|_| {
                    broken += 1;
                    char::REPLACEMENT_CHARACTER
                })
            })
            .collect();
        return (Cow::Owned(text.trim_start_matches('\u{feff}').as_bytes().to_vec()), broken);
    }
    if is_binary || std::str::from_utf8(bytes).is_ok() {
        return (Cow::Borrowed(bytes), 0);
    }
    // In JSON a text has to keep its rules.
    let escape = if bytes.trim_ascii_start().starts_with(b"{") || bytes.trim_ascii_start().starts_with(b"[") {
        r"\\x"
    } else {
        r"\x"
    };
    let (mut text, mut broken) = (String::with_capacity(bytes.len()), 0);
    for chunk in bytes.utf8_chunks() {
        text.push_str(chunk.valid());
        for byte in chunk.invalid() {
            broken += 1;
            let _ = write!(text, "{escape}{byte:02x}");
        }
    }
    (Cow::Owned(text.into_bytes()), broken)
}

#[cfg(test)]
mod tests {
    use super::utf8;

    #[test]
    fn utf_16_and_bytes_of_no_encoding_become_utf_8() {
        let wide = |mark: &str, text: &str, bytes: fn(u16) -> [u8; 2]| -> Vec<u8> {
            format!("{mark}{text}").encode_utf16().flat_map(bytes).collect()
        };
        for bytes in [u16::to_le_bytes as fn(u16) -> [u8; 2], u16::to_be_bytes] {
            for mark in ["\u{feff}", ""] {
                assert_eq!(utf8(&wide(mark, "BenchmarkÄ🎉", bytes), false).0.as_ref(), "BenchmarkÄ🎉".as_bytes());
            }
        }
        let (text, broken) = utf8(b"Benchmark\xe9 1", false);
        assert_eq!((text.as_ref(), broken), (&br"Benchmark\xe9 1"[..], 1));
        assert_eq!(utf8(b"[\"\xe9\"]", false).0.as_ref(), br#"["\\xe9"]"#);
    }
}
