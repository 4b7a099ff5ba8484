"""What the tests of benchmarks share: a file of source text, and a session that has loaded it."""

import unittest

from session import Session, Sources


class Case(unittest.TestCase):
    def sources(self, **files):
        sources = Sources(**files)
        self.addCleanup(sources.__exit__)
        return sources

    def session(self, *files, **keys):
        session = Session(**keys)
        self.addCleanup(session.close)
        if files:
            session.load(*files)
        return session

    def bench(self, text, **keys):
        """A session that has loaded a file of this text."""
        return self.session(self.sources(bench_x="import tare\n" + text).path("bench_x.py"), **keys)

    def names(self, session):
        return [session.name(case) for case in session.cases]

    def log(self, session):
        """What the benchmark has printed: the order of its calls."""
        session.close()
        return session.output.split()

    def assert_fault(self, reply, kind, message):
        self.assertEqual((reply["frame"], reply.get("kind")), ("fault", kind), reply)
        self.assertIn(message, reply["message"])
