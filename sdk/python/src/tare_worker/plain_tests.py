"""Plain tests without pytest: functions and methods, fixtures of the file and of `conftest.py` files above it, parameters."""

import os
import platform
import sys
from itertools import product
from types import MethodType

from tare_worker import stand_in
from tare_worker.fixture_case import TestCase, passed_strictly, pedantic_calls, unused
from tare_worker.fault import LONGEST, Fault
from tare_worker.fixture import BenchmarkFixture
from tare_worker.null_subject import is_awaited
from tare_worker.plain_fixtures import Fixtures, Request
from tare_worker.signature import Signature, instance_of
from tare_worker.source import Source
from tare_worker.stand_in.ids import escaped, id_of
from tare_worker.stand_in.marks import Parameters
from tare_worker.stand_in.outcomes import Failed, Skipped


def collect(host, sources, then, notice):
    """As `CollectedTests.collect`."""
    sys.modules["pytest"] = stand_in
    found = {}
    for source in sources:
        found[source.path] = (None, [])
        try:
            fixtures = Fixtures()
            for conftest in _conftests(source):
                fixtures.add(vars(conftest.load()))
            module = source.load()
            fixtures.add(vars(module))
            tests = list(_Module(host, source, module, fixtures).tests())
            found[source.path] = (module, tests)
        except Skipped as skipped:
            notice("info", Fault("skipped", "The file is left out: %s" % skipped, None, source.asked))
        except BaseException as raised:
            notice("error", source.fault(raised))
    then(found, False)


def _conftests(source):
    """The outermost first. A folder counts as long as it, or one above it, is a package or has one."""
    folder, found = os.path.dirname(source.path), []
    while True:
        conftest = os.path.join(folder, "conftest.py")
        if os.path.isfile(conftest):
            found.insert(0, Source(conftest))
        above = os.path.dirname(folder)
        rooted = any(os.path.exists(os.path.join(folder, name)) for name in ("pytest.ini", "pyproject.toml", "setup.cfg", "tox.ini", ".git"))
        if above == folder or rooted:
            return found
        folder = above


class _Module:
    """The tests of a module."""

    def __init__(self, host, source, module, fixtures):
        self._host = host
        self._source = source
        self._module = module
        self._fixtures = fixtures
        self._calls = pedantic_calls(source)
        self._marks = _marks(module)

    def tests(self):
        for name, value in list(vars(self._module).items()):
            if isinstance(value, type) and name.startswith(("Test", "Bench")):
                fixtures = self._fixtures.within(value)
                for method in dir_in_order(value):
                    function = getattr(value, method)
                    if _is_test(method, function):
                        marks = _marks(function) + _marks(value) + self._marks
                        yield from self._cases(name + "::" + method, function, marks, fixtures, value)
            elif _is_test(name, value):
                yield from self._cases(name, value, _marks(value) + self._marks, self._fixtures, None)

    def _cases(self, name, function, marks, fixtures, owner):
        wanted = Signature(function).required[int(owner is not None) :]
        stacks = [Parameters(*mark.args, **mark.kwargs) for mark in marks if mark.name == "parametrize"]
        direct = {parameter for stack in stacks for parameter in stack.names if parameter not in stack.indirect}
        used = [argument for mark in marks if mark.name == "usefixtures" for argument in mark.args]
        closure = fixtures.closure([*fixtures.automatic(), *used, *wanted], direct)
        # As a whole, where it is marked so and doesn't take the fixture.
        whole = "benchmark" not in closure
        if whole and not any(mark.name == "benchmark" for mark in marks):
            return
        choices = [[(label, values, stack.indirect, own) for label, values, own in stack.sets] for stack in stacks]
        given = {parameter for stack in stacks for parameter in stack.names}
        for fixture in closure:
            definition = fixtures.find(fixture)
            if definition is not None and definition.params is not None and fixture not in given:
                choices.append(_fixture_choices(definition))
        for combination in product(*choices):
            parameters = {}
            indirect = set()
            own = list(marks)
            for _, values, through, extra in combination:
                parameters.update(values)
                indirect |= through
                own += extra
            yield TestCase(
                self._source,
                name,
                "-".join(label for label, _, _, _ in combination),
                parameters,
                function,
                self._runner(name, function, parameters, indirect, fixtures, owner, own, closure, whole),
                _group(own),
                _skip_told(own, function),
                self._calls,
                _expects(own, function),
            )

    def _runner(self, name, function, parameters, indirect, fixtures, owner, marks, closure, whole):
        def run():
            skipped = _skip(marks, function)
            if skipped is not None:
                raise Fault("skipped", skipped)
            expected = _expected_failure(marks, function)
            if expected is not None and not expected.run:
                raise Fault("skipped", "expected to fail: [NOTRUN] %s" % expected.reason)
            fixture = BenchmarkFixture(
                self._host, name, "%s::%s" % (self._source.asked, name), None, parameters or None, _group(marks), _collects(marks)
            )
            direct = {key: value for key, value in parameters.items() if key not in indirect and fixtures.find(key) is None}
            overridden = {key: value for key, value in parameters.items() if key not in indirect and key not in direct}
            overridden = {key: value for key, value in overridden.items() if fixtures.find(key).params is None}
            direct.update(overridden)
            instance = instance_of(owner) if owner is not None else None
            request = Request(fixtures, {**direct, "benchmark": fixture}, parameters, instance, self._module, name)
            try:
                _prelude(self._module, owner, instance, function)
                for automatic in fixtures.automatic():
                    request.getfixturevalue(automatic)
                wants = Signature(function)
                names = [argument for argument in wants.positional + wants.named if argument in closure or argument in direct]
                values = {argument: request.getfixturevalue(argument) for argument in names if argument != "self"}
                test = function if instance is None else MethodType(function, instance)
                if whole:
                    fixture(test, **values)
                elif is_awaited(test):
                    self._host.run_coroutine(test(**values))
                else:
                    test(**values)
            except Skipped as skipped:
                raise Fault("skipped", str(skipped) or "no reason is given") from None
            except Fault:
                # The worker's own: that a test can't be measured isn't what it was expected to fail for.
                raise
            except (Exception, Failed) as raised:
                if expected is not None and isinstance(raised, expected.raises):
                    raise Fault("skipped", "expected to fail: %s" % (expected.reason or raised)) from None
                if not isinstance(raised, Failed):
                    raise
                raise AssertionError(str(raised)).with_traceback(raised.__traceback__) from None
            finally:
                request.end()
            if expected is not None and expected.strict:
                raise passed_strictly(expected.reason)
            if fixture.is_unused():
                raise unused((None, None))
            return fixture

        return run


