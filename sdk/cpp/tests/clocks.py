"""The clocks for event loops, with every compiler: each build of clocks.cc checks the contract by itself."""
import os
import subprocess
import tempfile

import build

FLAGS = (("-std=c++17", "-O2"), ("-std=c++20", "-O2"), ("-std=c++17", "-O0", "-fno-exceptions", "-fno-rtti"))


def test_the_contract(_binaries):
    with tempfile.TemporaryDirectory() as folder:
        wanted = [(folder, compiler, ["clocks.cc"], *flags) for compiler in build.compilers() for flags in FLAGS]
        for binary in build.build_all(wanted):
            done = subprocess.run([binary], capture_output=True, text=True, timeout=60)
            assert done.returncode == 0 and done.stdout.endswith(" checks, 0 failures\n"), done.stdout + done.stderr


def test_the_benchmarks_compile(_binaries):
    with tempfile.TemporaryDirectory() as folder:
        binary, source = os.path.join(folder, "clock"), os.path.join(build.SDK, "bench", "clock.cc")
        command = [build.compilers()[0], "-std=c++17", "-O2", *build.WARNINGS, "-pthread", "-I", os.path.join(build.SDK, "include"), source, "-o", binary]
        done = subprocess.run(command, capture_output=True, text=True, timeout=300)
        assert done.returncode == 0 and done.stderr == "", done.stderr
        said = subprocess.run([binary], capture_output=True, text=True, timeout=60).stdout
        assert "6 benchmark cases" in said, said
