"""A conversation with a worker, by hand: requests to its standard input, replies from its standard output."""
import json
import os
import subprocess


class Session:
    def __init__(self, binary, load=True, environment=None):
        environment = {**os.environ, "TARE_WORKER": "1", **(environment or {})}
        environment.pop("TARE_WIRE", None)
        self.process = subprocess.Popen([binary], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment)
        self.number = 0
        self.hello = self.receive()
        self.cases, self.notices, self.operations, self.slices = [], [], [], []
        if load:
            self.ask("load", files=[binary])

    def receive(self):
        line = self.process.stdout.readline()
        return json.loads(line) if line else None

    def ask(self, frame, **keys):
        """The last reply; cases, notices, operations and slices before it are kept."""
        self.number += 1
        request = {"frame": frame, "id": self.number, **keys}
        self.process.stdin.write(json.dumps(request).encode() + b"\n")
        self.process.stdin.flush()
        while True:
            reply = self.receive()
            if reply is None:
                return None
            assert reply["id"] == self.number, reply
            if reply["frame"] == "case":
                self.cases.append(reply)
            elif reply["frame"] == "notice":
                self.notices.append(reply)
            elif reply["frame"] == "operation":
                self.operations.append(reply)
            elif reply["frame"] == "slice":
                self.slices.append(reply)
            else:
                return reply

    def prepare(self, benchmark, parameters="", **keys):
        case = next(c for c in self.cases if c["benchmark"] == benchmark and c.get("parameters", "") == parameters)
        return self.ask("prepare", case=case["case"], benchmark=benchmark, parameters=parameters, **keys)

    def run(self, *iterations, subject="case", warm=0):
        return self.ask("run", subject=subject, iterations=list(iterations), warm=warm)

    def end(self):
        """Status, and what was printed to standard error."""
        try:
            self.process.stdin.close()
        except BrokenPipeError:
            pass
        left = self.process.stdout.read()
        errors = self.process.stderr.read()
        self.process.stdout.close()
        self.process.stderr.close()
        return self.process.wait(timeout=20), left, errors

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
            self.process.wait()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            try:
                stream.close()
            except BrokenPipeError:
                pass
