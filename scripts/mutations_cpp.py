"""Mutations of sources in C++, and what benchmarks execute by gcov, built with Google Benchmark: for scripts/mutations."""

import json
import os
import re
import shutil
import subprocess
import tempfile

DATA = """#include <benchmark/benchmark.h>
#include <cstdio>
#include <cstdlib>
#include <dirent.h>

static void TareData(benchmark::State& state) {
  char text[64];
  std::FILE* file = std::fopen("tare-data/read.txt", "r");
  if (file == nullptr) std::abort();
  std::size_t size = std::fread(text, 1, sizeof text, file);
  std::fclose(file);
  for (auto _ : state) {
    unsigned sum = 0;
    for (std::size_t i = 0; i < size; i++) sum = sum * 31 + text[i];
    benchmark::DoNotOptimize(sum);
  }
}
BENCHMARK(TareData);

static void TareList(benchmark::State& state) {
  for (auto _ : state) {
    int count = 0;
    DIR* folder = opendir("tare-data/listed");
    if (folder == nullptr) std::abort();
    while (readdir(folder) != nullptr) count++;
    closedir(folder);
    benchmark::DoNotOptimize(count);
  }
}
BENCHMARK(TareList);
"""
# What every translation unit reads of Tare is compiled once, outside of the project. Only what was changed is compiled again.
MAKEFILE = """CXX = g++ -std=c++17 -O1 -g1 -w -pthread -include benchmark/benchmark.h -I%(ours)s -I%(include)s -I%(include)s/tare/google %(flags)s
OBJECTS = %(objects)s
build/benchmarks: $(OBJECTS)
\tg++ -pthread -Wl,--build-id=none $(OBJECTS) %(main)s -o $@
%(rules)s
-include $(OBJECTS:.o=.d)
"""
RULE = "build/%s.o: %s Makefile\n\t@mkdir -p $(@D)\n\t$(CXX) -MMD -c $< -o $@\n"
SETTINGS = '[run]\nbuild = "make -s"\npaths = ["build/benchmarks"]\n'
HEADER = "#ifndef TARE_OURS\n#define TARE_OURS\n#include <tare/benchmark.h>\n#endif\n"
NEW = "\n%sint %s(int first) {\n  return first + %d;\n}\n"
SUFFIX = (".h", ".cc", ".cpp")
PROGRAM_IS_THERE = True
READS_SOURCES = False
OPERATORS = {" + ": " - ", " - ": " + ", " < ": " > ", " > ": " < ", " <= ": " < ", " >= ": " > ", " == ": " != ", " != ": " == ", " && ": " || ", " || ": " && ", " >> ": " << "}
LEAVES = re.compile(r"\s*(return|throw|break|continue|goto|case|default|using|typedef|static|friend|extern|namespace|for|do|else|}|#)\b")
# Strings, characters and comments hold no numbers and operators of the program.
LEFT = re.compile(r"\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])*'|//[^\n]*|/\*.*?\*/|^[ \t]*#[^\n]*", re.DOTALL | re.MULTILINE)


def prepare(project, place):
    ours = os.path.join(os.path.dirname(place), "compiled")
    include = subprocess.run([project["tare"], "sdk", "cpp", "--include-dir"], capture_output=True, text=True, check=True).stdout.strip()
    if not os.path.isdir(ours):
        os.makedirs(os.path.join(ours, "benchmark"))
        with open(os.path.join(ours, "benchmark", "benchmark.h"), "w", encoding="utf-8") as file:
            file.write(HEADER)
        build = ["g++", "-std=c++17", "-O1", "-g1", "-w", "-pthread", "-I" + include]
        subprocess.run([*build, "-x", "c++-header", "benchmark/benchmark.h", "-o", "benchmark/benchmark.h.gch"], cwd=ours, check=True)
        subprocess.run([*build, "-c", include + "/tare/benchmark_main.cc", "-o", "main.o"], cwd=ours, check=True)
    subprocess.run(["sh", "-ec", project.get("configure", "true")], cwd=place, check=True)
    project["sources"] = [*project["sources"], "tare_data.cc"]
    objects = {re.sub(r"\W", "_", source): source for source in project["sources"]}
    texts = {
        "tare_data.cc": DATA,
        "tare.toml": SETTINGS,
        "Makefile": MAKEFILE % {
            "ours": ours, "include": include, "flags": project.get("flags", ""), "main": ours + "/main.o" if project.get("main") else "",
            "objects": " ".join("build/%s.o" % name for name in objects), "rules": "".join(RULE % pair for pair in objects.items()),
        },
        ".gitignore": "/build\n",
    }
    for name, text in texts.items():
        with open(os.path.join(place, name), "w", encoding="utf-8") as file:
            file.write(text)
    return "."


