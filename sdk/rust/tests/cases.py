"""Which cases there are, what is told of them, and what is refused."""
import os
import tempfile

from session import Session


def names(cases):
    return [case["benchmark"] + ("/" + case["parameters"] if "parameters" in case else "") for case in cases]


FORMS = [
    "iter", "twice", "large drop", "custom", "input/7",
    *[f"batches/{kind}/{size}" for size in ("small", "large", "one", "batches", "calls") for kind in ("by value", "in place")],
    "batches/with setup", "batches/with large setup",
    "group/bytes", "group/decimal", 'group/elements/a b/"c"', "group/9", "group/bits",
    "old/one", "old/two", "alone", "valued/of/1", "valued/of/2", "over/3", "over/4", "functions/f", "functions/g",
    "async/iter", "async/custom", "async/batched", "async/in place", "of any measurement", "cycles", "chosen 1",
]


def test_every_form_is_listed_in_order(programs):
    with Session(programs["forms"]) as session:
        assert names(session.cases) == FORMS, names(session.cases)
        assert [case["case"] for case in session.cases] == list(range(len(FORMS)))
        elements = next(case for case in session.cases if case["benchmark"] == "group/elements")
        assert elements["parameters"] == 'a b/"c"' and elements["file"] == "benches/forms.rs" and elements["line"] > 100
        assert session.end() == (0, b"", b"")


def test_other_measurements_are_left_out_by_name(programs):
    with Session(programs["forms"]) as session:
        skipped = {case["benchmark"]: case["skip"] for case in session.cases if "skip" in case}
        assert skipped == {"cycles": "it measures forms::Cycles, and Tare measures the time"}, skipped


def test_options_without_effect_are_told_once(programs):
    with Session(programs["forms"]) as session:
        told = [notice["message"].split()[0] for notice in session.notices if notice["kind"] == "ignored"]
        assert sorted(told) == sorted({
            "sample_size", "measurement_time", "warm_up_time", "nresamples", "noise_threshold", "confidence_level", "significance_level", "sampling_mode",
            "with_profiler",
        }), told
        assert all(notice["level"] == "info" for notice in session.notices)


def test_namesakes_are_numbered_as_criterion_numbers_them(programs):
    with Session(programs["hostile"]) as session:
        listed = [name for name in names(session.cases) if name.startswith("same")]
        assert listed == ["same", "same/a", "same #2", "same/a #2"], listed
    for benchmark, parameters in (("same #2", ""), ("same/a #2", "")):
        with Session(programs["hostile"]) as session:
            assert session.prepare(benchmark, parameters)["frame"] == "ready", benchmark


def machine_has_several():
    with open("/sys/devices/system/cpu/online", encoding="utf-8") as file:
        return file.read().strip() != "0"


def test_what_has_threads_already_works_in_parallel(programs):
    every = sorted(os.sched_getaffinity(0))
    with Session(programs["threads"]) as session:
        listed = names(session.cases)
        assert listed == ["alone", "a pool that the routine starts", *["beside a runtime, %d" % cpu for cpu in range(1, len(every) + 1)], "the last"], listed
        assert [case.get("parallel", False) for case in session.cases] == [False, False] + [True] * (len(every) + 1)
    try:
        os.sched_setaffinity(0, every[:1])
        with Session(programs["threads"]) as session:
            # It lists fewer cases there, and is asked for those of another list.
            session.number = 7
            assert session.ask("prepare", case=len(every) + 2, benchmark="the last", parameters="")["frame"] == "ready"
            assert session.ask("finish").get("labels") == ["several threads on 1 CPU"]
        with Session(programs["threads"]) as session:
            assert session.prepare("a pool that the routine starts")["frame"] == "ready"
            assert session.ask("finish").get("labels") == ["several threads on 1 CPU"]
        with Session(programs["threads"]) as session:
            fault = session.ask("prepare", case=3, benchmark="beside a runtime, 99", parameters="")
            assert fault["kind"] == ("skipped" if machine_has_several() else "provider"), fault
        with Session(programs["threads"]) as session:
            # What has another name each time isn't a matter of CPUs.
            fault = session.ask("prepare", case=0, benchmark="alone", parameters="12:00:01")
            assert fault["kind"] == "provider", fault
        with Session(programs["threads"]) as session:
            assert session.prepare("alone")["frame"] == "ready"
            assert "labels" not in session.ask("finish")
    finally:
        os.sched_setaffinity(0, every)


def test_odd_names_stay_apart_and_whole(programs):
    with Session(programs["hostile"]) as session:
        listed = names(session.cases)
        assert "long " * 60 in listed and 'tabs\tand\nlines "quoted" \\ \0' in listed
        cut = next(name for name in listed if name.startswith("é"))
        assert len(cut.encode()) < 20_100 and "…" in cut
        assert session.prepare(cut)["frame"] == "ready"


def test_a_set_up_that_breaks_takes_nothing_else_with_it(programs):
    with Session(programs["hostile"]) as session:
        told = [notice for notice in session.notices if notice["kind"] == "load" and "panicked" in notice["message"]]
        assert len(told) == 1 and told[0]["level"] == "error" and "no such data" in told[0]["message"], told
        assert told[0]["file"] == "benches/hostile.rs" and told[0]["line"] > 0
        assert {"before the set-up broke", "reads"} <= set(names(session.cases))
    for benchmark in ("before the set-up broke", "reads"):
        with Session(programs["hostile"]) as session:
            assert session.prepare(benchmark)["frame"] == "ready"


def test_a_case_that_is_gone_is_told(programs):
    with tempfile.TemporaryDirectory() as folder:
        flag = os.path.join(folder, "flag")
        open(flag, "w", encoding="utf-8").close()
        with Session(programs["own_main"], environment={"TARE_TEST_DIFFERS": flag}) as session:
            assert "only once" in names(session.cases)
            fault = session.prepare("only once")
            assert fault["kind"] == "provider" and "wasn't defined" in fault["message"], fault
            assert session.run(1, subject="null")["frame"] == "samples"
            assert session.end()[0] == 0


def test_a_main_function_of_the_authors_own(programs):
    for environment in ({}, {"TARE_TEST_THREADS": "1"}):
        with Session(programs["own_main"], environment=environment) as session:
            assert names(session.cases) == ["sum", "first/0", "first/7", "breaks"], (environment, session.cases)
            assert session.prepare("first", "7")["frame"] == "ready"
            assert len(session.run(10, 10)["elapsed"]) == 2
            assert session.ask("finish")["frame"] == "finished"
            assert session.end() == (0, b"", b"")


def test_another_file_is_refused(programs):
    with Session(programs["hash"], load=False) as session:
        reply = session.ask("load", files=[programs["forms"], "/nonexistent"])
        assert reply["cases"] == 0 and [notice["level"] for notice in session.notices] == ["error", "error"], session.notices


def test_code_is_told_where_it_is_the_programs_own(programs):
    with Session(programs["hash"]) as session:
        code = [case.get("code") for case in session.cases]
        assert all(len(addresses) == 1 and addresses[0] > 0 for addresses in code) and len({addresses[0] for addresses in code}) == 1, code
