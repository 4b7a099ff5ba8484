"""How many calls a sample the author of `benchmark.pedantic(...)` wants, read from the source: the core asks before the test runs."""

import ast


class PedanticCalls:
    """By the first line of the functions in a source text."""

    def __init__(self, text):
        self._by_line = {}
        if b"pedantic" not in text:
            return
        for node in ast.walk(ast.parse(text)):
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
                line = min([node.lineno, *(decorator.lineno for decorator in node.decorator_list)])
                self._by_line[line] = _call_in(node)

    def iterations(self, line, values):
        """The number, where `values` are the test's parameters; None for a test that leaves it to Tare, or computes it."""
        call = self._by_line.get(line)
        if call is None:
            return None
        given = {keyword.arg: keyword.value for keyword in call.keywords}
        if None in given:
            return None
        if "iterations" not in given:
            return 1
        value = given["iterations"]
        if isinstance(value, ast.Constant):
            number = value.value
        else:
            number = values.get(value.id) if isinstance(value, ast.Name) else None
        return number if type(number) is int and number > 0 else None


def _call_in(function):
    for node in ast.walk(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "pedantic":
            return node
    return None
