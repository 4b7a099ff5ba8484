//! Whether the code of workers that are compared lies at the same addresses, as a finding about the machine.

use tare_samples::{Finding, FindingLevel};
use tare_worker::Addresses;

const CODE: &str = "addresses";

/// Judges what is so here: a shell is started, and ends.
pub(crate) fn finding() -> Finding {
    judged(Addresses::here())
}

fn judged(addresses: Addresses) -> Finding {
    let of = |level, found: &str, effect: &str, remedy: &str| Finding {
        runtime: String::new(),
        code: CODE.to_owned(),
        level,
        found: found.to_owned(),
        effect: effect.to_owned(),
        remedy: remedy.to_owned(),
    };
    let effect = "each process has its code at another address, which moves the ratio (often by a percent for compiled code), so a verdict takes more launches";
    match addresses {
        Addresses::Common => of(FindingLevel::Good, "the same in all processes of a comparison", "", ""),
        Addresses::LeftToTheSystem => of(
            FindingLevel::MayDisturb,
            "code lies wherever the system puts it, as TARE_ADDRESSES says",
            effect,
            "take TARE_ADDRESSES=system out of the environment, unless a runtime needs it",
        ),
        Addresses::Refused => of(
            FindingLevel::MayDisturb,
            "code lies wherever the system puts it: a process can't be followed here to its first instruction (ptrace)",
            effect,
            "allow ptrace, in a container with `--cap-add SYS_PTRACE` or a seccomp profile; don't run Tare under a debugger",
        ),
        Addresses::NotHere => of(
            FindingLevel::Unknown,
            "code lies wherever the system puts it: on this kind of processor Tare doesn't place it",
            effect,
            "more launches (--budget), where a verdict isn't reached",
        ),
    }
}

#[cfg(test)]
mod tests {
    use tare_samples::FindingLevel;
    use tare_worker::Addresses;

    use super::judged;

    #[test]
    fn only_common_addresses_are_good() {
        for addresses in [Addresses::LeftToTheSystem, Addresses::Refused, Addresses::NotHere] {
            let finding = judged(addresses);
            assert!(finding.level > FindingLevel::Good && !finding.remedy.is_empty(), "{finding:?}");
        }
        assert_eq!(judged(Addresses::Common).level, FindingLevel::Good);
    }
}
