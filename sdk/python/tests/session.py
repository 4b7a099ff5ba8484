"""A worker in a process of its own, driven over a FIFO as the core does it."""

import json
import os
import select
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
WORKER = os.path.join(os.path.dirname(HERE), "worker.py")
PATIENCE = 60

ENDS = ("loaded", "ready", "samples", "readings", "waited", "connected", "worked", "finished", "fault")


class Session:
    """`arguments` are the interpreter's; what the process prints is in `output` once it has ended."""

    def __init__(self, arguments=(), environment=None, folder=None):
        self._folder = tempfile.mkdtemp(prefix="tare-test-")
        path = os.path.join(self._folder, "wire")
        os.mkfifo(path)
        # Open for both directions: neither blocks nor ends while this process lives.
        self._wire = os.open(path, os.O_RDWR)
        self._output = open(os.path.join(self._folder, "output"), "w+b")
        self.process = subprocess.Popen(
            [sys.executable, *arguments, WORKER],
            stdin=subprocess.PIPE,
            stdout=self._output,
            stderr=subprocess.STDOUT,
            cwd=folder or HERE,
            env={**os.environ, "TARE_WIRE": path, **(environment or {})},
        )
        self._buffer = b""
        self._id = 0
        self.output = None
        self.notices = []
        self.cases = []
        self.hello = self.next()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def next(self):
        """The next frame; an error if there is none within a minute, or the worker has ended."""
        waited = 0
        while b"\n" not in self._buffer:
            if select.select([self._wire], [], [], 0.1)[0]:
                self._buffer += os.read(self._wire, 1 << 20)
            elif self.process.poll() is not None:
                raise EOFError("the worker ended with status %s" % self.process.returncode)
            else:
                waited += 1
                if waited > PATIENCE * 10:
                    raise TimeoutError("the worker says nothing")
        line, self._buffer = self._buffer.split(b"\n", 1)
        return json.loads(line)

    def send(self, frame, **keys):
        """A request's last reply; cases and notices before it are kept."""
        self._id += 1
        self.process.stdin.write(json.dumps({"frame": frame, "id": self._id, **keys}).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            reply = self.next()
            if reply["id"] != self._id:
                raise AssertionError("the reply %r isn't for request %d" % (reply, self._id))
            if reply["frame"] in ENDS:
                return reply
            (self.cases if reply["frame"] == "case" else self.notices).append(reply)

    def load(self, *files):
        """The enumerated cases by `benchmark`, or `benchmark#parameters`."""
        reply = self.send("load", files=list(files))
        if reply["frame"] != "loaded" or reply["cases"] != len(self.cases):
            raise AssertionError(reply)
        return {self.name(case): case for case in self.cases}

    def prepare(self, name, **keys):
        """The reply to `prepare` of a case by its name."""
        case = next(case for case in self.cases if self.name(case) == name)
        return self.send(
            "prepare", case=case["case"], benchmark=case["benchmark"], parameters=case.get("parameters", ""), **keys
        )

    def run(self, subject, *iterations, warm=0):
        """The reply to `run`."""
        return self.send("run", subject=subject, iterations=list(iterations), warm=warm)

    @staticmethod
    def name(case):
        return case["benchmark"] + ("#" + case["parameters"] if "parameters" in case else "")

    def close(self):
        """Ends the input; the exit status of the worker."""
        if self.output is None:
            self.process.stdin.close()
            status = self.process.wait(PATIENCE)
            self._output.seek(0)
            self.output = self._output.read().decode("utf-8", "replace")
            self._output.close()
            os.close(self._wire)
            shutil.rmtree(self._folder, ignore_errors=True)
            return status
        return self.process.returncode


class Sources:
    """A folder of source files, for as long as a test lasts."""

    def __init__(self, **files):
        self.folder = tempfile.mkdtemp(prefix="tare-test-")
        for name, text in files.items():
            self.write(name + ".py", text)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with open(path, "wb") as file:
            file.write(text if isinstance(text, bytes) else text.encode())
        return path

    def path(self, name):
        return os.path.join(self.folder, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)
