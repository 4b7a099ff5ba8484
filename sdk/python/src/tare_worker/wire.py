"""Requests from standard input, replies to `TARE_WIRE` (PROTOCOL 1.1). Both are descriptors of the worker's own: the user's code
may close or replace what Python calls stdin and stdout."""

import os

from tare_worker.fault import Fault
from tare_worker.frames import MAX_BYTES, encode

CHUNK = 1 << 18


class Wire:
    """Lines in, frames out."""

    def __init__(self):
        """Blocks until the core has opened the other end of the FIFO. OSError when a side can't be opened."""
        path = os.environ.get("TARE_WIRE")
        self._in = os.dup(0)
        # Opening without creating: what doesn't exist, nobody would read.
        self._out = os.open(path, os.O_WRONLY | getattr(os, "O_CLOEXEC", 0)) if path else os.dup(1)
        self._process = os.getpid()
        self._buffer = bytearray()
        self._closed = False
        # A subject that reads standard input would take the core's requests, and wait for ever.
        nothing = os.open(os.devnull, os.O_RDONLY)
        os.dup2(nothing, 0)
        os.close(nothing)

    def read(self):
        """The next line that isn't empty, without its end; None at the end of input, or when the core has closed its end. What stands
        after the last line feed was cut off and doesn't count. Raises a Fault when the line is longer than a frame may be."""
        searched = 0
        while not self._closed:
            end = self._buffer.find(b"\n", searched)
            if end < 0:
                searched = len(self._buffer)
                if searched > MAX_BYTES + 1:
                    return self._pass_over()
                if not self._fill():
                    return None
                continue
            line = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            searched = 0
            if line.endswith(b"\r"):
                line = line[:-1]
            if len(line) > MAX_BYTES:
                raise self._too_long()
            if line:
                return line
        return None

    # Whether the process is being copied for a case; asked in looks alone.
    copying = False

    def moved(self):
        """The worker goes on in a copy of the process that made it."""
        self._process = os.getpid()

    def send(self, frame):
        """Writes a frame. A core that has gone isn't told."""
        if os.getpid() != self._process:
            # A forked child of the user's code has come back from it; the worker is its parent.
            os._exit(0)
        data = memoryview(encode(frame))
        try:
            while data and not self._closed:
                data = data[os.write(self._out, data) :]
        except OSError:
            self._closed = True

    def _fill(self):
        try:
            chunk = os.read(self._in, CHUNK)
        except OSError:
            return False
        self._buffer += chunk
        return bool(chunk)

    def _pass_over(self):
        """Of a line that is too long only the end matters."""
        while True:
            end = self._buffer.find(b"\n")
            if end >= 0:
                del self._buffer[: end + 1]
                raise self._too_long()
            self._buffer.clear()
            if not self._fill():
                return None

    @staticmethod
    def _too_long():
        return Fault("bad-frame", "The line is longer than %d bytes." % MAX_BYTES)
