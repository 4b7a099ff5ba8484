//! Names that a runtime calls by itself, and names by which code looks at sources and documentation.

use crate::unit::{Kind, Language, Unit};

/// Names that code of the runtime written in C looks up in objects that it is handed (Python's `io`, `json`, `csv`, `pickle`, `importlib`, …).
const PYTHON_CALLS: [&str; 71] = [
    "read",
    "readline",
    "readlines",
    "readinto",
    "readall",
    "write",
    "writelines",
    "flush",
    "close",
    "closed",
    "fileno",
    "isatty",
    "seek",
    "tell",
    "truncate",
    "readable",
    "writable",
    "seekable",
    "peek",
    "read1",
    "keys",
    "items",
    "get",
    "send",
    "throw",
    "utcoffset",
    "dst",
    "tzname",
    "fromutc",
    "persistent_id",
    "persistent_load",
    "reducer_override",
    "dispatch_table",
    "find_class",
    "find_spec",
    "find_module",
    "create_module",
    "exec_module",
    "load_module",
    "invalidate_caches",
    "default",
    "object_hook",
    "call_soon",
    "call_exception_handler",
    "add_done_callback",
    "cancel",
    "start",
    "end",
    "data",
    "comment",
    "pi",
    "start_ns",
    "end_ns",
    "encode",
    "decode",
    "mro",
    "setdefault",
    "copy",
    "append",
    "settimeout",
    "derive",
    "step",
    "inverse",
    "finalize",
    "value",
    "from_param",
    "encoding",
    "errors",
    "newlines",
    "raw",
    "detach",
];
/// Methods of interfaces that the engine calls, and magic methods without their underscores.
const PHP_CALLS: [&str; 67] = [
    "beginchildren",
    "endchildren",
    "beginiteration",
    "enditeration",
    "callhaschildren",
    "callgetchildren",
    "nextelement",
    "gethash",
    "seek",
    "mkdir",
    "rmdir",
    "rename",
    "unlink",
    "dir_opendir",
    "dir_readdir",
    "dir_rewinddir",
    "dir_closedir",
    "current",
    "key",
    "next",
    "rewind",
    "valid",
    "getiterator",
    "offsetget",
    "offsetset",
    "offsetexists",
    "offsetunset",
    "count",
    "jsonserialize",
    "serialize",
    "unserialize",
    "getchildren",
    "haschildren",
    "accept",
    "compare",
    "filter",
    "oncreate",
    "onclose",
    "stream_open",
    "stream_read",
    "stream_write",
    "stream_eof",
    "stream_close",
    "stream_stat",
    "url_stat",
    "stream_seek",
    "stream_tell",
    "stream_flush",
    "stream_lock",
    "stream_metadata",
    "stream_truncate",
    "stream_set_option",
    "stream_cast",
    "getcurrentline",
    "open",
    "close",
    "read",
    "write",
    "destroy",
    "gc",
    "create_sid",
    "validateid",
    "updatetimestamp",
    "cases",
    "from",
    "tryfrom",
    "main",
];

/// Whether the runtime itself may call a method of that name, of an object that it is handed.
pub(crate) fn called_by_runtime(language: Language, simple: &str) -> bool {
    match language {
        Language::Python => {
            (simple.len() > 2 && simple.starts_with('_') && simple.ends_with('_')) || PYTHON_CALLS.contains(&simple)
        }
        Language::Php => simple.starts_with("__") && simple != SHOWS || PHP_CALLS.contains(&simple),
    }
}

/// What PHP calls of an object that is dumped, and what dumps one: by its name, since dumpers of libraries call these.
pub(crate) const SHOWS: &str = "__debuginfo";

/// Whether code that mentions the name may dump objects.
pub(crate) fn dumps(language: Language, name: &str) -> bool {
    const DUMPING: [&str; 8] = [
        "var_dump",
        "print_r",
        "var_export",
        "debug_zval_refcount",
        "debug_zval_refcounts",
        "debug_print_backtrace",
        "dump",
        "dd",
    ];
    language == Language::Php && DUMPING.contains(&name)
}

/// Whether the runtime imports a module of that name by itself, in code of which it has no source.
pub(crate) fn imported_by_runtime(language: Language, name: &str) -> bool {
    language == Language::Python && ["sitecustomize", "usercustomize"].contains(&name)
}

