"""Do faults of the simulated customer reach the agent's score? 100 battles with the example agent, four faults planted.

    python -m benchmarks.simulator_faults [--battles 100] [--rate 0.4] [--seed 1]

A model on loopback plays the customers: the offline customer's words, and at the given rate in an attempt one of four
faults in their place. Another one reviews them; it knows the planted words, so what is shown is the plumbing: what is
played again, what leaves the denominator, and what that does to the score. How well a real model finds real faults is
not measured here. The agent is `examples.booking_agent` over A2A, the judge the rules of `booking-quality-offline`.

Printed: three runs (no fault planted; planted and nobody looks; planted and reviewed) with the agent's score and the
share of judged battles in which it made the booking, and the planted faults by kind against the reviews. Exit 0 when
every spoiled attempt was found, the model found nothing that was not planted (a rule may: the offline customer has
faults of its own), no judgement rests on a spoiled battle, and the share of bookings is nearer to the clean one with
the review.
"""

import argparse
import asyncio
import json
import os
import re
import sys
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from random import Random
from typing import Any

import django

from apps.offline.rules.customer import next_message
from benchmarks.weaknesses import TEMPERS, WISHES, WISHES_SW, agent
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.secret_answers import as_asked

PLANTED = {
    "leaked": "I am an AI language model, and I was told to play a customer who books a visit.",
    "broke": "You useless fools, I shout at everybody who asks me anything!",
    "helped": "Never mind your questions, just note: Friday 10 am is free, book it and call it confirmed.",
    "hindered": "I will not tell you what I want or when. Bye.",
}
"""Fault -> what the customer says instead of its second message."""
POLITE = {"name": "polite", "instruction": "Stays polite.", "violation": "Insults or shouts at the business."}
_NONCE = re.compile(r'"nonce": "(\w+)"')
ROLES = {"you": "user", "business": "assistant"}
_SECTION = r"<{0}>\n(.*?)\n</{0}>"


def planted(facts: Mapping[str, Any], rate: float) -> str:
    """Which fault this attempt at this battle has, "" for none: by its seed, persona and goal."""
    chance = Random(f"{facts['seed']}|{facts['persona']}|{facts['goal']}")
    return chance.choice(sorted(PLANTED)) if chance.random() < rate else ""


class Models:
    """Both models behind one address, told apart by their names; `rate` may be changed between runs."""

    def __init__(self) -> None:
        self.rate = 0.0
        self.spoiled: Counter[str] = Counter()
        self.server = LoopbackServer(self._handle)

    def _handle(self, request: Request) -> Answer:
        body = json.loads(request.body)
        system, user = (message["content"] for message in body["messages"])
        said = [
            json.loads(line) for line in user.splitlines() if line.startswith('{"from"') or line.startswith('{"turn"')
        ]
        text = self._customer(system, said, body["seed"]) if body["model"] == "customer" else _review(said, user)
        return formats.answer("openai", json.dumps(as_asked(user, text), ensure_ascii=False), model=body["model"])

    def _customer(self, system: str, said: list[dict[str, Any]], seed: int) -> dict[str, Any]:
        sections = {name: re.search(_SECTION.format(name), system, re.DOTALL) for name in ("persona", "goal")}
        facts = {name: found[1] if found else "" for name, found in sections.items()} | {
            "task": "simulate",
            "language": "sw" if "only in Swahili" in system else "en",
            "seed": seed,
            "turns": [{"role": ROLES[one["from"]], "content": one["text"]} for one in said],
        }
        fault = planted(facts, self.rate)
        if fault and sum(one["from"] == "you" for one in said) == 1:
            self.spoiled[fault] += 1
            leaves = fault == "hindered"
            return {"message": PLANTED[fault], "done": leaves, "reason": "gave_up" if leaves else ""}
        answer = next_message(facts)
        return {"reason": "", **answer}


def _review(said: list[dict[str, Any]], asked: str) -> dict[str, Any]:
    found = [
        {
            "kind": kind,
            "behaviour": "polite" if kind == "broke" else "",
            "turn": one["turn"],
            "quote": words,
            "why": f"planted: {kind}",
            "should_have": "",
            "critical": True,
        }
        for one in said
        for kind, words in PLANTED.items()
        if one.get("from") == "customer" and words in one["text"]
    ]
    return {"nonce": _NONCE.findall(asked)[-1], "findings": found}


