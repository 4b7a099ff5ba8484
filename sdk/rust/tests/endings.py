"""Benchmarks that panic, exit or abort; a program that nobody speaks to."""
import os
import subprocess

import cargo
from session import Session


def test_a_panic_is_told_with_its_place_and_nothing_is_printed(programs):
    wanted = {
        "panics at once": 'It panicked: it "broke" 1',
        "panics before": "It panicked: no routine",
        "panics with a number": "It panicked: the panic's value is no text",
        "unwraps": "It panicked: called `Option::unwrap()` on a `None` value",
    }
    for benchmark, message in wanted.items():
        with Session(programs["hostile"]) as session:
            fault = session.prepare(benchmark)
            assert (fault["frame"], fault["kind"], fault["message"]) == ("fault", "exception", message), fault
            assert fault["file"] == "benches/hostile.rs" and fault["line"] > 0
            # The worker stays ready.
            assert session.run(1, subject="null")["frame"] == "samples"
            assert session.end() == (0, b"", b"")


def test_a_panic_after_some_calls(programs):
    with Session(programs["hostile"]) as session:
        assert session.prepare("panics later")["frame"] == "ready"
        assert session.run(10, 10)["frame"] == "samples"
        fault = session.run(1000)
        assert fault["kind"] == "exception" and "after many calls" in fault["message"], fault


def test_a_closure_without_a_loop_is_told(programs):
    with Session(programs["hostile"]) as session:
        fault = session.prepare("returns")
        assert fault["kind"] == "exception" and "Call `iter`" in fault["remedy"], fault


def test_an_exit_is_told(programs):
    with Session(programs["hostile"]) as session:
        fault = session.prepare("exits")
        assert fault["kind"] == "exit" and '"exits" was prepared' in fault["message"], fault
        assert session.process.wait(timeout=20) == 0


def test_an_abort_ends_the_process(programs):
    with Session(programs["hostile"]) as session:
        assert session.prepare("aborts") is None
        assert session.process.wait(timeout=20) == -6


def test_an_exit_while_cases_are_listed_is_told(programs):
    with Session(programs["hostile"], load=False, environment={"TARE_TEST_LEAVES": "1"}) as session:
        fault = session.ask("load", files=[programs["hostile"]])
        assert fault["kind"] == "exit" and "listed" in fault["message"], fault
        assert session.run(1, subject="null")["frame"] == "samples"
        assert session.end()[0] == 0


def test_a_panic_in_a_main_function_is_told(programs):
    environment = {"TARE_TEST_BREAKS": "1"}
    with Session(programs["own_main"], load=False, environment=environment) as session:
        fault = session.ask("load", files=[programs["own_main"]])
        assert fault["frame"] == "fault" and fault["kind"] == "load" and "in main" in fault["message"], fault


def test_a_panic_that_aborts_is_told_before_the_end(programs):
    # As a folder of its own: the flag is for all crates.
    target = os.path.join(cargo.KEPT, "abort")
    built, status, messages = cargo.build(cargo.SUITE, "--bench", "own_main", environment={"RUSTFLAGS": "-C panic=abort"}, target=target)
    assert status == 0, messages
    with Session(built["own_main"]) as session:
        assert "panic=abort" in session.hello["facts"]
        fault = session.prepare("breaks")
        assert fault["kind"] == "exception" and "on purpose" in fault["message"] and fault["line"] > 0, fault
        assert session.process.wait(timeout=20) == -6
    with Session(built["own_main"], load=False, environment={"TARE_TEST_BREAKS": "1"}) as session:
        fault = session.ask("load", files=[built["own_main"]])
        assert fault["kind"] == "load" and "in main" in fault["message"], fault


def test_standard_input_is_empty_for_the_subject(programs):
    with Session(programs["hostile"]) as session:
        assert session.prepare("reads")["frame"] == "ready"
        assert len(session.run(3, 3)["elapsed"]) == 2


def test_by_hand_it_says_how_to(programs):
    environment = {key: value for key, value in os.environ.items() if not key.startswith("TARE_")}
    for name in ("forms", "own_main", "load"):
        done = subprocess.run([programs[name], "--bench"], env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1) and b"tare " in done.stderr, done