/// Whether what runs a test calls a function of that name beside it.
pub(crate) fn called_by_runners(language: Language, simple: &str) -> bool {
    const BEGINNINGS: [&str; 5] = ["pytest_", "setup", "teardown", "setUp", "tearDown"];
    language == Language::Python && BEGINNINGS.iter().any(|beginning| simple.starts_with(beginning))
}

/// Whether it is a benchmark by its name, each of which is executed by itself (PHPBench's).
pub(crate) fn is_subject(language: Language, unit: &Unit) -> bool {
    language == Language::Php
        && unit.kind == Kind::Function
        && unit.simple.starts_with("bench")
        && unit.name.contains("::")
}

/// Whether it says of a module what people and installers want to know (PEP 8, "Module level dunder names"), and no call computes with.
pub(crate) fn is_metadata(language: Language, unit: &Unit) -> bool {
    const NAMES: [&str; 8] =
        ["__version__", "__author__", "__license__", "__copyright__", "__date__", "__email__", "__title__", "__url__"];
    language == Language::Python && unit.kind == Kind::Constant && NAMES.contains(&unit.simple.as_str())
}

/// Whether it is a test, which is called by whatever collects tests.
pub(crate) fn is_test(simple: &str) -> bool {
    simple.starts_with("test")
}

/// Whether a function of that name collects tests: those of pytest and of `unittest`. A case that executes it runs tests by itself; to run the one that it is
/// takes no more of them.
pub(crate) fn collects_tests(name: &str) -> bool {
    ["pytest_pycollect_makeitem", "getTestCaseNames"].contains(&name)
}

/// Whether Python code that mentions the name may find a module that it doesn't import by name.
pub(crate) fn finds_modules(name: &str) -> bool {
    [
        "modules",
        "import_module",
        "__import__",
        "spec_from_file_location",
        "module_from_spec",
        "exec_module",
        "load_module",
        "SourceFileLoader",
        "run_path",
        "run_module",
        "getmodule",
        "get_objects",
        "get_referrers",
        "get_referents",
        "__globals__",
        "f_globals",
    ]
    .contains(&name)
}

/// Whether code that mentions the name may read documentation.
pub(crate) fn reads_documentation(language: Language, name: &str) -> bool {
    match language {
        Language::Python => ["__doc__", "getdoc", "getcomments", "co_consts"].contains(&name),
        Language::Php => name == "getdoccomment",
    }
}

/// Whether code that mentions the name may read sources as text.
pub(crate) fn reads_sources(language: Language, name: &str) -> bool {
    const PYTHON: [&str; 5] = ["getsource", "getsourcelines", "getsourcefile", "findsource", "py_compile"];
    const PHP: [&str; 3] = ["highlight_file", "show_source", "php_strip_whitespace"];
    match language {
        Language::Python => PYTHON.contains(&name),
        Language::Php => PHP.contains(&name),
    }
}

/// Whether a file of the runtime's own library hands documentation on from one function to another, and doesn't read it.
pub(crate) fn copies_documentation(path: &str) -> bool {
    ["/contextlib.py", "/functools.py"].iter().any(|name| path.ends_with(name))
}

/// Whether the unit may read documentation, when it is executed.
pub(crate) fn may_read_documentation(language: Language, unit: &Unit) -> bool {
    unit.mentioned().any(|name| reads_documentation(language, name))
}

/// Which sources a unit may open as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opens {
    /// The file that it stands in.
    Itself,
    /// Any.
    Any,
}

/// Whether the unit may open sources by their places.
pub(crate) fn opens_sources(language: Language, unit: &Unit) -> Option<Opens> {
    let mentions = |names: &[&str]| unit.names.iter().chain(&unit.globals).any(|name| names.contains(&name.as_str()));
    match language {
        Language::Python => {
            let opens =
                mentions(&["open", "read_text", "read_bytes"]) && !mentions(&["dirname", "parent", "with_name"]);
            // As an attribute it is another module's.
            let of_another = unit.names.iter().any(|name| name == "__file__");
            if (of_another && opens) || (mentions(&["linecache"]) && mentions(&["getline", "getlines"])) {
                Some(Opens::Any)
            } else {
                (mentions(&["__file__"]) && opens).then_some(Opens::Itself)
            }
        }
        Language::Php if !mentions(&["__file__"]) => None,
        Language::Php if mentions(&["getfilename"]) => Some(Opens::Any),
        Language::Php => {
            mentions(&["file_get_contents", "fopen", "file", "readfile", "splfileobject"]).then_some(Opens::Itself)
        }
    }
}
