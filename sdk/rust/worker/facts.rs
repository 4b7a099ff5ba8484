//! What this program is and how it was built. What a crate can't know of its own compilation the wrapper of rustc says in conditions (`wrapper/main.rs`).
#![allow(unexpected_cfgs)]

use std::env::consts;

/// The one of these values that a condition has.
macro_rules! told {
    ($condition:ident: $($value:tt)*) => {{
        let mut found = None;
        $(
            if cfg!($condition = $value) {
                found = Some($value);
            }
        )*
        found
    }};
}

/// `1.95.0`; `unknown` where the compiler wasn't called by the wrapper.
fn rustc() -> String {
    let minor = told!(tare_minor:
        "56" "57" "58" "59" "60" "61" "62" "63" "64" "65" "66" "67" "68" "69" "70" "71" "72" "73" "74" "75" "76" "77" "78" "79" "80" "81" "82" "83" "84" "85"
        "86" "87" "88" "89" "90" "91" "92" "93" "94" "95" "96" "97" "98" "99" "100" "101" "102" "103" "104" "105" "106" "107" "108" "109" "110" "111" "112"
        "113" "114" "115" "116" "117" "118" "119" "120" "121" "122" "123" "124" "125" "126" "127" "128" "129" "130");
    let patch = told!(tare_patch: "0" "1" "2" "3" "4" "5" "6" "7" "8" "9").unwrap_or("x");
    let channel = told!(tare_channel: "nightly" "beta" "dev").map(|channel| format!("-{channel}"));
    minor.map_or_else(|| "unknown".to_owned(), |minor| format!("1.{minor}.{patch}{}", channel.unwrap_or_default()))
}

/// Language and version of the compiler.
pub(crate) fn version() -> String {
    format!("Rust {}", rustc())
}

/// `-C opt-level`, as the crate that holds the worker was compiled.
pub(crate) fn optimisation() -> &'static str {
    told!(tare_optimisation: "0" "1" "2" "3" "s" "z").unwrap_or("unknown")
}

pub(crate) fn has_debug_assertions() -> bool {
    cfg!(debug_assertions)
}

/// `name=value`.
pub(crate) fn facts() -> Vec<String> {
    let on = |is_on| if is_on { "on" } else { "off" };
    let overflow = match told!(tare_overflow: "on" "yes" "y" "true" "off" "no" "n" "false") {
        Some(told) => matches!(told, "on" | "yes" | "y" | "true"),
        None => has_debug_assertions(),
    };
    let mut facts = vec![
        format!("compiler=rustc {}", rustc()),
        format!("optimisation={}", optimisation()),
        format!("debug_assertions={}", on(has_debug_assertions())),
        format!("overflow_checks={}", on(overflow)),
        format!("lto={}", told!(tare_lto: "on" "off").unwrap_or("unknown")),
        format!("panic={}", if cfg!(panic = "abort") { "abort" } else { "unwind" }),
        format!("target={}-{}{}", consts::ARCH, consts::OS, environment()),
        format!("target_features={}", features().join(",")),
        format!("pointer={} bit", usize::BITS),
    ];
    if let Some(units) = told!(tare_units: "1" "2" "4" "8" "16" "32" "64" "128" "256") {
        facts.push(format!("codegen_units={units}"));
    }
    if let Some(frames) = told!(tare_frames: "on" "yes" "y" "true" "off" "no" "n" "false") {
        facts.push(format!(
            "frame_pointers={}",
            if matches!(frames, "on" | "yes" | "y" | "true") { "kept" } else { "omitted" }
        ));
    }
    if let Some(allocator) = allocator() {
        facts.push(format!("allocator={allocator}"));
    }
    facts
}

/// Of what `-C target-cpu` and `-C target-feature` turn on, that which changes times most.
fn features() -> Vec<&'static str> {
    let mut features = Vec::new();
    macro_rules! add {
        ($($name:tt)*) => { $( if cfg!(target_feature = $name) { features.push($name); } )* };
    }
    add!("sse4.2" "avx2" "bmi2" "avx512f" "neon" "sve");
    features
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
