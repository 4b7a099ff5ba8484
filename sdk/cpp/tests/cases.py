"""What the binary says of itself and of its cases."""
import os
import platform
import subprocess

from session import Session


def named(session, benchmark):
    return [case.get("parameters", "") for case in session.cases if case["benchmark"] == benchmark]


def frame_pointers(said):
    """What is said where the register is known."""
    return said if platform.machine() in ("x86_64", "aarch64") else "unknown"


def test_hello(binaries):
    with Session(binaries["google"], load=False) as session:
        hello = session.hello
        assert hello["wire"] == 1 and hello["language"] == "cpp" and hello["correction"] == "overlapping"
        assert hello["clocks"][0] == "monotonic" and "cpu-process" in hello["clocks"]
        assert set(hello["kernels"]) >= {"arithmetic", "allocation", "text"}
        facts = dict(fact.split("=", 1) for fact in hello["facts"])
        assert facts["purpose"] == "tests" and facts["optimisation"] == "on" and facts["standard"] == "C++17"
        assert facts["frame_pointers"] == frame_pointers("omitted"), facts
        assert session.end()[0] == 0


def test_names(binaries):
    with Session(binaries["google"]) as session:
        assert named(session, "BM_RangeFor") == [""]
        assert named(session, "BM_KeepRunning") == ["8", "-3"]
        assert named(session, "BM_Args") == ["1/2", "3/4"]
        assert named(session, "BM_Memory") == ["8", "16", "64", "128"]
        assert named(session, "BM_Dense") == ["size:10", "size:20", "size:30"]
        assert named(session, "BM_Threads") == ["threads:2", "threads:1", "threads:4"]
        assert named(session, "BM_DenseThreads") == ["threads:1", "threads:3"]
        assert named(session, "BM_PerCpu") == [f"threads:{os.cpu_count()}"]
        assert named(session, "BM_Paused") == ["iterations:50"]
        assert named(session, "BM_Applied") == ["1", "4", "9", "7"]
        names = {case["benchmark"] for case in session.cases}
        assert names >= {
            "BM_Template<int>", "BM_Template<double>", "BM_Template<std::string>", "BM_TwoTypes<int,char>", "BM_TwoTypes<int, float>",
            "BM_Captured/number", "BM_Captured/several", "Filled/Sum", "Filled/Max", "Typed<double>/One", "Typed<int, long>/Two",
            "registered/late", "bound",
        }, names


def test_ranges(binaries):
    with Session(binaries["google"]) as session:
        n, m = ["1", "8", "64"], ["-2", "-1", "0", "1", "2"]
        assert named(session, "BM_Ranges") == [f"n:{a}/m:{b}" for b in m for a in n], named(session, "BM_Ranges")
        product = [f"{a}/{b}/{c}" for c in (0, 4) for b in (8, 16, 32) for a in (1, 2)]
        assert named(session, "BM_Product") == product, named(session, "BM_Product")
        case = next(case for case in session.cases if case["benchmark"] == "BM_Ranges")
        assert case["names"] == ["n", "m"] and case["values"] == ["1", "-2"]
        case = next(case for case in session.cases if case["benchmark"] == "BM_Args")
        assert case["names"] == ["range(0)", "range(1)"] and case["values"] == ["1", "2"]


def test_settings(binaries):
    with Session(binaries["google"]) as session:
        by_name = {case["benchmark"]: case for case in session.cases}
        assert by_name["BM_Memory"]["unit"] == "microseconds" and by_name["BM_Captured/several"]["unit"] == "milliseconds"
        assert by_name["BM_Paused"]["iterations"] == 50
        assert by_name["BM_RangeFor"]["file"].endswith("google_style.cc")
        with open(by_name["BM_RangeFor"]["file"]) as source:
            assert source.readlines()[by_name["BM_RangeFor"]["line"] - 1] == "BENCHMARK(BM_RangeFor);\n"
        said = sorted(notice["message"].split()[0] for notice in session.notices)
        assert said == ["Complexity", "ComputeStatistics,", "MeasureProcessCPUTime", "MinTime", "Repetitions"], said
    with Session(binaries["own"]) as session:
        case = next(case for case in session.cases if case["benchmark"] == "virtual_call")
        assert case["groups"] == ["calls", "objects"] and case["base"] is True
        assert session.notices == []


