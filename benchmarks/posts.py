"""How many posts of one conversation a running server takes, while its workers judge and others poll.

    make up                                          # in another terminal, after make demo
    python -m benchmarks.posts --key rk_… --rate 100 --seconds 60 --polls 200

Prints the times of the 202 (p50, p99, slowest), errors, how long it took until all was judged and how the evaluations
ended, where the processors' time went (web server, workers, database, broker, the load itself, others), the same posts
to a bare Django view that answers a constant, and the ratio of the two. Times depend on who else uses the machine;
processor time hardly does. Run it in the checkout (and with the RATIBA_STATE_DIR) of the server that is measured.
"""

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from benchmarks.processor_parts import listening, processes, seconds, spent
from benchmarks.small_client import Reply, SmallClient

TAKEN = 202
BARE = """
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.http import JsonResponse
from django.urls import path

settings.configure(ALLOWED_HOSTS=["*"], ROOT_URLCONF=__name__, SECRET_KEY="bare")

def view(request):
    request.body
    return JsonResponse({"id": "x"}, status=202, headers={"Content-Length": "11"})

urlpatterns = [path("api/v1/evaluations/", view)]
application = get_wsgi_application()
"""


def body(number: int, config: str) -> dict[str, Any]:
    turns = [
        {"role": "user", "content": "A haircut tomorrow at ten, please."},
        {"role": "assistant", "content": "Booked: tomorrow at 10:00, haircut, KES 1,500."},
    ]
    return {"evaluator_config": config, "conversations": [{"id": f"c-{number}", "language": "en", "turns": turns}]}


async def paced(rate: float, seconds: float, one: Callable[[int], Awaitable[None]]) -> None:
    """Call `one` at this rate, however long the earlier calls take: an open loop, as callers are."""
    if rate <= 0:
        return
    began = time.perf_counter()
    tasks: list[asyncio.Future[None]] = []
    for number in range(int(rate * seconds)):
        wait = began + number / rate - time.perf_counter()
        if wait > 0:
            await asyncio.sleep(wait)
        tasks.append(asyncio.ensure_future(one(number)))
    await asyncio.gather(*tasks)


def figures(times: list[tuple[float, float]], outcomes: Counter[str]) -> dict[str, Any]:
    """Of (when it began, how long it took), in milliseconds; the first second of a fresh server is told apart."""
    ordered = sorted(took for _, took in times)
    warm = sorted(took for began, took in times if began > 1) or ordered
    return {
        "p50": _ms(ordered, 0.5),
        "p99": _ms(ordered, 0.99),
        "p99_after_the_first_second": _ms(warm, 0.99),
        "slowest": _ms(ordered, 1),
        "outcomes": dict(outcomes),
    }


def _ms(ordered: list[float], share: float) -> float:
    return round(ordered[min(len(ordered) - 1, int(len(ordered) * share))] * 1000, 1)


async def load(url: str, options: argparse.Namespace, *, polls: float) -> dict[str, Any]:
    posted: list[tuple[float, float]] = []
    polled: list[tuple[float, float]] = []
    outcomes: Counter[str] = Counter()
    ids: list[str] = []
    began_at = uuid.uuid4().hex
    address = urlsplit(url)
    host, port = address.hostname or "localhost", address.port or 80
    client = SmallClient(host, port, headers={"authorization": f"Bearer {options.key}"})

    async def timed(asking: Awaitable[Reply], times: list[tuple[float, float]], name: str) -> Reply | None:
        asked = time.perf_counter()
        try:
            answer = await asking
        except (OSError, EOFError) as error:
            outcomes[name + type(error).__name__] += 1
            return None
        times.append((asked - began, time.perf_counter() - asked))
        outcomes[f"{name}{answer.status}"] += 1
        return answer

    async def post(number: int) -> None:
        key = {} if options.no_keys else {"idempotency_key": f"{began_at}-{number}"}
        answer = await timed(client.post("/api/v1/evaluations/", body(number, options.config), **key), posted, "")
        if answer is not None and answer.status == TAKEN:
            ids.append(answer.json()["id"])

    async def poll(number: int) -> None:
        if ids:
            await timed(client.get(f"/api/v1/evaluations/{ids[number % len(ids)]}/status/"), polled, "poll ")

    kinds = processes(port)
    before, began = seconds(kinds), time.perf_counter()
    await asyncio.gather(paced(options.rate, options.seconds, post), paced(polls, options.seconds, poll))
    after, took = seconds(kinds), time.perf_counter() - began
    found = figures(posted, outcomes) | {"took_s": round(took, 1)}
    requests = max(1, len(posted) + len(polled))
    found["web_cpu_ms_per_request"] = round(spent(before, after)["web"] * 1000 / requests, 2)
    found["cores_while_posting"] = {name: round(used / took, 2) for name, used in spent(before, after).items()}
    if polled:
        found["polls"] = figures(polled, Counter())
    if url == options.url:
        found |= await all_judged(client, ids)
        every = spent(before, seconds(kinds))
        found["cpu_ms_per_post_until_judged"] = {
            name: round(used * 1000 / max(1, len(posted)), 2) for name, used in every.items() if name != "others"
        }
    client.close()
    return found


async def all_judged(client: SmallClient, ids: list[str]) -> dict[str, Any]:
    """Seconds from the last post until every evaluation has ended, and how many ended how."""
    began, ours = time.perf_counter(), set(ids)
    while True:
        states: Counter[str] = Counter()
        path: str | None = "/api/v1/evaluations/?limit=200"
        while path and states.total() < len(ours):
            page = (await client.get(path)).json()
            states.update(row["status"] for row in page["results"] if row["id"] in ours)
            following = urlsplit(page["next"] or "")
            path = f"{following.path}?{following.query}" if page["next"] else None
        if not states["pending"] + states["running"]:
            return {"judged_after_s": round(time.perf_counter() - began, 1), "evaluations": dict(states)}
        await asyncio.sleep(0.5)


def against_bare(options: argparse.Namespace) -> dict[str, Any]:
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "bare_view.py").write_text(BARE)
        argv = [sys.executable, "-m", "waitress", "--listen=127.0.0.1:8790", "bare_view:application"]
        server = subprocess.Popen(argv, env=os.environ | {"PYTHONPATH": folder})
        try:
            while not listening(8790):
                time.sleep(0.2)
            return asyncio.run(load("http://127.0.0.1:8790", options, polls=0))
        finally:
            server.terminate()
            server.wait()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--url", default="http://localhost:8000")
    parser.add_argument("--key", required=True, help="from manage.py add_api_key --tenant demo")
    parser.add_argument("--config", default="booking-quality")
    parser.add_argument("--rate", type=float, default=100, help="posts a second")
    parser.add_argument("--polls", type=float, default=200, help="status polls a second beside them")
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--no-keys", action="store_true", help="post without Idempotency-Key")
    options = parser.parse_args()
    ours = asyncio.run(load(options.url, options, polls=options.polls))
    bare = against_bare(options)
    ratios = {
        "ratio_p50": round(ours["p50"] / bare["p50"], 1),
        "ratio_cpu": round(ours["web_cpu_ms_per_request"] / max(0.01, bare["web_cpu_ms_per_request"]), 1),
    }
    print(json.dumps({"ours_ms": ours, "bare_view_ms": bare, **ratios}, indent=2))


if __name__ == "__main__":
    main()
