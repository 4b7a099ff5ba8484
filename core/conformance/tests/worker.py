"""A small worker that does what PROTOCOL.md says, or, with --break WHAT, doesn't.

Its language: each line of a source is a case, `benchmark` or `benchmark#parameters`; `!benchmark` is one to skip.
"""

import json
import os
import sys
import time

BREAK = sys.argv[2] if sys.argv[1:2] == ["--break"] else ""
LARGEST = 2**53 - 1
LIMIT = 16 * 1024 * 1024


class Fault(Exception):
    def __init__(self, kind, message, id=None):
        super().__init__(message)
        self.kind, self.id = kind, id


def integer(value, most=LARGEST):
    return type(value) is int and 0 <= value <= most


def string(value):
    return type(value) is str


def array(of, least=0, most=float("inf")):
    return lambda value: type(value) is list and least <= len(value) <= most and all(map(of, value))


REQUESTS = {
    "load": ({"files": array(string, 1)}, {"bootstrap": string}),
    "prepare": ({"case": integer, "benchmark": string, "parameters": string}, {"clock": string}),
    "run": (
        {
            "subject": string,
            "iterations": array(integer, 1, 100_000),
            "warm": lambda value: integer(value, 100_000),
        },
        {},
    ),
    "finish": ({}, {}),
}


def parse(line):
    if len(line) > LIMIT:
        raise Fault("bad-frame", "the line is too long")
    duplicates = set()

    def pairs(entries):
        seen = set()
        for key, _ in entries:
            if key in seen:
                duplicates.add(key)
            seen.add(key)
        result = dict(entries)
        result[None] = duplicates & seen
        return result

    def constant(name):
        raise ValueError(name)

    try:
        frame = json.loads(line.decode("utf-8"), object_pairs_hook=pairs, parse_constant=constant)
    except (ValueError, RecursionError) as error:
        raise Fault("bad-frame", str(error)) from None
    if type(frame) is not dict:
        raise Fault("bad-frame", "the line isn't an object")
    twice = frame.pop(None)
    id = frame.get("id")
    if not integer(id) or "id" in twice:
        raise Fault("bad-frame", "there is no usable id")
    if twice and BREAK != "duplicates":
        raise Fault("bad-frame", "a key stands twice", id)
    if not string(frame.get("frame")):
        raise Fault("bad-frame", "there is no frame", id)
    if frame["frame"] not in REQUESTS:
        raise Fault("unknown-frame", "there is no such request", id)
    required, optional = REQUESTS[frame["frame"]]
    for key, fits in required.items():
        if key not in frame or not fits(frame[key]):
            raise Fault("bad-request", f"{key} is missing or wrong", id)
    for key, fits in optional.items():
        if key in frame and not fits(frame[key]):
            raise Fault("bad-request", f"{key} is wrong", id)
    return frame


