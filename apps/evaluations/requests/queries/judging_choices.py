"""Choose the evaluator config that judges a run, where nobody has named one."""

import uuid
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Any

from apps.catalog.domain.states import VersionStatus
from apps.catalog.models import EvaluatorConfigVersion, Scenario
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.domain.businesses import config_of_pack
from apps.runs.models import Conversation, TestRun


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingChoice:
    """An evaluator that can be asked, by the `ref` that judges now.

    One of them is `suggested`: of those that score what must not happen again in the chosen scenarios, the one that
    judged this agent last, else their pack's, else the one that was published last.
    """

    name: str
    ref: str
    suggested: bool


def judging_choices(agent: str, *, scenarios: Collection[str] = ()) -> list[JudgingChoice]:
    """Every config with a published version, its newest, by name. Two queries, three for chosen scenarios."""
    rows = EvaluatorConfigVersion.objects.filter(status=VersionStatus.PUBLISHED).order_by("config__name", "number")
    newest = {
        name: published
        for name, *published in rows.values_list("config__name", "number", "criteria", "published_at", "pk")
    }
    judged = Evaluation.objects.filter(run__agent__name=agent).order_by("-created_at")
    last = (judged.values_list("config_ref", flat=True).first() or "").rpartition("@")[0]
    marks = {expected["criterion"] for must_not in _must_nots(scenarios) for expected in must_not}
    by_date = sorted(newest, key=lambda name: newest[name][2:], reverse=True)
    likely = [name for name in (last, config_of_pack(scenarios), *by_date) if name in newest]
    fit = [name for name in likely if marks <= set(_criteria(newest[name][1]))]
    suggested = next(iter((*fit, *likely)), "")
    return [
        JudgingChoice(name=name, ref=f"{name}@{published[0]}", suggested=name == suggested)
        for name, published in newest.items()
    ]


def usual_config(run_id: uuid.UUID) -> str:
    """The config that judges this run where nobody says; "" where none is published. Five queries."""
    agent = TestRun.objects.values_list("agent__name", flat=True).get(pk=run_id) or ""
    played = Conversation.objects.filter(run=run_id).values_list("spec__scenario", flat=True)
    choices = judging_choices(agent, scenarios={slug for slug in played if slug})
    return next((choice.name for choice in choices if choice.suggested), "")


def _criteria(criteria: dict[str, Any]) -> Iterator[str]:
    yield from (*criteria.get("core", ()), *criteria.get("domain", ()))


def _must_nots(scenarios: Collection[str]) -> list[list[dict[str, Any]]]:
    return list(Scenario.objects.filter(slug__in=scenarios).values_list("must_not", flat=True)) if scenarios else []
