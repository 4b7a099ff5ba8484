"""What a look records of the code that runs (PROTOCOL 1.10)."""

import json
import os
import tempfile

from cases import Case

TEXT = """
import other
def setup():
    return other.used()
VALUE = setup()
def helper():
    return [other.used() for _ in "ab"]
def bench_a():
    return helper()
def bench_b():
    return other.unused()
"""
OTHER = "def used():\n    return 1\ndef unused():\n    return 2\n"


class Look(Case):
    def look(self, text=TEXT, benchmark="bench_a"):
        """The lines by the reply before which they were written, and the folder of the sources."""
        sources = self.sources(bench_x=text, other=OTHER)
        path = os.path.join(tempfile.mkdtemp(dir=sources.folder), "look")
        session = self.session(sources.path("bench_x.py"), environment={"TARE_LOOK": path})
        session.prepare(benchmark)
        session.run("case", 1, warm=1)
        session.send("finish")
        session.close()
        with open(path) as file:
            return {line["after"]: line for line in map(json.loads, file)}, sources.folder

    def names(self, line, folder):
        return {call["name"] for call in line["calls"] if call["file"].startswith(folder) and not call["name"].startswith("<listcomp")}

    def test_code_belongs_to_the_request_in_which_it_ran(self):
        lines, folder = self.look()
        self.assertEqual(list(lines), ["hello", "loaded", "ready", "samples", "finished"])
        self.assertEqual(self.names(lines["loaded"], folder), {"<module>", "setup", "used"})
        self.assertEqual(self.names(lines["samples"], folder), {"bench_a", "helper", "used"})
        self.assertEqual(self.names(lines["finished"], folder), set())
        self.assertTrue(all("incomplete" not in line for line in lines.values()), lines)
        place = next(call for call in lines["samples"]["calls"] if call["name"] == "helper")
        self.assertEqual((place["file"], place["line"]), (os.path.join(folder, "bench_x.py"), 6))

    def test_a_project_file_counts_as_read_where_the_runner_is_not_who_reads_it(self):
        reads = "    pathlib.Path(__file__).with_name('pyproject.toml').open('a').close()\n"
        lines, folder = self.look("import pathlib\ndef bench_a():\n" + reads)
        self.assertEqual(lines["samples"]["read"], [os.path.join(folder, "pyproject.toml")])
        runner = "import os, sys\nfolder = os.path.join(os.path.dirname(__file__), 'site-packages', '_pytest')\nos.makedirs(folder)\n"
        runner += "with open(os.path.join(folder, 'config.py'), 'w') as file:\n    file.write('def find(path):\\n    open(path, \"a\").close()\\n')\n"
        runner += "sys.path.append(folder)\nimport config\n"
        runner += "def bench_a():\n    config.find(os.path.join(os.path.dirname(__file__), 'pyproject.toml'))\n"
        lines, _ = self.look(runner)
        self.assertNotIn("read", lines["samples"])

    def test_neither_the_worker_nor_the_writing_is_recorded(self):
        lines, _ = self.look()
        files = {call["file"] for line in lines.values() for call in line["calls"]}
        self.assertFalse([file for file in files if "tare_worker" in file])
        self.assertFalse([call for call in lines["samples"]["calls"] if "json" in call["file"]])

    def test_what_the_worker_does_when_a_package_is_imported_is_not_recorded(self):
        lines, folder = self.look("def bench_a():\n    import xml.dom.minidom\n    import wsgiref.util\n")
        files = {call["file"] for call in lines["samples"]["calls"]}
        self.assertIn(os.path.join(folder, "bench_x.py"), files)
        self.assertFalse([file for file in files if os.path.basename(file) == "worker.py"], files)

    def test_threads_and_generators_are_recorded(self):
        text = """
import threading
def many():
    yield 1
    yield 2
GENERATOR = many()
next(GENERATOR)
def within():
    pass
def bench_a():
    list(GENERATOR)
    thread = threading.Thread(target=within)
    thread.start()
    thread.join()
"""
        lines, folder = self.look(text)
        self.assertEqual(self.names(lines["samples"], folder), {"bench_a", "many", "within"})

    def test_equal_code_in_two_files_is_told_of_both(self):
        sources = self.sources(bench_x="import one, two\ndef bench_a():\n    one.f()\n    two.f()\n", one=OTHER.replace("used", "f"), two=OTHER.replace("used", "f"))
        path = os.path.join(tempfile.mkdtemp(dir=sources.folder), "look")
        session = self.session(sources.path("bench_x.py"), environment={"TARE_LOOK": path})
        session.prepare("bench_a")
        session.run("case", 1)
        session.close()
        with open(path) as file:
            calls = next(line["calls"] for line in map(json.loads, file) if line["after"] == "samples")
        self.assertEqual({os.path.basename(call["file"]) for call in calls if call["name"] == "f"}, {"one.py", "two.py"})

    def test_generated_code_tells_what_it_mentions(self):
        text = "def bench_a():\n    return eval(compile('len([]) + abs(-1)', '<made>', 'eval'))\n"
        lines, _ = self.look(text)
        made = [call for call in lines["samples"]["calls"] if call["file"] == "<made>"]
        self.assertEqual([call["names"] for call in made], [["abs", "len"]])

    def test_what_hides_code_is_said(self):
        for body in (
            "import subprocess, sys\n    subprocess.run([sys.executable, '-c', ''])",
            "import os\n    if os.fork() == 0:\n        os._exit(0)\n    os.wait()",
            "import sys\n    sys.setprofile(None)",
        ):
            lines, _ = self.look("def bench_a():\n    %s\n" % body)
            self.assertIn("incomplete", lines["samples"], body)

    def test_without_the_variable_nothing_is_loaded(self):
        text = "import sys\nimport tare\ndef bench_a():\n    tare.metric('look', int('tare_worker.look' in sys.modules))\n"
        session = self.bench(text)
        session.prepare("bench_a")
        session.run("case", 1)
        self.assertEqual(session.send("finish")["metrics"], ["look=0"])
