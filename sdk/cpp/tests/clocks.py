"""The clocks for event loops: each build of clocks.cc checks the contract by itself."""
import subprocess

BUILDS = (("-std=c++17", "-O2"), ("-std=c++20", "-O2"), ("-std=c++17", "-O0", "-fno-exceptions", "-fno-rtti"))


def test_the_contract(binaries):
    for binary in binaries["clocks"]:
        done = subprocess.run([binary], capture_output=True, text=True, timeout=60)
        assert done.returncode == 0 and done.stdout.endswith(" checks, 0 failures\n"), done.stdout + done.stderr
