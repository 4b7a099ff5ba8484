"""Which functions samples execute, and how much of them (PROTOCOL 1.15)."""

import json
import os
import tempfile

from cases import Case

TEXT = """
import other
class Lexer:
    def next(self):
        return other.used()
    def turns(self, count):
        for _ in range(count):
            pass
LEXER = Lexer()
def many():
    yield 1
    yield 2
def bench_a():
    LEXER.next()
    LEXER.next()
    LEXER.turns(10)
    list(many())
def bench_b():
    LEXER.turns(20)
"""
OTHER = "def used():\n    return 1\ndef unused():\n    return 2\n"


class Executed(Case):
    def executed(self, text=TEXT, benchmark="bench_a", runs=((1,),), prints=""):
        """What was written of each turn: the whole line, and calls and instructions by name."""
        sources = self.sources(bench_x=text, other=OTHER)
        path = os.path.join(tempfile.mkdtemp(dir=sources.folder), "functions")
        session = self.session(sources.path("bench_x.py"), environment={"TARE_FUNCTIONS": path})
        session.prepare(benchmark)
        for iterations in runs:
            self.assertEqual(session.run("case", *iterations, warm=1)["frame"], "samples")
        session.send("finish")
        session.close()
        with open(path) as file:
            lines = [json.loads(line) for line in file]
        return lines, [{one["name"]: (one["calls"], one["own"]) for one in line["functions"]} for line in lines]

    def test_calls_and_instructions_are_those_of_the_samples_alone(self):
        lines, (one, three) = self.executed(runs=((1,), (3,)))
        self.assertEqual({line["unit"] for line in lines}, {"bytecode"})
        self.assertTrue(all("incomplete" not in line for line in lines), lines)
        calls = {"bench_x.Lexer.next": 2, "other.used": 2, "bench_x.Lexer.turns": 1, "bench_x.many": 1, "bench_x.bench_a": 1}
        self.assertEqual({name: both[0] for name, both in one.items()}, calls)
        self.assertEqual(three, {name: (3 * both[0], 3 * both[1]) for name, both in one.items()})

    def test_a_turn_of_a_loop_takes_as_many_instructions_each_time(self):
        _, (ten,) = self.executed()
        _, (twenty,) = self.executed(benchmark="bench_b")
        _, (thirty,) = self.executed(TEXT.replace("turns(20)", "turns(30)"), "bench_b")
        own = [turns["bench_x.Lexer.turns"][1] for turns in (ten, twenty, thirty)]
        self.assertGreaterEqual(own[1] - own[0], 10)
        self.assertEqual(own[1] - own[0], own[2] - own[1])

    def test_neither_the_worker_nor_hooks_around_samples_are_counted(self):
        text = "import tare\ndef hook():\n    pass\n@tare.before(hook)\n@tare.after(hook)\ndef bench_a():\n    pass\n"
        _, (counts,) = self.executed(text)
        self.assertEqual(set(counts), {"bench_x.bench_a"})

    def test_threads_are_counted(self):
        text = "import threading\ndef within():\n    pass\ndef bench_a():\n    t = threading.Thread(target=within)\n    t.start()\n    t.join()\n"
        _, (counts,) = self.executed(text)
        self.assertEqual(counts["bench_x.within"][0], 1)

    def test_functions_that_are_made_anew_belong_together(self):
        text = "def bench_a():\n    for n in range(3):\n        exec('def made():\\n    pass\\nmade()', {'__name__': 'x\\ud800\\x1b'})\n"
        _, (counts,) = self.executed(text)
        self.assertEqual(counts["x?\x1b.made"][0], 3)

    def test_code_that_takes_the_hook_away_is_incomplete(self):
        text = """
import sys
def bench_a():
    if hasattr(sys, "monitoring"):
        for tool in range(6):
            if sys.monitoring.get_tool(tool) == "tare":
                sys.monitoring.set_events(tool, 0)
    else:
        sys.settrace(None)
"""
        lines, _ = self.executed(text)
        self.assertIn("incomplete", lines[0])

    def test_without_the_variable_nothing_is_loaded(self):
        text = "import sys\nimport tare\ndef bench_a():\n    tare.metric('executed', int('tare_worker.executed' in sys.modules))\n"
        session = self.bench(text)
        session.prepare("bench_a")
        session.run("case", 1)
        self.assertEqual(session.send("finish")["metrics"], ["executed=0"])
