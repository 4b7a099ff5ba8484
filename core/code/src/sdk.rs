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

/// Whether the mangled `name` is of a function with a parameter that only the SDK makes, as each function of a benchmark has, or of what is within one.
/// What only speaks of such a function, as a template that is made for its type, isn't one. Where the name isn't understood, it isn't either.
pub(crate) fn takes_state(name: &str) -> bool {
    let name = name.split('.').next().unwrap_or_default();
    name.strip_prefix("_Z").and_then(|rest| has_state_as_parameter(rest.as_bytes())).is_some()
}

fn has_state_as_parameter(text: &[u8]) -> Option<()> {
    const STATE: &[u8] = b"RN4tare5StateE";
    let mut open: Vec<u8> = Vec::new();
    let mut at = 0;
    // Behind the name of a template's function its result comes first.
    let mut result_follows = false;
    // By lambdas that are open: whether they take one.
    let mut lambda_takes = false;
    while let Some(&letter) = text.get(at) {
        let is_result = std::mem::take(&mut result_follows);
        if text[at..].starts_with(STATE) {
            match open.iter().find(|letter| !b"NZU".contains(letter)) {
                None if open.last() == Some(&b'U') => lambda_takes = true,
                None if !is_result => return Some(()),
                _ => {}
            }
            at += STATE.len();
            continue;
        }
        at += 1;
        match letter {
            b'L' => match (open.last(), text.get(at)?) {
                (Some(b'I' | b'J' | b'X'), b'0'..=b'9') => {
                    // An enumerator: its type, its number.
                    at = source_name(text, at)?;
                    at += text[at..].iter().take_while(|letter| **letter == b'n' || letter.is_ascii_digit()).count();
                    open.push(b'L');
                }
                (_, b'0'..=b'9') => {}
                (_, b'_') => {
                    at = text[at..].starts_with(b"_Z").then_some(at + 2)?;
                    open.push(b'L');
                }
                _ => open.push(b'L'),
            },
            // Of expressions, only the address of something is understood.
            b'X' if !text[at..].starts_with(b"adL_Z") => return None,
            b'D' if matches!(text.get(at), Some(b'T' | b't' | b'O' | b'w')) => return None,
            b'C' | b'D' => at += 1,
            b'I' | b'J' | b'F' | b'X' | b'Z' | b'N' => open.push(letter),
            b'E' => match open.pop()? {
                b'I' => result_follows = open.last() != Some(&b'N') || text.get(at) == Some(&b'E'),
                b'N' => result_follows = is_result,
                b'U' => {
                    at = past_underscore(text, at)?;
                    let is_called = text[at..].starts_with(b"cl") || text[at..].starts_with(b"4_FUN");
                    if std::mem::take(&mut lambda_takes) && is_called {
                        return Some(());
                    }
                }
                _ => {}
            },
            b'U' => match text.get(at)? {
                b'l' => {
                    at += 1;
                    open.push(b'U');
                }
                b't' => at = past_underscore(text, at)?,
                _ => return None,
            },
            b'S' if text.get(at)?.is_ascii_lowercase() => at += 1,
            b'S' | b'T' | b'A' => at = past_underscore(text, at)?,
            b'_' => at += text[at..].iter().take_while(|letter| letter.is_ascii_digit()).count(),
            b'0'..=b'9' if open.last() == Some(&b'L') && !text[..at].ends_with(b"_Z") && is_number(text, at - 1) => {
                at += text[at..].iter().take_while(|letter| letter.is_ascii_digit()).count();
            }
            b'0'..=b'9' => at = source_name(text, at - 1)?,
            _ => {}
        }
    }
    None
}

/// Whether the digits at `at` are the value of a literal, which ends behind them.
fn is_number(text: &[u8], at: usize) -> bool {
    text.get(at..).and_then(|rest| rest.iter().find(|letter| !letter.is_ascii_digit())) == Some(&b'E')
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
    use super::{owns, takes_state};

    #[test]
    fn functions_of_benchmarks_are_told_from_what_speaks_of_them() {
        for name in [
            "_ZL8Method00RN4tare5StateE",
            "_ZL8Method00RN4tare5StateE.cold",
            "_Z2BMIiEvRN4tare5StateE",
            "_ZN4user2BMILi5ELb0EEEvRN4tare5StateE",
            "_ZN4user7FixtureIiE3runERN4tare5StateE",
            "_ZN12_GLOBAL__N_13runERN4tare5StateEiPKc",
            "_Z4withIN4user5ThingEEvRN4tare5StateET_",
            "_Z4withIL3Foo2EEvRN4tare5StateE",
            "_Z4withILN1a3FooE1EEvRN4tare5StateE",
            "_Z4withIXadL_Z1fvEEEvRN4tare5StateE",
            "_Z4withIZ4mainEUlvE0_EvRN4tare5StateET_",
            "_Z7captureRN4tare5StateENSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE",
            "_ZZ4mainENKUlRN4tare5StateEE_clES1_",
            "_ZZ4mainENUlRN4tare5StateEE2_4_FUNES1_",
            "_ZNKUlRN4tare5StateEE_clES1_",
            "_ZZL3RunRN4tare5StateEENKUlvE_clEv",
        ] {
            assert!(takes_state(name), "{name}");
        }
        for name in [
            "main",
            "_ZN3RegIPFvRN4tare5StateEEEC2Ei",
            "_ZN3RegIFvRN4tare5StateEEEC1Ei",
            "_ZN3RegIXadL_Z3RunRN4tare5StateEEEEC2Ei",
            "_ZN3RegIXadL_ZL3RunRN4tare5StateEEEE4fillEv",
            "_Z8registerPKcPFvRN4tare5StateEE",
            "_ZN3RegIZ4mainEUlRN4tare5StateEE_EC2ES2_",
            "_ZZ4mainENUlRN4tare5StateEE_D1Ev",
            "_Z4fillISt8functionIFvRN4tare5StateEEEEvT_",
            "_Z4makeIiERN4tare5StateEv",
            "_ZN1a4makeIiEERN4tare5StateEv",
            "_Z3RunRN4tare6StatesE",
            "_Z4withIXclL_Z1fvEEEvRN4tare5StateE",
        ] {
            assert!(!takes_state(name), "{name}");
        }
    }

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
