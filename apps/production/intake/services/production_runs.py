"""The runs that production conversations stand in: one agent × six hours."""

import uuid
from datetime import datetime, timedelta

from django.db.models import Max

from apps.catalog.models import Agent, PromptLine
from apps.core.errors import BadInput
from apps.core.inserting import insert_new
from apps.core.subject import Subject
from apps.production.conversations.domain.windows import HOURS, run_id_of, window_of
from apps.runs.domain.states import Kind, RunStatus
from apps.runs.models import Conversation, TestRun


def agent_of(*, name: str, prompt_version: str) -> uuid.UUID | None:
    """Return the agent of a conversation: by its name, else by its prompt, else the only one there is.

    None where none fits. At most two queries. Raises BadInput (`unknown_agent`).
    """
    if name:
        agent_pk = Agent.objects.filter(name=name).values_list("pk", flat=True).first()
        if agent_pk is None:
            raise BadInput(f"There is no agent {name!r} here.", code="unknown_agent", pointer="/agent")
        return agent_pk
    line, marked, _ = prompt_version.partition("@")
    if marked:
        of_prompt = PromptLine.objects.filter(name=line, agent__isnull=False).values_list("agent_id", flat=True).first()
        if of_prompt is not None:
            return of_prompt
    agents = list(Agent.objects.order_by("pk").values_list("pk", "name")[:50])
    named = [pk for pk, own in agents if marked and own == line]
    return named[0] if named else agents[0][0] if len(agents) == 1 else None


def place_in_run(*, agent_id: uuid.UUID | None, said_at: datetime | None, now: datetime) -> tuple[uuid.UUID, int]:
    """Return the run of this agent and these six hours, and the next free position in it.

    The run is made where it is not there yet; the position is the caller's until its transaction ends. Three
    statements.
    """
    starts = window_of(said_at=said_at, now=now)
    ends = starts + timedelta(hours=HOURS)
    run_id = run_id_of(agent_id=agent_id, starts=starts)
    agent = Agent.objects.filter(pk=agent_id).values_list("name", flat=True).first() if agent_id else ""
    name = f"Production · {agent or 'no agent named'} · {starts:%Y-%m-%d %H:%M} UTC"
    plan = {"kind": Kind.PRODUCTION.value, "name": name, "from": starts.isoformat(), "to": ends.isoformat()}
    run = TestRun(
        pk=run_id,
        created_at=now,
        kind=Kind.PRODUCTION,
        status=RunStatus.COMPLETED,
        name=name[:200],
        agent_id=agent_id,
        plan=plan,
        subject=Subject(agent=agent or "").as_json(),
        triggered_by="production",
        started_at=starts,
        ended_at=ends,
        progress_at=now,
    )
    insert_new([run])
    TestRun.objects.select_for_update().only("pk").get(pk=run_id)
    last = Conversation.objects.filter(run_id=run_id).aggregate(last=Max("position"))["last"]
    return run_id, 0 if last is None else last + 1
