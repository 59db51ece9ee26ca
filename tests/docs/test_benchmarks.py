"""`make bench` names benchmarks that exist, and options they take; what they measure is their own affair."""

import subprocess
import sys

import pytest

from benchmarks.run import BENCHMARKS, Benchmark
from tests.docs.fences import ROOT


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda one: one.name)
def test_a_benchmark_takes_the_options_that_make_it_small(benchmark: Benchmark):
    done = subprocess.run(
        [sys.executable, "-m", f"benchmarks.{benchmark.name}", *benchmark.quick, "--help"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    known = done.stdout
    for word in benchmark.quick:
        if not word.isdigit():
            assert word in known, f"{benchmark.name} does not know {word}"


def test_an_unknown_benchmark_is_named_and_nothing_runs():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", "speed"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "there is no benchmark speed" in done.stderr
