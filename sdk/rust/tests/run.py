#!/usr/bin/env python3
"""Tests of the Rust SDK. Nothing here asserts on elapsed time."""
import sys
import traceback

import cargo
import cases
import divan
import endings
import libtest
import measurement
import operations
import wrapping

MODULES = (wrapping, cases, divan, libtest, measurement, endings, operations)


def main():
    programs, status, messages = cargo.build(cargo.SUITE, "--bench", "*")
    if status:
        print(f"not ok: the suite compiles\n{messages}")
        return 1
    programs["load"] = cargo.example()
    failed = count = 0
    for module in MODULES:
        for name, test in sorted(vars(module).items()):
            if not name.startswith("test_"):
                continue
            count += 1
            try:
                test(programs)
            except Exception:  # whatever it is, it is this test's failure
                failed += 1
                print(f"not ok: {module.__name__}.{name}\n{traceback.format_exc()}")
    print(f"rust: {count - failed} of {count} tests passed")
    return 1 if failed or not count else 0


if __name__ == "__main__":
    sys.exit(main())