def oracle(project, place, _environment):
    """Lines that a benchmark executes, by case: those that are counted more often than when no benchmark runs."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "copy")
        shutil.copytree(place, copy, ignore=shutil.ignore_patterns(".git", ".tare", "build"))
        objects = []
        for number, source in enumerate(project["sources"]):
            objects.append("%d.o" % number)
            subprocess.run("g++ -std=c++17 -O0 --coverage -w -pthread %s -c %s -o %d.o" % (project.get("flags", ""), source, number), shell=True, cwd=copy, check=True)
        libraries = ["-lbenchmark_main"] if project.get("main") else []
        subprocess.run(["g++", "--coverage", "-pthread", *objects, "-o", "program", *libraries, "-lbenchmark"], cwd=copy, check=True)
        names = subprocess.run(["./program", "--benchmark_list_tests"], cwd=copy, capture_output=True, text=True, check=True).stdout.split("\n")
        names = [name for name in names if name and re.search(project.get("only", ""), name)]
        before = counts(copy, "^$", objects)
        for name in names:
            lines = counts(copy, "^%s$" % re.escape(name), objects)
            found["cpp/" + name] = {line for line, times in lines.items() if times > before.get(line, 0)}
    return found


def counts(folder, chosen, objects):
    """How often each line of the project's is executed by a run of its own."""
    for name in os.listdir(folder):
        if name.endswith(".gcda"):
            os.remove(os.path.join(folder, name))
    subprocess.run(["./program", "--benchmark_filter=" + chosen, "--benchmark_min_time=0.000001"], cwd=folder, capture_output=True, check=True, timeout=120)
    said = subprocess.run(["gcov", "--json-format", "--stdout", *objects], cwd=folder, capture_output=True, text=True, check=True).stdout
    lines = {}
    for document in said.splitlines():
        if not document.startswith("{"):
            continue
        for file in json.loads(document)["files"]:
            path = os.path.normpath(os.path.join(folder, file["file"]))
            if not path.startswith(folder + os.sep):
                continue
            for line in file["lines"]:
                key = (path[len(folder) + 1:], line["line_number"])
                lines[key] = lines.get(key, 0) + line["count"]
    return lines


def edits(_path, text, executed):
    """Edits of executed lines: (kind, line, from, to, text). Offsets are of bytes."""
    found, offset = [], 0
    raw = text.encode().decode("latin-1")
    blank = LEFT.sub(lambda match: re.sub(r"[^\n]", " ", match.group()), raw)
    for number, line in enumerate(blank.splitlines(keepends=True), 1):
        if number in executed:
            for match in re.finditer(r"(?<![\w.])\d+(?![\w.])", line):
                found.append(("constant", number, offset + match.start(), offset + match.end(), str(int(match.group(), 10) + 1)))
            for match in re.finditer("|".join(map(re.escape, OPERATORS)), line):
                found.append(("operator", number, offset + match.start(), offset + match.end(), OPERATORS[match.group()]))
            end = len(line.rstrip())
            if line.rstrip().endswith(";") and line.count("(") == line.count(")") and not LEAVES.match(line):
                found.append(("statement", number, offset + end, offset + end, " { volatile int tare_added = 1; (void)tare_added; }"))
        offset += len(line)
    return found


def remarks(_path, text, word):
    """Places of comments: before a line that continues no other."""
    found, offset, within, before = [], 0, set(), "\n"
    for match in re.finditer(r"/\*.*?\*/|R\"\w*\(.*?\)\w*\"", text, re.DOTALL):
        within |= set(range(match.start(), match.end()))
    for line in text.splitlines(keepends=True):
        if text.isascii() and offset not in within and not before.rstrip().endswith("\\"):
            found.append(("comment", 0, offset, offset, "// %s\n" % word))
        offset, before = offset + len(line), line
    return found


def with_unnamed(text, name, value):
    """The text with one more function, which nothing names: within the guard, where the file is a header."""
    guard = re.search(r"^#endif[^\n]*\s*\Z", text, re.MULTILINE) if re.search(r"^#ifndef", text, re.MULTILINE) else None
    if guard or "#pragma once" in text:
        at = guard.start() if guard else len(text)
        return text[:at] + NEW % ("inline ", name, value) + text[at:]
    return text + NEW % ("", name, value)


def valid(_path):
    """Whether it can be built is Tare's to say, which builds it anyway."""
    return True


def same(before, after):
    return before == after


def program(place):
    """The program that was built last, without what no instruction refers to."""
    with tempfile.NamedTemporaryFile() as stripped:
        done = subprocess.run(["strip", "-s", "-o", stripped.name, os.path.join(place, "build", "benchmarks")], capture_output=True, check=False)
        return stripped.read() if done.returncode == 0 else None