def dir_in_order(owner):
    """Names of a class and its ancestors, as defined."""
    names = {}
    for ancestor in reversed(owner.__mro__):
        names.update(dict.fromkeys(vars(ancestor)))
    return list(names)


def _is_test(name, value):
    return name.startswith(("test", "bench_")) and Signature(value).known


class _ExpectedFailure:
    """What an `xfail` says whose conditions hold. `raises`: whatever else the test raises is a failure as any other."""

    def __init__(self, reason, mark):
        raises = mark.kwargs.get("raises")
        self.reason = reason
        self.run = mark.kwargs.get("run", True)
        self.strict = bool(mark.kwargs.get("strict", False))
        self.raises = BaseException if raises is None else raises


def _expected_failure(marks, function):
    for mark in marks:
        if mark.name == "xfail":
            holds, reason = _condition(mark, function)
            if holds:
                return _ExpectedFailure(reason, mark)
    return None


def _expects(marks, function):
    """What says whether a failure in a sample is an expected one."""

    def expects(raised):
        expected = _expected_failure(marks, function)
        if expected is None or not isinstance(raised, expected.raises):
            return None
        return expected.reason or str(raised)

    return expects


def _condition(mark, function):
    """Whether one of the conditions of an `xfail` or a `skipif` holds, as without any, and the reason that is given. Names in a condition
    are those of the module that defines the function: an inherited one has them of its base's."""
    reason = mark.kwargs.get("reason") or ""
    conditions = (mark.kwargs["condition"],) if "condition" in mark.kwargs else mark.args
    for condition in conditions:
        words = "condition: " + condition if isinstance(condition, str) else ""
        try:
            if words:
                condition = eval(condition, {"sys": sys, "os": os, "platform": platform, **function.__globals__})
            holds = bool(condition)
        except Exception as raised:
            fault = Fault.of(raised, "load", remedy="Mend it; what only pytest knows, as `config`, needs pytest.")
            fault.message = "`%s` can't be evaluated (%s): %s" % (mark.name, words or "no text", fault.message)
            fault.kind, fault.message = "load", fault.message[:LONGEST]
            raise fault from None
        if holds:
            return True, str(reason or words)
    return not conditions, str(reason)


def _marks(subject):
    """The nearest first, as pytest lists them: of stacked decorators the lowest."""
    own = getattr(subject, "pytestmark", [])
    return [getattr(mark, "mark", mark) for mark in (own if isinstance(own, (list, tuple)) else [own])]


def _fixture_choices(definition):
    sets = []
    for position, value in enumerate(definition.params):
        ids = definition.ids
        label = ids(value) if callable(ids) else ids[position] if ids is not None else None
        marks, given = [], None
        if isinstance(value, stand_in.marks.ParameterSet):
            given, marks, value = value.id, value.marks, value.values[0]
        label = escaped(given) if given is not None else id_of(definition.name, value, position, label)
        sets.append((label, {definition.name: value}, {definition.name}, marks))
    return sets


def _group(marks):
    return next((mark.kwargs.get("group") for mark in marks if mark.name == "benchmark"), None)


def _collects(marks):
    asked = next((mark.kwargs["disable_gc"] for mark in marks if mark.name == "benchmark" and "disable_gc" in mark.kwargs), None)
    return None if asked is None else not asked


def _skip_told(marks, function):
    """As `_skip`, while tests are collected."""
    try:
        return _skip(marks, function)
    except BaseException:  # A condition that can't be evaluated; the test itself will tell.
        return None


def _skip(marks, function):
    for mark in marks:
        if mark.name == "skip":
            return str(mark.kwargs.get("reason") or (mark.args[0] if mark.args else "") or "no reason is given")
        if mark.name == "skipif":
            holds, reason = _condition(mark, function)
            if holds:
                return reason or "no reason is given"
    return None


def _prelude(module, owner, instance, function):
    """The functions of xunit's manner."""
    for name, place, argument in (
        ("setup_module", module, module),
        ("setup_class", owner, None),
        ("setup_method", instance, function),
        ("setup_function", module if owner is None else None, function),
    ):
        hook = getattr(place, name, None) if place is not None else None
        if hook is not None:
            hook(*((argument,) if argument is not None and Signature(hook).required else ()))
