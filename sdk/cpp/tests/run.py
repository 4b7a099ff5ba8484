#!/usr/bin/env python3
"""Tests of the C++ SDK. Nothing here asserts on elapsed time."""
import sys
import tempfile
import traceback

import build
import cases
import clocks
import hostile
import measurement
import operations
import packages
import process
import readings
import timer

MODULES = (cases, readings, measurement, hostile, operations, process, timer)
# Nothing that depends on the compiler of the tests.
ONCE = (clocks, packages)


def main():
    failed = count = 0
    with tempfile.TemporaryDirectory() as folder:
        try:
            binaries = compile_all(folder)
        except AssertionError as error:
            print(f"not ok: the sources compile\n{error}")
            return 1
        for number, (compiler, by_source) in enumerate(binaries.items()):
            for module in MODULES if number else MODULES + ONCE:
                for name, test in sorted(vars(module).items()):
                    if not name.startswith("test_"):
                        continue
                    count += 1
                    try:
                        test(by_source)
                    except Exception:  # whatever it is, it is this test's failure
                        failed += 1
                        print(f"not ok: {module.__name__}.{name} ({compiler})\n{traceback.format_exc()}")
    print(f"cpp: {count - failed} of {count} tests passed with {', '.join(binaries)}")
    return 1 if failed or not count else 0


def compile_all(folder):
    """Every source with every compiler and both standards; the binaries of C++17 are the ones that are run."""
    binaries = {}
    for compiler in build.compilers():
        sources = ("google_style.cc", "own_style.cc", "hostile.cc", "kept_values.cc", "operations.cc", "process.cc")
        wanted = [(folder, compiler, [source], "-std=c++17", "-O2") for source in sources]
        wanted += [(folder, compiler, [source], "-std=c++20", "-fsyntax-only") for source in sources[:2]]
        drop_in = "-I" + build.SDK + "/include/tare/google"
        wanted += [
            (folder, compiler, ["first_unit.cc", "second_unit.cc"], "-std=c++17", "-O2", drop_in),
            (folder, compiler, ["newer_forms.cc", "../include/tare/benchmark_main.cc"], "-std=c++17", "-O2", drop_in),
            (folder, compiler, ["first_unit.cc"], "-std=c++17", "-O0", "-fno-exceptions", "-fno-rtti"),
            (folder, compiler, ["timer.cc"], "-std=c++17", "-O2", drop_in),
        ]
        # Names of the header that the standard library has, too, are found through their arguments.
        wanted += [(folder, compiler, ["after_the_standard_library.cc"], std, "-fsyntax-only") for std in ("-std=c++17", "-std=c++20")]
        built = build.build_all(wanted)
        binaries[compiler] = {
            "google": built[0], "own": built[1], "hostile": built[2], "kept": built[3], "operations": built[4], "process": built[5],
            "units": built[8], "newer": built[9], "bare": built[10], "timer": built[11],
        }
    return binaries


if __name__ == "__main__":
    sys.exit(main())
