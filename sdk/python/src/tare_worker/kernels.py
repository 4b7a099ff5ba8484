"""The reference subjects: fixed work of 1 to 5 µs whose time shows how fast machine and runtime are at the moment. Stored runs are
compared by them, so their bodies must never change; a new kernel gets a new name."""

WORDS = "the quick brown fox jumps over the lazy dog"


def arithmetic():
    """Integer and floating-point operations on local variables."""
    integer = 12345
    number = 1.0
    for i in range(1, 33):
        integer = ((integer * 1103515245) + 12345) & 0x7FFFFFFF
        number = number * 1.0000001 + 1.0 / i
    return integer, number


class Node:
    """What `allocation` makes and drops."""

    __slots__ = ("index", "before")


def allocation():
    """Objects and tuples made and dropped."""
    kept = None
    for i in range(12):
        node = Node()
        node.index = i
        node.before = kept
        kept = (node, i)
    return kept


def text():
    """Strings joined, cut, searched and changed."""
    words = WORDS
    joined = ""
    found = 0
    for i in range(12):
        joined += words[i : i + 5] + " "
        found += joined.find("zz")
    return found, joined.replace("o", "00").upper()


def arrays():
    """A list filled, sorted and summed."""
    values = []
    value = 17
    for _ in range(32):
        value = (value * 31 + 7) % 101
        values.append(value)
    values.sort()
    return sum(values)


KERNELS = {"arithmetic": arithmetic, "allocation": allocation, "text": text, "arrays": arrays}