class Worker:
    def __init__(self, wire):
        self.wire = wire
        self.cases = None
        self.prepared = False
        self.finished = False

    def reply(self, frame, **keys):
        line = json.dumps({"frame": frame, **keys}).encode()
        if BREAK == "half-a-frame" and frame == "samples":
            self.wire.write(line[: len(line) // 2])
            self.wire.flush()
            os._exit(3)
        self.wire.write(line + b"\n")
        if BREAK == "two-replies" and frame == "samples":
            self.wire.write(line + b"\n")
        self.wire.flush()

    def answer(self, line):
        try:
            request = parse(line)
            id = request["id"]
            if self.finished and BREAK != "after-finish":
                raise Fault("bad-request", "it is finished", id)
            if BREAK == "wrong-id" and request["frame"] == "run":
                request["id"] = id + 1
            getattr(self, request["frame"])(request)
        except Fault as fault:
            if BREAK == "dies-of-faults":
                os._exit(2)
            self.reply("fault", id=-1 if fault.id is None else fault.id, kind=fault.kind, message=str(fault))

    def load(self, request):
        id = request["id"]
        if self.cases is not None and BREAK != "loads-twice":
            raise Fault("bad-request", "it is loaded", id)
        self.cases = []
        for file in request["files"]:
            try:
                with open(file) as source:
                    lines = source.read().split()
            except (OSError, ValueError) as error:
                if BREAK != "silent-about-files":
                    self.reply("notice", id=id, level="error", kind="load", message=str(error), file=file)
                continue
            for line in lines:
                benchmark, _, parameters = line.lstrip("!").partition("#")
                case = {"case": len(self.cases), "benchmark": benchmark}
                if BREAK == "pid-in-names":
                    case["benchmark"] += str(os.getpid())
                if parameters:
                    case["parameters"] = parameters
                if line.startswith("!"):
                    case["skip"] = "not now"
                self.cases.append(case)
                self.reply("case", id=id, **case)
        self.reply("loaded", id=id, cases=len(self.cases) + (BREAK == "miscounts"))

    def prepare(self, request):
        id = request["id"]
        if self.cases is None or self.prepared:
            raise Fault("bad-request", "this isn't the time for prepare", id)
        if request.get("clock", "monotonic") != "monotonic":
            raise Fault("bad-request", "there is no such clock", id)
        if BREAK != "believes-everything":
            if request["case"] >= len(self.cases):
                raise Fault("provider", "there is no such case", id)
            case = self.cases[request["case"]]
            if (case["benchmark"], case.get("parameters", "")) != (request["benchmark"], request["parameters"]):
                raise Fault("provider", "the case is another one", id)
        self.prepared = True
        self.reply("ready", id=id, pauses=False)

    def run(self, request):
        id, subject, numbers = request["id"], request["subject"], request["iterations"]
        if subject == "case" and not self.prepared:
            raise Fault("bad-request", "nothing is prepared", id)
        if subject not in ("case", "null", "clock", "kernel/text"):
            raise Fault("bad-request", "there is no such subject", id)
        if BREAK == "hangs-on-kernels" and subject == "kernel/text":
            time.sleep(3600)
        warm = request["warm"]
        elapsed = []
        for position in range(warm + len(numbers)):
            calls = numbers[(position if position < warm else position - warm) % len(numbers)]
            start = time.perf_counter_ns()
            if subject != "clock":
                for _ in range(calls):
                    pass
            stop = time.perf_counter_ns()
            if position >= warm or BREAK == "reports-warm":
                elapsed.append(stop - start)
        if BREAK == "fractions":
            elapsed = [value / 1e3 for value in elapsed]
        if BREAK == "negative":
            elapsed = [-1 for _ in elapsed]
        if BREAK == "talks":
            print("measured", file=sys.stderr)
        self.reply("samples", id=id, elapsed=elapsed)

    def finish(self, request):
        self.finished = True
        self.reply("finished", id=request["id"])


def main():
    path = os.environ.get("TARE_WIRE", "")
    if BREAK == "ignores-the-wire":
        path = ""
    if BREAK == "exits-at-once":
        sys.exit("no runtime")
    if BREAK == "never-hello":
        time.sleep(3600)
    if not path:
        wire = sys.stdout.buffer
    else:
        try:
            wire = os.fdopen(os.open(path, os.O_WRONLY), "wb")
        except OSError as error:
            sys.exit(f"{path}: {error}")
    if BREAK == "garbage":
        wire.write(b"PHP Warning: \x1b[31m\xff\n" * 3)
        wire.flush()
    if BREAK == "endless-line":
        while True:
            wire.write(b"x" * 65536)
    if BREAK == "flood":
        while True:
            wire.write(b'{"frame":"ready","id":1,"pauses":false}\n' * 1000)
    if BREAK == "closes-the-wire":
        wire.close()
        time.sleep(3600)
    worker = Worker(wire)
    hello = {
        "wire": 2 if BREAK == "later-wire" else 1,
        "language": "lines",
        "version": sys.version.split()[0],
        "sdk": "0",
        "correction": "serial",
        "clocks": ["monotonic"],
        "kernels": ["text"],
        "capabilities": ["bare"],
        "facts": ["implementation=" + sys.implementation.name],
    }
    if BREAK == "incomplete-hello":
        del hello["clocks"]
    worker.reply("hello", **hello)
    if BREAK == "deaf":
        time.sleep(3600)
    if BREAK == "says-more":
        worker.reply("notice", id=0, level="info", kind="x", message="x")
    while line := sys.stdin.buffer.readline():
        if not line.endswith(b"\n"):
            break
        line = line[:-1]
        if line.strip(b"\r"):
            worker.answer(line)
        elif BREAK == "answers-empty-lines":
            worker.answer(line)
    if BREAK == "lingers":
        time.sleep(3600)
    sys.exit(4 if BREAK == "wrong-status" else 0)


main()
