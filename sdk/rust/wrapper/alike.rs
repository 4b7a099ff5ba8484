//! What Cargo and rustc make of the place of a checkout: two checkouts of the same sources would give two programs.
//!
//! Cargo names a crate by a hash (`-C metadata`) into which the whole path of a package goes that lies outside of its workspace's folder, as the package that benchmarks in a folder of their own measure; names
//! of symbols, their order, and so what is inlined, follow from it. It gives rustc such a package's files by their whole paths, too, and panics hold these.

use std::env;
use std::ffi::OsString;
use std::path::Path;

/// The folder of the checkout.
const ROOT: &str = "TARE_RUST_ROOT";
/// Options whose value says where something is, but not what it is.
const PLACES: [&str; 3] = ["--out-dir", "-L", "-o"];
/// The same of code generation.
const GENERATED: [&str; 4] = ["metadata=", "extra-filename=", "incremental=", "linker="];

/// Makes a crate of the checkout one that any checkout has, by its place within it.
pub fn make_alike(arguments: &mut Vec<OsString>) {
    let (Some(root), Some(folder)) = (env::var_os(ROOT), env::var_os("CARGO_MANIFEST_DIR")) else { return };
    let Ok(within) = Path::new(&folder).strip_prefix(&root) else { return };
    let Some(at) = arguments.iter().position(|argument| is_metadata(argument)) else { return };
    let mut hash = Hash::new();
    hash.add(within.as_os_str().as_encoded_bytes());
    let root = root.to_string_lossy().into_owned();
    for part in parts(arguments, &root) {
        hash.add(part.as_bytes());
    }
    arguments[at] = format!("metadata={:016x}", hash.0).into();
    arguments.push(format!("--remap-path-prefix={root}/=").into());
}

fn is_metadata(argument: &OsString) -> bool {
    argument.to_str().is_some_and(|text| text.starts_with("metadata="))
}

/// The arguments that say what is compiled and how.
fn parts(arguments: &[OsString], root: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut words = arguments.iter().skip(1).map(|argument| argument.to_string_lossy().into_owned());
    while let Some(word) = words.next() {
        if PLACES.contains(&word.as_str()) {
            words.next();
        } else if word == "--extern" {
            // `name=path`; `priv:name=path`.
            parts.extend(words.next().map(|value| value.split('=').next().unwrap_or_default().to_owned()));
        } else if !GENERATED.iter().any(|key| word.starts_with(key)) {
            parts.push(word.replace(root, ""));
        }
    }
    parts
}

/// FNV-1a, 64 bits.
struct Hash(u64);

impl Hash {
    fn new() -> Self {
        Hash(0xcbf2_9ce4_8422_2325)
    }

    /// The bytes, and an end.
    fn add(&mut self, bytes: &[u8]) {
        for byte in bytes.iter().chain(&[0xff]) {
            self.0 = (self.0 ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}
