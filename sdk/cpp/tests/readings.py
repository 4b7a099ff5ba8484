"""`read` and `wait`: counts, kinds and refusals; never how long something took."""
from session import Session


def read(session, clock, **keys):
    return session.ask("read", **{"clock": clock, "pairs": 500, "skip": 0, "blocks": 4, "reads": 100, **keys})


def test_every_clock_is_read_as_often_as_asked(binaries):
    with Session(binaries["own"], load=False) as session:
        assert "clocks" in session.hello["capabilities"]
        assert session.hello["reads"] == ["steady_clock", "system_clock", "high_resolution_clock"]
        for clock in session.hello["reads"]:
            for skip in (0, 3):
                reply = read(session, clock, skip=skip)
                assert [len(reply[key]) for key in ("values", "blocks", "empty")] == [1000, 4, 4], reply
                assert min(reply["blocks"] + reply["empty"]) >= 0
        before, after = (read(session, "steady_clock", pairs=1, blocks=0)["values"] for _ in range(2))
        assert 0 <= before[0] and before[1] < after[0], (before, after)
        assert session.end() == (0, b"", b"")


def test_waits(binaries):
    with Session(binaries["own"], load=False) as session:
        for call, requested in (("yield", 0), ("sleep", -1), ("sleep", 0), ("sleep", 1), ("sleep", 1000)):
            reply = session.ask("wait", call=call, requested=requested, times=3)
            assert len(reply["taken"]) == 3, reply
        for fault in (
            session.ask("wait", call="sundial", requested=0, times=1),
            session.ask("wait", call="sleep", requested=0, times=0),
            read(session, "sundial"),
            read(session, "steady_clock", pairs=0),
        ):
            assert fault["kind"] == "bad-request", fault
