"""Subjects whose mean cost is another than that of a typical call."""

TURNS = 8

# Calls of the process since the last slow one, by how many there are from one to the next.
_made = {5: 0, 100: 0, 10_000: 0, 1 << 60: 0}


class Node:
    """Something that can refer to another."""

    def __init__(self):
        self.next = None


def empty():
    """Nothing: what loop and call cost."""


def each_none():
    _periodic(1 << 60)


def each_5():
    _periodic(5)


def each_100():
    _periodic(100)


def each_10000():
    _periodic(10_000)


def tree():
    """Objects that are freed when the last reference goes."""
    _nodes()


def cycle():
    """Objects that refer to each other in a circle: only the collector frees them."""
    first, last = _nodes()
    last.next = first


def _nodes():
    first = last = Node()
    for _ in range(3):
        last.next = Node()
        last = last.next
    return first, last


def _periodic(every):
    """Each call that is a multiple of `every` does as much as all calls since the last one, once more."""
    _work(TURNS)
    _made[every] += 1
    if _made[every] == every:
        _made[every] = 0
        _work(TURNS * every)


def _work(turns):
    x = 1
    for i in range(turns):
        x = (x * 31 + i) & 0xFFFF
