//! Where pages lie and whether they stay there.

use super::moment::Moment;
use super::reading::{Doubt, Tree};
use super::{Finding, Level};

/// `ADDR_NO_RANDOMIZE` of personality(2), which `setarch -R` sets.
const NO_RANDOMIZE: u64 = 0x0004_0000;

/// Address space layout randomisation. Tare wants it on: launches then draw their layouts, and the interval holds what layouts
/// do. Without it all launches have one layout, and the interval is narrow around what may be a lucky one (Mytkowicz et al. 2009).
pub(super) fn layout(tree: &Tree<'_>) -> Finding {
    const CODE: &str = "aslr";
    const PATH: &str = "proc/sys/kernel/randomize_va_space";
    const EFFECT: &str =
        "all launches have the same memory layout: the interval doesn't hold what another layout would do";
    let level = match tree.number::<u64>(PATH) {
        Ok(level) if level <= 2 => level,
        Ok(level) => {
            let doubt = Doubt::nonsense(PATH, &level.to_string());
            return super::unknown(CODE, &doubt, "whether launches draw their memory layout isn't known");
        }
        Err(doubt) => return super::unknown(CODE, &doubt, "whether launches draw their memory layout isn't known"),
    };
    let own = tree.line("proc/self/personality").ok().and_then(|text| u64::from_str_radix(&text, 16).ok());
    if own.is_some_and(|flags| flags & NO_RANDOMIZE != 0) {
        let found = "off for this process and its workers";
        return Finding::new(CODE, Level::MayDisturb, found, EFFECT, "start tare without setarch -R");
    }
    match level {
        2 => Finding::good(CODE, "on"),
        1 => Finding::new(CODE, Level::MayDisturb, "on, without the heap", EFFECT, "sudo tare tune"),
        _ => Finding::new(CODE, Level::MayDisturb, "off", EFFECT, "sudo tare tune"),
    }
}

pub(super) fn swap(tree: &Tree<'_>) -> Finding {
    const CODE: &str = "swap";
    const PATH: &str = "proc/meminfo";
    const OPEN: &str = "whether memory is paged out isn't known";
    let text = match tree.text(PATH) {
        Ok(text) => text,
        Err(doubt) => return super::unknown(CODE, &doubt, OPEN),
    };
    let kibibytes = |name: &str| {
        let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
        value.trim().strip_suffix("kB")?.trim().parse::<u64>().ok()
    };
    match (kibibytes("SwapTotal"), kibibytes("SwapFree")) {
        (Some(0), _) => Finding::good(CODE, "none"),
        (Some(total), Some(free)) if free >= total => Finding::good(CODE, "unused"),
        (Some(total), Some(free)) => Finding::new(
            CODE,
            Level::MayDisturb,
            format!("{} of {} MiB in use", (total - free).div_ceil(1024), total / 1024),
            "memory was short: code that meets a page of its own on the disk waits milliseconds for it",
            "free memory, then sudo swapoff -a && sudo swapon -a",
        ),
        _ => super::unknown(CODE, &Doubt::nonsense(PATH, &text), OPEN),
    }
}

pub(super) fn swapping(before: &Moment, after: &Moment, when: &str) -> Option<Finding> {
    let pages = after.swapped.as_ref().ok()?.checked_sub(*before.swapped.as_ref().ok()?)?;
    (pages > 0).then(|| {
        Finding::new(
            "swap",
            Level::Disturbs,
            format!("{pages} pages moved to or from it {when}"),
            "memory is short: code waits milliseconds for its pages",
            "free memory before you measure",
        )
    })
}

pub(super) fn huge_pages(tree: &Tree<'_>) -> Finding {
    const CODE: &str = "huge-pages";
    const PATH: &str = "sys/kernel/mm/transparent_hugepage/enabled";
    match tree.chosen(PATH) {
        Err(doubt) => {
            super::unknown(CODE, &doubt, "whether the kernel merges pages behind programs' backs isn't known")
        }
        Ok(mode) if mode == "always" => Finding::new(
            CODE,
            Level::MayDisturb,
            "always",
            "the kernel merges pages in the background, at other moments in each launch: memory gets faster, or stalls, midway",
            "sudo tare tune (madvise: only where a program asks for it)",
        ),
        Ok(mode) if mode == "madvise" || mode == "never" => Finding::good(CODE, mode),
        Ok(mode) => super::unknown(
            CODE,
            &Doubt::nonsense(PATH, &mode),
            "whether the kernel merges pages behind programs' backs isn't known",
        ),
    }
}
