"""What a worker reports of its whole process: the stretch of the timed samples, and the heap that each launch has for itself."""
from measurement import figures, prepared
from session import Session

SEEDS = range(1, 9)


def stretch(samples):
    return tuple(samples[member] for member in ("wall", "cpu", "yields"))


def test_every_subject_has_its_stretch(binaries):
    session, _ = prepared(binaries["process"], "places")
    with session:
        for subject in ("case", "null", "pause", "clock", "kernel/text", "kernel/allocation"):
            samples = session.run(10, 20, 30, subject=subject, warm=5)
            wall, cpu, yields = stretch(samples)
            assert wall >= sum(samples["elapsed"]) and cpu >= 0 and yields >= 0, (subject, samples)


def test_the_stretch_begins_behind_the_warm_in(binaries):
    session, _ = prepared(binaries["process"], "sleeps")
    with session:
        _, _, yields = stretch(session.run(50, 50, warm=0))
        assert yields >= 30
        _, _, after_warm_in = stretch(session.run(1, warm=100))
        assert after_warm_in < 30


def test_what_lies_outside_the_loop_is_not_in_the_stretch(binaries):
    """A set-up that sleeps would pass for a subject that waits, and of one that works the core would take a part for other processes' time."""
    works, _ = prepared(binaries["process"], "works")
    with works:
        _, least, _ = stretch(works.run(1))
    for name in ("sleeps_outside", "works_outside"):
        session, _ = prepared(binaries["process"], name)
        with session:
            for subject in ("case", "null", "kernel/text"):
                samples = session.run(1, 1, 1, 1, 1, subject=subject, warm=1)
                wall, cpu, yields = stretch(samples)
                assert wall >= sum(samples["elapsed"]) and cpu < 2 * least and yields < 30, (name, subject, samples)


def test_a_set_time_has_a_stretch_too(binaries):
    session, _ = prepared(binaries["google"], "BM_Manual")
    with session:
        for subject in ("case", "null", "clock"):
            assert all(part >= 0 for part in stretch(session.run(1, 2, subject=subject)))


def test_cpu_time_is_that_of_all_threads(binaries):
    """By the process's own clocks: CPU time of the same work, once by one thread and once by two of them."""
    one, _ = prepared(binaries["process"], "works")
    two, _ = prepared(binaries["process"], "works_by_two")
    with one, two:
        # Side by side, and several times: beside other processes the same work takes half as much CPU time again.
        pairs = [tuple(stretch(session.run(1))[1] for session in (one, two)) for _ in range(20)]
    assert any(by_two > 1.4 * alone > 0 for alone, by_two in pairs), pairs


def test_who_sleeps_takes_little_cpu_time(binaries):
    session, _ = prepared(binaries["process"], "sleeps")
    with session:
        wall, cpu, yields = stretch(session.run(100))
        # On a busy machine a moment can be over before the process gives its CPU away.
        assert 0 <= cpu < wall / 2 and yields >= 30


def places(binary, **environment):
    """Where three blocks lie in their pages."""
    with Session(binary, environment=environment) as session:
        session.prepare("places")
        session.run(1)
        return tuple(sorted(figures(session.ask("finish")).items()))


def test_each_launch_has_blocks_in_places_of_its_own(binaries):
    drawn = [places(binaries["process"], TARE_SEED=str(seed)) for seed in SEEDS]
    for number, name in enumerate(("early", "large", "late")):
        found = {launch[number] for launch in drawn}
        assert all(place[0] == name for place in found) and len(found) > len(SEEDS) // 2, (name, found)
    assert places(binaries["process"], TARE_SEED="5") == drawn[4], "a seed draws the same places again"


def test_without_a_seed_the_heap_is_as_it_was(binaries):
    alone = {places(binaries["process"])}
    for environment in ({"TARE_SHAKE": "off"}, {"TARE_SHAKE": "on", "TARE_SEED": "x"}, {"TARE_SEED": "-1"}, {"TARE_SEED": "99999999999999999999"}):
        alone |= {places(binaries["process"], **{"TARE_SEED": str(seed), **environment}) for seed in (1, 2)}
    assert len(alone) == 1, alone
