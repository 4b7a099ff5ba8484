"""Benchmarks of rustc's own harness, `#[bench]`: which cases there are, what their samples do, what is told. Never how long something took."""
import functools
import os
import re
import subprocess

import cargo
from cases import names
from measurement import prepared
from session import Session

HARNESSED = os.path.join(cargo.HERE, "harnessed")
NIGHTLY = "+nightly"


@functools.lru_cache(maxsize=None)
def has_nightly():
    """Only rustup knows toolchains by name."""
    try:
        return subprocess.run(["cargo", NIGHTLY, "--version"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False).returncode == 0
    except FileNotFoundError:
        return False


@functools.lru_cache(maxsize=None)
def built():
    programs, status, messages = cargo.build(HARNESSED, "--lib", "--bench", "*", toolchain=NIGHTLY)
    assert status == 0, messages
    return programs


def with_nightly(test):
    @functools.wraps(test)
    def run(_):
        if has_nightly():
            test(built())
        else:
            print(f"skipped: there is no nightly toolchain for {test.__name__}")
    return run


LIBRARY = ["benches::" + name for name in ("bytes_before", "bytes_behind", "counted", "ignored", "ignored_for_a_reason", "returns", "twice")] + ["inner::of_a_macro"]


@with_nightly
def test_functions_are_named_as_the_harness_names_them(programs):
    with Session(programs["lib"]) as session:
        assert names(session.cases) == LIBRARY, names(session.cases)
        of = dict(zip(LIBRARY, session.cases))
        assert of["benches::counted"]["file"] == "src/lib.rs" and 0 < of["benches::counted"]["line"] < of["benches::twice"]["line"]
        assert of["inner::of_a_macro"]["file"] == "src/inner.rs"
        skipped = {name: case["skip"] for name, case in of.items() if "skip" in case}
        assert skipped == {"benches::ignored": "its author ignores it", "benches::ignored_for_a_reason": "its author ignores it: takes an hour"}, skipped
        assert len({tuple(case["code"]) for case in session.cases if "skip" not in case}) == len(LIBRARY) - len(skipped)
        assert session.end() == (0, b"", b"")


@with_nightly
def test_a_file_lists_its_own_and_the_first_one_what_is_in_none(programs):
    def listed(**environment):
        with Session(programs["lib"], environment=environment) as session:
            return [case["file"] for case in session.cases], [notice["kind"] for notice in session.notices]

    own, inner = (os.path.join(HARNESSED, "src", name) for name in ("lib.rs", "inner.rs"))
    macros = os.path.join(HARNESSED, "src", "macros.rs")
    assert listed(TARE_RUST_FILE=own) == (["src/lib.rs"] * 7, [])
    assert listed(TARE_RUST_FILE=inner) == (["src/inner.rs"], [])
    assert listed(TARE_RUST_FILE=own, TARE_RUST_OTHER_FILES=inner) == (["src/lib.rs"] * 7, [])
    assert listed(TARE_RUST_FILE=own, TARE_RUST_OTHER_FILES=macros) == (["src/lib.rs"] * 7 + ["src/inner.rs"], [])
    assert listed(TARE_RUST_FILE=macros)[0] == [] and "empty" in listed(TARE_RUST_FILE=macros)[1]


@with_nightly
def test_every_case_is_measured(programs):
    for name in LIBRARY:
        if "ignored" in name:
            continue
        with Session(programs["lib"]) as session:
            assert session.prepare(name)["frame"] == "ready", name
            for subject in ("case", "null", "pause", "kernel/text", "case"):
                samples = session.run(1, 3, 0, subject=subject, warm=2)
                assert samples["frame"] == "samples" and len(samples["elapsed"]) == 3 and min(samples["elapsed"]) >= 0, (name, samples)
            assert session.ask("finish")["frame"] == "finished"
            assert session.end() == (0, b"", b"")


@with_nightly
def test_a_sample_makes_the_calls_asked_for(programs):
    with prepared(programs["lib"], "benches::counted") as (session, events):
        session.run(5, 0, 1000, warm=1)
        assert events() == [("calls", 5 + 5 + 1 + 1000)]
        session.run(5, 7, subject="null")
        assert events() == [("calls", 0)]


@with_nightly
def test_the_last_of_several_loops_counts(programs):
    with prepared(programs["lib"], "benches::twice") as (session, events):
        assert len(session.run(4)["elapsed"]) == 1
        assert events() == [("first", 4), ("second", 4)]


@with_nightly
def test_bytes_of_a_call_are_reported(programs):
    for name, wanted in (("bytes_before", 8), ("bytes_behind", 16), ("counted", None)):
        with Session(programs["lib"]) as session:
            session.prepare("benches::" + name)
            session.run(3)
            assert session.ask("finish").get("bytes") == wanted, name


@with_nightly
def test_benchmarks_that_fail_are_told(programs):
    wanted = {
        "panics": "It panicked: on purpose",
        "returns_an_error": "It panicked: the benchmark's function returned an error",
        "without_a_loop": "The benchmark returned without having called its routine in a loop.",
    }
    with Session(programs["failing"]) as session:
        assert names(session.cases) == list(wanted)
    for name, message in wanted.items():
        with Session(programs["failing"]) as session:
            fault = session.prepare(name)
            assert (fault["frame"], fault["message"]) == ("fault", message), fault
            assert fault["file"] == "benches/failing.rs" and fault["line"] > 0, fault
            session.end()


@with_nightly
def test_a_program_without_a_benchmark_says_so(programs):
    with Session(programs["empty"]) as session:
        assert session.cases == [] and "empty" in [notice["kind"] for notice in session.notices], session.notices


@with_nightly
def test_a_short_loop_is_a_part_of_its_function(programs):
    """As libtest's is. A nightly toolchain's symbols name the closures of generic functions, so a loop of its own would be named in the program."""
    with open(programs["lib"], "rb") as program:
        symbols = program.read()
    assert not re.search(rb"time_calls_within[^\0]*7counted", symbols) and re.search(rb"test_main_static", symbols)


def test_a_stable_toolchain_keeps_its_own_harness(_):
    """Its program runs tests, and has no worker."""
    programs, status, messages = cargo.build(HARNESSED, "--bench", "empty", environment={"RUSTC_BOOTSTRAP": ""})
    if subprocess.run(["rustc", "--version"], stdout=subprocess.PIPE, text=True, check=True).stdout.count("nightly"):
        print("skipped: the usual toolchain is a nightly one")
        return
    assert status == 0, messages
    with open(programs["empty"], "rb") as program:
        assert b"tare-worker-wire:" not in program.read()
