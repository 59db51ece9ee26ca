"""How long the page that compares two evaluations takes, beside the page of one evaluation with the same rows.

    python -m benchmarks.comparison                        # 2 x 240 conversations of 11 criteria
    python -m benchmarks.comparison --conversations 900

Makes a tenant of its own: two runs of the same cases, each judged, one of them twice. Asks for every page in turn,
several rounds, and tells the quickest round of each, its queries, and how many pages of one evaluation it costs: both
are measured in the same minute, so that a busy machine slows both. Exit 1 when a page is slower than the goal.
"""

import argparse
import os
import time
import uuid
from dataclasses import dataclass

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
django.setup(set_prefix=False)

from django.contrib.auth.models import User  # noqa: E402 - Django first
from django.db import connection  # noqa: E402
from django.test import Client  # noqa: E402
from django.utils import timezone  # noqa: E402

from apps.catalog.services.packs import load_pack  # noqa: E402
from apps.tenants.context import in_tenant  # noqa: E402
from apps.tenants.services import add_tenant, delete_tenant  # noqa: E402
from benchmarks.pages import CONFIG, ask, fill, judged  # noqa: E402
from benchmarks.rig import services  # noqa: E402

GOAL_MS = 150
ROUNDS = 7


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One answer: milliseconds, those of our own processor time, and the queries."""

    ms: float
    own: float
    queries: int


def measure(slug: str, conversations: int) -> dict[str, list[Round]]:
    """All rounds of each page, the first one cold."""
    with in_tenant(slug):
        load_pack(CONFIG, at=timezone.now())
        a, b = (fill(conversations, calls=False) for _ in range(2))
        again = judged(b["run"], calls=False)
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        owner = User.objects.create_superuser(f"bench-{uuid.uuid4().hex[:6]}")
        client = Client(headers={"host": f"{slug}.localhost"})
        client.force_login(owner)
    one, two = f"a={a['evaluation']}&b={b['evaluation']}", f"a={b['evaluation']}&b={again}"
    pages = {
        "one evaluation": f"/evaluations/{b['evaluation']}/",
        "two runs": f"/comparisons/?{one}",
        "two runs, its figures": f"/comparisons/?{one}&now=1",
        "one run, two judges": f"/comparisons/?{two}",
        "one run, its figures": f"/comparisons/?{two}&now=1",
    }
    taken: dict[str, list[Round]] = {name: [] for name in pages}
    for _ in range(1 + ROUNDS):
        for name, address in pages.items():
            busy = time.process_time()
            ms, queries = ask(client, address)
            taken[name].append(Round(ms=ms, own=(time.process_time() - busy) * 1000, queries=queries))
    return taken


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=240)
    parser.add_argument("--goal-ms", type=float, default=GOAL_MS)
    options = parser.parse_args()
    with services():
        slug = f"bench-{uuid.uuid4().hex[:8]}"
        add_tenant(slug=slug, name=slug, vertical="spa")
        try:
            rows = measure(slug, options.conversations)
        finally:
            delete_tenant(slug=slug)
    unit = min(one.ms for one in rows["one evaluation"])
    met = True
    for name, rounds in rows.items():
        best, own = (min(getattr(one, field) for one in rounds[1:]) for field in ("ms", "own"))
        met &= best <= options.goal_ms
        times = f"{rounds[0].ms:>8.0f} ms first{best:>8.0f} ms, {own:.0f} of Python{best / unit:>7.1f} x"
        print(f"{name:<24}{times}{rounds[-1].queries:>5} queries{'' if best <= options.goal_ms else '  SLOW'}")
    return int(not met)


if __name__ == "__main__":
    raise SystemExit(main())
