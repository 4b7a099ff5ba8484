"""The measured loops.

Case, null, pause and kernels are called by copies of one loop, equal instruction by instruction. Each subject has a copy with a code
object of its own, because since 3.11 CPython notes in the code object, at each call, what it saw there and specialises the
instruction for it: two subjects at one call would undo each other's.
"""

from itertools import repeat
from types import FunctionType

SOURCE = """\
{define} loop(calls, subject, clock, repeat{names}):
    turns = repeat(None, calls)
    start = clock()
    for _ in turns:
        {call}
    end = clock()
    return end - start


{define} bare(subject, clock{names}):
    start = clock()
    {call}
    end = clock()
    return end - start
"""

# The same text as SOURCE gives for a subject without arguments: it comes compiled with this module.


def loop(calls, subject, clock, repeat):
    turns = repeat(None, calls)
    start = clock()
    for _ in turns:
        subject()
    end = clock()
    return end - start


def bare(subject, clock):
    start = clock()
    subject()
    end = clock()
    return end - start


def pair(clock):
    start = clock()
    end = clock()
    return end - start


def _copy(function):
    return FunctionType(function.__code__.replace(), function.__globals__, function.__name__)


def _compiled(count, names, awaited):
    """The two functions for a call with `count` arguments by position and `names` by name."""
    if not count and not names and not awaited:
        return loop, bare
    positional = ["a%d" % i for i in range(count)]
    keyword = ["k%d" % i for i in range(len(names))]
    arguments = positional + list(map("%s=%s".__mod__, zip(names, keyword)))
    call = "subject(%s)" % ", ".join(arguments)
    source = SOURCE.format(
        define="async def" if awaited else "def",
        names="".join(", " + name for name in positional + keyword),
        call="await " + call if awaited else call,
    )
    namespace = {"__name__": __name__}
    exec(compile(source, "<tare loop>", "exec", dont_inherit=True), namespace)
    return namespace["loop"], namespace["bare"]


class CallPath:
    """A subject with its arguments, in a loop of its own. Where `most` is given it takes so many of the arguments by position, and none by name."""

    _awaited = False

    def __init__(self, subject, clock, args=(), kwargs=None, most=None):
        self._subject = subject
        self._clock = clock
        self._most = most
        self._make(*self._taken(args, kwargs or {}))

    def bind(self, args, kwargs):
        """Other arguments for the calls to come; the loop stays if their number and names do."""
        args, kwargs = self._taken(args, kwargs)
        if (len(args), tuple(kwargs)) != self._shape:
            self._make(args, kwargs)
        self._arguments = (*args, *kwargs.values())

    def loop(self, calls):
        """Nanoseconds of so many calls; 0 is a bare call, without the loop."""
        if calls:
            return self._loop(calls, self._subject, self._clock, repeat, *self._arguments)
        return self._bare(self._subject, self._clock, *self._arguments)

    def _taken(self, args, kwargs):
        return (args, kwargs) if self._most is None else (args[: self._most], {})

    def _make(self, args, kwargs):
        self._shape = (len(args), tuple(kwargs))
        try:
            functions = _compiled(len(args), self._shape[1], self._awaited)
        except SyntaxError as error:
            # A name that came through ** and can't be written, such as a keyword of the language.
            raise TypeError("an argument's name can't be written in a call: %s" % ", ".join(kwargs)) from error
        self._loop, self._bare = map(_copy, functions)
        self._arguments = (*args, *kwargs.values())


class NullPath(CallPath):
    """What does nothing in a subject's place, by `null_of(args, kwargs)`. Which function that is depends on the number and names of
    the arguments, and a setup may give others than the subject was prepared with."""

    def __init__(self, null_of, clock, args, kwargs):
        self._null_of = null_of
        self._given = (len(args), tuple(kwargs))
        null, most = null_of(args, kwargs)
        super().__init__(null, clock, args, kwargs, most)

    def bind(self, args, kwargs):
        if (len(args), tuple(kwargs)) != self._given:
            self.__init__(self._null_of, self._clock, args, kwargs)
        super().bind(args, kwargs)


class AwaitedPath(CallPath):
    """The same for a coroutine function: each call is awaited in one running loop, and the samples share an event loop."""

    _awaited = True

    def __init__(self, subject, clock, run, args=(), kwargs=None):
        """`run` runs a coroutine to its end."""
        self._run = run
        super().__init__(subject, clock, args, kwargs)

    def loop(self, calls):
        return self._run(super().loop(calls))


class ClockPath:
    """Two clock reads back to back."""

    def __init__(self, clock):
        self._pair = _copy(pair)
        self._clock = clock

    def loop(self, calls):
        return self._pair(self._clock)
