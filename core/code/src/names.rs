//! Mangled names, as their sources have them.

use std::fmt::{self, Write as _};

use cpp_demangle::{DemangleOptions, Symbol};

/// Names that are longer, or stand for something longer, stay as they are.
const LONGEST: usize = 400;

/// A mangled name of Rust or C++ as its source has it, without hashes and without what a function returns; others as they are.
pub(crate) fn readable(name: &str) -> String {
    demangled(name).map_or_else(|| name.to_owned(), |Bounded(readable)| readable)
}

/// A text in which mangled names are words.
pub(crate) fn in_text(text: &str) -> String {
    text.split(' ').map(readable).collect::<Vec<_>>().join(" ")
}

fn demangled(name: &str) -> Option<Bounded> {
    let mut written = Bounded(String::new());
    if let Ok(rust) = rustc_demangle::try_demangle(name) {
        write!(written, "{rust:#}").ok()?;
    } else if name.starts_with("_Z") && name.len() <= LONGEST {
        let options = DemangleOptions::new().no_return_type();
        Symbol::new(name.as_bytes()).ok()?.structured_demangle(&mut written, &options).ok()?;
    } else {
        return None;
    }
    Some(written).filter(|written| !written.0.is_empty())
}

/// A text that takes no more than [`LONGEST`] bytes: a short name may stand for one that no memory holds.
struct Bounded(String);

impl fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        if self.0.len() + text.len() > LONGEST {
            return Err(fmt::Error);
        }
        self.0.push_str(text);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{in_text, readable};

    #[test]
    fn names_are_those_of_the_source() {
        assert_eq!(
            readable("_ZN4cctz6detail6formatERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"),
            "cctz::detail::format(std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> > const&)"
        );
        assert_eq!(readable("_ZN8httparse5parse17h0123456789abcdefE"), "httparse::parse");
        assert_eq!(in_text("_ZN1a1bEv calls through a pointer"), "a::b() calls through a pointer");
        for other in ["main", "_Zebra", "_RNv", ""] {
            assert_eq!(readable(other), other);
        }
    }

    /// Each class has the one before twice.
    #[test]
    fn what_stands_for_too_much_stays_as_it_is() {
        let mut name = "1aIiiE".to_owned();
        for at in 0..40 {
            let before = if at == 0 { "S_".to_owned() } else { format!("S{}_", ["0", "1", "2", "3", "4"][at % 5]) };
            name = format!("1bI{name}{before}E");
        }
        let name = format!("_Z1f{name}");
        assert_eq!(readable(&name), name);
        let deep = format!("_Z1f{}i", "P".repeat(100_000));
        assert_eq!(readable(&deep), deep);
    }
}
