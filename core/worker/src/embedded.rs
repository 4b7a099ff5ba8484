//! The workers of interpreted languages travel in the binary and are unpacked to a cache keyed by their content, so that
//! nothing has to be added to the user's project.

use std::path::PathBuf;

use rust_embed::RustEmbed;
use tare_samples::fnv1a;

use crate::cache::{EmbeddedError, in_cache};

#[derive(RustEmbed)]
#[folder = "../../sdk/php"]
#[include = "*.php"]
#[exclude = "tests/*"]
#[exclude = "example/*"]
// For applications, not for the worker.
#[exclude = "clock/*"]
struct PhpSdk;

/// The C++ header and what it includes, and the main function of programs that have none.
#[derive(RustEmbed)]
#[folder = "../../sdk/cpp/include"]
#[include = "*.h"]
#[include = "tare/benchmark_main.cc"]
struct CppSdk;

/// The files that the Go driver adds to package `testing`.
#[derive(RustEmbed)]
#[folder = "../../sdk/go/overlay"]
#[include = "*.go"]
struct GoSdk;

/// The worker of Rust, the interfaces of the frameworks on it, and what puts them in the frameworks' place.
#[derive(RustEmbed)]
#[folder = "../../sdk/rust"]
#[include = "*.rs"]
#[exclude = "tests/*"]
#[exclude = "target/*"]
struct RustSdk;

#[derive(RustEmbed)]
#[folder = "../../sdk/python"]
#[include = "worker.py"]
#[include = "units.py"]
#[include = "src/*.py"]
struct PythonSdk;

/// Unpacks the PHP worker, unless the cache has it already, and returns the path of its entry point.
pub fn unpack_php() -> Result<PathBuf, EmbeddedError> {
    unpack_sdk::<PhpSdk>("php", "worker.php")
}

/// Unpacks the Python worker; as [`unpack_php`].
pub fn unpack_python() -> Result<PathBuf, EmbeddedError> {
    unpack_sdk::<PythonSdk>("python", "worker.py")
}

/// Unpacks Rust's sources, and returns their folder.
pub(crate) fn unpack_rust() -> Result<PathBuf, EmbeddedError> {
    unpack_sdk::<RustSdk>("rust", "")
}

fn unpack_sdk<S: RustEmbed>(language: &str, entry: &str) -> Result<PathBuf, EmbeddedError> {
    let mut files: Vec<_> = S::iter().collect();
    files.sort();
    let contents: Vec<_> =
        files.iter().filter_map(|name| S::get(name).map(|file| (name.as_ref(), file.data))).collect();
    let key = content_key(contents.iter().flat_map(|(name, data)| [name.as_bytes(), data.as_ref()]));
    Ok(in_cache(&format!("sdk-{language}-{key:016x}"), &contents)?.join(entry))
}

/// Unpacks the PHP worker, and returns the path of the script that prints units of sources.
pub(crate) fn unpack_php_units() -> Result<PathBuf, EmbeddedError> {
    Ok(unpack_php()?.with_file_name("units.php"))
}

/// As [`unpack_php_units`], of Python.
pub(crate) fn unpack_python_units() -> Result<PathBuf, EmbeddedError> {
    Ok(unpack_python()?.with_file_name("units.py"))
}

/// Unpacks the PHP worker, and returns the path of the benchmark by which a machine's noise is judged.
pub fn unpack_php_noise() -> Result<PathBuf, EmbeddedError> {
    Ok(unpack_php()?.with_file_name("noise").join("NoiseBench.php"))
}

/// Unpacks a Go package with nothing in it but a benchmark that does nothing, and returns its folder: what a toolchain builds, and
/// what it says of itself, is seen on it.
pub fn unpack_go_probe() -> Result<PathBuf, EmbeddedError> {
    let contents = [
        // The oldest Go that the worker is built with.
        ("go.mod", "module tare.probe\n\ngo 1.21\n"),
        (
            "probe_test.go",
            "package probe\n\nimport \"testing\"\n\nfunc BenchmarkNothing(b *testing.B) {\n\tfor i := 0; i < b.N; i++ {\n\t}\n}\n",
        ),
    ];
    let key = content_key(contents.iter().flat_map(|(name, data)| [name.as_bytes(), data.as_bytes()]));
    in_cache(&format!("probe-go-{key:016x}"), &contents)
}

/// Keeps the file of commands that a run measures, named by its content, so that `--resume` finds it again.
///
/// # Errors
/// The cache can't be written.
pub fn keep_commands(content: &[u8]) -> Result<PathBuf, EmbeddedError> {
    const NAME: &str = "exec.tare-commands";
    let key = content_key([content].into_iter());
    Ok(in_cache(&format!("commands-{key:016x}"), &[(NAME, content)])?.join(NAME))
}

/// Unpacks the C++ header, unless the cache has it already, and returns the folder for the compiler's include path: `-I FOLDER`, then
/// `#include <tare/benchmark.h>`.
///
/// # Errors
/// The cache can't be written.
pub fn unpack_cpp() -> Result<PathBuf, EmbeddedError> {
    let contents = cpp_headers();
    let contents: Vec<_> = contents.iter().map(|(name, data)| (name.as_str(), data.as_slice())).collect();
    let key = content_key(contents.iter().flat_map(|(name, data)| [name.as_bytes(), *data]));
    in_cache(&format!("sdk-cpp-{key:016x}"), &contents)
}

/// Names, relative to the include folder, and contents, in order.
fn cpp_headers() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = CppSdk::iter().collect();
    files.sort();
    files.iter().filter_map(|name| CppSdk::get(name).map(|file| (name.to_string(), file.data.into_owned()))).collect()
}

/// Names and contents of the files that the Go driver adds to package `testing`, in order.
pub(crate) fn go_sdk() -> Vec<(String, Vec<u8>)> {
    let mut files: Vec<_> = GoSdk::iter().collect();
    files.sort();
    files.iter().filter_map(|name| GoSdk::get(name).map(|file| (name.to_string(), file.data.into_owned()))).collect()
}

/// Names the version of those files.
pub(crate) fn go_sdk_key() -> u64 {
    content_key(go_sdk().iter().flat_map(|(name, data)| [name.as_bytes(), data.as_slice()]))
}

/// Names a version of the parts, each with its length before it.
pub(crate) fn content_key<'a>(parts: impl Iterator<Item = &'a [u8]>) -> u64 {
    fnv1a(parts.flat_map(|part| (part.len() as u64).to_le_bytes().into_iter().chain(part.iter().copied())))
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{content_key, cpp_headers};

    #[test]
    fn every_header_that_is_included_is_embedded() {
        let headers = cpp_headers();
        assert!(headers.iter().any(|(name, _)| name == "tare/benchmark.h"));
        for (name, data) in &headers {
            let text = std::str::from_utf8(data).unwrap();
            let included = text.lines().filter_map(|line| line.strip_prefix("#include \"")?.strip_suffix('"'));
            for wanted in included {
                let folder = Path::new(name).parent().unwrap();
                let found = wanted.split('/').fold(folder.to_owned(), |path, part| match part {
                    ".." => path.parent().unwrap().to_owned(),
                    part => path.join(part),
                });
                assert!(headers.iter().any(|(name, _)| Path::new(name) == found), "{name} includes {wanted}");
            }
        }
    }

    #[test]
    fn the_key_tells_where_a_name_ends() {
        assert_ne!(
            content_key([b"ab".as_slice(), b"c"].into_iter()),
            content_key([b"a".as_slice(), b"bc"].into_iter())
        );
    }
}
