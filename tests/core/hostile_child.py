"""Hostile texts of one language, read one after the other in a child with limits on memory and processor time, as a
worker or the web server would read them. An error that is no BadInput would be a 5xx or a lost lane, and counts
as one."""

import json
import resource
import subprocess
import sys
import time
from typing import Any

from apps.core.errors import BadInput
from tests.core.hostile_languages import LANGUAGES, texts_of

MEMORY_BYTES = 2 * 1024**3
PROCESSOR_S = 900
SLOWEST_S, MAX_MB = 5.0, 500.0


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
    done = subprocess.run(
        [sys.executable, "-m", "tests.core.hostile_child", language, str(count), str(seed)],
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
    return f"{outcome['grown_mb']:.0f} MB" if outcome["grown_mb"] > MAX_MB else ""


if __name__ == "__main__":
    print(json.dumps(run_all(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))))
