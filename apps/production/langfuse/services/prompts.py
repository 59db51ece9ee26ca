"""Exchange prompts with a team's Langfuse.

Versions that git knows are published there, through the outbox; only the names that a source lists are read from there,
and become versions here.
"""

import asyncio
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from django.db import connection

from apps.catalog.models import PromptLine, PromptVersion
from apps.catalog.prompts.services.recording import make_live, record_prompt_text
from apps.connectors.errors import ConnectorError
from apps.connectors.outbound import outbound_client
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.connectors.tracing.langfuse.prompts import LangfusePrompt, LangfusePrompts, PublishedPrompt
from apps.core.errors import BadInput, Conflict
from apps.jobs.domain.delivery_outcome import DeliveryOutcome
from apps.jobs.services.outbound import DueDelivery, PreparedDelivery, outcome_of
from apps.production.langfuse.models import LangfuseSource
from apps.production.langfuse.services.connection import address_of
from apps.production.services.outbound_policies import langfuse_policy

PUBLISHED, MADE_LIVE = "published", "live"  # first words of events
READ_LABEL = "production"  # what the SDK of Langfuse gives where nobody names a label
READ_S = 5.0  # of twenty names
_LABEL = re.compile(r"[^a-z0-9._-]")
# Versions of git, and each that is live; of names that are read from there none. `live` moves with its line.
_OWED = """
INSERT INTO jobs_outbounddelivery (id, created_at, kind, subject_id, event, status, attempts, not_before, waiting_for,
  last_error)
SELECT gen_random_uuid(), %(now)s, 'langfuse', o.subject, o.event, 'pending', 0, %(now)s, '', '' FROM (
  SELECT v.id AS subject, 'published' AS event FROM catalog_promptversion v
  WHERE (v.version !~ '@sha256-' OR v.id IN (SELECT live_id FROM catalog_promptline)) AND v.name <> ALL(%(read)s)
  UNION ALL
  SELECT l.id, 'live ' || to_char(l.live_since AT TIME ZONE 'UTC', 'YYYYMMDDHH24MISSUS') FROM catalog_promptline l
  WHERE l.name <> ALL(%(read)s)
) o WHERE NOT EXISTS (
  SELECT 1 FROM jobs_outbounddelivery d
  WHERE d.kind = 'langfuse' AND d.subject_id = o.subject AND d.event = o.event
) LIMIT 500
ON CONFLICT DO NOTHING
"""


def prompts_source() -> LangfuseSource | None:
    """The project that prompts are published to; None where nobody switched that on. One query."""
    return LangfuseSource.objects.filter(enabled=True, publishes_prompts=True).first()


def enqueue_prompts(*, now: datetime) -> int:
    """Create deliveries of new versions and of prompts whose live version changed. Safe to repeat.
    Two statements, one where nothing is published; a tenant has some hundred versions."""
    if prompts_source() is None:
        return 0
    read = [name for names in LangfuseSource.objects.values_list("read_prompts", flat=True) for name in names]
    with connection.cursor() as cursor:
        cursor.execute(_OWED, {"now": now, "read": read})
        return int(cursor.rowcount)


class LangfusePromptsAdapter:
    """Publishes prompts to Langfuse. `prepare` takes three queries, however many are due."""

    def prepare(
        self, due: Sequence[DueDelivery], now: Callable[[], datetime]
    ) -> Sequence[PreparedDelivery | DeliveryOutcome]:
        source = prompts_source()
        if source is None:
            why = "no prompts are published to a Langfuse"
            return [DeliveryOutcome(delivered=False, refused=True, error=why) for _ in due]
        ids = [delivery.subject_id for delivery in due]
        versions = PromptVersion.objects.in_bulk(ids)
        lines = PromptLine.objects.select_related("live").in_bulk(ids)
        project = LangfusePrompts(address_of(source))
        return [
            _prepared(project, source, versions.get(delivery.subject_id) or lines.get(delivery.subject_id))
            for delivery in due
        ]

    def client(self) -> Any:
        return outbound_client(langfuse_policy())


langfuse_prompts_adapter = LangfusePromptsAdapter()


def label_of(version: str) -> str:
    """The part of a version behind the @, as a label: small letters, digits and . _ -"""
    return _LABEL.sub("-", version.rpartition("@")[2].lower())[:36]


def _prepared(
    project: LangfusePrompts, source: LangfuseSource, row: PromptVersion | PromptLine | None
) -> PreparedDelivery | DeliveryOutcome:
    if row is None:
        return DeliveryOutcome(delivered=False, refused=True, error="this prompt is not here any more")
    version = row.live if isinstance(row, PromptLine) else row
    prompt = PublishedPrompt(
        name=version.name, version=version.version, label=label_of(version.version), text=version.text
    )
    act = project.make_live if isinstance(row, PromptLine) else project.publish

    async def send(client: Any, within_s: float) -> DeliveryOutcome:
        return outcome_of(await act(client, prompt, within_s=within_s))

    return PreparedDelivery(receiver=source.base_url, send=send)


def read_prompts(source: LangfuseSource) -> list[str]:
    """Read the prompts that a source lists from Langfuse and make them live; return the errors.
    The versions are `<name>@langfuse-<number>`. One GET a name; safe to repeat."""
    if not source.read_prompts:
        return []
    prompts = asyncio.run(_read(address_of(source), source.read_prompts))
    return [why for name, prompt in prompts.items() if (why := _record(name, prompt, by=f"Langfuse {source.name}"))]


async def _read(address: LangfuseAddress, names: Sequence[str]) -> dict[str, LangfusePrompt | str]:
    project = LangfusePrompts(address)
    prompts: dict[str, LangfusePrompt | str] = {}
    async with outbound_client(langfuse_policy()) as client:
        for name in names:
            try:
                one = await project.labelled(client, name, READ_LABEL, within_s=READ_S)
            except ConnectorError as error:
                prompts[name] = error.message
            else:
                prompts[name] = one or f"no prompt {name!r} has the label {READ_LABEL} there"
    return prompts


def _record(name: str, prompt: LangfusePrompt | str, *, by: str) -> str:
    if isinstance(prompt, str):
        return prompt
    try:
        version = record_prompt_text(name=name, text=prompt.text, revision=f"langfuse-{prompt.version}", by=by)
    except (BadInput, Conflict) as error:
        return f"prompt {name!r}: {error.message}"
    make_live(version=version, by=by)
    return ""
