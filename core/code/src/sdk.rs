//! Which functions are the SDK's own.
//!
//! The SDK calls the benchmark through pointers; those calls are in no case's way. A template of the SDK that is made
//! for a type of the user may have the user's code within it, so it isn't the SDK's own.

/// Whether the mangled `name` (Itanium C++ ABI, 5.1) is one of namespace `tare` and speaks of no types but those of
/// `tare` and `std`.
pub(crate) fn owns(name: &str) -> bool {
    let name = name.split('.').next().unwrap_or_default();
    let Some(rest) = name.strip_prefix("_Z") else { return false };
    let local = rest.strip_prefix('Z').unwrap_or(rest);
    if !["N4tare", "NK4tare"].iter().any(|prefix| local.starts_with(prefix)) {
        return false;
    }
    only_known(rest.as_bytes()).is_some()
}

/// Whether the mangled `name` is one of the SDK, or of a template of the standard library that was made for its types alone.
pub(crate) fn speaks_of_itself(name: &str) -> bool {
    let plain = name.split('.').next().unwrap_or_default();
    let rest = plain.strip_prefix("_Z").filter(|rest| rest.contains("4tare"));
    owns(name) || rest.is_some_and(|rest| only_known(rest.as_bytes()).is_some())
}

/// Whether the mangled `name` has a parameter that only the SDK makes, as each function of a benchmark has.
pub(crate) fn takes_state(name: &str) -> bool {
    name.contains("RN4tare5StateE")
}

/// Whether the mangled `name` is that of the line in which a benchmark is registered (`TARE_LINE` in the SDK's macros.h).
pub(crate) fn is_line(name: &str) -> bool {
    name.starts_with("_ZZ") && name.split('.').next().is_some_and(|plain| plain.ends_with("E9tare_line"))
}

/// `None` as soon as a name comes that isn't within `tare` or `std`, or anything unexpected.
fn only_known(text: &[u8]) -> Option<()> {
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    while let Some(&letter) = text.get(at) {
        at += 1;
        match letter {
            b'N' => {
                while matches!(text.get(at), Some(b'K' | b'V' | b'R' | b'O')) {
                    at += 1;
                }
                let known = text.get(at) == Some(&b'S') || text[at..].starts_with(b"4tare");
                if !known {
                    return None;
                }
                open.push(b'N');
            }
            // Internal linkage, not a literal.
            b'L' if text.get(at).is_some_and(u8::is_ascii_digit) => {}
            b'I' | b'J' | b'F' | b'X' | b'L' | b'Z' => open.push(letter),
            b'E' => {
                let closed = open.pop();
                // The name within the function comes behind the end of a `Z`.
                if closed == Some(b'Z') && text.get(at).is_some_and(u8::is_ascii_digit) {
                    at = source_name(text, at)?;
                }
            }
            b'U' => {
                // A lambda: its parameters, an end, and perhaps a number.
                if text.get(at) != Some(&b'l') {
                    return None;
                }
                at += 1;
                open.push(b'U');
            }
            b'S' => match text.get(at)? {
                b't' => {
                    at += 1;
                    if text.get(at).is_some_and(u8::is_ascii_digit) {
                        at = source_name(text, at)?;
                    }
                }
                b'a'..=b'z' => at += 1,
                _ => at = past_underscore(text, at)?,
            },
            b'T' | b'A' => at = past_underscore(text, at)?,
            b'B' => at = source_name(text, at)?,
            b'C' | b'D' => at += 1,
            b'0'..=b'9' => match open.last() {
                Some(b'N') => at = source_name(text, at - 1)?,
                Some(b'L') => {}
                _ => {
                    // The number of a lambda stands before an underscore.
                    while text.get(at).is_some_and(u8::is_ascii_digit) {
                        at += 1;
                    }
                    if text.get(at) != Some(&b'_') {
                        return None;
                    }
                }
            },
            _ => {}
        }
    }
    Some(())
}

/// The place behind the length and the letters that begin at `at`.
fn source_name(text: &[u8], mut at: usize) -> Option<usize> {
    let mut length = 0_usize;
    while let Some(digit) = text.get(at).filter(|digit| digit.is_ascii_digit()) {
        length = length.checked_mul(10)?.checked_add(usize::from(digit - b'0'))?;
        at += 1;
    }
    let end = at.checked_add(length)?;
    (length > 0 && end <= text.len()).then_some(end)
}

fn past_underscore(text: &[u8], at: usize) -> Option<usize> {
    let length = text.get(at..)?.iter().position(|letter| *letter == b'_')?;
    Some(at + length + 1)
}

#[cfg(test)]
mod tests {
    use super::owns;

    #[test]
    fn functions_of_the_sdk_are_told_from_the_users() {
        for name in [
            "_ZN4tare5State5startENS_6detail5StyleE",
            "_ZN4tare6detail17FunctionBenchmarkIPFvRNS_5StateEEE3RunES3_",
            "_ZN4tare6detail7guardedIZNS0_7Sampler6aroundEPNS0_4HookEEUlvE_EENS0_5FaultEPKcOT_",
            "_ZN4tare6detail7guardedIZNS0_4Load6aroundEbPKcEUlvE_EENS0_5FaultES4_OT_.isra.0.cold",
            "_ZNK4tare6detail4WorkIPFlvES3_E3runEv",
        ] {
            assert!(owns(name), "{name}");
        }
        for name in [
            "main",
            "_ZL8Method00RN4tare5StateE",
            "_ZN4user4tare3runEv",
            "_ZN4tare6detail7guardedIZL8Method00RNS_5StateEEUlvE_EENS0_5FaultEPKcOT_",
            "_ZN4tare6detail7guardedIZ4mainEUlvE_EEvOT_",
            "_ZN4tare6detail4eachI7VirtualEEvT_",
            "_ZN4tare6detail4eachIN4user7VirtualEEEvT_",
            "_ZN4tare99",
        ] {
            assert!(!owns(name), "{name}");
        }
    }
}
