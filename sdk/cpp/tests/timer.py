"""PauseTiming and ResumeTiming outside the loop, and across its ends. A sleep takes at least as long as it says, on a busy machine too."""
from hostile import failing
from session import Session


def prepared(binaries, benchmark, parameters=""):
    session = Session(binaries["timer"])
    ready = session.prepare(benchmark, parameters)
    assert ready["frame"] == "ready", ready
    return session, ready


def test_a_pause_outside_the_loop_takes_nothing_off(binaries):
    # Of KeepRunningBatch(10), ten calls sleep once.
    at_least = {"BM_Before": 300_000, "BM_After": 300_000, "BM_Scoped": 300_000, "BM_Batch": 30_000, "BM_BeforeInThreads": 300_000}
    for benchmark, least in at_least.items():
        session, ready = prepared(binaries, benchmark, "threads:2" if benchmark.endswith("Threads") else "")
        with session:
            assert ready["pauses"] is False, benchmark
            samples = session.run(3)
            assert samples["elapsed"][0] >= least and "pauses" not in samples, (benchmark, samples)


def test_manual_time_is_not_touched_by_the_timer(binaries):
    session, _ = prepared(binaries, "BM_Manual")
    with session:
        assert session.run(1, 10)["elapsed"] == [2000, 20000]


def test_a_timer_that_the_loop_starts_and_stops_may_be_stopped_at_its_ends(binaries):
    session, ready = prepared(binaries, "BM_Spans")
    with session:
        assert ready["pauses"] is True
        samples = session.run(1, 5)
        assert samples["pauses"] == [1, 5] and samples["elapsed"][1] >= 500_000, samples


def test_a_timer_that_the_loop_never_starts_is_a_fault(binaries):
    fault = failing({"hostile": binaries["timer"]}, "BM_Never")
    assert "the loop never started it" in fault["message"] and "ResumeTiming in the loop" in fault["remedy"], fault


def test_pauses_of_calls_beyond_those_asked_for_are_not_counted(binaries):
    session, _ = prepared(binaries, "BM_BatchPauses")
    with session:
        # Ten calls are made, and the time is that of these.
        assert session.run(1, 5, 10, 15)["pauses"] == [1, 5, 10, 15]
