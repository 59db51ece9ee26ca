"""Rows that tests of rollouts share: a role with a canary, and conversations that came in while it ran."""

import uuid
from datetime import datetime, timedelta
from typing import Any

from django.utils import timezone

from apps.catalog.configs.queries.versions import published_configs
from apps.catalog.models import Agent, PromptLine
from apps.catalog.prompts.services.recording import record_prompt_text
from apps.evaluations.models import Judgement
from apps.production.domain.routing import bucket
from apps.production.intake.services.conversations import take_conversation
from apps.production.models import ProductionConversation, Rollout, RolloutConversation
from apps.production.rollouts.domain.request import RolloutRequest
from apps.production.rollouts.services.steering import start_rollout
from tests.evaluations.bench import make_config

STABLE, CANARY = "greeting@a1b2c3d", "greeting@c2c2c2c"
CALLERS = [str(uuid.UUID(int=n)) for n in range(1, 4)]


def role(name: str = "greeting", *, agent: Agent | None = None) -> PromptLine:
    """A role with a live version a1b2c3d and a recorded one c2c2c2c, in a tenant that has somebody to judge them."""
    if not published_configs():
        make_config()
    record_prompt_text(name=name, text=f"You are {name}. Greet {{name}}.", revision="a1b2c3d", by="amina")
    record_prompt_text(name=name, text=f"Be short, {name}. Greet {{name}}.", revision="c2c2c2c", draft=True, by="amina")
    line = PromptLine.objects.get(name=name)
    line.agent = agent
    line.save()
    return line


def start(name: str = "greeting", *, now: datetime | None = None, by: str = "amina", **more: Any) -> Rollout:
    asked = RolloutRequest(role=name, canary=f"{name}@c2c2c2c", **more)
    made = start_rollout(asked, by=by, now=now or timezone.now() - timedelta(minutes=5))
    return Rollout.objects.select_related("line", "stable", "canary").get(pk=made)


def ids(caller: str, *, below: int, count: int, start: int = 0, above: int = 0) -> list[str]:
    """So many conversation ids of a caller whose bucket is at least `above` and below `below`."""
    found: list[str] = []
    n = start
    while len(found) < count:
        id = str(uuid.uuid5(uuid.NAMESPACE_OID, f"{caller} {n}"))
        if above <= bucket(caller, id) < below:
            found.append(id)
        n += 1
    return found


def post(id: str, version: str = STABLE, *, caller: str = CALLERS[0], **more: Any) -> uuid.UUID:
    """A settled conversation that this version answered."""
    document = {
        "id": id, "ended": True, "prompt_version": version, "caller": caller,
        "turns": [{"role": "user", "content": "Habari"}, {"role": "assistant", "content": "Karibu", "latency_ms": 900}],
        **more,
    }  # fmt: skip
    return take_conversation(raw=document, now=timezone.now()).conversation_id


def arms(rollout: Rollout) -> dict[str, int]:
    found = list(RolloutConversation.objects.filter(rollout=rollout).values_list("arm", flat=True))
    return {arm: found.count(arm) for arm in sorted(set(found))}


def score(rollout: Rollout, *, stable: list[float], canary: list[float]) -> None:
    """Judge what was chosen, with these scores in turn."""
    scores = {"stable": stable, "canary": canary}
    placed = {"stable": 0, "canary": 0}
    for one in RolloutConversation.objects.filter(rollout=rollout, evaluation__isnull=False).order_by("pk"):
        values = scores[one.arm]
        Judgement.objects.filter(evaluation=one.evaluation_id, conversation=one.conversation_id).update(
            status="scored", weighted_score=values[placed[one.arm] % len(values)], fingerprint="f" * 64,
            judged_at=timezone.now(),
        )  # fmt: skip
        placed[one.arm] += 1


def aged(rollout: Rollout, **ago: int) -> None:
    """As if it had started so long ago."""
    earlier = timezone.now() - timedelta(**ago)
    Rollout.objects.filter(pk=rollout.pk).update(created_at=earlier)


def posted(conversation: uuid.UUID) -> ProductionConversation:
    return ProductionConversation.objects.get(conversation_id=conversation)
