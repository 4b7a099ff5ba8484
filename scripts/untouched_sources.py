"""The files of scripts/untouched and scripts/untouched-places: benchmarks written by lot from a seed, in two revisions.

Between `base` and `grown` two of them have grown, or a list before them all; the text of the others is the same in both.
"""

import os
import random
import subprocess

LANGUAGES = ("php", "python", "go", "cpp")
# Those whose files begin with a list that can grow instead of benchmarks.
WITH_DATA = ("go", "cpp")
# The length of that list in `base`.
AHEAD = 1000
FILES = {"php": "FileBench.php", "python": "bench_file.py", "go": "file_test.go", "cpp": "file.cc"}
CPP_PROJECT = """[run]
paths = ["build/file"]
build = '''
mkdir -p build
"${CXX:-c++}" -O2 -std=c++17 -pthread $CXXFLAGS -I"$("$TARE" sdk cpp --include-dir)" file.cc -o build/file
'''
"""
# What stands beside the file.
BESIDE = {
    "php": {".gitignore": ".tare/\n__pycache__/\n"},
    "python": {".gitignore": ".tare/\n__pycache__/\n"},
    "go": {".gitignore": ".tare/\nbuild/\n", "tare.toml": "", "go.mod": "module file\n\ngo 1.21\n"},
    "cpp": {".gitignore": ".tare/\nbuild/\n", "tare.toml": CPP_PROJECT},
}

PHP_HEAD = """<?php

final class FileBench
{
    private $result;

    private function helper(int $x): int
    {
        return ($x * 7) & 1023;
    }
"""

PYTHON_HEAD = """class Node:
    def __init__(self, value):
        self.value = value


def helper(x):
    return (x * 7) & 1023
"""

# Statements of a benchmark; {n} is a number of their own.
PHP_LINES = [
    "for ($i = 0; $i < {n}; ++$i) {{ $sum = ($sum * 31 + $i) & 0xffff; }}",
    "$text .= substr('the quick brown fox', {n} % 9, 5);",
    "$list[] = $sum % {n}; $sum += count($list);",
    "$sum += strlen(str_replace('o', '00', 'foo{n}' . $sum));",
    "$list['k{n}'] = $sum; $sum ^= $list['k{n}'] + {n};",
    "$sum += $this->helper($sum) + {n};",
    "$node = new stdClass(); $node->value = $sum + {n}; $sum = $node->value & 0xffff;",
]
PYTHON_LINES = [
    "for i in range({n}): total = (total * 31 + i) & 0xFFFF",
    "text += 'the quick brown fox'[{n} % 9 : {n} % 9 + 5]",
    "found.append(total % {n}); total += len(found)",
    "total += len(('foo{n}' + str(total)).replace('o', '00'))",
    "table['k{n}'] = total; total ^= table['k{n}'] + {n}",
    "total += helper(total) + {n}",
    "node = Node(total + {n}); total = node.value & 0xFFFF",
]

GO_HEAD = """package file

import (
\t"strconv"
\t"testing"
)

var sink int

type node struct {
\tnext  *node
\tvalue int
}

func list(length int) (first *node) {
\tfor i := 0; i < length; i++ {
\t\tfirst = &node{first, i}
\t}
\treturn first
}

func table(length int) map[int]int {
\tfound := make(map[int]int)
\tfor i := 0; i < length; i++ {
\t\tfound[i*7919] = i
\t}
\treturn found
}

func numbers(length int) []int {
\tfound := make([]int, length)
\tfor i := range found {
\t\tfound[i] = i * 2654435761 % 1000003
\t}
\treturn found
}
"""

# Declaration of the data, and the body of a call. {n} is a name of its own, {size} a size.
GO_KINDS = [
    ("var data{n} = list({size})", "for at := data{n}; at != nil; at = at.next {{\n\t\t\tsink += at.value\n\t\t}}"),
    ("var data{n} = table({size})", "for i := 0; i < {size}; i++ {{\n\t\t\tsink += data{n}[i*7919]\n\t\t}}"),
    ("var data{n} = numbers({size})", "for i, value := range data{n} {{\n\t\t\tsink += value ^ data{n}[(i*31)%{size}]\n\t\t}}"),
    ("var data{n} *node", "data{n} = nil\n\t\tfor i := 0; i < {size}; i++ {{\n\t\t\tdata{n} = &node{{data{n}, i}}\n\t\t}}\n\t\tsink += data{n}.value"),
    ("var data{n} string", "text := make([]byte, 0, 8)\n\t\tfor i := 0; i < {size}/4; i++ {{\n\t\t\ttext = strconv.AppendInt(text, int64(i), 10)\n\t\t}}\n\t\tdata{n} = string(text)"),
]

CPP_HEAD = """#include <list>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include <tare/benchmark.h>

static std::list<int> list(int length)
{
    std::list<int> found;
    for (int i = 0; i < length; ++i)
        found.push_back(i);
    return found;
}

static std::unordered_map<int, int> table(int length)
{
    std::unordered_map<int, int> found;
    for (int i = 0; i < length; ++i)
        found[i * 7919] = i;
    return found;
}

static std::vector<std::unique_ptr<int>> objects(int length)
{
    std::vector<std::unique_ptr<int>> found;
    for (int i = 0; i < length; ++i)
        found.push_back(std::make_unique<int>(i));
    return found;
}
"""

