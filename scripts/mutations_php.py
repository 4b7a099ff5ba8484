"""Mutations of sources in PHP, by PHP's own tokens, and what benchmarks execute by pcov: for scripts/mutations."""

import json
import os
import subprocess

HERE = os.path.dirname(os.path.abspath(__file__))
ORACLE = os.path.join(HERE, "mutations_oracle.php")
OPERATORS = {"+": "-", "-": "+", "*": "+", "<": ">", ">": "<", "===": "!==", "!==": "===", "==": "!=", "&&": "||", "||": "&&", ".": ". '' ."}
AUTOLOAD = """<?php
%s
namespace {
require __DIR__ . '/dependency.php';
spl_autoload_register(static function ($class) {
    foreach (%s as $prefix => $folder) {
        $file = __DIR__ . '/../' . tare_dependency($prefix, $folder, $class);
        if (strncmp($class, $prefix, strlen($prefix)) === 0 && is_file($file)) {
            require $file;
            return;
        }
    }
});
%s
}
"""
DEPENDENCY = """<?php

function tare_dependency($prefix, $folder, $class)
{
    $rest = substr($class, strlen($prefix));
    return $folder . str_replace('\\\\', '/', (string) $rest) . '.php';
}
"""
DATA = """<?php

final class TareFilesBench
{
    public function provideSizes(): array
    {
        return ['small' => ['size' => 10], 'large' => ['size' => 20]];
    }

    /** @ParamProviders({"provideSizes"}) */
    public function benchTareData(array $set): void
    {
        $text = file_get_contents(__DIR__ . '/tare-data/read.txt');
        strlen(str_repeat($text, $set['size']));
    }

    public function benchTareList(): void
    {
        count(scandir(__DIR__ . '/tare-data/listed'));
    }
}
"""
NEW = "\nfunction %s($first)\n{\n    return $first + %d;\n}\n"
SUFFIX = ".php"
PROGRAM_IS_THERE = False
READS_SOURCES = True
COMMENT = "/* %s */"
TIMEOUT = 60


def php(command, place):
    done = subprocess.run(["php", *command], cwd=place, capture_output=True, text=True, timeout=TIMEOUT, check=False)
    return done.stdout if done.returncode == 0 else None


def prepare(project, place):
    """`vendor/autoload.php` with a dependency below it, and a benchmark that reads a file."""
    os.makedirs(os.path.join(place, "vendor"), exist_ok=True)
    pairs = ", ".join("%s => %s" % (json.dumps(prefix), json.dumps(folder)) for prefix, folder in project["namespaces"].items())
    files = "\n".join("require __DIR__ . '/../%s';" % file for file in project.get("files", []))
    for name, text in (("autoload.php", AUTOLOAD % (project.get("interfaces", ""), "[%s]" % pairs, files)), ("dependency.php", DEPENDENCY)):
        with open(os.path.join(place, "vendor", name), "w", encoding="utf-8") as file:
            file.write(text)
    stated = settings(place)
    # Without PHP's own settings Debian's PHP has no tokenizer: nothing would be proven, and nothing could be proven falsely.
    if stated.pop("runner.php_disable_ini", None):
        with open(os.path.join(place, "phpbench.json"), "w", encoding="utf-8") as file:
            json.dump(stated, file, indent=4)
    folder = os.path.join(place, stated.get("runner.path", "benchmark"))
    with open(os.path.join(folder, "TareFilesBench.php"), "w", encoding="utf-8") as file:
        file.write(DATA)
    return os.path.relpath(folder, place)


def settings(place):
    with open(os.path.join(place, "phpbench.json"), encoding="utf-8") as file:
        return json.load(file)


def oracle(project, place, _options):
    """Lines that all parameter sets of a benchmark execute, by case without parameters."""
    found = {}
    folder = settings(place).get("runner.path", "benchmark")
    bootstrap = settings(place)["runner.bootstrap"]
    flags = ["-dextension=pcov", "-dpcov.enabled=1", "-dpcov.directory=" + place, "-dzend.assertions=-1", ORACLE, "lines", bootstrap]
    for name in sorted(os.listdir(os.path.join(place, folder))):
        if not name.endswith("Bench.php"):
            continue
        path = os.path.join(folder, name)
        for case in json.loads(php([*flags, path], place) or "[]"):
            lines = php([*flags, path, case], place)
            if lines:
                found["php/" + case] = {(file, int(line)) for file, line in json.loads(lines)}
    return found


def tokens(path):
    return [tuple(token) for token in json.loads(php([ORACLE, "tokens", path], os.path.dirname(path)) or "[]")]


def edits(path, text, executed):
    """Edits of executed code: (kind, line, from, to, text). Offsets are of bytes."""
    found, depth = [], 0
    words = tokens(path)
    for at, (kind, offset, word, line) in enumerate(words):
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(word, 0)
        if line not in executed:
            continue
        if kind == "T_LNUMBER" and word.isdigit():
            found.append(("constant", line, offset, offset + len(word.encode()), str(int(word) + 1)))
        elif kind == "T_CONSTANT_ENCAPSED_STRING":
            found.append(("constant", line, offset, offset + len(word.encode()), word[:-1] + "q" + word[-1]))
        elif word in OPERATORS and kind in ("", "T_IS_IDENTICAL", "T_IS_NOT_IDENTICAL", "T_IS_EQUAL", "T_BOOLEAN_AND", "T_BOOLEAN_OR"):
            found.append(("operator", line, offset, offset + len(word.encode()), OPERATORS[word]))
        # A statement follows one that was executed, unless that one leaves.
        elif word == ";" and depth == 0 and not leaves(words, at):
            found.append(("statement", line, offset + 1, offset + 1, " $tareAdded = 1;"))
    return found


def leaves(words, at):
    for kind, _, word, _ in reversed(words[:at]):
        if word in (";", "{", "}"):
            return False
        if kind in ("T_RETURN", "T_THROW", "T_BREAK", "T_CONTINUE", "T_EXIT", "T_USE", "T_NAMESPACE", "T_CONST", "T_DECLARE", "T_ABSTRACT"):
            return True
    return False


def remarks(path, text, word):
    """Places of comments: between two tokens, and within documentation that says no `@`."""
    found = []
    for kind, offset, token, line in tokens(path):
        if token == ";":
            found.append(("comment", line, offset + 1, offset + 1, " " + COMMENT % word))
        elif kind == "T_WHITESPACE" and "\n" in token:
            found.append(("comment", line, offset, offset, " // " + word))
        elif kind == "T_DOC_COMMENT" and "@" not in token:
            end = offset + len(token.encode()) - 2
            found.append(("documentation", line, end, end, word + " "))
    return found


def with_unnamed(text, name, value):
    """The text with one more function, which nothing names."""
    return text + NEW % (name, value)


def program(_place):
    """There is none to be compared."""


def valid(path):
    return php(["-l", path], os.path.dirname(path)) is not None


def same(before, after):
    """Whether both texts are the same code: never of an edit, which replaces a token or adds some."""
    return before == after
