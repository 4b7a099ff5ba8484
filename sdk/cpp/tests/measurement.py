"""Samples: how many calls they make, what they report, which loop the scale has."""
import os

from session import Session


def prepared(binary, benchmark, parameters="", **keys):
    session = Session(binary)
    ready = session.prepare(benchmark, parameters, **keys)
    assert ready["frame"] == "ready", ready
    return session, ready


def figures(finished):
    return {name: float(value) for name, value in (metric.rsplit("=", 1) for metric in finished.get("metrics", []))}


def test_every_case_is_measured(binaries):
    for source in ("google", "own"):
        with Session(binaries[source]) as listing:
            cases = listing.cases
        for case in cases:
            session, _ = prepared(binaries[source], case["benchmark"], case.get("parameters", ""))
            with session:
                for subject in ("case", "null", "pause", "case"):
                    samples = session.run(1, 3, 0, subject=subject, warm=2)
                    assert samples["frame"] == "samples", samples
                    assert len(samples["elapsed"]) == 3 and min(samples["elapsed"]) >= 0
                assert session.ask("finish")["frame"] == "finished"
                assert session.end() == (0, b"", b"")


def test_a_sample_makes_the_calls_asked_for(binaries):
    for calls in (1, 7, 8, 9, 1000):
        session, _ = prepared(binaries["own"], "counting")
        with session:
            session.run(5, calls)
            assert figures(session.ask("finish")) == {"made": calls, "said": calls}
    # A bare call is one call.
    session, _ = prepared(binaries["own"], "counting")
    with session:
        session.run(0)
        assert figures(session.ask("finish"))["made"] == 1


def test_counters_are_read_as_their_flags_say(binaries):
    session, _ = prepared(binaries["google"], "BM_Counters")
    with session:
        session.run(5, 100, warm=3)
        got = figures(session.ask("finish"))
    assert got.pop("rate") > 0
    assert got == {"plain": 42, "passes": 100, "average": 3, "inverse": 0.25, "each": 200, "a=b": 0.5}, got


def test_bytes_items_and_label(binaries):
    session, _ = prepared(binaries["google"], "BM_Memory", "64")
    with session:
        session.run(1000, 10)
        finished = session.ask("finish")
    assert (finished["bytes"], finished["items"], finished["labels"]) == (64, 2, ["copied"])


def test_figures_that_the_core_would_refuse_are_left_out(binaries):
    for parameters in ("threads:1", "threads:2"):
        session, _ = prepared(binaries["google"], "BM_Refused", parameters)
        with session:
            session.run(1)
            finished = session.ask("finish")
        assert [metric[:200] for metric in finished["metrics"]] == ["n" * 200]
        assert "bytes" not in finished and "items" not in finished


def test_values_of_every_shape_can_be_kept(binaries):
    session, _ = prepared(binaries["kept"], "kept")
    with session:
        assert len(session.run(1, 100)["elapsed"]) == 2


def test_nothing_is_reported_that_was_not_run(binaries):
    session, _ = prepared(binaries["google"], "BM_Memory", "64")
    with session:
        session.run(10, subject="null")
        finished = session.ask("finish")
    assert set(finished) == {"frame", "id"}, finished


def test_pauses_are_counted(binaries):
    session, ready = prepared(binaries["google"], "BM_Paused", "iterations:50")
    with session:
        assert ready["pauses"] is True
        assert session.run(1, 10, 0)["pauses"] == [1, 10, 1]
        assert session.run(1, 10, 0, subject="pause")["pauses"] == [1, 10, 1]
        assert "pauses" not in session.run(1, subject="null")
    session, ready = prepared(binaries["own"], "paused")
    with session:
        assert ready["pauses"] is True and session.run(20)["pauses"] == [20]
        assert session.run(20, subject="pause")["pauses"] == [20]
    session, ready = prepared(binaries["google"], "BM_RangeFor")
    with session:
        assert ready["pauses"] is False and "pauses" not in session.run(1)


