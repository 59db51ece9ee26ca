"""How long an upgrade of many tenants takes when nothing changed, when it was killed, and when one is broken.

    python benchmarks/upgrade.py [--tenants 1000] [--behind 5]

Runs in a Postgres of its own in a scratch folder, which it removes. Tenants are made by replaying the template. Goal:
60 s for 1,000 tenants that are up to date.
"""

import argparse
import atexit
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))
STATE = Path(tempfile.mkdtemp(prefix="ru-", dir="/tmp"))
atexit.register(shutil.rmtree, STATE, ignore_errors=True)  # registered first, so it is the last to run
os.environ["RATIBA_STATE_DIR"] = str(STATE)
for _name in ("DATABASE_URL", "REDIS_URL"):
    os.environ.pop(_name, None)
os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

import django  # noqa: E402 - needs the folder

django.setup()

from django.core.management import call_command  # noqa: E402 - needs settings
from django.db import connection  # noqa: E402 - needs settings

from apps.tenants import services  # noqa: E402 - needs settings
from apps.tenants.models import Tenant  # noqa: E402 - needs settings
from apps.tenants.queries import tenants_behind  # noqa: E402 - needs settings
from ratiba_eval import local_stack  # noqa: E402 - needs settings


def command(*arguments: str) -> list[str]:
    return [sys.executable, str(ROOT / "manage.py"), *arguments]


def upgrade(*options: str) -> tuple[float, dict]:
    """Seconds of the whole command, its start included, and its answer."""
    start = time.perf_counter()
    done = subprocess.run(command("upgrade", "--json", *options), capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    assert done.stdout, done.stderr[-2000:]
    return seconds, json.loads(done.stdout)


def killed_midway(count: int) -> int:
    """Start an upgrade of `count` tenants that are behind, kill it after the first two; how many are left."""
    Tenant.objects.filter(slug__in=[f"many-{n:04}" for n in range(count)]).update(schema_key="older")
    with subprocess.Popen(command("upgrade"), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        heard = [process.stderr.readline(), process.stderr.readline()]
        process.send_signal(signal.SIGKILL)
    assert all("migrated" in line for line in heard), heard
    time.sleep(2)  # its processes die with it; what Postgres had in hand for them it ends or rolls back
    return tenants_behind()


def make_tenants(tenants: int) -> None:
    """By replaying the template, in this folder's own Postgres."""
    call_command("migrate_schemas", shared=True, verbosity=0, interactive=False)
    connection.set_schema_to_public()
    start = time.perf_counter()
    for place in range(tenants):
        services.add_tenant(slug=f"many-{place:04}", vertical="bench")
        if place % 100 == 99:
            print(f"  {place + 1} after {time.perf_counter() - start:.0f} s", file=sys.stderr, flush=True)
    print(f"made {tenants} tenants in {time.perf_counter() - start:.1f} s", flush=True)


def measure(tenants: int, behind: int) -> None:
    make_tenants(tenants)
    seconds, answer = upgrade()
    assert answer == {"public_migrated": False, "tenants_migrated": 0, "broken": {}}, answer
    print(f"nothing changed: {seconds:.2f} s for {tenants} tenants, the command's start included (goal 60)", flush=True)

    some = [f"many-{n:04}" for n in range(min(tenants, 20))]
    for options in (("--parallel", "1"), ()):
        Tenant.objects.filter(slug__in=some).update(schema_key="older")
        seconds, answer = upgrade(*options)
        assert answer["tenants_migrated"] == len(some), answer
        print(f"{len(some)} behind, {' '.join(options) or 'as usual'}: {seconds:.1f} s", flush=True)

    left = killed_midway(behind)
    seconds, answer = upgrade()
    assert answer["tenants_migrated"] == left, answer
    print(f"killed after 2 of {behind}: {left} were left, and done in {seconds:.2f} s by the next one", flush=True)

    Tenant.objects.filter(slug__in=["many-0000", "many-0001", "many-0002"]).update(schema_key="older")
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM t_many_0001.django_migrations WHERE app = 'audit'")
    seconds, answer = upgrade()
    assert answer["tenants_migrated"] == 2, answer
    assert list(answer["broken"]) == ["many-0001"], answer
    print(f"one of three broken: named, two migrated, {seconds:.2f} s: {answer['broken']}", flush=True)


def in_it(work: Callable[[], None]) -> None:
    """Do this while this folder's services run; whatever happens, they stop and the folder goes."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # so that the folder goes all the same
    try:
        local_stack.ensure()
        work()
    finally:
        connection.close()
        local_stack.stop()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tenants", type=int, default=1000)
    parser.add_argument("--behind", type=int, default=5)
    asked = parser.parse_args()
    in_it(lambda: measure(asked.tenants, asked.behind))


if __name__ == "__main__":
    main()
