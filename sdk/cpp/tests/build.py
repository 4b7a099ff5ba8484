"""Compiles the tests' sources with every compiler there is."""
import os
import shutil
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
SDK = os.path.dirname(HERE)
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow"]


def compilers():
    return [name for name in ("g++", "clang++") if shutil.which(name)]


class Build:
    """One compilation, started at once so that two run side by side."""

    made = 0

    def __init__(self, folder, compiler, sources, *flags):
        Build.made += 1
        self.binary = os.path.join(folder, f"{os.path.splitext(sources[0])[0]}-{Build.made}")
        self.command = [compiler, *flags, *WARNINGS, "-I", os.path.join(SDK, "include"), *[os.path.join(HERE, source) for source in sources], "-o", self.binary, "-pthread"]
        self.process = subprocess.Popen(self.command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def wait(self):
        """The binary's path. Fails with the compiler's words."""
        output = self.process.communicate(timeout=300)[0]
        assert self.process.returncode == 0, " ".join(self.command) + "\n" + output
        assert output == "", "warnings of " + " ".join(self.command) + "\n" + output
        return self.binary


def build_all(wanted, at_once=2):
    """Runs builds given as argument tuples, a few at a time; gives the binaries in their order."""
    running, done = [], []
    for arguments in wanted:
        running.append(Build(*arguments))
        if len(running) >= at_once:
            done.append(running.pop(0).wait())
    done.extend(build.wait() for build in running)
    return done
