"""A thousand hostile texts in each language that people write and we run: bounded time and memory, no dead process.

    python -m benchmarks.hostile_documents [--count 1000] [--seed 1]

Each language runs in a child of its own with limits on memory and processor time, one text after the other, as a worker
or the web server would run them. An error that is no BadInput would be a 5xx or a lost lane, and counts as one.

Goals: every text taken or refused; none takes 5 s of processor time; the child's memory grows by no more than 500 MB.
"""

import argparse
import json
import resource
import subprocess
import sys
import time
from typing import Any

from apps.core.errors import BadInput
from benchmarks.hostile_languages import LANGUAGES, texts_of

MEMORY_BYTES = 2 * 1024**3
PROCESSOR_S = 900
SLOWEST_S, MOST_MB = 5.0, 500.0


def limited() -> None:
    """In the child, before it starts: a bomb ends the child, not the machine."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
    resource.setrlimit(resource.RLIMIT_CPU, (PROCESSOR_S, PROCESSOR_S))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def run_all(language: str, count: int, seed: int) -> dict[str, Any]:
    """What became of the texts of one language. Run in the child."""
    run = LANGUAGES[language][2]
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    outcome: dict[str, Any] = {"taken": 0, "refused": 0, "errors": [], "slowest_s": 0.0, "slowest": ""}
    for text in texts_of(language, count, seed):
        started = time.process_time()
        try:
            run(text)
            outcome["taken"] += 1
        except BadInput:
            outcome["refused"] += 1
        except Exception as error:  # each would be a 5xx
            outcome["errors"].append(f"{type(error).__name__}: {error}"[:200] + f" from {text[:80]!r}")
        took = time.process_time() - started
        if took > outcome["slowest_s"]:
            outcome["slowest_s"], outcome["slowest"] = took, f"{text[:60]!r} ({len(text):,})"
    outcome["grown_mb"] = (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024
    return outcome


def in_child(language: str, count: int, seed: int) -> dict[str, Any]:
    """The same in a child with limits; {"died": exit code} where it did not come back."""
    options = ["--child", language, "--count", str(count), "--seed", str(seed)]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.hostile_documents", *options],
        preexec_fn=limited,
        capture_output=True,
        text=True,
        timeout=PROCESSOR_S * 4,
        check=False,
    )
    if done.returncode != 0:
        return {"died": done.returncode, "said": done.stderr[-2000:]}
    outcome: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return outcome


def fault(outcome: dict[str, Any]) -> str:
    """Which goal was missed, or ""."""
    if "died" in outcome:
        return f"the process died with {outcome['died']}: {outcome['said']}"
    if outcome["errors"]:
        return f"{len(outcome['errors'])} errors, first: {outcome['errors'][0]}"
    if outcome["slowest_s"] > SLOWEST_S:
        return f"{outcome['slowest_s']:.1f} s for {outcome['slowest']}"
    return f"{outcome['grown_mb']:.0f} MB" if outcome["grown_mb"] > MOST_MB else ""


def main() -> int:
    """Exit 0 where every goal was met."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--child", choices=list(LANGUAGES), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.child:
        print(json.dumps(run_all(options.child, options.count, options.seed)))
        return 0
    print(f"{'language':<16}{'texts':>7}{'taken':>7}{'refused':>9}{'errors':>8}{'slowest':>10}{'memory':>10}")
    faults = []
    for language in LANGUAGES:
        outcome = in_child(language, options.count, options.seed)
        problem = fault(outcome)
        faults += [f"{language}: {problem}"] if problem else []
        if "died" not in outcome:
            print(
                f"{language:<16}{options.count:>7}{outcome['taken']:>7}{outcome['refused']:>9}{len(outcome['errors']):>8}"
                f"{outcome['slowest_s']:>8.2f} s{outcome['grown_mb']:>7.0f} MB"
            )
    print("\n".join(faults) or "every goal met")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
