/// FNV-1a, 64 bits (Fowler, Noll and Vo): the same in every version and on every machine. It names a version of a content, and guards nothing.
pub fn fnv1a(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::fnv1a;

    /// Of the authors' own list.
    #[test]
    fn published_hashes_come_out() {
        for (text, hash) in
            [("", 0xcbf2_9ce4_8422_2325), ("a", 0xaf63_dc4c_8601_ec8c), ("foobar", 0x8594_4171_f739_67e8)]
        {
            assert_eq!(fnv1a(text.bytes()), hash, "{text}");
        }
    }
}
