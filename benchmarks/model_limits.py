"""A model that takes so many calls a second and refuses the others: how much of that is used, beside a bare loop?

    python -m benchmarks.model_limits [--takes 1 5 50] [--tells retry-after nothing] [--workers 1 2] [--seconds 60]

The server takes one call at a time, so many a second: the hardest kind, because a rate that is a little too high costs
it every second call. Each case is a new server, a new tenant and real workers; the bare loop asks at the known rate.
Goal: 80 % of what the server takes, from the first answer on. Exit 1 when it is missed.
"""

import argparse
import asyncio
import os
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

GOAL = 0.8


async def bare_loop(url: str, takes: float, seconds: float) -> int:
    """What a loop gets that knows the rate beforehand and keeps to it."""
    from apps.connectors.errors import RateLimited  # noqa: PLC0415 - after django.setup()
    from apps.connectors.llms.base import ChatMessage, LLMRequest, ModelSpec  # noqa: PLC0415
    from apps.connectors.llms.registry import llm_for  # noqa: PLC0415
    from apps.connectors.outbound import OutboundPolicy, outbound_client  # noqa: PLC0415

    llm = llm_for(ModelSpec(provider="openai", model="stub-model", base_url=f"{url}/v1", api_key="not-a-key"))
    answered = 0

    async with outbound_client(OutboundPolicy(private_hosts=("loopback",))) as client:

        async def ask() -> None:
            nonlocal answered
            with suppress(RateLimited):
                await llm.complete(LLMRequest(system="", messages=(ChatMessage("user", "hello"),)), client=client)
                answered += 1

        began, tasks = time.monotonic(), []
        while (at := time.monotonic() - began) < seconds:
            tasks.append(asyncio.create_task(ask()))
            await asyncio.sleep(max(0.0, len(tasks) / (takes * 0.98) - at))
        await asyncio.gather(*tasks)
    return answered


def one_case(state: Path, files: list[Path], *, takes: float, tells: str, workers: int, seconds: float) -> bool:
    """One line of figures; whether the goal was met."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.evaluations.services.creating import request_evaluation  # noqa: PLC0415
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415

    options = ("--latency-ms", "50", "--retry-after", "1", "--takes", str(takes), "--tells", tells)
    with rig.stub_model(*options) as stub:
        bare = asyncio.run(bare_loop(stub.url, takes, min(seconds, 20.0))) / min(seconds, 20.0)
        stub.reset()
        with rig.tenant(stub) as slug, rig.workers(state, count=workers):
            documents = rig.conversations(files, int(takes * seconds * 1.3) + 20)
            with in_tenant(slug):
                request_evaluation(config=rig.CONFIG, documents=documents, now=timezone.now())
                wake_workers_on_commit(slug)
            rig.until(lambda: _counts(stub).get("ok"), timeout_s=60)
            first, began = _counts(stub), time.monotonic()
            time.sleep(seconds)
            found, elapsed = _counts(stub), time.monotonic() - began
    used = (found["ok"] - first["ok"]) / (takes * elapsed)
    sys.stdout.write(
        f"takes {takes:g}/s, tells {tells}, {workers} workers: {used:.0%} used in {elapsed:.0f} s "
        f"({found['ok']} answered, {found.get('429', 0)} refused; bare loop that knows the rate {bare / takes:.0%})\n"
    )
    sys.stdout.flush()
    return bool(used >= GOAL)


def _counts(stub: Any) -> dict[str, int]:
    counts: dict[str, int] = stub.stats()["by_outcome"]
    return counts


def main() -> int:
    from tests.loopback.stub_model import TELLS  # noqa: PLC0415 - beside the others of this folder

    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[Path("examples/conversations/salon.jsonl")])
    parser.add_argument("--takes", nargs="+", type=float, default=[1, 5, 50])
    parser.add_argument("--tells", nargs="+", choices=TELLS, default=list(TELLS))
    parser.add_argument("--workers", nargs="+", type=int, default=[1, 2])
    parser.add_argument("--seconds", type=float, default=60.0)
    chosen = parser.parse_args()
    django.setup()
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    met = True
    with rig.services() as state:
        for workers in chosen.workers:
            for takes in chosen.takes:
                for tells in chosen.tells:
                    case = {"takes": takes, "tells": tells, "workers": workers, "seconds": chosen.seconds}
                    met = one_case(state, chosen.files, **case) and met
    sys.stdout.write(f"goals {'met' if met else 'MISSED'}\n")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
