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

/// Of package `reflect`: what depends on how many methods a type has, or goes through all of them. What finds methods is followed (`reach`).
const METHODS: [&str; 14] = [
    "NumMethod",
    "Implements",
    "AssignableTo",
    "ConvertibleTo",
    "CanConvert",
    "Convert",
    "Call",
    "CallSlice",
    "Set",
    "SetMapIndex",
    "Send",
    "TrySend",
    "Append",
    "MakeFunc",
];
/// Those of `reflect.Type`, which are called through an interface.
pub(super) const METHODS_OF_TYPES: &[&str] = METHODS.split_at(4).0;

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
    } else if name.strip_prefix(b"reflect.").is_some_and(looks_at_methods) {
        Some(Tells::Methods)
    } else {
        None
    }
}

/// Of a function of package `reflect`, with or without a receiver.
fn looks_at_methods(name: &[u8]) -> bool {
    let last = name.rsplit(|byte| *byte == b'.').next().unwrap_or_default();
    let last = last.strip_suffix(b"-fm").unwrap_or(last);
    METHODS.iter().any(|one| one.as_bytes() == last)
}

/// What a method tells that is called through an interface.
pub(super) fn tells_method(name: &[u8]) -> Option<Tells> {
    METHODS_OF_TYPES.iter().any(|one| one.as_bytes() == name).then_some(Tells::Methods)
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
        for name in
            ["reflect.Value.NumMethod", "reflect.Type.NumMethod", "reflect.(*rtype).Implements", "reflect.Append"]
        {
            assert_eq!(tells(name.as_bytes()), Some(Tells::Methods), "{name}");
        }
        assert_eq!(tells(b"reflect.Value.Call-fm"), Some(Tells::Methods));
        assert_eq!(tells(b"reflect.Value.Int"), None);
        assert_eq!(tells(b"m.Value.Call"), None);
        assert_eq!(tells(b"strings.Index"), None);
        assert_eq!(tells_method(b"NumMethod"), Some(Tells::Methods));
        assert_eq!(tells_method(b"Value"), None);
    }
}
