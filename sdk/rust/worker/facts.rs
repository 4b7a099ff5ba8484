//! What this program is and how it was built. What a crate can't know of its own compilation the wrapper of rustc has told it.

use std::env::consts;

/// The version of rustc; empty where it isn't known.
pub(crate) fn version() -> String {
    format!("Rust {}", told(option_env!("TARE_RUST_VERSION")).unwrap_or("unknown"))
}

/// `-C opt-level`, as the crate that holds the worker was compiled.
pub(crate) fn optimisation() -> &'static str {
    told(option_env!("TARE_RUST_OPTIMISATION")).unwrap_or("unknown")
}

pub(crate) fn has_debug_assertions() -> bool {
    cfg!(debug_assertions)
}

/// `name=value`.
pub(crate) fn facts() -> Vec<String> {
    let on = |is_on| if is_on { "on" } else { "off" };
    let overflow = match told(option_env!("TARE_RUST_OVERFLOW")) {
        Some("on" | "yes" | "y" | "true") => true,
        Some(_) => false,
        None => has_debug_assertions(),
    };
    let mut facts = vec![
        format!("compiler=rustc {}", told(option_env!("TARE_RUST_VERSION")).unwrap_or("unknown")),
        format!("optimisation={}", optimisation()),
        format!("debug_assertions={}", on(has_debug_assertions())),
        format!("overflow_checks={}", on(overflow)),
        format!("lto={}", told(option_env!("TARE_RUST_LTO")).unwrap_or("off")),
        format!("panic={}", if cfg!(panic = "abort") { "abort" } else { "unwind" }),
        format!("target={}", target()),
        format!("pointer={} bit", usize::BITS),
    ];
    let told = [
        ("codegen_units", option_env!("TARE_RUST_UNITS")),
        ("target_cpu", option_env!("TARE_RUST_CPU")),
        ("frame_pointers", option_env!("TARE_RUST_FRAMES")),
    ];
    facts.extend(told.iter().filter_map(|(name, value)| value.filter(|value| !value.is_empty()).map(|value| format!("{name}={value}"))));
    if let Some(allocator) = allocator() {
        facts.push(format!("allocator={allocator}"));
    }
    facts
}

fn told(value: Option<&'static str>) -> Option<&'static str> {
    value.filter(|value| !value.is_empty())
}

fn target() -> String {
    match told(option_env!("TARE_RUST_TARGET")) {
        Some(target) => target.to_owned(),
        None => format!("{}-{}{}", consts::ARCH, consts::OS, environment()),
    }
}

fn environment() -> &'static str {
    if cfg!(target_env = "gnu") {
        "-gnu"
    } else if cfg!(target_env = "musl") {
        "-musl"
    } else {
        ""
    }
}

/// Whether a block of the program's allocator is one of the C library's: what that has given out grows by its size then.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn allocator() -> Option<&'static str> {
    use std::os::raw::c_int;
    #[repr(C)]
    struct Counts {
        others: [c_int; 7],
        used: c_int,
        left: [c_int; 2],
    }
    extern "C" {
        fn mallinfo() -> Counts;
    }
    const SIZE: usize = 24 * 1024;
    // SAFETY: it has no arguments, and the structure is the library's ten integers.
    let before = unsafe { mallinfo() }.used;
    let block = std::hint::black_box(Vec::<u8>::with_capacity(SIZE));
    // SAFETY: as above.
    let after = unsafe { mallinfo() }.used;
    drop(block);
    Some(if after.wrapping_sub(before) >= SIZE as c_int { "system" } else { "own" })
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn allocator() -> Option<&'static str> {
    None
}
