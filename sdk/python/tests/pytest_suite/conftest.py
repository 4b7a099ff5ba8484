"""Fixtures of the suite; it passes under pytest-benchmark, too."""

import pytest


@pytest.fixture(scope="session")
def words():
    return ["tare", "gross", "net"] * 10


@pytest.fixture(params=["list", "tuple"])
def sequence(request):
    yield {"list": list, "tuple": tuple}[request.param](range(20))


def pytest_benchmark_update_json(config, benchmarks, output_json):
    pass
