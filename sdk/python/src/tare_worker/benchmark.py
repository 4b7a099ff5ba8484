"""A benchmark as its author wrote it, and its cases."""

from tare.declaration import declared
from tare_worker.fault import Fault
from tare_worker.null_subject import is_awaited
from tare_worker.parameter_sets import parameter_sets
from tare_worker.pausing import may_pause
from tare_worker.prepared import Prepared, SampleHooks
from tare_worker.signature import Signature, instance_of, is_generator, place_of
from tare_worker.values import clean, printed

MOST_VALUES = 50


class Benchmark:
    """A `bench_*` function, or a method of a `Bench*` class, of which each process makes one instance."""

    def __init__(self, name, function, file, owner=None):
        self.name = clean(name)
        self.function = function
        self.owner = owner
        self.settings = dict(declared(function))
        source, line = place_of(function)
        self.place = (source or file, line or 1)
        self.file = file

    def cases(self):
        """Raises a Fault of kind `provider`."""
        if "skip" in self.settings:
            # What is left out isn't worth a provider's work, nor its failure.
            return [Case(self, "", {})]
        sets = parameter_sets(self.settings.get("parameters", ()), self.place)
        self._check(sets[0][1])
        return [Case(self, name, values) for name, values in sets]

    def is_generator(self):
        return is_generator(self.function)

    def _check(self, values):
        signature = Signature(self.function)
        own = signature.positional[:1] if self.owner is not None else ()
        if not signature.known:
            return
        missing = [name for name in signature.required if name not in values and name not in own]
        if missing and "setup" not in self.settings:
            raise Fault(
                "provider",
                "%s() takes %s, which nothing provides." % (self.name, ", ".join(missing)),
                "Give the values with @tare.parameters(%s=[...]), or the argument a default." % missing[0],
                *self.place,
            )
        hooks = [Signature(self.settings[hook]) for hook in ("setup", "before", "after") if hook in self.settings]
        unused = [name for name in values if not any(wants.takes(name) for wants in [signature, *hooks])]
        if unused:
            raise Fault(
                "provider",
                "%s() doesn't take the parameter %s." % (self.name, ", ".join(unused)),
                "Add it to the function's arguments, or take it out of @tare.parameters.",
                *self.place,
            )


class Case:
    """A benchmark with one of its parameter sets."""

    is_test = False

    def __init__(self, benchmark, parameters, values):
        self.benchmark = benchmark.name
        self.parameters = parameters
        self.place = benchmark.place
        self._definition = benchmark
        self._values = values

    def keys(self):
        """The keys of its `case` frame."""
        settings = self._definition.settings
        shown = list(self._values.items())[:MOST_VALUES]
        return {
            "benchmark": self.benchmark,
            "parameters": self.parameters or None,
            "names": [name for name, _ in shown] or None,
            "values": [printed(value) for _, value in shown] or None,
            "file": self._definition.file,
            "line": self.place[1],
            "groups": settings.get("groups"),
            "iterations": settings.get("iterations"),
            "samples": settings.get("samples"),
            "timeout_ms": settings.get("timeout_ms"),
            "unit": settings.get("unit"),
            "skip": settings.get("skip"),
            "base": settings.get("base"),
        }

    def measure(self, host):
        """Makes everything ready and hands it to the host. Raises what the user's code raises."""
        definition = self._definition
        settings = definition.settings
        run = host.run_coroutine
        function = definition.function
        if definition.owner is not None:
            function = function.__get__(instance_of(definition.owner), definition.owner)
        values = self._values
        if "before" in settings:
            _called(settings["before"], values, run)
        signature = Signature(function)
        hooks = None
        if "setup" in settings or "teardown" in settings:
            hooks = SampleHooks(_Setup(settings, signature, values, run))
        args, kwargs = signature.arguments(values)
        host.reach(
            Prepared(
                function,
                host.clock,
                args,
                kwargs,
                run=run if is_awaited(function) else None,
                hooks=hooks,
                collects=settings.get("collects"),
                pauses="pauses" in settings or may_pause(function),
                processes=self._processes(run),
            )
        )

    def finish(self, host):
        """What its author wants done at the end."""
        after = self._definition.settings.get("after")
        if after is not None:
            _called(after, self._values, host.run_coroutine)

    def _processes(self, run):
        amounts = {}
        for name, amount in self._definition.settings.get("processes", {}).items():
            if callable(amount):
                amount = _called(amount, self._values, run)
                if type(amount) is not int or not 0 <= amount < 2**53:
                    raise Fault("load", "@tare.processes(%s=...) gives no integer from 0 to 2**53 - 1." % name, None, *self.place)
            if amount is not None:
                amounts[name] = amount
        return amounts


class _Setup:
    """What `@tare.setup` and `@tare.teardown` want done around a sample."""

    def __init__(self, settings, signature, values, run):
        self._setup = settings.get("setup")
        self._teardown = settings.get("teardown")
        self._signature = signature
        self._values = values
        self._given = values
        self._run = run

    def before(self, calls):
        """The arguments of the sample's calls."""
        if self._setup is not None:
            given = _called(self._setup, self._values, self._run)
            if given is not None:
                if not isinstance(given, dict) or not all(isinstance(name, str) for name in given):
                    raise TypeError("a setup returns a dict of arguments by name, or None, not %s" % type(given).__name__)
                given = {**self._values, **given}
                unknown = [name for name in given if not self._signature.takes(name) and name not in self._values]
                if unknown:
                    raise TypeError("the setup gives %s, which the benchmark doesn't take" % ", ".join(unknown))
            self._given = self._values if given is None else given
        return self._signature.arguments(self._given)

    def after(self):
        if self._teardown is not None:
            _called(self._teardown, self._given, self._run)


def _called(function, values, run):
    """Calls a hook with those of the values that it takes, and waits for it if it is `async`."""
    result = function(**Signature(function).chosen(values))
    return run(result) if is_awaited(function) else result
