"""How long a fresh tenant takes: row, schema, host name, made by replay. Target: 60 ms, goal 50.

    python benchmarks/fresh_tenant.py [--repeats 30]

Uses the embedded services (or DATABASE_URL) and drops what it makes.
"""

import argparse
import os
import statistics
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

import django

django.setup()

from django.core.management import call_command  # noqa: E402 - needs settings
from django.db import connection  # noqa: E402 - needs settings

from apps.tenants import services  # noqa: E402 - needs settings
from apps.tenants.schema_template import template_sql  # noqa: E402 - needs settings
from ratiba_eval import local_stack  # noqa: E402 - needs settings


def measure(repeats: int) -> tuple[list[float], list[float]]:
    """Milliseconds to add, and to delete, one tenant after the other."""
    added, deleted = [], []
    for _ in range(repeats):
        start = time.perf_counter()
        tenant = services.add_ephemeral_tenant(label="bench")
        middle = time.perf_counter()
        services.delete_tenant(slug=tenant.slug)
        added.append((middle - start) * 1000)
        deleted.append((time.perf_counter() - middle) * 1000)
    return added, deleted


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=30)
    repeats = parser.parse_args().repeats
    local_stack.ensure()
    call_command("migrate_schemas", shared=True, verbosity=0, interactive=False)
    connection.set_schema_to_public()
    start = time.perf_counter()
    script = template_sql()
    print(
        f"template: {time.perf_counter() - start:.2f} s, {len(script) // 1024} KiB, "
        f"{script.count('CREATE TABLE')} tables, "
        f"{script.count('CREATE INDEX') + script.count('CREATE UNIQUE INDEX')} indexes"
    )
    measure(3)
    for name, values in zip(("add", "delete"), measure(repeats), strict=True):
        middle, low, p90 = statistics.median(values), min(values), sorted(values)[int(repeats * 0.9)]
        print(f"{name}: median {middle:.1f} ms, min {low:.1f} ms, p90 {p90:.1f} ms ({repeats} times)")
    print(f"machine load: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
