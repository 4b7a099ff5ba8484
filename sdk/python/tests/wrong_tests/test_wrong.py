"""Tests that fail, each in a way of its own."""

import os
import sys

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


@pytest.mark.xfail(condition=sys.platform == "elsewhere", reason="number 13")
def test_is_expected_to_fail_elsewhere(benchmark):
    raise ValueError("boom elsewhere")


@pytest.mark.xfail(condition=sys.platform != "elsewhere", reason="number 14")
def test_is_expected_to_fail_here(benchmark):
    raise ValueError("boom")


@pytest.mark.xfail("sys.platform == 'elsewhere'", reason="number 15")
def test_is_expected_to_fail_elsewhere_in_words(benchmark):
    raise ValueError("boom in words")


@pytest.mark.xfail("sys.platform != 'elsewhere' and boom")
def test_is_expected_to_fail_here_in_words(benchmark):
    raise ValueError("boom")


@pytest.mark.xfail(raises=TypeError, reason="number 16")
def test_raises_another(benchmark):
    raise ValueError("boom another")


@pytest.mark.xfail(raises=TypeError, reason="number 17")
def test_fails_of_its_own_will(benchmark):
    pytest.fail("of its own will")


@pytest.mark.xfail(raises=(TypeError, ValueError), reason="number 18")
def test_raises_one_of_two(benchmark):
    raise ValueError("boom")


@pytest.mark.xfail(run=False, reason="number 19")
def test_is_not_run(benchmark):
    os._exit(5)


@pytest.mark.xfail(False, run=False, reason="number 20")
def test_is_not_run_elsewhere(benchmark):
    raise ValueError("boom here")


@pytest.mark.xfail(reason=None)
def test_has_no_reason(benchmark):
    raise ValueError("boom")


@pytest.mark.xfail(reason="number 21")
def test_is_expected_to_fail_and_weaves(benchmark):
    benchmark.weave("os.sep")


@pytest.mark.skipif("nowhere.getoption('--slow')", reason="number 22")
def test_skips_on_what_is_unknown(benchmark):
    benchmark(len, "abc")


@pytest.mark.skipif("1 +", reason="number 23")
def test_skips_on_no_expression(benchmark):
    benchmark(len, "abc")


@pytest.mark.xfail("nowhere", reason="number 24")
def test_is_expected_to_fail_on_what_is_unknown(benchmark):
    benchmark(len, "abc")


@pytest.mark.xfail(strict=True, reason="number 25")
def test_passes_against_all_expectations(benchmark):
    benchmark(len, "abc")


@pytest.mark.xfail("sys.platform != 'elsewhere'", strict=True)
def test_fails_as_strictly_expected(benchmark):
    assert benchmark(len, "abc") == 4


def test_setup_of_two(benchmark):
    benchmark.pedantic(len, args=("abc",), setup=lambda: None, **{})


def test_setup_and_arguments(benchmark):
    benchmark.pedantic(len, args=("abc",), setup=lambda: (("abc",), {}))


def test_exit(benchmark):
    raise SystemExit(3)
