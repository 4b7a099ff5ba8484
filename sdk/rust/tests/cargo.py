"""Builds benchmarks of a Cargo package as the core does: README.md says the same in words."""
import contextlib
import glob
import hashlib
import json
import os
import shutil
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
SDK = os.path.dirname(HERE)
TARGET = os.environ.get("CARGO_TARGET_DIR") or os.path.join(SDK, "..", "..", "target")
SUITE = os.path.join(HERE, "suite")
KEPT = os.path.realpath(os.path.join(TARGET, "rust-tests"))
# Packages whose source Tare has its own of, and what these sources need of their dependencies.
REPLACED = {"criterion", "codspeed-criterion-compat-walltime", "divan", "divan-macros"}
NEEDED = {"tokio", "futures", "smol", "async-std"}


def sources_of_the_sdk():
    digest = hashlib.sha256()
    for folder, below, files in sorted(os.walk(SDK)):
        below[:] = sorted(name for name in below if name not in ("tests", "target"))
        for name in sorted(files):
            if name.endswith(".rs"):
                with open(os.path.join(folder, name), "rb") as content:
                    digest.update(name.encode() + b"\0" + content.read() + b"\0")
    return digest.hexdigest()[:16]


def wrapper():
    """The wrapper of rustc, compiled once for each state of its source."""
    source = os.path.join(SDK, "wrapper", "main.rs")
    digest = hashlib.sha256()
    for part in ("main.rs", "link.rs", "alike.rs", "libtest.rs"):
        with open(os.path.join(SDK, "wrapper", part), "rb") as content:
            digest.update(content.read())
    name = "wrapper-" + digest.hexdigest()[:16]
    path = os.path.join(KEPT, name)
    if not os.path.exists(path):
        os.makedirs(KEPT, exist_ok=True)
        part = f"{path}.{os.getpid()}"
        subprocess.run(["rustc", "--edition=2021", "-O", "-D", "warnings", source, "-o", part], check=True)
        os.replace(part, path)
    return path


def metadata(folder, flags=()):
    command = ["cargo", "metadata", "--format-version", "1", *flags]
    return json.loads(subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, check=True).stdout)


def needless(facts):
    """Folders of packages that only replaced ones need, as the graph of the resolved dependencies says."""
    packages = {package["id"]: package for package in facts["packages"]}
    nodes = {node["id"]: [dependency["pkg"] for dependency in node["deps"]] for node in facts["resolve"]["nodes"]}
    needed, left = set(), list(facts["workspace_members"])
    while left:
        node = left.pop()
        if node in needed:
            continue
        needed.add(node)
        is_replaced = packages[node]["name"] in REPLACED
        left += [next_ for next_ in nodes[node] if not is_replaced or packages[next_]["name"] in NEEDED]
    return sorted(os.path.dirname(packages[node]["manifest_path"]) for node in nodes if node not in needed)


def forget_other_sources(target):
    """Cargo doesn't look at the sources of packages that it has from a registry. Where ours aren't those that the folder was built with, it is made to compile them anew."""
    state, mark = sources_of_the_sdk(), os.path.join(target, "tare-sdk.txt")
    with contextlib.suppress(FileNotFoundError), open(mark, encoding="utf-8") as file:
        if file.read() == state:
            return
    # Programs with rustc's harness have our crate `test`.
    for package in REPLACED | {"harnessed"}:
        for found in glob.glob(os.path.join(target, "**", ".fingerprint", package + "-[0-9a-f]*"), recursive=True, include_hidden=True):
            shutil.rmtree(found)
    for found in glob.glob(os.path.join(target, "**", "tare-test-*"), recursive=True):
        shutil.rmtree(found)
    with open(mark, "w", encoding="utf-8") as file:
        file.write(state)


def build(folder, *flags, environment=None, graph_flags=(), target=None, toolchain=None):
    """Paths of the programs of the package's benchmarks, by name (`lib` has the library's unit tests), and the messages of Cargo that aren't artifacts."""
    empty = needless(metadata(folder, graph_flags))
    key = hashlib.sha256("\n".join(empty).encode()).hexdigest()[:16]
    target = os.path.join(target or os.path.join(KEPT, "target"), key)
    os.makedirs(target, exist_ok=True)
    forget_other_sources(target)
    listed = os.path.join(target, "empty.txt")
    with open(listed, "w", encoding="utf-8") as file:
        file.write("".join(path + "\n" for path in empty))
    variables = {
        **os.environ, "RUSTC_WRAPPER": wrapper(), "TARE_RUST_SDK": SDK, "TARE_RUST_EMPTY": listed, "CARGO_TARGET_DIR": target, **(environment or {}),
    }
    command = ["cargo", *([toolchain] if toolchain else []), "bench", "--no-run", "--message-format=json", "-j1", *flags]
    process = subprocess.run(command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False)
    programs, messages = {}, []
    for line in process.stdout.splitlines():
        with contextlib.suppress(ValueError):
            message = json.loads(line)
            if message["reason"] == "compiler-artifact" and message.get("executable") and message["target"]["kind"] in (["bench"], ["lib"]):
                of = message["target"]
                programs["lib" if of["kind"] == ["lib"] else of["name"]] = message["executable"]
            elif message["reason"] == "compiler-message":
                messages.append(message["message"]["rendered"])
    return programs, process.returncode, "".join(messages) + process.stderr


def example():
    """The program of operations, and the tests of the crate that it is from."""
    folder = os.path.join(SDK, "tare")
    variables = {**os.environ, "CARGO_TARGET_DIR": os.path.join(KEPT, "tare")}
    command = ["cargo", "test", "--quiet", "-j1", "--offline"]
    tested = subprocess.run(command, cwd=folder, env=variables, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
    assert tested.returncode == 0, tested.stdout
    subprocess.run(["cargo", "build", "--quiet", "-j1", "--offline", "--release", "--examples"], cwd=folder, env=variables, check=True)
    return os.path.join(variables["CARGO_TARGET_DIR"], "release", "examples", "key_value")


def main():
    """Prints the path of the program of a benchmark of the suite, built as tests do: `cargo.py hash`."""
    programs, status, messages = build(SUITE, "--bench", sys.argv[1])
    sys.stderr.write(messages if status else "")
    print(programs.get(sys.argv[1], ""))
    return status


if __name__ == "__main__":
    sys.exit(main())
