//! A vector that is added or taken away changes the binary.

#![allow(clippy::print_stdout, reason = "this is how a build script speaks to cargo")]

fn main() {
    println!("cargo::rerun-if-changed=../../wire/vectors");
}
