"""Samples: how many calls they make, what is done around them, what they report. Never how long something took."""
import contextlib
import os
import tempfile

from session import Session


@contextlib.contextmanager
def prepared(program, benchmark, parameters=""):
    """A session with the case ready, and a function that gives the events of a request: name and number of each."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "events")
        with Session(program, environment={"TARE_TEST_EVENTS": path}) as session:
            ready = session.prepare(benchmark, parameters)
            assert ready["frame"] == "ready", ready

            def events():
                if not os.path.exists(path):
                    return []
                with open(path, encoding="utf-8") as file:
                    found = [(line.rsplit(" ", 1)[0], int(line.rsplit(" ", 1)[1])) for line in file]
                os.remove(path)
                return found

            events()
            yield session, events


def test_every_case_is_measured(programs):
    with Session(programs["forms"]) as listing:
        cases = [case for case in listing.cases if "skip" not in case]
    for case in cases:
        with Session(programs["forms"]) as session:
            assert session.prepare(case["benchmark"], case.get("parameters", ""))["frame"] == "ready", case
            for subject in ("case", "null", "pause", "kernel/text", "case"):
                samples = session.run(1, 3, 0, subject=subject, warm=2)
                assert samples["frame"] == "samples" and len(samples["elapsed"]) == 3 and min(samples["elapsed"]) >= 0, (case, samples)
                assert min(samples["wall"], samples["cpu"], samples["yields"]) >= 0
            assert session.ask("finish")["frame"] == "finished"
            assert session.end() == (0, b"", b"")


def test_a_sample_makes_the_calls_asked_for(programs):
    with prepared(programs["forms"], "iter") as (session, events):
        session.run(5, 0, 1000, warm=1)
        # The closure is called once for a turn.
        assert events() == [("calls", 5 + 5 + 1 + 1000)]
        # The scale runs none of them, after the same preparation.
        session.run(5, 7, subject="null")
        assert events() == [("calls", 0)]


def test_the_last_of_several_loops_counts(programs):
    with prepared(programs["forms"], "twice") as (session, events):
        assert len(session.run(4)["elapsed"]) == 1
        assert sorted(events()) == [("first", 4), ("second", 4)]


def test_inputs_are_made_and_dropped_once_for_each_call(programs):
    for kind in ("by value", "in place"):
        for size in ("small", "large", "one", "batches", "calls"):
            with prepared(programs["forms"], "batches/" + kind, size) as (session, events):
                session.run(1, 23)
                assert sorted(events()) == [("calls", 24), ("dropped", 24), ("made", 24)], (kind, size)
                session.run(10, subject="null")
                assert sorted(events()) == [("calls", 0), ("dropped", 0), ("made", 0)]


def test_batches_are_told_as_pauses(programs):
    for (kind, size), batches in {("by value", "small"): 8, ("in place", "one"): 23, ("by value", "batches"): 3, ("in place", "calls"): 6}.items():
        with Session(programs["forms"]) as session:
            assert session.prepare("batches/" + kind, size)["pauses"] is True
            assert session.run(1, 23)["pauses"] == [1, batches], (kind, size)
            assert session.run(5, subject="pause")["pauses"] == [5]
            assert "pauses" not in session.run(5, subject="null")
    with Session(programs["forms"]) as session:
        assert session.prepare("iter")["pauses"] is False


def test_asynchronous_routines_are_awaited_as_often(programs):
    with prepared(programs["forms"], "async/iter") as (session, events):
        session.run(9)
        session.run(9, subject="null")
        assert events() == [("calls", 9), ("calls", 0)]
    for name in ("async/batched", "async/in place"):
        with prepared(programs["forms"], name) as (session, events):
            session.run(11)
            assert sorted(events()) == [("calls", 11), ("made", 11)]


def test_a_time_of_the_authors_own_is_what_was_set(programs):
    for name, each in (("custom", 3), ("async/custom", 5)):
        with prepared(programs["forms"], name) as (session, _):
            assert session.run(1, 10, 500)["elapsed"] == [each, 10 * each, 500 * each]
            assert session.run(10, subject="null")["elapsed"] == [0]
            # There is no clock pair in it that could be taken off; one reading shows the step.
            assert session.run(1, subject="clock")["elapsed"] == [0]
            assert session.run(*[1] * 5, subject="clock", warm=3)["elapsed"] == [0, 0, 0, 0, 1]
            assert session.ask("finish")["labels"] == ["manual time"]


def test_what_a_call_processes_is_reported(programs):
    wanted = {
        ("group/bytes", ""): {"bytes": 64},
        ("group/decimal", ""): {"bytes": 65},
        ("group/elements", 'a b/"c"'): {"items": 3},
        ("group", "9"): {"items": 4, "bytes": 5},
        ("group/bits", ""): {"metrics": ["bits=12"]},
        ("valued/of", "2"): {"bytes": 2},
        ("alone", ""): {"items": 1},
        ("iter", ""): {},
    }
    for (benchmark, parameters), figures in wanted.items():
        with prepared(programs["forms"], benchmark, parameters) as (session, _):
            session.run(1)
            finished = session.ask("finish")
            assert {key: value for key, value in finished.items() if key not in ("frame", "id")} == figures, (benchmark, finished)


def test_pauses_are_counted_in_the_scale(programs):
    with Session(programs["hash"], load=False) as session:
        assert session.run(1, 10, 0, subject="pause")["pauses"] == [1, 10, 1]
        assert "pauses" not in session.run(1, subject="null")


def test_clocks(programs):
    with Session(programs["hash"]) as session:
        clocks = session.hello["clocks"]
    assert clocks[0] == "monotonic"
    for clock in clocks:
        with Session(programs["hash"]) as session:
            assert session.prepare("hash of a word", clock=clock)["frame"] == "ready"
            assert len(session.run(100, 100)["elapsed"]) == 2
    with Session(programs["hash"]) as session:
        fault = session.prepare("hash of a word", clock="sundial")
        assert fault["kind"] == "bad-request" and "sundial" in fault["message"]
        assert session.prepare("hash of a word")["frame"] == "ready"


def test_clocks_of_the_standard_library_are_read(programs):
    with Session(programs["hash"], load=False) as session:
        assert session.hello["reads"] == ["Instant", "SystemTime"]
        for clock in session.hello["reads"]:
            reply = session.ask("read", clock=clock, pairs=500, skip=3, blocks=4, reads=100)
            assert [len(reply[key]) for key in ("values", "blocks", "empty")] == [1000, 4, 4], reply
        fault = session.ask("wait", call="sleep", requested=-1, times=1)
        assert fault["kind"] == "runtime", fault
        assert len(session.ask("wait", call="sleep", requested=1000, times=3)["taken"]) == 3


def test_the_seed_draws_the_heap_and_nothing_else(programs):
    for environment in ({"TARE_SEED": "18446744073709551615"}, {"TARE_SEED": "1", "TARE_SHAKE": "off"}, {"TARE_SEED": "-1"}, {"TARE_SEED": "9" * 30}):
        with Session(programs["hash"], environment=environment) as session:
            assert session.prepare("hash of a word")["frame"] == "ready", environment
