"""What this Python is and how it is set up."""

import os
import sys

# Modules that watch every call or line.
WATCHERS = ("pydevd", "coverage", "pyinstrument", "scalene", "ddtrace", "line_profiler", "memray")

COLLECTOR = "as the program has it"


def version():
    """The version of the language that is implemented."""
    return sys.version.split()[0]


def facts():
    """`name=value`, one a line."""
    implementation = sys.implementation
    found = {
        "implementation": "%s %s" % (implementation.name, ".".join(map(str, implementation.version[:3]))),
        "executable": sys.executable or "unknown",
        "compiler": _compiler(),
        "build": _build(),
        "debug": _yes(hasattr(sys, "gettotalrefcount")),
        "optimize": str(sys.flags.optimize),
        "dev_mode": _yes(sys.flags.dev_mode),
        "gil": "on" if _gil() else "off",
        "jit": _jit(),
        "gc": COLLECTOR,
        "hash_seed": os.environ.get("PYTHONHASHSEED") or "random",
        "allocator": os.environ.get("PYTHONMALLOC") or "default",
        "watched": _watched(),
        "frame_pointers": _frame_pointers(),
        "virtual_environment": _yes(sys.prefix != sys.base_prefix),
        "os": " ".join(os.uname()[i] for i in (0, 2, 4)) if hasattr(os, "uname") else sys.platform,
        "int": "%d bit" % (sys.maxsize.bit_length() + 1),
    }
    return ["%s=%s" % pair for pair in found.items()]


def _compiler():
    # The version's second half: "3.12.1 (main, Dec 8 2023, 05:40:51) [GCC 12.2.0]".
    start = sys.version.rfind("[")
    return sys.version[start + 1 :].rstrip("]") if start >= 0 else "unknown"


def _configured(name):
    """A variable of the interpreter's build; None where it isn't noted."""
    names = (sys.abiflags, sys.platform, getattr(sys.implementation, "_multiarch", ""))
    try:
        return __import__("_sysconfigdata_%s_%s_%s" % names).build_time_vars[name]
    except Exception:  # Other platforms and implementations note it elsewhere.
        return None


def _build():
    """Profile-guided and link-time optimisation make an interpreter faster by a tenth to a third; how it was configured says so."""
    arguments = _configured("CONFIG_ARGS")
    if arguments is None:
        return "unknown"
    profiled = "--enable-optimizations" in arguments
    linked = "--with-lto" in arguments
    return ("profile-guided" if profiled else "not profile-guided") + (", link-time optimised" if linked else "")


def _frame_pointers():
    """Whether the interpreter's functions keep the frame pointer, by the flags that it was compiled with."""
    flags = _configured("CFLAGS")
    if flags is None:
        return "unknown"
    # Of several flags the last one holds.
    kept, omitted = flags.rfind("-fno-omit-frame-pointer"), flags.rfind("-fomit-frame-pointer")
    if kept < 0 and omitted < 0:
        optimised = any(level in flags for level in ("-O1", "-O2", "-O3", "-Os"))
        return "omitted, as optimising compilers do" if optimised else "unknown"
    return "kept" if kept > omitted else "omitted"


def _gil():
    enabled = getattr(sys, "_is_gil_enabled", None)
    return enabled is None or enabled()


def is_compiling():
    """Whether a just-in-time compiler turns loops into machine code."""
    if sys.implementation.name in ("pypy", "graalpy"):
        return True
    jit = getattr(sys, "_jit", None)
    return jit is not None and jit.is_enabled()


def _jit():
    return "on" if is_compiling() else "off"


def _watched():
    found = [name for name in WATCHERS if name in sys.modules]
    if sys.gettrace() is not None:
        found.append("trace function")
    if sys.getprofile() is not None:
        found.append("profile function")
    return ", ".join(found) or "no"


def _yes(flag):
    return "yes" if flag else "no"
