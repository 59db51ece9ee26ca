"""What a thousand tenants cost while nothing happens in them: ticks, /metrics, the platform's health page.

    python -m benchmarks.many_tenants [--tenants 1000] [--seconds 60]

Runs in a Postgres of its own in a scratch folder, which it removes. Each tenant is made by replay and holds one
imported conversation. Counted are the time and the statements of a scrape and of the page; and the processor's seconds
of a real beat, of the workers and of Postgres, first as if all had been quiet for an hour, then as if something had
just been written in every tenant, so that all are visited by every tick.
"""

import argparse
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks import upgrade as house  # a Postgres of its own, and Django set up in it

MANY = 50  # messages at the broker that are not a backlog


def make(tenants: int) -> None:
    """Tenants with a conversation each."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.core.document_parsing import parse_document  # noqa: PLC0415
    from apps.runs.imports.services.importing import import_documents  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    house.make_tenants(tenants)
    start = time.perf_counter()
    turns = [{"role": "user", "content": "Habari"}, {"role": "assistant", "content": "Karibu."}]
    documents = [parse_document({"id": "c-1", "turns": turns})]
    for place in range(tenants):
        with in_tenant(f"many-{place:04}"):
            import_documents(documents=documents, name="one", triggered_by="bench", now=timezone.now())
    print(f"and a conversation in each in {time.perf_counter() - start:.1f} s", flush=True)


def statements(what: Any) -> tuple[float, int]:
    """Seconds, and how many statements it took."""
    from django.db import connection  # noqa: PLC0415 - after django.setup()
    from django.test.utils import CaptureQueriesContext  # noqa: PLC0415

    with CaptureQueriesContext(connection) as asked:
        start = time.perf_counter()
        what()
        return time.perf_counter() - start, len(asked)


def pages() -> None:
    """A scrape and the health page, as a process meets them first and then; broker and workers are not asked."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.tenants.models import TenantMetrics  # noqa: PLC0415
    from ratiba_eval import tenant_metrics as tenant_figures  # noqa: PLC0415
    from ratiba_eval.metrics import exposition  # noqa: PLC0415
    from ratiba_eval.platform_health import health  # noqa: PLC0415

    for name, what in (
        ("/metrics", lambda: exposition(now=timezone.now())),
        ("health page", lambda: health(now=timezone.now(), workers={"control": ["one"]})),
    ):
        for when in ("the first ever", "another process's first", "again"):
            if when != "again":
                tenant_figures._kept.clear()
            if when == "the first ever":
                TenantMetrics.objects.all().delete()
            seconds, asked = statements(what)
            print(f"{name}, {when}: {seconds * 1000:.0f} ms, {asked} statements", flush=True)


def _all_seen() -> bool:
    """Whether the first ticks have taken note of every tenant."""
    from apps.tenants.models import Tenant, TenantActivity  # noqa: PLC0415 - after django.setup()

    return TenantActivity.objects.count() >= Tenant.objects.count() - 1


def ticks(seconds: float) -> None:
    """CPU seconds a minute of beat and workers, of Postgres, and how much waits at the broker afterwards."""
    from django.db import connection, connections  # noqa: PLC0415 - after django.setup()

    from benchmarks import rig  # noqa: PLC0415
    from ratiba_eval import local_stack  # noqa: PLC0415
    from ratiba_eval.queues import messages_waiting  # noqa: PLC0415

    state = local_stack.state_dir()
    postgres = int(Path(state, "pg", "postmaster.pid").read_text().split()[0])
    with rig.workers(state, count=1) as supervisor:
        ours = [pid for name in supervisor.names() if (pid := supervisor.pid(name)) is not None]
        rig.until(_all_seen, timeout_s=120, every_s=1)
        for name, ago in (("all quiet", "1 hour"), ("all awake", "1 second")):
            with connection.cursor() as cursor:
                cursor.execute("UPDATE tenants_tenantactivity SET moved_at = now() - %s::interval", [ago])
            connections.close_all()
            rig.until(lambda: sum(messages_waiting().values()) < MANY, timeout_s=300, every_s=1)
            time.sleep(20)  # what was begun before ends
            before = rig.cpu_seconds(ours), rig.cpu_seconds([postgres])
            time.sleep(seconds)
            used = [
                (after - first) * 60 / seconds
                for after, first in zip((rig.cpu_seconds(ours), rig.cpu_seconds([postgres])), before, strict=True)
            ]
            print(
                f"ticks, {name}: {used[0]:.1f} s of beat and workers and {used[1]:.1f} s of Postgres a minute; "
                f"waiting at the broker: {messages_waiting()}",
                flush=True,
            )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tenants", type=int, default=1000)
    parser.add_argument("--seconds", type=float, default=60)
    asked = parser.parse_args()

    def measure() -> None:
        make(asked.tenants)
        pages()
        ticks(asked.seconds)

    house.in_it(measure)
    return 0


if __name__ == "__main__":
    sys.exit(main())