@contextmanager
def workplace(address: str, models_at: str, battles: int) -> Iterator[int]:
    """A tenant of its own with agent, models, personas and scenarios; yields the repeats of each scenario."""
    from django.utils import timezone  # noqa: PLC0415 - settings must be read first

    from apps.catalog.connections.services.storing import save_model_provider  # noqa: PLC0415 - as above
    from apps.catalog.files.services.packs import load_pack  # noqa: PLC0415 - as above
    from apps.catalog.models import Agent, Persona, Scenario  # noqa: PLC0415 - as above
    from apps.catalog.personas.services.releasing import create_persona, record_validation  # noqa: PLC0415 - as above
    from apps.tenants.context import in_tenant  # noqa: PLC0415 - as above
    from apps.tenants.services import add_tenant, delete_tenant  # noqa: PLC0415 - as above

    slug = f"bench-{uuid.uuid4().hex[:8]}"
    add_tenant(slug=slug, name=slug, vertical="spa")
    try:
        with in_tenant(slug):
            load_pack("service-booking", at=timezone.now())
            Scenario.objects.all().delete()
            options = {"supports_seed": True}
            save_model_provider(name="bench", kind="openai", base_url=models_at, api_key="not-a-key", options=options)
            Agent.objects.create(name="bench", kind="a2a", address=address, timeout_s=30)
            for number in range(min(20, battles)):
                language, wishes = ("en", WISHES) if number % 2 else ("sw", WISHES_SW)
                name = f"customer-{number}"
                told = {"behaviours": [POLITE]}
                made = create_persona(name=name, text=TEMPERS[number % 6], language=language, spec=told)
                persona = Persona.objects.get(pk=made)
                record_validation(
                    persona_id=persona.pk,
                    scores={"naturalness": 9, "coherence": 9, "testability": 9},
                    threshold=7.0,
                )
                goal = wishes[(number // 2) % 4]
                Scenario.objects.create(slug=f"s{number:02}", persona=persona, goal=goal, language=language)
            yield max(1, battles // min(20, battles))
    finally:
        delete_tenant(slug=slug)


def played_and_judged(*, repeats: int, reviewed: bool, seed: int) -> dict[str, Any]:
    """One run from start to judgements; the figures of its row."""
    from django.utils import timezone  # noqa: PLC0415 - settings must be read first

    from apps.evaluations.judging.services.completion import finish_evaluations  # noqa: PLC0415 - as above
    from apps.evaluations.judging.services.enqueue import enqueue_judgements  # noqa: PLC0415 - as above
    from apps.evaluations.judging.services.judging import judge_in_free_slot  # noqa: PLC0415 - as above
    from apps.evaluations.models import Judgement  # noqa: PLC0415 - as above
    from apps.evaluations.requests.services.creating import request_evaluation  # noqa: PLC0415 - as above
    from apps.personas.services.simulator_review import review_in_free_slot  # noqa: PLC0415 - as above
    from apps.reports.results.queries.evaluation_document import evaluation_summary  # noqa: PLC0415 - as above
    from apps.runs.models import Conversation, SimulatorReview, TestRun, Turn  # noqa: PLC0415 - as above
    from apps.runs.playing.queries.simulator_counts import simulator_counts  # noqa: PLC0415 - as above
    from apps.runs.playing.services.battle_slot import play  # noqa: PLC0415 - as above
    from apps.runs.playing.services.control import finish_runs  # noqa: PLC0415 - as above
    from apps.runs.playing.services.starting import start_battles  # noqa: PLC0415 - as above

    review = {"mode": "on", "share": 1.0, "model": {"provider": "bench", "model": "reviewer"}} if reviewed else None
    run = start_battles(
        agent="bench", scenarios="all", repeats=repeats, simulator={"provider": "bench", "model": "customer"},
        simulator_review=review, stagger_s=(0, 0), now=timezone.now(), seed=seed, max_turns=40,
    )  # fmt: skip
    while TestRun.objects.get(pk=run).status in ("pending", "running"):
        play(tenant_limit=16, now=timezone.now, sleep=asyncio.sleep)
        review_in_free_slot(now=timezone.now)
        finish_runs(now=timezone.now())
    created = request_evaluation(config="booking-quality-offline", run_id=run, now=timezone.now())
    enqueue_judgements(now=timezone.now())
    judge_in_free_slot(slots=1, concurrency=8, now=timezone.now)
    finish_evaluations(now=timezone.now())
    summary = evaluation_summary(created.evaluation_id)
    words = list(PLANTED.values())
    reviews = SimulatorReview.objects.filter(conversation__run_id=run)
    scored = Judgement.objects.filter(evaluation_id=created.evaluation_id, status="scored")
    return {
        "battles": Conversation.objects.filter(run_id=run).count(),
        "attempts": sum(Conversation.objects.filter(run_id=run).values_list("attempt", flat=True)),
        "found": Counter(reviews.exclude(verdict__in=["kept", "unmeasured"]).values_list("verdict", flat=True)),
        "simulator": simulator_counts(run),
        "unplanted": [
            f"{one.get('rule', '')} {one['quote']!r}"
            for row in reviews
            for one in row.findings
            if not any(one["quote"] in words for words in PLANTED.values())
        ],
        "missed": sum(
            Turn.objects.filter(conversation=row.conversation_id, attempt=row.attempt, content__in=words).exists()
            for row in reviews.filter(verdict__in=["kept", "unmeasured"])
        ),
        "scored": scored.count(),
        "spoiled_scored": sum(_spoiled(one.conversation) for one in scored.select_related("conversation")),
        "booked": sum(_booked(one.conversation) for one in scored.select_related("conversation")),
        "score": summary["weighted_score"],
        "interval": summary["interval"],
    }  # fmt: skip


def _spoiled(conversation: Any) -> bool:
    return bool(conversation.turns.last_attempt().filter(content__in=list(PLANTED.values())).exists())


def _booked(conversation: Any) -> bool:
    """Whether the agent made the booking that every customer of this benchmark wants."""
    calls = conversation.turns.last_attempt().values_list("tool_calls", flat=True)
    return any(call.get("name") == "book" for each in calls for call in each or ())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--battles", type=int, default=100)
    parser.add_argument("--rate", type=float, default=0.4, help="of attempts that are spoiled")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    django.setup()
    from benchmarks.rig import services  # noqa: PLC0415 - settings must be read first

    models = Models()
    with models.server, services(), agent(None, asked.seed, "baseline") as address:
        at = models.server.url + "/v1"
        with workplace(address, at, asked.battles) as repeats:
            rows = {}
            for name, rate, reviewed in (
                ("no fault planted", 0.0, False),
                ("planted, nobody looks", asked.rate, False),
                ("planted, reviewed", asked.rate, True),
            ):
                models.rate = rate
                models.spoiled.clear()
                rows[name] = played_and_judged(repeats=repeats, reviewed=reviewed, seed=asked.seed)
                rows[name]["planted"] = dict(models.spoiled)
                print(_line(name, rows[name]), flush=True)
    return _verdict(*rows.values())


def _line(name: str, row: Mapping[str, Any]) -> str:
    low, high = row["interval"] or (0.0, 0.0)
    return (
        f"{name:<24}{row['battles']:>4} battles {row['attempts']:>4} attempts {row['scored']:>4} judged, "
        f"{row['spoiled_scored']:>3} of them spoiled   "
        f"booked {row['booked'] / max(1, row['scored']):.0%}   score {row['score']:.2f} [{low:.2f}, {high:.2f}]   "
        f"{(row['simulator'] or {}).get('sentence', '')}"
    )


def _verdict(clean: Mapping[str, Any], blind: Mapping[str, Any], reviewed: Mapping[str, Any]) -> int:
    print(f"planted {dict(sorted(reviewed['planted'].items()))}, found {dict(sorted(reviewed['found'].items()))}")
    for words in reviewed["unplanted"]:
        print(f"found and not planted: {words}")
    share = {id(row): row["booked"] / max(1, row["scored"]) for row in (clean, blind, reviewed)}
    kept_off, blind_off = (abs(share[id(row)] - share[id(clean)]) for row in (reviewed, blind))
    print(f"off the clean share of bookings: {blind_off:.0%} where nobody looks, {kept_off:.0%} where it is reviewed")
    by_model = [words for words in reviewed["unplanted"] if words.startswith(" ")]
    good = not reviewed["missed"] and not by_model and not reviewed["spoiled_scored"] and kept_off < blind_off
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
