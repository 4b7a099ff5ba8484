"""The forms that pytest-benchmark's tests take."""

import hashlib
from functools import partial

import pytest

pytestmark = pytest.mark.filterwarnings("ignore")


def double(value, times=1):
    return value * 2 * times


def test_plain(benchmark):
    assert benchmark(double, 21) == 42


def test_keywords(benchmark):
    assert benchmark(double, 1, times=3) == 6


def test_closure(benchmark, words):
    result = benchmark(lambda: "-".join(words))
    assert result.startswith("tare-gross")


def test_decorator(benchmark):
    seen = []

    @benchmark
    def subject():
        seen.append(None)
        del seen[:]
        return "value"

    assert subject == "value"


def test_builtin(benchmark):
    assert benchmark(hashlib.md5, b"tare").hexdigest()


def test_partial(benchmark):
    assert benchmark(partial(double, 4)) == 8


@pytest.mark.parametrize("size", [1, 10])
@pytest.mark.parametrize("kind", ["a", "b"])
def test_stacked(benchmark, size, kind):
    assert len(benchmark(kind.__mul__, size)) == size


@pytest.mark.parametrize("text, length", [("x", 1), pytest.param("yy", 2, id="two")])
def test_pairs(benchmark, text, length):
    assert benchmark(len, text) == length


@pytest.mark.parametrize("value", [None, 1.5, True, b"b", [1], len, "x", "x"], ids=None)
def test_identifiers(benchmark, value):
    benchmark(id, value)


@pytest.mark.parametrize("value", [1, 2], ids=["one", "two"])
def test_named(benchmark, value):
    assert benchmark(double, value) == 2 * value


def test_fixture_with_parameters(benchmark, sequence):
    assert benchmark(sum, sequence) == 190


@pytest.mark.benchmark(group="sorting", min_rounds=4)
def test_group(benchmark):
    benchmark.extra_info["elements"] = 3
    benchmark.extra_info["order"] = "reverse"
    assert benchmark(sorted, [3, 2, 1]) == [1, 2, 3]


def test_not_a_benchmark(words):
    assert len(words) == 30


@pytest.mark.skip(reason="not today")
def test_skipped(benchmark):
    benchmark(double, 1)


@pytest.mark.skipif(True, reason="never here")
def test_skipped_on_condition(benchmark):
    benchmark(double, 1)


class TestClass:
    @pytest.fixture
    def prepared(self, words):
        yield words[:3]

    def test_method(self, benchmark, prepared):
        assert benchmark(sorted, prepared) == ["gross", "net", "tare"]

    @pytest.mark.parametrize("n", [1, 2])
    def test_parameters(self, benchmark, n):
        assert benchmark(double, n) == 2 * n


def test_statistics(benchmark):
    benchmark(double, 1)
    assert 0 <= benchmark.stats["min"] <= benchmark.stats.stats.mean <= benchmark.stats["max"]
    assert benchmark.stats.stats.rounds >= 1


def test_approximate(benchmark):
    assert benchmark(lambda: 0.1 + 0.2) == pytest.approx(0.3)
    with pytest.raises(ZeroDivisionError, match="by zero"):
        1 / 0
