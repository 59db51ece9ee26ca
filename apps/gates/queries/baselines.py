"""Evaluations that may serve as a baseline: of one agent at one commit, with their cases and their judge."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any

from django.db.models import Q

from apps.core.errors import BadInput
from apps.core.timestamps import format_timestamp
from apps.evaluations.domain.states import EvaluationStatus, JudgementStatus
from apps.evaluations.models import Evaluation, Judgement
from apps.gates.domain.case_digest import case_digest, case_name
from apps.gates.domain.judging_changes import ChangeKind
from apps.gates.models import PullRequestGate
from apps.gates.queries.side_facts import headline_fingerprint, runner_mark
from apps.runs.domain.kind_traits import BASELINE
from apps.runs.domain.states import Blame
from apps.runs.models import Conversation

MOST = 20  # evaluations of a commit, the newest
MIN_DIGITS = 7


def baselines_of(*, agent: str, commit: str, now: datetime) -> list[dict[str, Any]]:
    """Return completed evaluations of runs whose subject is this commit of this agent, the newest first.

    Each has its judge's fingerprint and the cases it measured ([{"digest", "id"}]). Those of gates whose play was
    tampered with are left out. Three queries.

    `commit` may be shortened to seven digits. Raises BadInput for one that is shorter.
    """
    if len(commit) < MIN_DIGITS:
        message = f"A commit has at least {MIN_DIGITS} digits, not {len(commit)}."
        raise BadInput(message, pointer="/commit")
    of_agent = Q(run__agent__name=agent) | Q(run__subject__agent=agent) | Q(subject__agent=agent)
    of_commit = Q(run__subject__commit__istartswith=commit) | Q(subject__commit__istartswith=commit)
    tampered = PullRequestGate.objects.filter(changes__contains=[{"kind": ChangeKind.TAMPERED.value}])
    theirs = tampered.filter(baseline__isnull=False)
    sides = Q(pk__in=tampered.values("candidate")) | Q(pk__in=theirs.values("baseline"))
    rows = list(
        Evaluation.objects.filter(of_commit, of_agent, status=EvaluationStatus.COMPLETED, run__kind__in=BASELINE)
        .exclude(sides)
        .select_related("run")
        .order_by("-created_at")
        .distinct()[:MOST]
    )
    judgements: dict[Any, list[Judgement]] = {row.pk: [] for row in rows}
    scored = Judgement.objects.filter(evaluation__in=rows, status=JudgementStatus.SCORED)
    for one in scored.only("evaluation_id", "conversation_id", "fingerprint", "by_fallback"):
        judgements[one.evaluation_id].append(one)
    played: dict[Any, dict[Any, Mapping[str, str]]] = {row.run_id: {} for row in rows}
    counted = Conversation.objects.filter(run__in=played).filter(Q(blame__isnull=True) | Q(blame=Blame.AGENT_QUALITY))
    for row in counted.order_by("position").values("pk", "run_id", "spec", "external_id"):
        played[row["run_id"]][row["pk"]] = {
            "digest": case_digest(row["spec"], external_id=row["external_id"]),
            "id": case_name(row["spec"], external_id=row["external_id"]),
        }
    return [_baseline(row, judgements[row.pk], played[row.run_id], now) for row in rows]


def _baseline(
    row: Evaluation, judgements: list[Judgement], played: Mapping[Any, Mapping[str, str]], now: datetime
) -> dict[str, Any]:
    scored = {judgement.conversation_id for judgement in judgements}
    cases = {played[one]["digest"]: played[one] for one in played if one in scored}
    return {
        "evaluation": str(row.pk),
        "test_run": str(row.run_id),
        "evaluator_config": row.config_ref,
        "fingerprint": headline_fingerprint(judgements),
        "created_at": format_timestamp(row.created_at),
        "age_s": max(0, int((now - row.created_at).total_seconds())),
        **{name: runner_mark(row, name) for name in ("versions", "beside", "after_change", "other_files")},
        "cases": list(cases.values()),
    }
