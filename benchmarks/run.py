"""All benchmarks, in order, each in a process of its own; a summary at the end.

    make bench                          all of them, in full: a quarter of an hour
    make bench ARGS="--quick"           all of them, small: whether they work, not what they measure
    make bench ARGS="judging stage"      only these

Exit 0 when all ended well (a goal, where there is one, was met), 1 when one did not, 2 for a wrong name. Stop `make up`
first: they share the processors and, on the embedded default, the services.
"""

import argparse
import subprocess
import sys
import time
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Benchmark:
    """A module of this folder; `quick` are the options that make it small."""

    name: str
    asks: str
    quick: tuple[str, ...] = ()


BENCHMARKS = (
    Benchmark(
        name="upgrade",
        asks="how long does an upgrade take when nothing changed?",
        quick=("--tenants", "20", "--behind", "2"),
    ),
    Benchmark(
        name="many_tenants",
        asks="what do a thousand tenants cost in which nothing happens?",
        quick=("--tenants", "20", "--seconds", "5"),
    ),
    Benchmark(
        name="judging",
        asks="how much do we add to what the model takes?",
        quick=("--conversations", "100", "--latency-ms", "50"),
    ),
    Benchmark(
        name="stage",
        asks="how much do we add to what agents and models take?",
        quick=("--battles", "20", "--processes", "1"),
    ),
    Benchmark(
        name="work_kills",
        asks="is anything of any kind of work lost or done twice, whatever is killed?",
        quick=("--kills", "3"),
    ),
    Benchmark(name="gate_planted", asks="what does the gate say of planted pull requests?"),
    Benchmark(
        name="gate_pull_requests",
        asks="what does ratiba-ci gate say of planted pull requests, from git to its exit code?",
        quick=("--cases", "3", "--only", "tool", "docs"),
    ),
    Benchmark(
        name="gate_no_change",
        asks="how often does ratiba-ci gate stop a pull request that changes nothing?",
        quick=("--pull-requests", "3", "--cases", "3"),
    ),
    Benchmark(
        name="gate_false_blocks",
        asks="how often does a gate stop a pull request that changes nothing?",
        quick=("--pull-requests", "60", "--cases", "20"),
    ),
    Benchmark(
        name="weaknesses",
        asks="does the offline judge mean something?",
        quick=("--battles", "2", "--weakness", "two_questions"),
    ),
    Benchmark(
        name="simulator_faults",
        asks="do faults of the simulated customer reach the agent's score?",
        quick=("--battles", "20"),
    ),
    Benchmark(name="simulator_rules", asks="do the rules accuse customers that did nothing wrong?"),
    Benchmark(
        name="acceptance_rates",
        asks="how often is a draft called better that is not, and are losses blocked?",
        quick=("--quick",),
    ),
    Benchmark(
        name="rollout_rates",
        asks="how often does a canary go back that is no worse, and how soon one that is?",
        quick=("--simulations", "20", "--a-day", "2000"),
    ),
)


def run(benchmark: Benchmark, *, quick: bool) -> tuple[int, float]:
    """Its exit code and the seconds it took; what it prints goes straight through."""
    sys.stdout.write(f"\n--- {benchmark.name}: {benchmark.asks}\n")
    sys.stdout.flush()
    started = time.monotonic()
    options = benchmark.quick if quick else ()
    argv = [sys.executable, "-m", f"benchmarks.{benchmark.name}", *options]
    code = subprocess.run(argv, check=False).returncode
    return code, time.monotonic() - started


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [one.name for one in BENCHMARKS]
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"{', '.join(names)}; all by default")
    parser.add_argument("--quick", action="store_true", help="small: whether they work, not what they measure")
    options = parser.parse_args()
    if unknown := sorted(set(options.names) - set(names)):
        parser.error(f"there is no benchmark {unknown[0]}: choose from {', '.join(names)}")
    chosen = [one for one in BENCHMARKS if not options.names or one.name in options.names]
    results = [(one, *run(one, quick=options.quick)) for one in chosen]
    sys.stdout.write("\n")
    for one, code, seconds in results:
        sys.stdout.write(f"{one.name:<14}{'ok' if code == 0 else f'exit {code}':<8}{seconds:>7.0f} s\n")
    return 1 if any(code for _, code, _ in results) else 0


if __name__ == "__main__":
    raise SystemExit(main())
