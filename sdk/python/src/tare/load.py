"""Operations under load.

    @tare.operation(weight=9)
    def get(worker):
        store.get("key:%d" % worker.number)

In a class, each worker makes an instance of its own, with the worker if the class takes an argument, and calls its `close()` at the end if it has
one. Of a function outside of a class, what `tare.before` and `tare.after` name is called once.
"""

from tare.declaration import _setting

HEAVIEST = 1_000_000


class LoadWorker:
    """Which of the workers this is: `number` from 0, of `workers`; `turn`, how many operations it has begun before the one under way,
    in processes before this one too."""

    __slots__ = ("number", "turn", "workers")

    def __init__(self, number, workers, turn=0):
        self.number = number
        self.workers = workers
        self.turn = turn


def operation(weight=1, name=None):
    """Marks a function or a method as an operation of `tare load`, with its part in the mix: a weight of 0 leaves it out unless it is
    asked for. It is called with the `LoadWorker` if it takes an argument; what it raises is a failure. Without parentheses the weight is 1."""
    if callable(weight) and name is None:
        return operation()(weight)
    if type(weight) is not int or not 0 <= weight <= HEAVIEST:
        raise ValueError("operation wants a weight from 0 to %d, not %r: @tare.operation(weight=9)" % (HEAVIEST, weight))
    if name is not None and (not isinstance(name, str) or not name):
        raise ValueError("operation wants a name, not %r" % (name,))
    return _setting("operation", (weight, name))
