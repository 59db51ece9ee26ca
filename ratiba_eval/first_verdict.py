"""From an agent's address to a first verdict: what `try` sets up, plays and prints. Safe to repeat."""

import re
import uuid
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.contrib.auth import get_user_model

from apps.catalog.models import Scenario
from apps.catalog.services.packs import load_pack
from apps.core.errors import BadInput
from apps.evaluations.models import CriterionScore
from apps.evaluations.services.battles import battle_run
from apps.evaluations.services.creating import request_evaluation
from apps.reports.queries.evaluation_document import evaluation_summary
from apps.tenants.context import in_public, in_tenant
from apps.tenants.queries import known_slugs
from apps.tenants.services import add_tenant, update_workflow_config
from ratiba_eval import preparation

CUSTOMERS = 8
MARK = "try"
SETTINGS = {"max_concurrent_battles": CUSTOMERS, "battle_stagger_s": [0.0, 0.0]}


@dataclass(frozen=True, slots=True)
class Business:
    """A pack by the words that a person chooses it by. `config` judges, `scenarios` are those whose id begins so."""

    words: str
    pack: str
    config: str
    scenarios: str


BUSINESSES: Mapping[str, Business] = {
    "salon": Business("a salon, spa or barbershop", "service-booking", "booking-quality", "booking_"),
    "dental": Business("the reception of a dentist or doctor", "dental-reception", "dental-reception", "dental_"),
    "hotel": Business("a hotel or guest house", "hotel", "hotel-stay", "hotel_"),
    "shop": Business("support of an online shop", "shop-support", "shop-support", "shop_"),
    "telecom": Business("support of a mobile or internet provider", "telecom", "telecom-support", "telecom_"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FirstRun:
    """What was started."""

    run_id: uuid.UUID
    evaluation_id: uuid.UUID
    customers: int
    languages: tuple[str, ...]


def set_up_tenant(*, slug: str, password: str | None) -> bool:
    """The tenant, with `admin` who may sign in; whether it was made. Outside any tenant."""
    with in_public():
        made = slug not in known_slugs()
        if made:
            add_tenant(slug=slug, name=slug.replace("-", " ").title(), vertical="service")
            update_workflow_config(slug=slug, changes=SETTINGS)
    with in_tenant(slug):
        users = get_user_model().objects
        if password and not users.filter(username=preparation.ADMIN).exists():
            users.create_superuser(username=preparation.ADMIN, email="", password=password)
    return made


def agent_name(address: str) -> str:
    """A name for the agent at an address: its host and port, or the module of a function."""
    words = re.sub(r"^\w+://", "", address).partition("/")[0].partition(":")
    return re.sub(r"[^a-z0-9]+", "-", f"{words[0]} {words[2]}".lower()).strip("-")[:60] or "agent"


def start_first_run(*, agent: str, business: Business, language: str, now: datetime) -> FirstRun:
    """Load the pack, play its customers against the agent and owe the verdict. Inside the tenant. Customers who write
    the language (or mix it) play; all of them where nobody does; twice where they are fewer than half of CUSTOMERS."""
    load_pack(business.pack, at=now, by=MARK)
    rows = Scenario.objects.filter(slug__startswith=business.scenarios).order_by("slug").values_list("slug", "language")
    spoken = [row for row in rows if row[1] in (language, "mixed" if language == "sw" else language)]
    chosen = (spoken or list(rows))[:CUSTOMERS]
    if not chosen:
        raise BadInput(f"The pack {business.pack} has no scenario.", code="no_scenarios")
    repeats = max(1, CUSTOMERS // len(chosen))
    run_id = battle_run(
        agent=agent, scenarios=[slug for slug, _ in chosen], repeats=repeats, triggered_by=MARK, now=now
    )
    evaluation = request_evaluation(config=business.config, run_id=run_id, triggered_by=MARK, now=now)
    return FirstRun(
        run_id=run_id, evaluation_id=evaluation.evaluation_id, customers=repeats * len(chosen),
        languages=tuple(sorted({one for _, one in chosen})),
    )  # fmt: skip


def verdict_lines(found: Mapping[str, Any], worst: Mapping[str, Any] | None) -> list[str]:
    """The verdict, the worst criterion with a reply, then every criterion, worst first, and the warnings."""
    decision, score, interval = found["decision"], found["weighted_score"], found["interval"]
    told = "no score" if score is None else f"{score:.2f} of 10"
    if interval:
        told += f", 95 % interval {interval[0]:.2f} to {interval[1]:.2f}"
    sentence = decision["sentence"]
    lines = [f"{sentence[:1].upper()}{sentence[1:]}", f"  {told}", ""]
    if worst:
        lines += [f"worst: {worst['title']}, {worst['score']:.1f} in one conversation", f"  {worst['reason']}"]
        lines += [f'  it said: "{worst["quote"]}"'] if worst["quote"] else []
        lines += [""]
    for one in sorted((one for one in found["criteria"] if one["mean"] is not None), key=lambda one: one["mean"]):
        filled = round(one["mean"])
        verdict = "FAIL" if one["decision"] == "fail" else one["decision"]
        bar = "█" * filled + "·" * (10 - filled)
        lines.append(f"  {one['title']:<26}{bar} {one['mean']:5.2f}  {verdict}  n={one['scored']}")
    return [*lines, *([""] if found["warnings"] else []), *(f"! {warning}" for warning in found["warnings"])]


def worst_reply(evaluation_id: uuid.UUID, criteria: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The lowest score of the criterion whose mean is worst against its mark, with its reason and the first words
    quoted for it; None where nothing was scored. One query."""
    measured = [one for one in criteria if one["mean"] is not None]
    if not measured:
        return None
    one = min(measured, key=lambda one: one["mean"] - one["pass_mark"])
    rows = CriterionScore.objects.filter(judgement__evaluation=evaluation_id, criterion=one["criterion"])
    score, reason, evidence = (
        rows.filter(score__isnull=False).order_by("score", "pk").values_list("score", "reason", "evidence")[0]
    )
    quote = next((str(part.get("quote") or "") for part in evidence), "")
    return {"title": one["title"], "score": score, "reason": reason, "quote": quote[:300]}


def summary_of(evaluation_id: uuid.UUID) -> dict[str, Any]:
    """The evaluation's document. Inside the tenant."""
    return evaluation_summary(evaluation_id)


def asked(question: str, answers: Sequence[str], usual: str, *, ask: Callable[[str], str] | None) -> str:
    """One of the answers: the usual one where nobody can be asked or nothing is typed. Raises BadInput for another."""
    if ask is None:
        return usual
    typed = ask(f"{question} [{usual}] ").strip().lower() or usual
    if typed not in answers:
        raise BadInput(f"{typed!r} is none of {', '.join(answers)}.", code="bad_option")
    return typed
