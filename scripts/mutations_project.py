"""A copy of a project that scripts/mutations changes: what its benchmarks execute, mutations of it, and what Tare says of them."""

import contextlib
import copy
import hashlib
import json
import os
import random
import re
import shutil
import subprocess

KINDS = {"executed": 10, "dependency": 2, "parameter": 2, "data": 1, "link": 1, "listing": 1, "unnamed": 3, "comment": 4, "unread": 1}
TOUCHING = ("constant", "operator", "statement", "dependency", "parameter")
VENDORED = ("vendor/", "vendored/")
PATIENCE = 600


def git(place, *command):
    identity = ["-c", "user.name=mutations", "-c", "user.email=mutations@localhost", "-c", "core.autocrlf=false"]
    return subprocess.run(["git", *identity, *command], cwd=place, capture_output=True, text=True, check=True).stdout


class Mutation:
    """A file's new content, or a link in its place where there is none; `matters` of a case is True, False, or None where that isn't known."""

    def __init__(self, kind, path, content, matters):
        self.kind, self.path, self.content, self.matters = kind, path, content, matters


def reads(word):
    """Whether a case is that benchmark of our own: `TareData` reads a file, `TareList` a folder."""
    return lambda case: word in case.lower().replace("_", "")


class Project:
    """A copy of a project, and what its benchmarks execute."""

    def __init__(self, entry, language, folder, options):
        self.entry, self.language, self.options = entry, language, options
        self.place = os.path.join(os.path.realpath(folder), entry["name"])
        self.random = random.Random("%s %d" % (entry["name"], options.seed))
        self.entry.update(python=options.python, tare=options.tare)
        self.clone(entry.get("folder") or "https://github.com/%s.git" % entry["repository"])
        if entry.get("commit") and entry["commit"] != "HEAD":
            git(self.place, "checkout", "-q", entry["commit"])
        self.environment = entry.get("environment", {})
        self.benchmarks = self.language.prepare(entry, self.place)
        data = os.path.join(self.place, self.benchmarks, "tare-data")
        for name in ("read.txt", "unread.txt", "listed/one.txt", "unlisted/one.txt"):
            os.makedirs(os.path.dirname(os.path.join(data, name)), exist_ok=True)
            with open(os.path.join(data, name), "w", encoding="utf-8") as file:
                file.write("some text\n")
        self.unnamed = []
        self.sources = [path for path in git(self.place, "ls-files").splitlines() if path.endswith(self.language.SUFFIX)]
        for path in self.sources:
            self.add_unnamed(path)
        git(self.place, "add", "-A")
        git(self.place, "add", "-f", *[folder for folder in VENDORED if os.path.isdir(os.path.join(self.place, folder))])
        git(self.place, "commit", "-q", "-m", "what mutations need")
        self.executed = self.language.oracle(entry, self.place, self.environment)
        if not self.executed:
            raise SystemExit("mutations: %s: the oracle saw nothing" % entry["name"])
        paths = {line[0] for lines in self.executed.values() for line in lines}
        self.warm = [path for path in self.sources if path in paths]
        self.cases, self.program = [], None

    def clone(self, source):
        # `.git` is a file here, as it is in a revision's worktree: pytest's plugins look at it.
        git(os.path.dirname(self.place), "clone", "-q", "--separate-git-dir", self.place + ".git", source, self.place)

    def copied(self, number):
        """A copy in a folder of its own, with records of its own."""
        other = copy.copy(self)
        other.place = "%s-%d" % (self.place, number)
        other.clone(self.place)
        git(other.place, "checkout", "-q", git(self.place, "rev-parse", "HEAD").strip())
        return other

    def add_unnamed(self, path):
        """A function that nothing names at a source's end, where one may stand there."""
        before = self.text(path)
        self.write(path, self.language.with_unnamed(before, self.new_name(), 7))
        if self.language.valid(os.path.join(self.place, path)):
            self.unnamed.append(path)
        else:
            self.write(path, before)

    def new_name(self):
        return "zq" + "".join(self.random.choice("bcdfghjkvwxz") for _ in range(12))

    def text(self, path):
        with open(os.path.join(self.place, path), encoding="utf-8", newline="") as file:
            return file.read()

    def write(self, path, content):
        with open(os.path.join(self.place, path), "w", encoding="utf-8", newline="") as file:
            file.write(content)

    def of_number(self, number):
        """The mutation of that number, always the same of a seed; None where the draw gave none."""
        self.random = random.Random("%s %d %d" % (self.entry["name"], self.options.seed, number))
        kinds = {kind: weight for kind, weight in KINDS.items() if kind in self.options.kinds}
        return self.mutation(self.random.choices(list(kinds), list(kinds.values()))[0])

    def source(self, of):
        """One of them; every other time one that cases execute."""
        warm = [path for path in of if path in self.warm]
        return self.random.choice(warm if warm and self.random.random() < 0.5 else of)

    def mutation(self, kind):
        if kind in ("data", "unread"):
            path = os.path.join(self.benchmarks, "tare-data", "read.txt" if kind == "data" else "unread.txt")
            return Mutation(kind, os.path.normpath(path), self.text(path) + self.new_name(), reads("taredata") if kind == "data" else lambda case: False)
        if kind == "listing":
            folder = self.random.choice(("listed", "unlisted"))
            path = os.path.join(self.benchmarks, "tare-data", folder, self.new_name() + ".txt")
            return Mutation(kind, os.path.normpath(path), "some text\n", reads("tarelist") if folder == "listed" else lambda case: False)
        if kind == "link":
            return self.linked()
        if kind == "unnamed":
            path = self.source(self.unnamed)
            before = self.text(path)
            at = re.search(r"\bzq[bcdfghjkvwxz]{12}\b.*?return.*?(7)", before, re.DOTALL).start(1)
            changed = before[:at] + str(self.random.randrange(8, 1000)) + before[at + 1:]
            after = self.random.choice([changed, self.language.with_unnamed(before, self.new_name(), 7)])
            return Mutation(kind, path, after, lambda case: False)
        if kind == "comment":
            path = self.source(self.sources)
            return self.edited(kind, path, self.language.remarks(os.path.join(self.place, path), self.text(path), self.new_name()), lambda place: lambda case: False)
        return self.touching(kind)

    def linked(self):
        """A file that becomes a link to a copy: the one that a benchmark reads, or a source, where the runtime reads sources."""
        if self.language.READS_SOURCES and self.random.random() < 0.8:
            path = self.random.choice(self.warm)
            return Mutation("link", path, None, lambda case: True if any(line[0] == path for line in self.executed_by(case)) else None)
        return Mutation("link", os.path.normpath(os.path.join(self.benchmarks, "tare-data", "read.txt")), None, reads("taredata"))

    def touching(self, kind):
        """A mutation of what is executed."""
        lines = self.executed[self.random.choice(sorted(self.executed))]
        mine = sorted(line for line in lines if line[0].startswith(VENDORED) == (kind == "dependency") and os.path.exists(os.path.join(self.place, line[0])))
        if not mine:
            return None
        path = self.random.choice(mine)[0]
        executed = {line[1] if len(line) == 2 else line[1:] for lines in self.executed.values() for line in lines if line[0] == path}
        edits = self.language.edits(os.path.join(self.place, path), self.text(path), executed)
        if kind == "parameter":
            edits = [edit for edit in edits if edit[0] == "constant" and self.is_parameter(path, edit[2])]

        def matters(place):
            line = (path, *place) if isinstance(place, tuple) else (path, place)
            return lambda case: True if line in self.executed_by(case) else None

        return self.edited(kind, path, edits, matters)

    def executed_by(self, case):
        """Lines of all parameter sets, or of that one: Google Benchmark writes it behind a slash."""
        return self.executed.get(case.split("#")[0]) or self.executed.get(case.replace("#", "/"), ())

    def is_parameter(self, path, offset):
        """Whether a benchmark's parameters stand there: in a decorator of pytest's, or in a provider."""
        before = self.text(path).encode()[:offset].decode(errors="replace")
        if path.endswith(".py"):
            begin = before.rfind("parametrize(")
            return begin >= 0 and "\ndef " not in before[begin:]
        begin = before.rfind("function ")
        name = before[begin + 9:].split("(")[0]
        return begin >= 0 and any(quote + name + quote in self.text(path) for quote in "'\"") and "Providers" in self.text(path)

    def edited(self, kind, path, edits, matters):
        if not edits:
            return None
        what, place, begin, end, new = self.random.choice(edits)
        raw = self.text(path).encode()
        after = (raw[:begin] + new.encode() + raw[end:]).decode()
        return Mutation(what if kind in ("executed", "comment") else kind, path, after, matters(place))

    def why(self, cases=None):
        """Findings by case; None where tare says nothing, as it does where nothing can be built."""
        chosen = ["(%s)$" % "|".join(re.escape(case.split("/", 1)[1]) for case in cases)] if cases else [self.entry.get("only", "")]
        command = [self.options.tare, "compare", "HEAD", ".", "--why", *filter(None, chosen), "--json", *self.entry.get("paths", [])]
        if self.entry["language"] == "python":
            command += ["--runtime", "python=" + self.entry["python"]]
        done = subprocess.run(
            command, cwd=self.place, env={**os.environ, **self.environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=PATIENCE, check=False
        )
        try:
            return {case["case"]: case for case in json.loads(done.stdout)["cases"]}
        except (ValueError, KeyError):
            return None

    def look(self):
        """Takes looks at the base, which are kept."""
        self.cases = sorted(self.why() or ())
        if not self.cases:
            raise SystemExit("mutations: %s: tare finds no cases" % self.entry["name"])
        self.program = self.language.program(self.place)

    def some_cases(self, mutation):
        """Those that are asked for: at most `--cases`, half of them touched ones where there are so many."""
        most = self.options.cases
        if not most or len(self.cases) <= most:
            return None
        touched = [case for case in self.cases if mutation.matters(case)]
        others = [case for case in self.cases if not mutation.matters(case)]
        half = min(len(touched), max((most + 1) // 2, most - len(others)))
        return sorted(self.random.sample(touched, half) + self.random.sample(others, min(len(others), most - half)))

    def asked(self, mutation, is_new):
        """What tare says of the mutation, its diff, and a digest of it, of which `is_new` tells whether it is asked for."""
        with self.changed(mutation) as before:
            source = mutation.path.endswith(self.language.SUFFIX)
            if source and not self.language.valid(os.path.join(self.place, mutation.path)):
                return None, "", ""
            if mutation.kind in TOUCHING and self.language.same(before, mutation.content):
                return None, "", ""
            diff = git(self.place, "diff", "-U1") or "one more file: %s\n" % mutation.path
            digest = hashlib.sha256(diff.encode()).hexdigest()[:16]
            if not is_new(digest):
                return None, "", ""
            findings = self.why(self.some_cases(mutation))
            # A compiler may drop what was changed: what is executed at no level of optimisation is in no program.
            is_asked = mutation.kind in TOUCHING and findings and (self.language.PROGRAM_IS_THERE or any(
                mutation.matters(name) and case["finding"] == "unchanged" for name, case in findings.items()
            ))
            if is_asked and self.program and self.language.program(self.place) == self.program:
                return None, "", ""
            return findings, diff, digest
        return None, "", ""

    @contextlib.contextmanager
    def changed(self, mutation):
        """The copy with the mutation, as it was before when the block ends; a comparison that takes too long ends the block."""
        path = os.path.join(self.place, mutation.path)
        before = self.text(mutation.path) if os.path.exists(path) else None
        aside = self.place + ".aside"
        try:
            if mutation.content is None:
                shutil.copy2(path, aside)
                os.remove(path)
                os.symlink(aside, path)
            else:
                self.write(mutation.path, mutation.content)
            with contextlib.suppress(subprocess.TimeoutExpired):
                yield before
        finally:
            os.remove(path)
            if before is not None:
                self.write(mutation.path, before)