CPP_KINDS = [
    ("static const auto data{n} = list({size});", "for (const int value : data{n})\n            sum += value;"),
    ("static const auto data{n} = table({size});", "for (int i = 0; i < {size}; ++i)\n            sum += data{n}.find(i * 7919)->second;"),
    ("static const auto data{n} = objects({size});", "for (const auto &object : data{n})\n            sum += *object;"),
    ("", "std::vector<int> values;\n        for (int i = 0; i < {size}; ++i)\n            values.push_back(i);\n        sum += values.back();"),
    ("", "std::string text;\n        for (int i = 0; i < {size} / 4; ++i)\n            text += std::to_string(i);\n        sum += static_cast<int>(text.size());"),
]


def interpreted(language, seed, methods, grown):
    """The text of a file in PHP or Python."""
    lots = random.Random(seed)
    table = PHP_LINES if language == "php" else PYTHON_LINES
    parts = [PHP_HEAD if language == "php" else PYTHON_HEAD]
    for number in range(methods):
        # As many lots are drawn whether it has grown or not, so that what is behind stays the same.
        drawn = [lots.choice(table).format(n=lots.randrange(3, 60)) for _ in range(lots.randrange(4, 15) + 8)]
        body = drawn if number in grown else drawn[:-8]
        if language == "php":
            text = "".join(f"        {line}\n" for line in body)
            parts.append(
                f"\n    public function benchMethod{number:02}(): void\n    {{\n        $sum = {number};\n        $text = '';\n        $list = [];\n"
                f"{text}        $this->result = [$sum, $text];\n    }}\n"
            )
        else:
            text = "".join(f"    {line}\n" for line in body)
            parts.append(
                f"\n\ndef bench_method{number:02}():\n    total, text, found, table = {number}, '', [], {{}}\n{text}    return total, text\n"
            )
    return "".join(parts) + ("}\n" if language == "php" else "")


def compiled(language, seed, methods, grown, ahead):
    """The text of a file in Go or C++."""
    lots = random.Random(seed)
    parts = [GO_HEAD if language == "go" else CPP_HEAD]
    parts.append(f"var ahead = list({ahead})\n" if language == "go" else f"static const auto ahead = list({ahead});\n")
    for number in range(methods):
        kinds = GO_KINDS if language == "go" else CPP_KINDS
        declaration, call = lots.choice(kinds)
        # Drawn for all, so that those behind are the same in both revisions.
        size, more, lines = lots.randrange(40, 200), lots.randrange(20, 200), lots.randrange(3, 12)
        values = {"n": f"{number:02}", "size": size + (more if number in grown else 0)}
        extra = [str(line * 1000003 + number) for line in range(lines)] if number in grown else []
        if language == "go":
            code = "".join(f"\t\tsink ^= sink>>3 + {value}\n" for value in extra)
            parts.append(
                f"{declaration}\n\nfunc BenchmarkMethod{{n}}(b *testing.B) {{{{\n\tfor i := 0; i < b.N; i++ {{{{\n\t\t{call}\n{code}\t}}}}\n}}}}\n".format(**values)
            )
        else:
            code = "".join(f"        sum ^= (sum >> 3) + {value}u;\n" for value in extra)
            parts.append(
                f"{declaration}\n\nstatic void Method{{n}}(benchmark::State &state)\n{{{{\n    for (auto _ : state) {{{{\n        unsigned sum = 0;\n        {call}\n{code}"
                f"        benchmark::DoNotOptimize(sum);\n    }}}}\n}}}}\nBENCHMARK(Method{{n}});\n".format(**values)
            )
    if language == "cpp":
        parts.append("BENCHMARK_MAIN();\n")
    return "\n".join(parts)


def source(language, seed, methods, grown, ahead=AHEAD):
    """The text of a file; `grown` are the numbers of those that have grown, `ahead` is the length of the list before all (Go, C++)."""
    if language in WITH_DATA:
        return compiled(language, seed, methods, grown, ahead)
    return interpreted(language, seed, methods, grown)


def grown_methods(seed, methods):
    """The numbers of the two that grow."""
    return random.Random(seed ^ 0xA5A5).sample(range(methods), 2)


def git(folder, *arguments):
    identity = ["-c", "user.name=Untouched", "-c", "user.email=untouched@localhost", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *identity, *arguments], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def repository(folder, language, seed, methods, grows):
    """Makes a repository with the tags `base` and `grown`; gives the numbers of the benchmarks that have grown."""
    grown = grown_methods(seed, methods) if grows == "methods" else []
    ahead = AHEAD if grows == "methods" else AHEAD + random.Random(seed ^ 0xA5A5).randrange(20, 200)
    git(folder, "init", "--quiet")
    for revision, numbers, length in (("base", (), AHEAD), ("grown", grown, ahead)):
        files = {**BESIDE[language], FILES[language]: source(language, seed, methods, numbers, length)}
        for path, text in files.items():
            with open(os.path.join(folder, path), "w", encoding="utf-8") as file:
                file.write(text)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message", revision)
        git(folder, "tag", revision)
    return grown
