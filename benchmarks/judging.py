"""Speed of judging, as a ratio: our workers against a bare httpx loop of the same concurrency, in one run.

    python -m benchmarks.judging [--conversations 1000] [--latency-ms 50 500] FILE.jsonl …

Goal: wall ≤ 2 × bare at 50 ms latency and ≤ 1.2 × at 500 ms; CPU over bare < 4 ms per conversation; no worker process
above 250 MB; exactly one model call per conversation.
"""

import argparse
import asyncio
import json
import os
import resource
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

CONCURRENCY = 32
WARM_UP = 64  # conversations before the clock starts


def measure(state: Path, files: list[Path], count: int, latency_ms: int) -> dict[str, Any]:
    """One line of the table."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.evaluations.models import Evaluation  # noqa: PLC0415
    from apps.evaluations.requests.services.creating import request_evaluation  # noqa: PLC0415
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415

    def judge(slug: str, documents: Any) -> float:
        with in_tenant(slug):
            asked = request_evaluation(config=rig.CONFIG, documents=documents, now=timezone.now())
            rows = Evaluation.objects.filter(pk=asked.evaluation_id)
            start = time.perf_counter()
            wake_workers_on_commit(slug)
            rig.until(lambda: rows.filter(status="completed").exists(), timeout_s=300)
            return time.perf_counter() - start

    with rig.stub_model("--latency-ms", str(latency_ms)) as stub:
        bare = json.loads(
            subprocess.run(
                [
                    *(sys.executable, "-m", "benchmarks.judging"),
                    *("--bare", stub.url, "--conversations", str(count)),
                    *(str(file) for file in files),
                ],
                check=True,
                capture_output=True,
                text=True,
            ).stdout
        )
        with rig.tenant(stub) as slug, rig.workers(state, with_beat=False) as supervisor:
            judge(slug, rig.conversations(files, count + WARM_UP)[count:])  # others: kept answers would spare calls
            stub.reset()
            pids = [supervisor.pid(f"worker-{number}") or 0 for number in (1, 2)]
            before = rig.cpu_seconds(pids)
            wall = judge(slug, rig.conversations(files, count))
            used = rig.cpu_seconds(pids) - before
            return {
                "latency_ms": latency_ms,
                "bare_s": bare["wall"],
                "ours_s": wall,
                "ratio": wall / bare["wall"],
                "cpu_over_bare_ms": (used - bare["cpu"]) / count * 1000,
                "peak_mb": rig.peak_mb(pids),
                "calls": stub.stats()["calls"],
            }


def bare(url: str, files: list[Path], count: int, *, criteria_count: int) -> dict[str, float]:
    """The same requests, built beforehand, by nothing but httpx."""
    import httpx  # noqa: PLC0415 - the bare loop is a process of its own

    from apps.evaluations.domain.prompt import judge_request  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415

    guide = {"0": "bad", "3": "weak", "5": "fair", "7": "good", "10": "perfect"}
    criteria = [
        {"name": name, "description": name, "scoring_guide": guide, "weight": 1.0, "pass_mark": 6.0}
        for name in (*rig.SALES, *rig.CORE)[:criteria_count]
    ]
    bodies = []
    for document in rig.conversations(files, count):
        turns = [{"role": turn.role.value, "content": turn.content} for turn in document.turns]
        request = judge_request(criteria=criteria, template="", parameters={}, turns=turns, nonce="0123456789abcdef")
        bodies.append(
            {
                "model": "stub-model",
                "messages": [
                    {"role": "system", "content": request.system},
                    {"role": "user", "content": request.messages[0].content},
                ],
                "response_format": {
                    "type": "json_schema",
                    "json_schema": {"name": "judgement", "strict": True, "schema": request.schema},
                },
            }
        )

    async def loop() -> None:
        slots = asyncio.Semaphore(CONCURRENCY)
        limits = httpx.Limits(max_connections=CONCURRENCY, max_keepalive_connections=CONCURRENCY)
        async with httpx.AsyncClient(limits=limits, timeout=30, trust_env=False) as client:

            async def one(body: Any) -> None:
                async with slots:
                    reply = await client.post(f"{url}/v1/chat/completions", json=body)
                    json.loads(reply.json()["choices"][0]["message"]["content"])

            await asyncio.gather(*(one(body) for body in bodies))

    cpu = time.process_time()
    start = time.perf_counter()
    asyncio.run(loop())
    return {
        "wall": time.perf_counter() - start,
        "cpu": time.process_time() - cpu,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


def main() -> int:
    """Print the table; exit 1 when a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[Path("examples/conversations/salon.jsonl")])
    parser.add_argument("--conversations", type=int, default=1000)
    parser.add_argument("--latency-ms", type=int, nargs="+", default=[50, 500])
    parser.add_argument("--bare", metavar="URL", help=argparse.SUPPRESS)
    parser.add_argument("--criteria", type=int, default=11, help=argparse.SUPPRESS)
    options = parser.parse_args()
    django.setup()
    if options.bare:
        sys.stdout.write(
            json.dumps(bare(options.bare, options.files, options.conversations, criteria_count=options.criteria))
        )
        return 0
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    with rig.services() as state:
        rows = [measure(state, options.files, options.conversations, latency) for latency in options.latency_ms]
    missed = 0
    for latency_ms, row in zip(options.latency_ms, rows, strict=True):
        good = (
            row["ratio"] <= (1.2 if latency_ms >= 500 else 2.0)
            and row["cpu_over_bare_ms"] < 4
            and row["peak_mb"] < 250
            and row["calls"] == options.conversations
        )
        missed += not good
        sys.stdout.write(
            f"latency {latency_ms:>4} ms: bare {row['bare_s']:.2f} s, ours {row['ours_s']:.2f} s, ratio "
            f"{row['ratio']:.2f}; CPU over bare {row['cpu_over_bare_ms']:.2f} ms a conversation; peak "
            f"{row['peak_mb']:.0f} MB; {row['calls']} calls; {'goal met' if good else 'GOAL MISSED'}\n"
        )
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