def test_pauses_that_the_first_call_does_not_make_are_counted(binaries):
    session, ready = prepared(binaries["google"], "BM_PausesLate")
    with session:
        assert ready["pauses"] is False
        # The tenth call of all is the first that pauses, and one was made before this.
        assert "pauses" not in session.run(8)
        assert session.run(1, 10, 25)["pauses"] == [1, 1, 2]


def test_the_scale_is_weighed_in_the_loop_of_the_case(binaries):
    # A batch makes ten calls a pass; with a pair in each call, 100 calls have 100 pairs.
    session, _ = prepared(binaries["google"], "BM_Batch")
    with session:
        assert session.run(100, subject="pause")["pauses"] == [100]
    for benchmark in ("BM_RangeFor", "BM_KeepRunning"):
        session, _ = prepared(binaries["google"], benchmark, "8" if benchmark == "BM_KeepRunning" else "")
        with session:
            assert session.run(9, subject="pause")["pauses"] == [9]


def test_manual_time_is_what_was_set(binaries):
    session, _ = prepared(binaries["google"], "BM_Manual")
    with session:
        assert session.run(1, 10, 500)["elapsed"] == [2000, 20000, 1000000]
        assert session.run(10, subject="null")["elapsed"] == [0]
        # There is no clock pair in it that could be taken off; one reading shows the step.
        assert session.run(1, subject="clock")["elapsed"] == [0]
        assert session.run(*[1] * 5, subject="clock", warm=3)["elapsed"] == [0, 0, 0, 0, 1]
        assert session.run(10, subject="kernel/text")["elapsed"] > [0]
        assert session.ask("finish")["labels"] == ["manual time"]


def test_threads_take_a_sample_together(binaries):
    session, _ = prepared(binaries["google"], "BM_Threads", "threads:4")
    with session:
        session.run(10, 100, warm=2)
        finished = session.ask("finish")
    assert figures(finished) == {"threads": 4, "mean": 100} and finished["items"] == 1


def test_threads_that_share_cpus_are_labelled(binaries):
    if not hasattr(os, "sched_setaffinity"):
        return
    allowed = os.sched_getaffinity(0)
    for threads in (2, 4):
        for cpus in range(1, min(4, len(allowed)) + 1):
            try:
                os.sched_setaffinity(0, sorted(allowed)[:cpus])
                session, _ = prepared(binaries["google"], "BM_Threads", f"threads:{threads}")
            finally:
                os.sched_setaffinity(0, allowed)
            with session:
                session.run(1)
                shared = f"{threads} threads on {cpus} CPU{'' if cpus == 1 else 's'}"
                assert session.ask("finish")["labels"] == [shared if threads > cpus else f"threads {threads}"]


def test_hooks_surround_every_sample(binaries):
    session, _ = prepared(binaries["google"], "BM_Hooks", "5")
    with session:
        session.run(1, 1, subject="null", warm=1)
        session.run(1, warm=1)
        # One that showed how it loops, three of the null, one warm, and the last one's own set-up.
        assert figures(session.ask("finish")) == {"set_up": 6, "torn_down": 5}


def test_fixtures_are_set_up_and_torn_down(binaries):
    session, _ = prepared(binaries["google"], "Filled/Sum")
    with session:
        session.run(10)
        assert figures(session.ask("finish")) == {"size": 1}


def test_arguments_are_bound(binaries):
    session, _ = prepared(binaries["google"], "bound")
    with session:
        session.run(1)
        assert figures(session.ask("finish")) == {"sum": 9}


def test_clocks(binaries):
    with Session(binaries["own"]) as session:
        clocks = session.hello["clocks"]
    for clock in clocks:
        session, _ = prepared(binaries["own"], "addition", clock=clock)
        with session:
            assert len(session.run(100, 100)["elapsed"]) == 2
            assert len(session.run(*[1] * 50, subject="clock")["elapsed"]) == 50
    with Session(binaries["own"]) as session:
        fault = session.prepare("addition", clock="sundial")
        assert fault["kind"] == "bad-request" and "sundial" in fault["message"]
        assert session.prepare("addition")["frame"] == "ready"
