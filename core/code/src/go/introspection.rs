//! Functions by which a program looks at itself: what they give isn't in the code and data that is compared.

/// Give lines of sources or names of functions, or arrange that another does.
const LINES: [&str; 14] = [
    "runtime.Caller",
    "runtime.CallersFrames",
    "runtime.(*Frames).Next",
    "runtime.FuncForPC",
    "runtime.(*Func).FileLine",
    "runtime.(*Func).Name",
    "runtime.Stack",
    "runtime/debug.Stack",
    "runtime/debug.PrintStack",
    "log.SetFlags",
    "log.New",
    "log.(*Logger).SetFlags",
    "log/slog.NewTextHandler",
    "log/slog.NewJSONHandler",
];

/// Packages that write where a program is, by lines and names of functions.
const PROFILING: [&str; 3] = ["runtime/pprof.", "runtime/trace.", "net/http/pprof."];

/// Give how many methods a type has; as a method of `reflect.Type` the last one's name is enough. What finds methods is followed (`reach`).
const METHODS: [&str; 2] = ["reflect.Value.NumMethod", "reflect.(*rtype).NumMethod"];

/// Give versions of modules and settings of the build.
const BUILD: [&str; 1] = ["runtime/debug.ReadBuildInfo"];

/// What a function tells of the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tells {
    Lines,
    Build,
    Methods,
}

/// What the function of that name tells.
pub(super) fn tells(name: &[u8]) -> Option<Tells> {
    let among = |list: &[&str]| list.iter().any(|one| one.as_bytes() == name);
    if among(&LINES) || PROFILING.iter().any(|package| name.starts_with(package.as_bytes())) {
        Some(Tells::Lines)
    } else if among(&BUILD) {
        Some(Tells::Build)
    } else if among(&METHODS) {
        Some(Tells::Methods)
    } else {
        None
    }
}

/// What a method tells that is called through an interface.
pub(super) fn tells_method(name: &[u8]) -> Option<Tells> {
    let is_last = |one: &&str| one.rsplit('.').next().is_some_and(|last| last.as_bytes() == name);
    METHODS.iter().any(|one| is_last(one)).then_some(Tells::Methods)
}

#[cfg(test)]
mod tests {
    use super::{Tells, tells, tells_method};

    #[test]
    fn profiles_tell_lines_as_traces_do() {
        for name in
            ["runtime.Caller", "runtime/pprof.Lookup", "runtime/pprof.(*Profile).WriteTo", "runtime/trace.Start"]
        {
            assert_eq!(tells(name.as_bytes()), Some(Tells::Lines), "{name}");
        }
        assert_eq!(tells(b"runtime/debug.ReadBuildInfo"), Some(Tells::Build));
        assert_eq!(tells(b"reflect.Value.NumMethod"), Some(Tells::Methods));
        assert_eq!(tells(b"strings.Index"), None);
        assert_eq!(tells_method(b"NumMethod"), Some(Tells::Methods));
        assert_eq!(tells_method(b"Value"), None);
    }
}
