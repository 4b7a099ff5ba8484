"""Compiles the tests' sources with every compiler there is.

What was compiled from the same files by the same command is kept, under `target/cpp-tests` of the repository: most of the time of these tests is the
compilers'. Files of the system aren't looked at, but for the compiler's version."""
import contextlib
import functools
import hashlib
import os
import shutil
import subprocess
import time

HERE = os.path.dirname(os.path.abspath(__file__))
SDK = os.path.dirname(HERE)
WARNINGS = ["-Wall", "-Wextra", "-Werror", "-pedantic", "-Wshadow"]


def compilers():
    return [name for name in ("g++", "clang++") if shutil.which(name)]


TARGET = os.environ.get("CARGO_TARGET_DIR") or os.path.join(SDK, "..", "..", "target")
KEPT = os.path.join(TARGET, "cpp-tests")
# Days that a binary is kept without being used.
DAYS = 14


@functools.lru_cache(maxsize=None)
def state_of(compiler):
    """A digest of the compiler's version and of every file of the SDK that it may read."""
    digest = hashlib.sha256(subprocess.run([compiler, "--version"], stdout=subprocess.PIPE, check=True).stdout)
    for top in (os.path.join(SDK, "include"), HERE):
        for folder, below, files in sorted(os.walk(top)):
            below.sort()
            for file in sorted(file for file in files if file.endswith((".h", ".hpp", ".cc"))):
                path = os.path.join(folder, file)
                with open(path, "rb") as content:
                    digest.update(os.path.relpath(path, SDK).encode() + b"\0" + content.read() + b"\0")
    return digest.hexdigest()


class Build:
    """One compilation, started at once so that two run side by side. `folder`: where the binary goes."""

    made = 0

    def __init__(self, folder, compiler, sources, *flags):
        Build.made += 1
        self.binary = os.path.join(folder, f"{os.path.splitext(sources[0])[0]}-{Build.made}")
        self.command = [compiler, *flags, *WARNINGS, "-I", os.path.join(SDK, "include"), *[os.path.join(HERE, source) for source in sources], "-pthread"]
        key = hashlib.sha256("\0".join([state_of(compiler), *self.command]).encode()).hexdigest()
        self.kept = os.path.join(KEPT, key)
        self.process = None
        if not os.path.exists(self.kept):
            self.process = subprocess.Popen([*self.command, "-o", self.binary], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def wait(self):
        """The binary's path. Fails with the compiler's words."""
        if self.process is None:
            os.utime(self.kept)
            shutil.copy(self.kept, self.binary)
            return self.binary
        output = self.process.communicate(timeout=300)[0]
        assert self.process.returncode == 0, " ".join(self.command) + "\n" + output
        assert output == "", "warnings of " + " ".join(self.command) + "\n" + output
        self.keep()
        return self.binary

    def keep(self):
        """Under a name that is there only when the file is whole: two tests may run at once. A mere check of the syntax leaves an empty file."""
        os.makedirs(KEPT, exist_ok=True)
        part = f"{self.kept}.{os.getpid()}"
        if os.path.exists(self.binary):
            shutil.copy(self.binary, part)
        else:
            open(part, "wb").close()
        os.replace(part, self.kept)


def forget_old():
    """Removes what nothing has used for two weeks."""
    oldest = time.time() - DAYS * 86400
    for name in os.listdir(KEPT) if os.path.isdir(KEPT) else []:
        path = os.path.join(KEPT, name)
        if os.path.getmtime(path) < oldest:
            with contextlib.suppress(FileNotFoundError):
                os.remove(path)


def build_all(wanted, at_once=2):
    """Runs builds given as argument tuples, a few at a time; gives the binaries in their order."""
    running, done = [], []
    for arguments in wanted:
        running.append(Build(*arguments))
        if len(running) >= at_once:
            done.append(running.pop(0).wait())
    done.extend(build.wait() for build in running)
    forget_old()
    return done
