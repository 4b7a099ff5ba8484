import hashlib
import json
import pathlib

import tare

DOCUMENT = (pathlib.Path(__file__).parent.parent / "document.json").read_text()


def numbers():
    state, found = 42, []
    for _ in range(10_000):
        state = (state * 1103515245 + 12345) & 0x7FFFFFFF
        found.append(state)
    return found


NUMBERS = numbers()


@tare.parameters({"64": {"text": b"a" * 64}, "65536": {"text": b"a" * 65536}})
def bench_sha256(text):
    hashlib.sha256(text).digest()


def bench_parse_json():
    json.loads(DOCUMENT)


def bench_sort():
    sorted(NUMBERS)
