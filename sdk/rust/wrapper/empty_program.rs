// In the place of the build script of a crate that is compiled as an empty one.
fn main() {}
