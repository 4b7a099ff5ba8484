"""Benchmarks in Divan's forms: which cases there are, what their samples do, what is told. Never how long something took."""
from cases import names
from measurement import prepared
from session import Session

CASES = [
    "plain", "lifetime", "foreign", "try", "divan", "named by its author", "local",
    "ways::outputs", "ways::values", "ways::local_values", "ways::refs", "ways::local_refs", "ways::in_threads/t=1", "ways::in_threads/t=3",
    "ways::in_one_number_of_threads", "ways::plainly_in_threads/t=2", "ways::plainly_in_threads/t=3",
    "values::numbers/1", "values::numbers/20", "values::numbers/3", "values::texts", 'values::texts/a b/"c"', "values::owned/x", "values::owned/xx",
    "values::cows/cow", "values::cows/bull", "values::shown/Shown(7)", 'values::pairs/(1, "one")', 'values::pairs/(2, "two")', "values::after commas/(5, 6)",
    "generics::types/Vec<i32>", "generics::types/LinkedList<(u8, alloc::string::String)>", "generics::types/BTreeMap<u8, u16>", "generics::types/&str",
    "generics::of_one_name/alloc::vec::Vec<u8>", "generics::of_one_name/divan::generics::other::Vec<u8>", "generics::of_one_name/String",
    "generics::constants/0", "generics::constants/-1", "generics::constants/9223372036854775807",
    "generics::elsewhere/1", "generics::elsewhere/2", "generics::elsewhere/3",
    *[f"generics::all/{of}/{truth}/{number}/t={threads}" for of in ("u8", "u16") for truth in ("true", "false") for number in (4, 5) for threads in (1, 2)],
    "generics::type_first/u8/a",
    "a group::inner", "a group::inner::inner", "a group::counted", "a group::all_counters", "a group::of_inputs", "a group::inputs_as_items",
    "by_a_macro/u16/1", "by_a_macro_too/u32/2", "ignored::by_attribute", "ignored::by_option", "ignored::not", "ignored::group::inner", "renamed::root",
    "within_a_function", "without_samples",
]


def test_every_form_is_listed(programs):
    with Session(programs["divan"]) as session:
        assert names(session.cases) == CASES, names(session.cases)
        of = {name: case for name, case in zip(CASES, session.cases)}
        assert of["plain"]["file"] == "benches/divan.rs" and 0 < of["plain"]["line"] < of["lifetime"]["line"]
        assert session.end() == (0, b"", b"")


def test_what_is_known_of_a_case_before_it_runs(programs):
    with Session(programs["divan"]) as session:
        of = {name: case for name, case in zip(CASES, session.cases)}
        skipped = {name: case["skip"] for name, case in of.items() if "skip" in case}
        ignored = ("ignored::by_attribute", "ignored::by_option", "ignored::group::inner")
        assert skipped == {**dict.fromkeys(ignored, "its author ignores it"), "without_samples": "its options ask for no sample"}, skipped
        calls = {name: case["iterations"] for name, case in of.items() if "iterations" in case}
        assert calls == {name: 3 if name == "a group::inner::inner" else 12 for name in CASES if name.startswith("a group::")}, calls
        parallel = {name for name, case in of.items() if case.get("parallel")}
        assert parallel == {name for name in CASES if name.endswith(("t=2", "t=3"))} | {"ways::in_one_number_of_threads"}, parallel
        # Each instance has code of its own; its arguments share it.
        instances = {(case["benchmark"], *case.get("parameters", "").split("/")[:2]) for name, case in of.items() if name.startswith("generics::")}
        codes = {tuple(case["code"]) for name, case in of.items() if name.startswith("generics::")}
        assert len(codes) == len(instances) == 18 and all(len(code) == 1 for code in codes), (len(codes), len(instances))
        assert of["values::numbers/1"]["code"] == of["values::numbers/20"]["code"]


def test_options_without_effect_are_told_once(programs):
    with Session(programs["divan"]) as session:
        told = [notice["message"].split()[0] for notice in session.notices]
        assert told == ["sample_count", "min_time", "max_time", "skip_ext_time"], session.notices
        assert all(notice["kind"] == "ignored" and notice["level"] == "info" for notice in session.notices)


def test_every_case_is_measured(programs):
    with Session(programs["divan"]) as listing:
        cases = [case for case in listing.cases if "skip" not in case]
    for case in cases:
        with Session(programs["divan"]) as session:
            assert session.prepare(case["benchmark"], case.get("parameters", ""))["frame"] == "ready", case
            for subject in ("case", "null", "pause", "kernel/text", "case"):
                samples = session.run(1, 3, 0, subject=subject, warm=2)
                assert samples["frame"] == "samples" and len(samples["elapsed"]) == 3 and min(samples["elapsed"]) >= 0, (case, samples)
            assert session.ask("finish")["frame"] == "finished"
            assert session.end() == (0, b"", b"")


def turn(program, name, calls, parameters=""):
    """What a turn of so many calls has done."""
    with prepared(program, name, parameters) as (session, events):
        session.run(*calls)
        did = dict(events())
        session.run(*calls, subject="null")
        assert set(dict(events()).values()) == {0}, name
        return did


def test_a_sample_makes_the_calls_asked_for(programs):
    for name in ("named by its author", "local"):
        assert turn(programs["divan"], name, [5, 0, 1000])["calls"] == 1006, name


def test_inputs_and_outputs_are_made_and_dropped_once_for_each_call(programs):
    assert turn(programs["divan"], "ways::outputs", [1, 5000]) == {"made": 0, "calls": 5001, "dropped": 5001, "counted": 0}
    for name in ("values", "local_values", "refs", "local_refs"):
        did = turn(programs["divan"], "ways::" + name, [1, 5000])
        assert did == {"made": 5001, "calls": 5001, "dropped": 5001, "counted": 0}, (name, did)


