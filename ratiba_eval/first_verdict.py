"""From an agent's address to a first verdict: what `try` sets up, plays and prints. Safe to repeat."""

import uuid
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from django.contrib.auth import get_user_model

from apps.connectors.discovery.search import AgentWay
from apps.core.errors import BadInput
from apps.evaluations.models import CriterionScore
from apps.evaluations.requests.services.first_run import CUSTOMERS
from apps.tenants.context import in_public, in_tenant
from apps.tenants.queries import known_slugs
from apps.tenants.services import add_tenant, update_workflow_config
from ratiba_eval import preparation
from ratiba_eval.demonstration import criterion_line

PLAIN_QUESTIONS = ({"message": "{{ text }}"}, {"message": "{{ text }}", "session_id": "{{ session }}"})
NO_INTERVAL = (0.0, 10.0)  # the whole scale
SETTINGS = {"max_concurrent_battles": CUSTOMERS, "battle_stagger_s": [0.0, 0.0]}


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


def verdict_lines(found: Mapping[str, Any], worst: Mapping[str, Any] | None) -> list[str]:
    """The verdict, the worst criterion with a reply, then every criterion, worst first, and the warnings."""
    decision, score, interval = found["decision"], found["weighted_score"], found["interval"]
    score_text = "no score" if score is None else f"{score:.2f} of 10"
    if interval and (interval[0], interval[1]) == NO_INTERVAL:
        score_text += ", from too few different customers to say how sure that is"
    elif interval and interval[0] == interval[1]:
        score_text += ", the same in every conversation: too little differs to say how sure that is"
    elif interval:
        score_text += f", 95 % interval {interval[0]:.2f} to {interval[1]:.2f}"
    sentence = decision["sentence"]
    lines = [f"{sentence[:1].upper()}{sentence[1:]}", f"  {score_text}", ""]
    if worst:
        lines += [f"worst: {worst['title']}, {worst['score']:.1f} in one conversation", f"  {worst['reason']}"]
        lines += [f'  it said: "{worst["quote"]}"'] if worst["quote"] else []
        lines += [""]
    for one in sorted(
        (criterion for criterion in found["criteria"] if criterion["mean"] is not None),
        key=lambda criterion: criterion["mean"],
    ):
        lines.append(criterion_line(one["title"], one["mean"], one["decision"], scored=one["scored"]))
    return [*lines, *([""] if found["warnings"] else []), *(f"! {warning}" for warning in found["warnings"])]


def worst_reply(evaluation_id: uuid.UUID, criteria: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """The lowest score of the criterion whose mean is worst against its mark, with its reason and the first words
    quoted for it; None where nothing was scored. One query."""
    measured = [criterion for criterion in criteria if criterion["mean"] is not None]
    if not measured:
        return None
    one = min(measured, key=lambda criterion: criterion["mean"] - criterion["pass_mark"])
    rows = CriterionScore.objects.filter(judgement__evaluation=evaluation_id, criterion=one["criterion"])
    score, reason, evidence = (
        rows.filter(score__isnull=False).order_by("score", "pk").values_list("score", "reason", "evidence")[0]
    )
    quote = next((str(part.get("quote") or "") for part in evidence), "")
    return {"title": one["title"], "score": score, "reason": reason, "quote": quote[:300]}


def is_function(address: str) -> bool:
    """Tell whether an address is MODULE:FUNCTION, and no host with a port or a path."""
    return not ("/" in address or address.rpartition(":")[2].isdecimal())


def how_reached(way: AgentWay, address: str) -> str:
    """Return what `ratiba-ci init` must be told to reach an agent from the repository as `try` did.

    An agent that wants another question than pytest's own is reached by the server, which knows it by now.
    """
    if is_function(address):
        return f"--callable {address}"
    if way.kind == "a2a":
        return f"--address {way.address}"
    if way.options.get("body") not in PLAIN_QUESTIONS:
        return "--on-server"
    reply = str(way.options.get("reply") or "")
    return f"--address {way.address} --kind http" + (f" --reply '{reply}'" if reply not in ("", "$.reply") else "")


def asked(question: str, answers: Sequence[str], usual: str, *, ask: Callable[[str], str] | None) -> str:
    """One of the answers: the usual one where nobody can be asked or nothing is typed. Raises BadInput for another."""
    if ask is None:
        return usual
    typed = ask(f"{question} [{usual}] ").strip().lower() or usual
    if typed not in answers:
        raise BadInput(f"{typed!r} is none of {', '.join(answers)}.", code="bad_option")
    return typed
