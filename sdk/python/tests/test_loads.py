"""One process that serves several sources, each in a copy of itself (PROTOCOL 1.12)."""

import json
import os
import tempfile

from cases import Case

ONE = "import sys\nsys.left_behind = 1\ndef bench_one():\n    pass\n"
OTHER = "import sys\ndef bench_other():\n    assert not hasattr(sys, 'left_behind')\n"


class Loads(Case):
    def setUp(self):
        self.place = self.sources(bench_one=ONE, bench_other=OTHER, bench_ends="import os\nos._exit(0)\n")

    def begin(self, **environment):
        session = self.session(environment={"TARE_LOADS": "1", **environment})
        self.assertIn("loads", session.hello["capabilities"])
        return session

    def load(self, session, name):
        session.cases.clear()
        return list(session.load(self.place.path(name + ".py")))

    def unload(self, session):
        self.assertEqual([session.send("finish")["frame"] for _ in range(2)], ["finished"] * 2)

    def test_each_source_is_loaded_in_a_process_of_its_own(self):
        session = self.begin()
        for name in ("bench_one", "bench_other", "bench_one"):
            self.assertEqual(self.load(session, name), [name])
            self.unload(session)
        self.assertEqual(session.close(), 0)

    def test_what_a_source_leaves_in_its_process_is_not_there_for_the_next(self):
        session = self.begin()
        self.load(session, "bench_one")
        self.unload(session)
        self.load(session, "bench_other")
        session.prepare("bench_other")
        self.assertEqual(session.run("case", 1)["frame"], "samples")

    def test_a_source_that_ends_the_process_costs_only_itself(self):
        session = self.begin()
        reply = session.send("load", files=[self.place.path("bench_ends.py")])
        self.assert_fault(reply, "exit", "ended by itself")
        self.assertEqual(self.load(session, "bench_one"), ["bench_one"])

    def test_a_look_tells_code_to_the_source_in_which_it_ran(self):
        path = os.path.join(tempfile.mkdtemp(dir=self.place.folder), "look")
        session = self.begin(TARE_LOOK=path)
        for name in ("bench_one", "bench_other"):
            self.load(session, name)
            session.prepare(name)
            session.run("case", 1)
            session.send("finish")
            self.unload(session)
        session.close()
        with open(path) as file:
            lines = [json.loads(line) for line in file]
        of_each = ["loaded", "ready", "samples", "finished", "finished", "finished"]
        self.assertEqual([line["after"] for line in lines], ["hello"] + of_each * 2)
        names = [{call["name"] for call in line["calls"] if call["file"].startswith(self.place.folder)} for line in lines]
        self.assertEqual(names, [set(), {"<module>"}, set(), {"bench_one"}, set(), set(), set()] + [{"<module>"}, set(), {"bench_other"}, set(), set(), set()])

    def test_it_is_not_done_where_it_is_not_asked_for(self):
        session = self.session(self.place.path("bench_one.py"))
        self.assertNotIn("loads", session.hello["capabilities"])
        self.assert_fault(session.send("load", files=[self.place.path("bench_other.py")]), "bad-request", "once")
