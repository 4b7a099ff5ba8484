//! Names of symbols, in two programs.

/// Whether symbols of these names may be the same. The compiler counts what has no name in the source (closures, initialisers, tables), so that numbers
/// change where something is added before: what they stand for is compared by content.
pub(super) fn fit(one: &[u8], other: &[u8]) -> bool {
    one == other || !is_identity(one) && !is_identity(other) && without_numbers(one).eq(without_numbers(other))
}

/// Names of types are what tells one from another.
fn is_identity(name: &[u8]) -> bool {
    name.starts_with(b"type:") || name.starts_with(b"go:")
}

fn without_numbers(name: &[u8]) -> impl Iterator<Item = u8> + '_ {
    name.iter().copied().filter(|byte| !byte.is_ascii_digit())
}

/// Whether it was the compiler that gave it: no user knows it.
pub(super) fn is_internal(name: &[u8]) -> bool {
    name.is_empty() || name.windows(2).any(|pair| pair == b"..") || name.contains(&0xb7) || is_identity(name)
}

/// The name of a type that has one in the source, from that of its description.
pub(super) fn type_of(name: &[u8]) -> Option<&[u8]> {
    let of = name.strip_prefix(b"type:")?;
    let plain = |byte: &u8| !b" (){}[]".contains(byte);
    (of.iter().all(plain) && !of.starts_with(b".") && of.contains(&b'.')).then_some(of)
}

/// The name for people: what a package's initialisers are listed in is named as they are.
pub(super) fn shown(name: &[u8]) -> String {
    String::from_utf8_lossy(name).replace("..inittask", ".init")
}

/// A package's path as objects have it (`objabi.PathToPrefix`): bytes that would be taken for something else as `%` and two digits.
pub(super) fn escaped(path: &str) -> Vec<u8> {
    let slash = path.rfind('/').map_or(0, |slash| slash + 1);
    let mut found = Vec::with_capacity(path.len());
    for (place, byte) in path.bytes().enumerate() {
        let dot = byte == b'.' && place >= slash;
        if byte <= b' ' || dot || matches!(byte, b'%' | b'"') || byte >= 0x7f {
            found.extend(format!("%{byte:02x}").into_bytes());
        } else {
            found.push(byte);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{escaped, fit, is_internal, shown, type_of};

    #[test]
    fn paths_are_as_in_objects() {
        for (path, expected) in [
            ("example.com/m", "example.com/m"),
            ("gopkg.in/yaml.v3", "gopkg.in/yaml%2ev3"),
            ("a b/ü", "a%20b/%c3%bc"),
            ("main", "main"),
        ] {
            assert_eq!(escaped(path), expected.as_bytes());
        }
    }

    #[test]
    fn initialisers_are_named_as_in_go() {
        assert_eq!(shown(b"example.com/m..inittask"), "example.com/m.init");
        assert_eq!(shown(b"m.f"), "m.f");
    }

    #[test]
    fn what_is_counted_fits_and_what_has_a_name_does_not() {
        assert!(fit(b"m.f", b"m.f"));
        assert!(fit(b"m.f.func1", b"m.f.func2"));
        assert!(fit(b"m..stmp_9", b"m..stmp_10"));
        assert!(!fit(b"m.f", b"m.g"));
        assert!(!fit(b"type:[1]int", b"type:[2]int"));
    }

    #[test]
    fn names_of_the_compiler_are_known() {
        for name in ["", "m..stmp_1", "m.f\u{b7}f", "type:int", "go:itab.a,b"] {
            assert!(is_internal(name.as_bytes()), "{name}");
        }
        assert!(!is_internal(b"example.com/m.(*T).Do"));
        assert_eq!(type_of(b"type:*example.com/m.T"), Some(b"*example.com/m.T".as_slice()));
        for name in ["type:.namedata.a", "type:..eq", "type:func(m.T)", "type:int", "m.T"] {
            assert_eq!(type_of(name.as_bytes()), None, "{name}");
        }
    }
}
