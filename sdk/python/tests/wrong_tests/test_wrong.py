"""Tests that fail, each in a way of its own."""

import pytest


def boom():
    raise ValueError("boom")


@pytest.fixture
def broken():
    raise OSError("no such device")


def test_assertion(benchmark):
    assert benchmark(len, "abc") == 4


def test_subject(benchmark):
    benchmark(boom)


def test_before(benchmark):
    boom()


def test_fixture(benchmark, broken):
    benchmark(len, "abc")


def test_unknown_fixture(benchmark, unheard_of):
    benchmark(len, "abc")


def test_twice(benchmark):
    benchmark(len, "abc")
    benchmark(len, "abc")


def test_unused(benchmark):
    pass


def test_weave(benchmark):
    benchmark.weave("os.getpid")


def test_stats(benchmark):
    benchmark(len, "abc")
    assert benchmark.stats["mean"] < 0


def test_skips_itself(benchmark):
    pytest.skip("only on Sundays")


def test_expects_to_fail(benchmark):
    pytest.xfail("not mended yet")


@pytest.mark.xfail(reason="number 12")
def test_is_marked_as_failing(benchmark):
    raise ValueError("boom")


def test_setup_of_two(benchmark):
    benchmark.pedantic(len, args=("abc",), setup=lambda: None, **{})


def test_setup_and_arguments(benchmark):
    benchmark.pedantic(len, args=("abc",), setup=lambda: (("abc",), {}))


def test_exit(benchmark):
    raise SystemExit(3)
