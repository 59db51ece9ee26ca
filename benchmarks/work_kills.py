"""Is anything of any kind of work lost or done twice, whatever is killed?

    python -m benchmarks.work_kills [--kills 20] [--ends-within 420] [--seed 1]

A tenant gets rows of every kind in the registry, again before each kill; real workers do them, against models, an
agent and receivers on loopback that take 0.3 to 1.5 s. Each time several kinds are in hand, a worker is killed with
SIGKILL: one chosen by chance among those that hold a kind which was hit least so far. The leases it held, and no
others, are run out by hand. The broker is flushed twice, and Postgres restarted twice without a shutdown. After the
last wave nobody wakes a worker: the ticks find what is left.

Printed for each kind: rows that needed work, done, lost (open at the end, or given up), done twice, what was asked or
posted outside, how much of it again beside what was under way at the kills, and how many kills met it in hand. Exit 1
where anything is lost or done twice, more was asked again than was under way, a call, a reservation, a lease, a lock
or work that nobody does is left behind, or a registered kind has no rows here (benchmarks/work_kill_seeds.py).
"""

import argparse
import os
import random
import sys
import time
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import django

EVENTS = {0.2: "broker", 0.4: "postgres", 0.6: "broker", 0.8: "postgres"}  # after this share of the kills


def say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; exit 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--ends-within", type=float, default=420.0, help="seconds from the last kill on")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    from tests.loopback.http_server import LoopbackServer  # noqa: PLC0415 - after the options were read
    from tests.loopback.smtp import smtp_server  # noqa: PLC0415 - as above

    chance = random.Random(options.seed)
    with ExitStack() as at_end:
        mail = at_end.enter_context(smtp_server())
        os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
        os.environ |= {
            "RATIBA_ALLOW_PRIVATE_CALLBACKS": "true", "RATIBA_MAIL_FROM": "ratiba@acme.example",
            "RATIBA_SMTP_URL": f"smtp://127.0.0.1:{mail.port}?tls=no",
        }  # fmt: skip
        django.setup()
        from apps.tenants.context import in_tenant  # noqa: PLC0415 - after django.setup()
        from apps.tenants.services import add_tenant, delete_tenant  # noqa: PLC0415
        from benchmarks import rig  # noqa: PLC0415
        from benchmarks.work_kill_drill import LEFT_WITHIN_S, WAVE_S, WorkDrill, wait, workers  # noqa: PLC0415
        from benchmarks.work_kill_seeds import furnish  # noqa: PLC0415
        from benchmarks.work_kill_world import OutsideWorld, handlers  # noqa: PLC0415

        journal = Path(at_end.enter_context(TemporaryDirectory())) / "journal"
        journal.touch()
        state = at_end.enter_context(rig.services())
        world = OutsideWorld(handlers(), chance=chance)
        url = at_end.enter_context(LoopbackServer(world)).url
        slug = f"kills-{os.getpid()}"
        add_tenant(slug=slug, name=slug, vertical="salon")
        at_end.callback(delete_tenant, slug=slug)
        with in_tenant(slug):
            furnish(url)
        supervisor = at_end.enter_context(workers(state, journal))
        drill = WorkDrill(tenant=slug, url=url, world=world, supervisor=supervisor, journal=journal, chance=chance)
        began = time.perf_counter()
        events = {max(1, round(share * options.kills)): what for share, what in EVENTS.items()}
        for number in range(1, options.kills + 1):
            drill.seed(number)
            killed = drill.kill()
            if number in events:
                drill.break_down(events[number])
            say(f"{number:>3}  {killed}; {events.get(number, '')} {sum(drill.open_rows().values())} open")
            wait(lambda: not drill.open_rows(), WAVE_S)
        if not wait(lambda: not drill.open_rows(), options.ends_within):
            say(f"not all ended: {drill.open_rows()}")
        wait(lambda: not (drill.open_rows() or drill.left_behind()), LEFT_WITHIN_S)
        say(f"{time.perf_counter() - began:.0f} s, load {os.getloadavg()[0]:.1f}")
        good, lines = drill.table()
    say("\n".join([*lines, "all as promised" if good else "a promise is BROKEN"]))
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
