"""Mutations of sources in Go, and what benchmarks execute by `-coverprofile`: for scripts/mutations."""

import hashlib
import os
import re
import subprocess
import tempfile

DATA = """package %s

import (
	"bytes"
	"os"
	"testing"
)

func BenchmarkTareData(b *testing.B) {
	text, err := os.ReadFile("tare-data/read.txt")
	if err != nil {
		b.Fatal(err)
	}
	size := 10
	for i := 0; i < b.N; i++ {
		bytes.Repeat(text, size)
	}
}

func BenchmarkTareList(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if _, err := os.ReadDir("tare-data/listed"); err != nil {
			b.Fatal(err)
		}
	}
}
"""
NEW = "\nfunc %s(first int) int {\n\treturn first + %d\n}\n"
SUFFIX = ".go"
PROGRAM_IS_THERE = False
READS_SOURCES = False
OPERATORS = {" + ": " - ", " - ": " + ", " < ": " > ", " > ": " < ", " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && "}
# Strings, runes and comments hold no numbers and operators of the program.
LEFT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|`[^`]*`|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/", re.DOTALL)


def prepare(project, place):
    package = next(
        match.group(1)
        for name in sorted(os.listdir(place)) if name.endswith("_test.go")
        for match in [re.search(r"^package (\w+)", open(os.path.join(place, name), encoding="utf-8").read(), re.MULTILINE)]
    )
    with open(os.path.join(place, "tare_data_test.go"), "w", encoding="utf-8") as file:
        file.write(DATA % package)
    return "."


def oracle(project, place, _environment):
    """Blocks that one iteration of a benchmark executes, as (path, line, column, last line, last column), by benchmark."""
    found = {}
    module = re.search(r"^module (\S+)", open(os.path.join(place, "go.mod"), encoding="utf-8").read(), re.MULTILINE).group(1)
    with tempfile.TemporaryDirectory() as folder:
        program, profile = os.path.join(folder, "program"), os.path.join(folder, "profile")
        subprocess.run(["go", "test", "-c", "-cover", "-o", program, "."], cwd=place, check=True, capture_output=True)
        names = subprocess.run([program, "-test.list", "^Benchmark"], cwd=place, capture_output=True, text=True, check=True).stdout.split()
        for name in names:
            if not name.startswith("Benchmark"):
                continue
            # Benchmarks within a benchmark are cases of their own.
            said = subprocess.run([*command(program, name), "-test.coverprofile", profile], cwd=place, capture_output=True, text=True, check=False)
            cases = set(re.findall(r"^(Benchmark\S*?)(?:-\d+)?\s+\d+\s", said.stdout, re.MULTILINE)) if said.returncode == 0 else ()
            for case in sorted(cases):
                if case != name:
                    subprocess.run([*command(program, case), "-test.coverprofile", profile], cwd=place, capture_output=True, check=True)
                found["go/" + case] = covered(profile, module)
    return found


def command(program, case):
    """Runs one iteration of a benchmark."""
    names = "/".join("^%s$" % re.escape(part) for part in case.split("/"))
    return [program, "-test.run", "^$", "-test.bench", names, "-test.benchtime", "1x"]


def covered(profile, module):
    blocks = set()
    with open(profile, encoding="utf-8") as file:
        for line in file:
            match = re.match(re.escape(module) + r"/(.+):(\d+)\.(\d+),(\d+)\.(\d+) \d+ (\d+)$", line)
            if match and match.group(6) != "0":
                blocks.add((match.group(1), *map(int, match.groups()[1:5])))
    return blocks


def edits(_path, text, executed):
    """Edits of executed blocks: (kind, block, from, to, text)."""
    found, starts = [], [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    raw = text.encode().decode("latin-1")
    blank = LEFT.sub(lambda match: " " * len(match.group()), raw)
    for block in executed:
        begin, end = starts[block[0] - 1] + block[1] - 1, starts[block[2] - 1] + block[3] - 1
        for match in re.finditer(r"(?<![\w.])\d+(?![\w.])", blank[begin:end]):
            found.append(("constant", block, begin + match.start(), begin + match.end(), str(int(match.group()) + 1)))
        for match in re.finditer("|".join(map(re.escape, OPERATORS)), blank[begin:end]):
            found.append(("operator", block, begin + match.start(), begin + match.end(), OPERATORS[match.group()]))
        if blank[begin:begin + 1] == "{":
            found.append(("statement", block, begin + 1, begin + 1, " for tareAdded := 0; tareAdded < 3; tareAdded++ {\n}\n"))
    return found


def remarks(_path, text, word):
    found, offset = [], 0
    quoted = set()
    for match in re.finditer(r"`[^`]*`", text):
        quoted |= set(range(match.start(), match.end()))
    for line in text.splitlines(keepends=True):
        if offset not in quoted and not line.startswith("//go:") and line.strip() and line.isascii() and text.isascii():
            found.append(("comment", 0, offset, offset, "\n// %s\n\n" % word if not line[0].isspace() else "// %s\n" % word))
        offset += len(line)
    return found


def with_unnamed(text, name, value):
    """The text with one more function, which nothing names."""
    return text + NEW % (name, value)


def program(place):
    """Instructions of the program, without those of tests, which no benchmark calls: the compiler drops what it finds to be of no use."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "program")
        subprocess.run(["go", "test", "-c", "-o", path, "."], cwd=place, check=True, capture_output=True)
        text = subprocess.run(["go", "tool", "objdump", path], capture_output=True, text=True, check=True).stdout
    functions = re.split(r"^TEXT ", text, flags=re.MULTILINE)[1:]
    is_test = re.compile(r"\S*\.(Test|Example|Fuzz)[A-Z]\w*(\.|\(SB\))")
    kept = [re.sub(r"^  \S+:\d+\t+", "", function, flags=re.MULTILINE) for function in functions if not is_test.match(function)]
    return hashlib.sha256("".join(kept).encode()).hexdigest()


def valid(path):
    """Whether it can be read; whether it can be built is Tare's to say, which builds it anyway."""
    return subprocess.run(["gofmt", "-e", path], capture_output=True, check=False).returncode == 0


def same(before, after):
    return before == after