def test_where_code_begins(binaries):
    """The function, and the table of its class's virtual functions, as the linker placed them; nothing of what a captured value knows."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return
    listed = subprocess.run(["nm", "--demangle", binaries["own"]], check=True, capture_output=True, text=True).stdout
    linked = {name: int(address, 16) for address, _, name in (line.split(maxsplit=2) for line in listed.splitlines() if line[0] != " ")}
    with Session(binaries["own"]) as session:
        by_name = {case["benchmark"]: case for case in session.cases}
        of_functions = "vtable for tare::detail::FunctionBenchmark<void (*)(tare::State&)>"
        for name, function in (("virtual_call", "virtual_call(tare::State&)"), ("addition", "tare_run_addition(tare::State&)")):
            # Behind two words, for its place in the object and its type.
            assert by_name[name]["code"] == [linked[of_functions] + 16, linked[function]], name
    with Session(binaries["google"]) as session:
        without = {case["benchmark"] for case in session.cases if "code" not in case}
        # What holds a value, a fixture, or hooks.
        assert without == {"bound", "BM_Hooks", "Filled/Sum", "Filled/Max", "Typed<double>/One", "Typed<int, long>/Two"}, without


def test_enumeration_repeats_itself(binaries):
    for source in ("google", "own", "hostile", "units"):
        with Session(binaries[source]) as one, Session(binaries[source]) as other:
            assert one.cases == other.cases and one.cases
            assert len({(case["benchmark"], case.get("parameters")) for case in one.cases}) == len(one.cases)
            assert [case["case"] for case in one.cases] == list(range(len(one.cases)))


def test_several_units_share_a_registry(binaries):
    with Session(binaries["units"]) as session:
        assert sorted(case["benchmark"] for case in session.cases) == ["BM_First", "BM_Second"]


def test_without_optimisation_exceptions_and_types(binaries):
    with Session(binaries["bare"]) as session:
        facts = dict(fact.split("=", 1) for fact in session.hello["facts"])
        assert facts["frame_pointers"] == frame_pointers("kept"), facts
        assert any("without optimisation" in notice["message"] for notice in session.notices)
        assert session.prepare("BM_First")["frame"] == "ready"
        assert len(session.run(1, 100)["elapsed"]) == 2


def test_other_files_are_refused(binaries):
    with Session(binaries["own"], load=False) as session:
        loaded = session.ask("load", files=["/nonexistent", binaries["google"], "a\0b", binaries["own"], binaries["own"]])
        assert loaded["cases"] == len(session.cases) == 5
        errors = [notice["message"] for notice in session.notices if notice["level"] == "error"]
        assert [("exist" in error, "started" in error) for error in errors] == [(True, False), (False, True), (True, False)], errors


def test_by_hand(binaries):
    done = subprocess.run([binaries["own"], "--benchmark_filter=x", "--v=1"], capture_output=True, text=True, env={})
    assert done.returncode == 0 and f"tare run {binaries['own']}" in done.stdout
    assert "--benchmark_filter=x has no effect" in done.stderr
    done = subprocess.run([binaries["own"], "--unknown"], capture_output=True, text=True, env={})
    assert done.returncode == 1 and "--unknown" in done.stderr


def test_the_marker_is_in_the_binary(binaries):
    for binary in binaries.values():
        with open(binary, "rb") as file:
            assert file.read().count(b"tare-worker-wire:1\0") == 1


def test_newer_forms(binaries):
    with Session(binaries["newer"]) as session:
        names = [case["benchmark"] + ("/" + case["parameters"] if case.get("parameters") else "") for case in session.cases]
        # Macros among the arguments are expanded where Google Benchmark expands them.
        assert names == [
            "Counted/InTearDown", "Of<int,long>/Two", "Of<double>/Method/25", "Of<char, int>/Method", "BM_ScopedPause", "BM_Named/by_this",
        ], names
        told = [(notice["level"], notice["message"].split(" has")[0]) for notice in session.notices]
        assert told == [("warning", "MinTime"), ("warning", "Repetitions"), ("warning", "Complexity")], told
        assert session.prepare("Counted/InTearDown")["frame"] == "ready"
        assert len(session.run(50, 50)["elapsed"]) == 2
        finished = session.ask("finish")
        assert finished["items"] == 100, finished
    with Session(binaries["newer"]) as session:
        session.prepare("BM_ScopedPause")
        assert session.run(5, 7)["pauses"] == [5, 7]


def test_threads_are_told(binaries):
    with Session(binaries["google"]) as session:
        parallel = {case.get("parameters"): case.get("parallel", False) for case in session.cases if case["benchmark"] == "BM_Threads"}
        assert parallel == {"threads:2": True, "threads:1": False, "threads:4": True}, parallel
