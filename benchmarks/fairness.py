"""Does every tenant get its share of the workers, and how long does a small one wait behind a large one?

    python -m benchmarks.fairness [--tenants 2 5 20] [--conversations 4000] [--small 4] [FILE.jsonl …]

Tenants with equally much to judge begin together, two workers judge. When half of all is judged, the fairness index
(Jain's: 1 where all have the same, 1/n where one has everything) is taken over what each has. Then one tenant has 900
conversations and another comes with 4: how long does it wait? Exit 1 below an index of .95 or beyond 40 s.
"""

import argparse
import os
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

GOAL = 0.95
LONGEST_S = 40.0  # a turn of 20 s, calls that are open, and a tick
LARGE = 900


def index(shares: Sequence[float]) -> float:
    """Jain's fairness index; 1.0 for nothing at all."""
    squares = sum(share * share for share in shares)
    return sum(shares) ** 2 / (len(shares) * squares) if squares else 1.0


def judged(slugs: Sequence[str]) -> list[int]:
    """How many conversations each tenant has had judged."""
    from apps.evaluations.models import Judgement  # noqa: PLC0415 - after django.setup()
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    counts = []
    for slug in slugs:
        with in_tenant(slug):
            counts.append(Judgement.objects.filter(status="scored").count())
    return counts


def ask(slug: str, files: Sequence[Path], count: int) -> None:
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.evaluations.services.creating import request_evaluation  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415

    with in_tenant(slug):
        request_evaluation(config=rig.CONFIG, documents=rig.conversations(files, count), now=timezone.now())


def shares(state: Path, stub: Any, tenants: int, files: Sequence[Path], total: int) -> tuple[float, list[int], float]:
    """The index, what each tenant had when half was judged, and after how many seconds."""
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    with ExitStack() as stack:
        slugs = [stack.enter_context(rig.tenant(stub)) for _ in range(tenants)]
        for slug in slugs:
            ask(slug, files, total // tenants)
        with rig.workers(state):
            began = time.perf_counter()
            rig.until(lambda: sum(judged(slugs)) >= total / 2, timeout_s=600, every_s=0.2)
            seconds, counts = time.perf_counter() - began, judged(slugs)
    return index(counts), counts, seconds


def wait_of_a_small_one(state: Path, stub: Any, files: Sequence[Path], small: int) -> float:
    """Seconds until a tenant's few conversations are judged that come when another's many are under way."""
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415 - after django.setup()
    from benchmarks import rig  # noqa: PLC0415

    with rig.tenant(stub) as large, rig.tenant(stub) as late, rig.workers(state):
        ask(large, files, LARGE)
        wake_workers_on_commit(large)
        rig.until(lambda: judged([large])[0] > LARGE // 20, timeout_s=120)
        began = time.perf_counter()
        ask(late, files, small)
        wake_workers_on_commit(late)
        rig.until(lambda: judged([late])[0] == small, timeout_s=600)
        return time.perf_counter() - began


def main() -> int:
    """Print a line for each; exit 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[Path("examples/conversations/salon.jsonl")])
    parser.add_argument("--tenants", nargs="*", type=int, default=[2, 5, 20])
    parser.add_argument("--conversations", type=int, default=4000, help="of all tenants together")
    parser.add_argument("--small", type=int, default=4)
    parser.add_argument("--latency-ms", default="300")
    options = parser.parse_args()
    django.setup()
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    met = True
    with rig.services() as state, rig.stub_model("--latency-ms", options.latency_ms) as stub:
        for tenants in options.tenants:
            found, counts, seconds = shares(state, stub, tenants, options.files, options.conversations)
            met = met and found >= GOAL
            low, high = min(counts), max(counts)
            sys.stdout.write(
                f"{tenants:>3} tenants: index {found:.3f} after {seconds:.0f} s ({low} to {high} judged)\n"
            )
            sys.stdout.flush()
        waited = wait_of_a_small_one(state, stub, options.files, options.small)
        met = met and waited <= LONGEST_S
        sys.stdout.write(f"{options.small} conversations beside {LARGE} of another tenant: {waited:.1f} s\n")
    sys.stdout.write(f"goals {'met' if met else 'MISSED'}\n")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
