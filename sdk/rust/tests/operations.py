"""Operations of loads: what they are, how they are done, what their failures say."""
from session import Session


def connected(programs, suite, **keys):
    session = Session(programs["load"])
    assert session.ask("operations")["operations"] == 5
    return session, session.ask("connect", **{"suite": suite, "worker": 1, "workers": 2, **keys})


def work(session, pattern, **keys):
    at = session.ask("stamp")["at"]
    session.slices.clear()
    return session.ask("work", **{"start": at, "pattern": pattern, "count": 0, "duration": 0, "slice": 3_600_000_000_000, **keys})


def test_operations_are_listed(programs):
    session, reply = connected(programs, "store")
    with session:
        assert reply["frame"] == "connected", reply
        told = [(found["operation"], found["suite"], found["name"], found["weight"]) for found in session.operations]
        assert told == [(0, "store", "get", 9), (1, "store", "put", 1), (2, "hostile", "panics", 1), (3, "hostile", "fails", 0), (4, "broken", "never", 1)], told
        assert all(found["file"].endswith("key_value.rs") and found["line"] > 0 for found in session.operations)
        assert session.cases == [] and session.notices == []


def test_a_closed_loop_does_so_many(programs):
    session, _ = connected(programs, "store", turn=5)
    with session:
        done = work(session, [0, 1, 1], count=300)
        assert (done["operations"], done["dropped"]) == (300, 0), done
        times = {reply["operation"]: sum(reply["times"]) for reply in session.slices if "times" in reply}
        failed = {reply["operation"]: sum(reply["failed"]) for reply in session.slices if "failed" in reply}
        assert times[1] == 200 and times.get(0, 0) + failed.get(0, 0) == 100, session.slices
        assert session.ask("finish")["frame"] == "finished"
        assert session.end() == (0, b"", b"")


def test_an_open_loop_drops_what_was_due(programs):
    session, _ = connected(programs, "store")
    with session:
        done = work(session, [1], gaps=[1000], duration=1_000_000)
        assert done["operations"] + done["dropped"] == 1000, done


def test_failures_have_kinds_and_messages(programs):
    session, _ = connected(programs, "hostile")
    with session:
        assert work(session, [2, 3], count=6)["operations"] == 6
        told = {reply["operation"]: (reply["failures"], reply["failed"], reply["messages"]) for reply in session.slices}
        assert told[2] == (["panic"], [3], ["It panicked: not today"]), told
        assert told[3][:2] == (["Error"], [3]) and "turn 1" in told[3][2][0], told


def test_a_set_up_that_panics_is_told(programs):
    session, reply = connected(programs, "broken")
    with session:
        assert reply["kind"] == "load" and "no connection" in reply["message"], reply


def test_operations_of_other_suites_are_refused(programs):
    session, _ = connected(programs, "hostile")
    with session:
        assert work(session, [0], count=1)["kind"] == "bad-request"
        assert work(session, [5], count=1)["kind"] == "bad-request"
        assert session.ask("connect", suite="store", worker=0, workers=1)["kind"] == "bad-request"
