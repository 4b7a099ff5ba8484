"""What the wrapper hands to rustc."""
import json
import os
import subprocess
import tempfile

import cargo

# Prints its arguments as JSON, in the place of rustc.
ECHO = """#!/usr/bin/env python3
import json, sys
print("rustc 1.70.3-nightly (x 2023-01-01)" if sys.argv[1:] == ["--version"] else json.dumps(sys.argv[1:]))
"""


def called(arguments, environment):
    with tempfile.TemporaryDirectory() as folder:
        echo = os.path.join(folder, "rustc")
        with open(echo, "w", encoding="utf-8") as file:
            file.write(ECHO)
        os.chmod(echo, 0o755)
        variables = {key: value for key, value in os.environ.items() if not key.startswith(("TARE_", "CARGO_"))}
        variables.update({key: value.replace("{folder}", folder) for key, value in {"TARE_RUST_SDK": cargo.SDK, **environment}.items()})
        output = subprocess.run([cargo.wrapper(), echo, *arguments], env=variables, stdout=subprocess.PIPE, check=True).stdout
        return json.loads(output)


def package(name, version, **others):
    major, minor, _ = version.split(".")
    return {"CARGO_PKG_NAME": name, "CARGO_PKG_VERSION": version, "CARGO_PKG_VERSION_MAJOR": major, "CARGO_PKG_VERSION_MINOR": minor, **others}


LIBRARY = ["--crate-name", "criterion", "--edition=2018", "src/lib.rs", "--crate-type", "lib", "-C", "opt-level=3", "--cfg", 'feature="async"', "--extern", "a=b"]


def test_criterion_gets_another_source_and_keeps_everything_else(programs):
    for version in ("0.3.6", "0.5.1", "0.8.2"):
        got = called(LIBRARY, package("criterion", version))
        wanted = list(LIBRARY)
        wanted[2:4] = ["--edition=2021", os.path.join(cargo.SDK, "criterion/lib.rs")]
        assert got[:len(wanted)] == wanted, got
        told = got[len(wanted):]
        assert told[0::2] == ["--cfg"] * (len(told) // 2)
        assert set(told[1::2]) == {f'tare_package="{version[:3]}"', 'tare_minor="70"', 'tare_patch="3"', 'tare_channel="nightly"', 'tare_optimisation="3"', 'tare_lto="off"'}, told


def test_other_crates_are_left_alone(programs):
    build_script = ["--crate-name", "build_script_build", "--edition=2018", "build.rs", "--crate-type", "bin"]
    tests = [*LIBRARY, "--test"]
    for arguments, environment in (
        (LIBRARY, package("other", "0.5.1")), (LIBRARY, package("criterion", "0.2.11")), (LIBRARY, package("criterion", "0.9.0")),
        (build_script, package("criterion", "0.5.1")), (tests, package("criterion", "0.5.1")), (LIBRARY, {}), (["-vV"], package("criterion", "0.5.1")),
    ):
        assert called(arguments, environment) == arguments, (arguments, environment)
    assert called(LIBRARY, {**package("criterion", "0.5.1"), "TARE_RUST_SDK": "/nonexistent"}) == LIBRARY


def test_flags_are_given_to_what_is_measured(programs):
    flags = {"TARE_RUST_FLAGS": "-C llvm-args=-align-all-functions=6"}
    wanted = ["-C", "llvm-args=-align-all-functions=6"]
    assert called(LIBRARY, {**package("other", "1.0.0"), **flags}) == LIBRARY + wanted
    for arguments in (
        ["--crate-name", "build_script_build", "build.rs", "--crate-type", "bin"], ["--crate-name", "m", "src/lib.rs", "--crate-type", "proc-macro"],
        ["-vV"], ["-", "--crate-name", "___", "--print=file-names", "--crate-type", "bin"],
    ):
        assert called(arguments, {**package("other", "1.0.0"), **flags}) == arguments


def test_what_only_criterion_needs_is_empty(programs):
    with tempfile.NamedTemporaryFile("w") as listed:
        listed.write("/registry/plotters-0.3.7\n")
        listed.flush()
        environment = {"TARE_RUST_EMPTY": listed.name, **package("plotters", "0.3.7", CARGO_MANIFEST_DIR="/registry/plotters-0.3.7")}
        library = ["--crate-name", "plotters", "--edition=2018", "/registry/plotters-0.3.7/src/lib.rs", "--crate-type", "lib"]
        script = ["--crate-name", "build_script_build", "--edition=2018", "build.rs", "--crate-type", "bin"]
        assert os.path.join(cargo.SDK, "wrapper/empty.rs") in called(library, environment)
        assert os.path.join(cargo.SDK, "wrapper/empty_program.rs") in called(script, environment)
        elsewhere = {**environment, "CARGO_MANIFEST_DIR": "/registry/plotters-0.3.70"}
        assert called(library, elsewhere) == library


def test_a_wrapper_of_the_projects_own_is_called_behind(programs):
    # `env` starts what follows it, as sccache does.
    assert called(LIBRARY, {**package("other", "1.0.0"), "TARE_RUST_NEXT_WRAPPER": "/usr/bin/env"}) == LIBRARY


def test_the_graph_says_what_only_criterion_needs(programs):
    def one(name, *dependencies):
        return {"id": name, "deps": [{"pkg": dependency} for dependency in dependencies]}

    nodes = [
        one("mine", "criterion", "serde"), one("criterion", "serde", "plotters", "tokio", "rayon"), one("serde"), one("plotters", "image"), one("image"),
        one("tokio", "mio"), one("mio"), one("rayon"), one("other", "rayon"),
    ]
    packages = [{"id": node["id"], "name": node["id"], "manifest_path": f"/r/{node['id']}/Cargo.toml"} for node in nodes]
    facts = {"packages": packages, "resolve": {"nodes": nodes}, "workspace_members": ["mine"]}
    assert cargo.needless(facts) == ["/r/image", "/r/other", "/r/plotters", "/r/rayon"]
    assert cargo.needless({**facts, "workspace_members": ["mine", "other"]}) == ["/r/image", "/r/plotters"]


def test_a_change_in_a_benchmark_builds_it_alone(programs):
    # Nothing has changed since the suite was built: Cargo has nothing to do.
    _, status, messages = cargo.build(cargo.SUITE, "--bench", "*")
    assert status == 0 and "Compiling" not in messages, messages
