"""`make bench` names benchmarks that exist, and options they take; what they measure is their own affair."""

import json
import os
import re
import signal
import socket
import subprocess
import sys

import pytest

from apps.jobs.work import registered
from benchmarks.processor_parts import processes
from benchmarks.run import BENCHMARKS, Benchmark
from benchmarks.work_kill_tallies import TALLIES
from tests.docs.fences import ROOT

NAMED = re.compile(r"\bbenchmarks\.(\w+)|\bbenchmarks/(\w+)\.py(?!`\s+at [0-9a-f]{8}\b)")
HELP = """
import contextlib, io, json, runpy, sys
answers = {}
for name, *words in json.loads(sys.argv[1]):
    sys.argv, out = [name, *words, "--help"], io.StringIO()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(out):
            runpy.run_module(f"benchmarks.{name}", run_name="__main__")
        code = 0
    except SystemExit as end:
        code = end.code or 0
    except BaseException as error:
        code = repr(error)
    answers[name] = [code, out.getvalue()]
print(json.dumps(answers))
"""


@pytest.fixture(scope="module")
def helped() -> dict[str, tuple[object, str]]:
    """The exit code and the words of each benchmark's --help, in one process: starts are what costs here."""
    words = json.dumps([[one.name, *one.quick] for one in BENCHMARKS])
    done = subprocess.run(
        [sys.executable, "-c", HELP, words], cwd=ROOT, capture_output=True, text=True, timeout=120, check=True
    )
    return json.loads(done.stdout)


@pytest.mark.parametrize("benchmark", BENCHMARKS, ids=lambda one: one.name)
def test_a_benchmark_takes_the_options_that_make_it_small(benchmark: Benchmark, helped):
    code, known = helped[benchmark.name]
    assert code == 0, known
    for word in benchmark.quick:
        if not word.isdigit():
            assert word in known, f"{benchmark.name} does not know {word}"


def test_no_page_and_no_module_names_a_benchmark_that_is_gone() -> None:
    """What was measured once is cited with the commit where its script stands: `benchmarks/x.py` at 0123abcd."""
    wrong = []
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "apps").rglob("*.py")]:
        for found in NAMED.finditer(path.read_text(encoding="utf-8")):
            if not (ROOT / "benchmarks" / f"{found[1] or found[2]}.py").exists():
                wrong.append(f"{path.relative_to(ROOT)}: {found[0]}")
    assert not wrong


def test_the_drill_of_killed_workers_has_rows_of_every_kind_of_work() -> None:
    assert {kind.name for kind in registered()} == set(TALLIES), "benchmarks/work_kill_seeds.py, work_kill_tallies.py"


def listener(port: int, *, under: str = "") -> subprocess.Popen[str]:
    """A server on this port that says when it listens; as the child of a program of that name, beside a worker."""
    listen = (
        f"import socket, time; s = socket.create_server(('127.0.0.1', {port})); print('on', flush=True); time.sleep(60)"
    )
    if under:
        both = "import subprocess as p, sys, time; [p.Popen(one.split('|')) for one in sys.argv[2:]]; time.sleep(60)"
        worker = f"{sys.executable}|-c|import time; time.sleep(60)|worker-1@ratiba"
        argv = [sys.executable, "-c", both, under, f"{sys.executable}|-c|{listen}", worker]
    else:
        argv = [sys.executable, "-c", listen]
    server = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True, start_new_session=True)
    assert server.stdout is not None
    assert server.stdout.readline() == "on\n"
    return server


@pytest.mark.parametrize("under, workers", [("", 0), ("ratiba_eval.up", 1)])
def test_processor_time_of_a_web_server_is_found_whatever_its_name_is(under, workers):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
    server = listener(port, under=under)
    try:
        found = processes(port)
    finally:
        os.killpg(server.pid, signal.SIGKILL)
        server.wait()
    assert len(found["web"]) == 1
    assert (found["web"] == [server.pid]) is (not under)
    assert len(found.get("workers", [])) == workers


def test_an_unknown_benchmark_is_named_and_nothing_runs():
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.run", "speed"],
        cwd=ROOT, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    assert done.returncode == 2
    assert "there is no benchmark speed" in done.stderr
