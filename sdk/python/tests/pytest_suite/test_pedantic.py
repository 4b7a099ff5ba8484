"""benchmark.pedantic in its forms."""

import pytest

CALLS = {"setup": 0, "teardown": 0, "target": 0}


def count(values):
    CALLS["target"] += 1
    values.append(1)
    return len(values)


def test_arguments(benchmark):
    assert benchmark.pedantic(max, args=([1, 2, 3],), iterations=5, rounds=4) == 3


def test_setup_without_arguments(benchmark):
    state = []

    def setup():
        del state[:]

    result = benchmark.pedantic(lambda: state.append(1) or len(state), setup=setup, rounds=5)
    assert result == 1


def test_setup_with_arguments(benchmark):
    def setup():
        CALLS["setup"] += 1
        return ([],), {}

    def teardown(values):
        CALLS["teardown"] += 1
        assert values == [1]

    assert benchmark.pedantic(count, setup=setup, teardown=teardown, rounds=5) == 1
    assert CALLS["setup"] == CALLS["teardown"] >= CALLS["target"] > 1


@pytest.mark.parametrize("iterations", [2, 3])
def test_iterations(benchmark, iterations):
    assert benchmark.pedantic(len, args=("abc",), iterations=iterations, rounds=2) == 3
