"""A model that limits, fails, hangs and babbles: what is judged right, in how many seconds, with how many requests.

    python -m benchmarks.model_faults [--mix thirty|forty|limit] [--conversations N] [--timeout-s 5] [FILE.jsonl …]

    thirty  10 % 429, 10 % 500, 10 % prose; 300 conversations, beside a bare loop that asks until it has an answer.
            Goal: all right, none wrong, no more requests than the loop, at most twice its seconds.
    forty   10 % 429, 10 % 500, 5 % hang, 10 % prose, 5 % cut; 600 conversations, no fallback. Goal: none wrong, every
            other one with a named error.
    limit   every call is a 429 with `retry-after: 1`; how many requests do 100 conversations send in 21 s?

Two real workers. Exit 1 when a goal is missed. A model that hangs is given up after --timeout-s.
"""

import argparse
import asyncio
import os
import sys
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

AT_ONCE = 32
RIGHT = 1e-9
LIMIT_S = 21.0
THIRTY = ("--fault-429", "0.1", "--fault-500", "0.1", "--prose", "0.1")
FORTY = (*THIRTY, "--hang", "0.05", "--cut", "0.05")
LIMIT = ("--fault-429", "1")


async def bare_loop(url: str, documents: Sequence[Any], timeout_s: float) -> int:
    """Ask about each conversation until an answer can be read: a wait as told after 429, 0.5 s, 1 s, 2 s … after 5xx
    and timeouts, at once after an unusable reply. How many it has right."""
    from apps.connectors.errors import ConnectorError, RateLimited  # noqa: PLC0415 - after django.setup()
    from apps.connectors.llms.base import ChatMessage, LLMRequest, ModelSpec  # noqa: PLC0415
    from apps.connectors.llms.registry import llm_for  # noqa: PLC0415
    from apps.connectors.outbound import OutboundPolicy, outbound_client  # noqa: PLC0415
    from apps.evaluations.domain.parsing import ParseError, parse_reply  # noqa: PLC0415
    from apps.evaluations.domain.prompt import reply_schema  # noqa: PLC0415
    from apps.evaluations.domain.transcript import render_transcript  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415
    from tests.loopback.stub_model import right_score  # noqa: PLC0415

    names = (*rig.CORE, *rig.SALES)
    llm = llm_for(ModelSpec(provider="openai", model="stub-model", base_url=f"{url}/v1", api_key="not-a-key"))
    slots = asyncio.Semaphore(AT_ONCE)

    async def judge(document: Any, client: Any) -> bool:
        turns = [{"role": str(turn.role), "content": turn.content} for turn in document.turns]
        request = LLMRequest(
            system="Judge.",
            messages=(ChatMessage("user", render_transcript(turns, nonce="n7")),),
            schema=reply_schema(names),
            timeout_s=timeout_s,
        )
        pause = 0.5
        async with slots:
            while True:
                try:
                    answer = await llm.complete(request, client=client)
                    found = parse_reply(answer.text, names, nonce="n7")
                except RateLimited as error:
                    await asyncio.sleep(error.retry_after)
                except ConnectorError:
                    await asyncio.sleep(pause)
                    pause *= 2
                except ParseError:
                    continue
                else:
                    if all(found.get(name) for name in names):
                        scores = {name: (found[name] or {})["score"] for name in names}
                        return all(_right(scores[name], right_score(document.id, name)) for name in names)

    async with outbound_client(OutboundPolicy(private_hosts=("loopback",))) as client:
        return sum(await asyncio.gather(*(judge(document, client) for document in documents)))


