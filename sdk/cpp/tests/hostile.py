"""Benchmarks that misbehave: the core learns what happened, and the worker goes on where it can."""
from session import Session


def failing(binaries, benchmark, parameters="", at_prepare=True):
    """The fault of a benchmark; the worker answers afterwards."""
    with Session(binaries["hostile"]) as session:
        reply = session.prepare(benchmark, parameters)
        if not at_prepare:
            assert reply["frame"] == "ready", reply
            reply = session.run(1, 2, 3)
        assert reply["frame"] == "fault", reply
        assert reply["file"].endswith(".cc") and reply["line"] > 0
        assert len(session.run(1, subject="clock")["elapsed"]) == 1
        assert session.end()[0] == 0
        return reply


def test_exceptions(binaries):
    fault = failing(binaries, "BM_Throws", at_prepare=False)
    assert (fault["kind"], fault["message"]) == ("exception", 'std::runtime_error: out of "cheese"')
    fault = failing(binaries, "BM_ThrowsAtOnce")
    assert fault["kind"] == "exception" and "vector<int" in fault["message"]
    fault = failing(binaries, "BM_ThrowsInvalidUtf8")
    assert fault["message"].startswith("std::runtime_error: \ufffd\x01é\ufffd")
    fault = failing(binaries, "BM_OneThreadThrows", "threads:3")
    assert fault["message"].endswith("thread 1 has had enough")
    fault = failing(binaries, "BM_Hook")
    assert fault["message"] == "std::logic_error: no set-up today"


def test_skips(binaries):
    assert failing(binaries, "BM_Fails")["message"] == "there is no data"
    assert failing(binaries, "BM_FailsInside")["message"] == "it broke"
    assert failing(binaries, "BM_SkipsItself")["message"] == "only on Sundays"


def test_loops_that_are_none(binaries):
    assert "without having looped" in failing(binaries, "BM_NeverLoops")["message"]
    assert "left its loop" in failing(binaries, "BM_LeavesEarly")["message"]
    assert "still stopped" in failing(binaries, "BM_StaysPaused")["message"]
    assert "SetIterationTime" in failing(binaries, "BM_ManualWithoutTime")["message"]


def ends(binaries, benchmark):
    """The last reply of a benchmark that ends its process, and the process's status."""
    with Session(binaries["hostile"]) as session:
        assert session.prepare(benchmark)["frame"] == "ready"
        reply = session.run(1)
        return reply, session.end()[0]


def test_ends_of_the_process(binaries):
    fault, status = ends(binaries, "BM_Exits")
    assert (fault["kind"], status) == ("exit", 3) and fault["file"].endswith("hostile.cc")
    assert ends(binaries, "BM_Crashes") == (None, -11)
    assert ends(binaries, "BM_Aborts") == (None, -6)


def test_a_forked_child_is_not_the_worker(binaries):
    with Session(binaries["hostile"]) as session:
        assert session.prepare("BM_Forks", "iterations:1")["frame"] == "ready"
        assert session.run(1)["frame"] == "samples"
        assert session.end() == (0, b"", b"")


def test_requests_are_not_the_subjects_input(binaries):
    with Session(binaries["hostile"]) as session:
        assert session.prepare("BM_ReadsInput")["frame"] == "ready"
        assert len(session.run(10, 10)["elapsed"]) == 2
        assert session.end()[0] == 0


def test_what_is_printed_is_not_lost(binaries):
    with Session(binaries["hostile"]) as session:
        assert session.prepare("BM_Prints")["frame"] == "ready"
        session.run(2)
        status, left, _ = session.end()
        assert status == 0 and left == b'{"frame":"fault","id":0}\n' * 3


def test_two_of_one_name_are_told_apart_by_what_they_are(binaries):
    with Session(binaries["hostile"]) as session:
        assert [case.get("parameters") for case in session.cases if case["benchmark"] == "BM_Twice"] == [None, "real_time"]
        assert [case.get("parameters") for case in session.cases if case["benchmark"] == "BM_Again"] == ["1"]
        assert session.prepare("BM_Twice", "real_time")["frame"] == "ready"


def test_what_nothing_tells_apart_is_refused(binaries):
    with Session(binaries["hostile"]) as session:
        assert not [case for case in session.cases if case["benchmark"] == "BM_Same"]
        told = [notice for notice in session.notices if notice.get("benchmark") == "BM_Same"]
        assert [notice["message"] for notice in told] == ['2 benchmarks are registered as "BM_Same", and nothing tells them apart.'], told
        assert told[0]["file"].endswith("hostile.cc") and told[0]["line"] > 0


def test_names_are_made_of_what_they_hold(binaries):
    with Session(binaries["hostile"]) as session:
        odd = [case["benchmark"] for case in session.cases if case["benchmark"].startswith(("caf", "nnn"))]
        assert odd[:2] == ["caf\\xe9 ☃", "caf\\xe8 ☃"], odd
        assert [name[19999:] for name in odd[2:]] == ["n…6a4aa2b4b518f27c", "n…6a4aa5b4b518f795"]
    for name in odd:
        with Session(binaries["hostile"]) as session:
            assert session.prepare(name)["frame"] == "ready"


def test_a_changed_enumeration_is_a_fault(binaries):
    with Session(binaries["hostile"]) as session:
        fault = session.ask("prepare", case=0, benchmark="BM_Other", parameters="")
        assert fault["kind"] == "provider" and "BM_Throws" in fault["message"]
        fault = session.ask("prepare", case=9000000000000000, benchmark="BM_Other", parameters="")
        assert fault["kind"] == "provider" and "doesn't exist" in fault["message"]
        assert session.prepare("BM_Twice")["frame"] == "ready"
