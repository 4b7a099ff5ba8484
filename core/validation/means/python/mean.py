"""The mean cost of a call of a benchmark, measured without Tare.

CPU time of the process over many calls, less that of an empty function, in turns. Arguments: the function, the calls a turn (a multiple
of what comes round), the turns. Prints nanoseconds.
"""

import sys
import time

import subjects


def of_empty():
    pass


def turn(function, calls):
    begun = time.process_time_ns()
    for _ in range(calls):
        function()
    return time.process_time_ns() - begun


def caller(name):
    """A function that calls the subject as the benchmark's function does."""
    scope = {"subjects": subjects}
    exec(f"def call():\n    subjects.{name}()\n", scope)
    return scope["call"]


def main():
    calls, turns = int(sys.argv[2]), int(sys.argv[3])
    functions = [caller(sys.argv[1]), of_empty]
    spent = [0, 0]
    # The first turn of each meets caches and a heap that aren't as they stay.
    for index in range(turns + 1):
        for which, function in enumerate(functions):
            ns = turn(function, calls)
            spent[which] += ns if index else 0
    print((spent[0] - spent[1]) / calls / turns)


main()