def product(state: Path, stub: Any, documents: Sequence[Any], give_up_s: float) -> dict[str, Any]:
    """The same by two real workers: what each conversation came to."""
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    from apps.evaluations.models import Evaluation, Judgement  # noqa: PLC0415
    from apps.evaluations.services.creating import request_evaluation  # noqa: PLC0415
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415
    from tests.loopback.stub_model import right_score  # noqa: PLC0415

    with rig.tenant(stub) as slug, rig.workers(state):
        with in_tenant(slug):
            asked = request_evaluation(config=rig.CONFIG, documents=documents, now=timezone.now())
            began = time.perf_counter()
            wake_workers_on_commit(slug)

        def ended() -> bool:
            with in_tenant(slug):
                row = Evaluation.objects.filter(pk=asked.evaluation_id)
                return not row.filter(status__in=["pending", "running"]).exists()

        with suppress(TimeoutError):  # which is the answer, for the mix that never lets anything through
            rig.until(ended, timeout_s=give_up_s, every_s=0.1)
        seconds = time.perf_counter() - began
        requests = stub.stats()["calls"]
        with in_tenant(slug):
            rows = Judgement.objects.filter(evaluation_id=asked.evaluation_id).select_related("conversation")
            states: Counter[str] = Counter()
            for row in rows.prefetch_related("scores"):
                given = {score.criterion: score.score for score in row.scores.all()}
                if row.status != "scored":
                    states[row.error_code or row.status] += 1
                elif any(
                    score is not None and not _right(score, right_score(row.conversation.external_id, name))
                    for name, score in given.items()
                ):
                    states["wrong"] += 1
                elif None in given.values():
                    states["partly unscored"] += 1
                else:
                    states["right"] += 1
    return {"states": states, "seconds": seconds, "requests": requests}


def _right(score: Any, expected: float) -> bool:
    return score is not None and abs(float(score) - expected) <= RIGHT


def one_mix(state: Path, mix: str, files: Sequence[Path], count: int, timeout_s: float) -> bool:
    """One line for the product, one for the loop where there is one; whether the goals were met."""
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    documents = rig.conversations(files, count)
    faults = {"thirty": THIRTY, "forty": FORTY, "limit": LIMIT}[mix]
    with rig.stub_model("--latency-ms", "50", "--retry-after", "1", *faults) as stub:
        bare: tuple[int, float, int] | None = None
        if mix == "thirty":
            began = time.perf_counter()
            right = asyncio.run(bare_loop(stub.url, documents, timeout_s))
            bare = right, time.perf_counter() - began, stub.stats()["calls"]
            stub.reset()
            sys.stdout.write(f"{mix}: bare loop {bare[0]} of {count} right, {bare[1]:.1f} s, {bare[2]} requests\n")
        found = product(state, stub, documents, LIMIT_S if mix == "limit" else 900)
    states = found["states"]
    named = {name: number for name, number in states.items() if name not in ("right", "wrong")}
    sys.stdout.write(
        f"{mix}: {states['right']} of {count} right, {states['wrong']} wrong, others {named}, "
        f"{found['seconds']:.1f} s, {found['requests']} requests\n"
    )
    sys.stdout.flush()
    if mix == "limit":
        return bool(found["requests"] <= AT_ONCE + 20)
    if bare is not None:
        return bool(states["right"] == count and found["requests"] <= bare[2] and found["seconds"] <= 2 * bare[1])
    return states["wrong"] == 0 and sum(states.values()) == count and not states["pending"]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[Path("examples/conversations/salon.jsonl")])
    parser.add_argument("--mix", action="append", choices=["thirty", "forty", "limit"], dest="mixes")
    parser.add_argument("--conversations", type=int, help="default 300, 600 and 100")
    parser.add_argument("--timeout-s", type=float, default=5.0)
    options = parser.parse_args()
    os.environ["RATIBA_MODEL_TIMEOUT_S"] = str(options.timeout_s)  # of the workers too
    django.setup()
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    met = True
    with rig.services() as state:
        for mix in options.mixes or ["thirty", "forty", "limit"]:
            count = options.conversations or {"thirty": 300, "forty": 600, "limit": 100}[mix]
            met = one_mix(state, mix, options.files, count, options.timeout_s) and met
    sys.stdout.write(f"goals {'met' if met else 'MISSED'}\n")
    return 0 if met else 1


if __name__ == "__main__":
    sys.exit(main())