def test_each_thread_makes_all_calls(programs):
    of_three = turn(programs["divan"], "ways::in_threads", [1, 5000], "t=3")
    assert of_three == {"made": 15003, "calls": 15003, "dropped": 15003, "counted": 0}, of_three
    assert turn(programs["divan"], "ways::in_threads", [7], "t=1")["calls"] == 7
    assert turn(programs["divan"], "ways::plainly_in_threads", [50], "t=2")["calls"] == 100
    assert turn(programs["divan"], "ways::in_one_number_of_threads", [3, 30])["calls"] == 66


def finished(program, name, parameters="", calls=(3, 30)):
    with Session(program) as session:
        assert session.prepare(name, parameters)["frame"] == "ready", name
        session.run(*calls)
        return {key: value for key, value in session.ask("finish").items() if key not in ("frame", "id")}


def test_threads_are_labelled(programs):
    label, = finished(programs["divan"], "ways::in_threads", "t=3")["labels"]
    assert label == "threads 3" or label.startswith("3 threads on "), label
    assert finished(programs["divan"], "ways::in_threads", "t=1") == {}


def test_what_a_call_processes_is_reported(programs):
    wanted = {
        ("plain", ""): {},
        ("values::texts", 'a b/"c"'): {"metrics": ["chars=7"]},
        ("a group::inner", ""): {"items": 7},
        ("a group::inner::inner", ""): {"items": 7, "bytes": 8},
        ("a group::counted", ""): {"items": 3, "bytes": 8, "metrics": ["cycles=9"]},
        ("a group::all_counters", ""): {"items": 2, "bytes": 1, "metrics": ["chars=2", "cycles=3"]},
        # The mean of inputs with 1, 2 and 0 characters.
        ("a group::of_inputs", ""): {"items": 7, "bytes": 2, "metrics": ["chars=1"]},
        ("a group::inputs_as_items", ""): {"items": 5},
    }
    for (benchmark, parameters), figures in wanted.items():
        # One call prepares the case: with these it has made as many of each.
        found = finished(programs["divan"], benchmark, parameters, (2, 30, 30))
        if benchmark == "a group::of_inputs":
            assert found.pop("metrics")[0].startswith("chars="), found
            figures = {key: value for key, value in figures.items() if key != "metrics"}
        assert found == figures, (benchmark, found)


def test_allocations_are_counted_where_they_are_asked_for(programs):
    with Session(programs["divan"]) as session:
        assert "allocations" in session.hello["capabilities"]
        assert session.prepare("divan")["frame"] == "ready"
        samples = session.run(1, 1000, subject="allocations", warm=1)
        assert (samples["allocations"], samples["allocated_bytes"]) == ([1, 1000], [100, 100_000]), samples
        assert "wall" not in samples and "allocations" not in session.run(5)
    # What makes inputs isn't counted.
    for name, parameters in (("ways::values", ""), ("a group::of_inputs", ""), ("ways::in_threads", "t=3"), ("plain", "")):
        with Session(programs["divan"]) as session:
            session.prepare(name, parameters)
            assert session.run(100, 400, subject="allocations")["allocations"] == [0, 0], name
    with Session(programs["divan_options"]) as session:
        assert "allocations" not in session.hello["capabilities"]
        assert session.prepare("ignored")["frame"] == "ready"
        assert session.run(1, subject="allocations")["kind"] == "bad-request"


def test_a_program_chooses_among_its_benchmarks(programs):
    with Session(programs["divan_options"]) as session:
        listed = names(session.cases)
        assert "ignored" in listed and not any("skip" in case for case in session.cases)
        assert [name for name in listed if name.startswith("left")] == ["left_by_pattern/3"], listed
        told = [notice["message"].split()[0] for notice in session.notices if notice["kind"] == "ignored"]
        assert told == ["sample_count", "min_time"], told
    assert finished(programs["divan_options"], "left_by_pattern", "3") == {"bytes": 64}


def test_benchmarks_that_fail_are_told(programs):
    with Session(programs["divan_options"]) as session:
        errors = [notice for notice in session.notices if notice["level"] == "error"]
        assert [error["message"] for error in errors][0] == "It panicked: no such data", errors
        assert len(errors) == 1, errors
        numbered = [name for name in names(session.cases) if name.endswith(" #2")]
        assert numbered == ["a::same/1 #2", "divan_options::within #2"], numbered
    wanted = {
        ("panics", ""): "It panicked: on purpose",
        # Divan prints an empty row.
        ("without_a_loop", ""): "it returned without measuring anything",
        ("local_in_threads", "t=2"): "It panicked: `bench_local` and its like run in one thread, and threads = 2 is asked for",
    }
    for (benchmark, parameters), message in wanted.items():
        with Session(programs["divan_options"]) as session:
            fault = session.prepare(benchmark, parameters)
            assert (fault["frame"], fault["message"]) == ("fault", message), fault
            assert fault["kind"] == ("skipped" if benchmark == "without_a_loop" else "exception"), fault
            assert session.end() == (0, b"", b"")
    with Session(programs["divan_options"]) as session:
        assert session.prepare("local_in_threads", "t=1")["frame"] == "ready"


def test_a_panic_in_one_of_several_threads(programs):
    with Session(programs["divan_options"]) as session:
        # The first three calls are those of three threads.
        assert session.prepare("panics_in_threads")["frame"] == "ready"
        fault = session.run(100)
        assert fault["kind"] == "exception" and fault["message"] == "It panicked: in one of several threads", fault
        assert fault["file"] == "benches/divan_options.rs" and fault["line"] > 0, fault
        assert session.run(1, subject="null")["frame"] == "samples"
        assert session.end() == (0, b"", b"")
