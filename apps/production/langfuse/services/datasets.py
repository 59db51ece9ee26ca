"""Tests and a team's Langfuse: golden sessions and scenarios go into a dataset there, and its items come from there as
drafts."""

import asyncio
import json
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

from apps.audit.domain.masking_rules import for_others
from apps.audit.masked_rows import masked_rows
from apps.catalog.domain.states import ScenarioStatus
from apps.catalog.files.services.test_importing import ImportedTests, import_tests
from apps.catalog.goldens.queries.versions import current_goldens
from apps.catalog.models import GoldenSession, Scenario
from apps.connectors.outbound import outbound_client
from apps.connectors.tracing.langfuse.datasets import LangfuseDatasets
from apps.core.errors import BadInput, NotFound
from apps.production.langfuse.models import LangfuseSource
from apps.production.langfuse.services.connection import address_of
from apps.production.services.outbound_policies import langfuse_policy

OURS = "ratiba-eval"  # `metadata.source` of what we put there: it does not come back
_SPACE = uuid.UUID("c2f8a1de-51c4-5d3a-8f0e-6f1f9b0d7a21")


def named_source(name: str) -> LangfuseSource:
    """The source of this name, or the only one. Raises NotFound, and BadInput where several could be meant."""
    rows = list(LangfuseSource.objects.filter(name=name) if name else LangfuseSource.objects.all()[:2])
    if not rows:
        raise NotFound(f"There is no Langfuse source {name!r}." if name else "There is no Langfuse source.")
    if len(rows) > 1:
        raise BadInput("There are several Langfuse sources: name one.", code="which_source", pointer="/source")
    return rows[0]


def push_dataset(*, source: str, dataset: str, dry_run: bool = False) -> int:
    """Put all released scenarios and approved golden sessions into a dataset, masked; return how many.
    One request each. Safe to repeat: an item has one id. Raises a ConnectorError, NotFound, BadInput."""
    row = named_source(source)
    items = [*_scenario_items(dataset), *_golden_items(dataset)]
    if not dry_run and items:
        asyncio.run(_push(LangfuseDatasets(address_of(row)), dataset, items))
    return len(items)


def pull_dataset(*, source: str, dataset: str, at: datetime, dry_run: bool = False) -> ImportedTests:
    """Bring in the dataset's items, but for our own: scenarios as drafts, golden sessions as candidates. Raises a
    ConnectorError, NotFound, and BadInput (`no_cases`)."""
    row = named_source(source)
    items = [one for one in asyncio.run(_items(LangfuseDatasets(address_of(row)), dataset)) if not _ours(one)]
    if not items:
        raise BadInput(f"The dataset {dataset!r} has no item that is not ours.", code="no_cases", pointer="/dataset")
    raw = json.dumps(items, ensure_ascii=False).encode("utf-8", "replace")
    return import_tests(
        source="langfuse", raw=raw, file=f"{dataset}.json", at=at, by=f"Langfuse {row.name}", dry_run=dry_run
    )


async def _push(project: LangfuseDatasets, dataset: str, items: Sequence[Mapping[str, Any]]) -> None:
    async with outbound_client(langfuse_policy()) as client:
        await project.push(client, dataset, items)


async def _items(project: LangfuseDatasets, dataset: str) -> list[Mapping[str, Any]]:
    async with outbound_client(langfuse_policy()) as client:
        return await project.items(client, dataset)


def _ours(item: Mapping[str, Any]) -> bool:
    metadata = item.get("metadata")
    return isinstance(metadata, Mapping) and metadata.get("source") == OURS


def _scenario_items(dataset: str) -> list[dict[str, Any]]:
    rows = list(Scenario.objects.filter(status=ScenarioStatus.RELEASED).select_related("persona").order_by("slug"))
    return [
        _item(
            dataset,
            "scenario",
            row.slug,
            {"content": masked_row.opening, "goal": masked_row.goal},
            {
                "name": masked_row.slug,
                "language": masked_row.language,
                "persona": masked_row.persona.name if masked_row.persona else "",
            },
        )
        for row, masked_row in zip(rows, masked_rows(rows), strict=True)
    ]


def _golden_items(dataset: str) -> list[dict[str, Any]]:
    """Return the golden sessions as items: the last reply is expected, the turns before it are the input."""
    items = []
    names = list(GoldenSession.objects.order_by("name").values_list("name", flat=True))
    for name, one in sorted(current_goldens(names).items()):
        document = for_others("catalog_goldenversion", {"document": one.document})["document"]
        messages = [
            {"role": turn["role"], "content": turn.get("content") or ""}
            for turn in document.get("turns", ())
            if turn.get("role") in ("user", "assistant")
        ]
        last = next((n for n in range(len(messages) - 1, -1, -1) if messages[n]["role"] == "assistant"), None)
        if last is None:
            continue
        more = {"version": str(one.number), "language": str(document.get("language") or "")}
        more |= for_others("catalog_goldensession", {"name": name})
        item = _item(dataset, "golden", name, {"messages": messages[:last]}, more)
        items.append({**item, "expected_output": messages[last]["content"]})
    return items


def _item(dataset: str, kind: str, key: str, given: Mapping[str, Any], more: Mapping[str, str]) -> dict[str, Any]:
    """An id belongs to one dataset: it follows from the dataset's name, too."""
    return {
        "id": str(uuid.uuid5(_SPACE, f"{dataset} {kind} {key}")),
        "input": dict(given),
        "metadata": {"source": OURS, "kind": kind, **{name: one for name, one in more.items() if one}},
    }
