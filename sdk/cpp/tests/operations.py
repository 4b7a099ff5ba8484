"""Operations under load: as they are listed and done, and the loop on simulated time."""
import subprocess

from session import Session


def test_the_loop_on_simulated_time(binaries):
    done = subprocess.run([binaries["operations"], "simulate"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stdout


def test_operations_are_listed_and_done(binaries):
    with Session(binaries["operations"]) as session:
        assert "operations" in session.hello["capabilities"]
        listed = session.ask("operations")
        assert listed == {"frame": "listed", "id": listed["id"], "operations": 2}, listed
        named = [(of["operation"], of["suite"], of["name"], of["weight"]) for of in session.operations]
        assert named == [(0, "operations", "get", 9), (1, "operations", "put", 1)], named
        refused = session.ask("work", start=0, pattern=[0], count=1, duration=0, slice=1000000)
        assert (refused["frame"], refused["kind"]) == ("fault", "bad-request"), refused
        assert session.ask("connect", suite="operations", worker=3, workers=4)["frame"] == "connected"
        start = session.ask("stamp")["at"]
        worked = session.ask("work", start=start, pattern=[0, 1], count=100, duration=0, slice=3600000000000)
        assert (worked["frame"], worked["operations"], worked["dropped"]) == ("worked", 100, 0), worked
        get, put = sorted(session.slices, key=lambda told: told["operation"])
        assert sum(get["times"]) == 50 and len(get["times"]) == len(get["latencies"]), get
        # The second operation of each pair is an odd turn.
        assert (put["failures"], put["failed"], put["messages"]) == (["std::runtime_error"], [50], ["an odd turn"]), put
        assert session.ask("finish")["frame"] == "finished"


def test_the_count_of_operations_goes_on_where_a_process_before_was(binaries):
    with Session(binaries["operations"]) as session:
        refused = session.ask("connect", suite="operations", worker=0, workers=1, turn=-1)
        assert (refused["frame"], refused["kind"]) == ("fault", "bad-request"), refused
        assert session.ask("connect", suite="operations", worker=0, workers=1, turn=1001)["frame"] == "connected"
        start = session.ask("stamp")["at"]
        worked = session.ask("work", start=start, pattern=[1], count=3, duration=0, slice=3600000000000)
        assert worked["operations"] == 3, worked
        # 1001, 1002 and 1003: two of them are odd.
        (put,) = session.slices
        assert (put["failed"], sum(put["times"])) == ([2], 1), put
