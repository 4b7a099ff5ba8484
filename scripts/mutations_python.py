"""Mutations of sources in Python, by its own syntax tree, and what benchmarks execute by sys.settrace: for scripts/mutations."""

import ast
import json
import os
import subprocess
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
OPERATORS = {ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Lt: ">", ast.Gt: "<", ast.Eq: "!=", ast.NotEq: "==", ast.Is: "is not", ast.IsNot: "is"}
DATA = """import os

import pytest


@pytest.mark.parametrize("size", [10, 20], ids=["small", "large"])
def test_tare_data(benchmark, size):
    with open(os.path.join(os.path.dirname(__file__), "tare-data", "read.txt"), encoding="utf-8") as file:
        benchmark((file.read() * size).upper)


def test_tare_list(benchmark):
    benchmark(sorted, os.listdir(os.path.join(os.path.dirname(__file__), "tare-data", "listed")))
"""
NEW = "\n\ndef %s(first):\n    return first + %d\n"
SUFFIX = ".py"
PROGRAM_IS_THERE = False
READS_SOURCES = True


def prepare(project, place):
    """A benchmark that reads a file, and dependencies in `vendored/`."""
    if project.get("vendored"):
        command = [project["python"], "-m", "pip", "install", "-q", "--no-deps", "--no-compile", "--target", "vendored", *project["vendored"]]
        subprocess.run(command, cwd=place, check=True, capture_output=True)
    folder = os.path.dirname(project["paths"][0])
    with open(os.path.join(place, folder, "test_tare_data.py"), "w", encoding="utf-8") as file:
        file.write(DATA)
    project["paths"] = [*project["paths"], os.path.join(folder, "test_tare_data.py")]
    return folder


def oracle(project, place, environment):
    """Lines that all parameter sets of a test execute, and those that loading its file does, by case without parameters."""
    found = {}
    for path in project["paths"]:
        with tempfile.NamedTemporaryFile() as lines:
            said = {**os.environ, **environment, "MUTATIONS_ROOT": place, "MUTATIONS_LINES": lines.name}
            said["PYTHONPATH"] = ":".join([os.path.join(place, one) for one in environment.get("PYTHONPATH", "").split(":") if one] + [HERE])
            command = [project["python"], "-B", "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "mutations_oracle", "-o", "addopts=", "--benchmark-disable", path]
            done = subprocess.run(command, cwd=place, env=said, capture_output=True, text=True, check=False)
            text = lines.read()
        if not text:
            raise SystemExit("mutations: the oracle failed: %s" % (done.stdout + done.stderr)[-1000:])
        document = json.loads(text)
        loading = {tuple(line) for line in document["loading"] if os.path.basename(line[0]) != "conftest.py"}
        for name, executed in document["tests"].items():
            found["python/" + name] = loading | {tuple(line) for line in executed}
    return found


def offsets(text):
    """Of a line and a column in bytes, the offset in bytes."""
    starts = [0]
    for line in text.encode().splitlines(keepends=True):
        starts.append(starts[-1] + len(line))
    return lambda line, column: starts[line - 1] + column


def documentation(tree):
    """Nodes of constants that are documentation."""
    for node in ast.walk(tree):
        if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)) and node.body:
            first = node.body[0]
            if isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant) and isinstance(first.value.value, str):
                yield first.value


def annotated(tree):
    for node in ast.walk(tree):
        for one in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if isinstance(one, ast.AST):
                yield from ast.walk(one)


def edits(_path, text, executed):
    """Edits of executed code: (kind, line, from, to, text). Offsets are of bytes."""
    tree, found = ast.parse(text), []
    at, raw = offsets(text), text.encode()
    left = {id(node) for node in (*documentation(tree), *annotated(tree))}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            left |= {id(inner) for inner in ast.walk(node)}
        if id(node) in left or getattr(node, "lineno", None) not in executed:
            continue
        if isinstance(node, ast.Constant) and node.lineno == node.end_lineno:
            value = {bool: lambda v: repr(not v), int: lambda v: repr(v + 1), str: lambda v: repr(v + "q")}.get(type(node.value))
            if value:
                found.append(("constant", node.lineno, at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset), value(node.value)))
        elif isinstance(node, (ast.BinOp, ast.Compare)):
            operator = node.op if isinstance(node, ast.BinOp) else node.ops[0]
            left_end, right = (node.left, node.right) if isinstance(node, ast.BinOp) else (node.left, node.comparators[0])
            begin, end = at(left_end.end_lineno, left_end.end_col_offset), at(right.lineno, right.col_offset)
            between = raw[begin:end].decode()
            if type(operator) in OPERATORS and "(" not in between and ")" not in between and "\n" not in between:
                found.append(("operator", node.lineno, begin, end, " %s " % OPERATORS[type(operator)]))
        elif isinstance(node, ast.stmt) and not isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.AsyncFunctionDef)):
            begin = at(node.lineno, 0)
            blank = raw[begin:at(node.lineno, node.col_offset)]
            future = isinstance(node, ast.ImportFrom) and node.module == "__future__"
            if not blank.strip() and not future:
                # A constant of a module that nothing names is no more than a function that nothing names.
                found.append(("statement", node.lineno, begin, begin, "%stare_added = len('1')\n" % blank.decode()))
    return found


def remarks(_path, text, word):
    """Places of comments: before a statement, behind one, in documentation. None in the syntax of a later version."""
    try:
        tree, found = ast.parse(text), []
    except SyntaxError:
        return []
    at, raw = offsets(text), text.encode()
    for node in ast.walk(tree):
        if isinstance(node, ast.stmt) and not raw[at(node.lineno, 0):at(node.lineno, node.col_offset)].strip():
            begin = at(node.lineno, 0)
            blank = raw[begin:at(node.lineno, node.col_offset)].decode()
            found.append(("comment", node.lineno, begin, begin, "%s# %s\n" % (blank, word)))
    for node in documentation(tree):
        end = at(node.end_lineno, node.end_col_offset)
        if raw[end - 3:end] == b'"""':
            found.append(("documentation", node.lineno, end - 3, end - 3, " %s." % word))
    return found


def with_unnamed(text, name, value):
    """The text with one more function, which nothing names."""
    return text + NEW % (name, value)


def program(_place):
    """There is none to be compared."""


def valid(path):
    with open(path, encoding="utf-8") as file:
        try:
            compile(file.read(), path, "exec")
        except (SyntaxError, ValueError):
            return False
    return True


def code(one):
    """What of a code object is executed, without lines and names of files."""
    return one.co_code, one.co_names, one.co_varnames, [code(inner) if hasattr(inner, "co_code") else (type(inner), repr(inner)) for inner in one.co_consts]


def same(before, after):
    """Whether both texts are compiled to the same: a string that stands by itself is left out, say."""
    return code(compile(before, "", "exec")) == code(compile(after, "", "exec"))
