"""Evaluations with scores, as rows, for gates to compare."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import pgtrigger

from apps.catalog.models import EvaluatorConfigVersion
from apps.evaluations.domain.cross_check import LEFT_OUT_FOR_BUDGET
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.evaluations.requests.services.creating import request_evaluation
from apps.runs.models import Conversation, TestRun
from tests.evaluations.bench import NOW, imported, make_config
from tests.gates.sides import BASE, HEAD, JUDGE, language_of

Scores = Mapping[str, float | None]


def scored(
    scores: Scores,
    *,
    commit: str = HEAD,
    fingerprint: str = JUDGE,
    config: str = "probe",
    criteria: Sequence[str] = ("flow", "facts"),
    status: str = "completed",
    blocking: Sequence[str] = (),
    from_cache: bool = False,
    not_cross_checked: Collection[str] = (),
) -> Evaluation:
    """A run of these conversations by an agent at `commit`, judged; None is one that the judge did not answer.
    `not_cross_checked` were chosen for a second judge, and money ran short."""
    if not EvaluatorConfigVersion.objects.filter(config__name=config).exists():
        make_config(name=config, weights=dict.fromkeys(criteria, 1.0), blocking=blocking)
    run = imported(*scores)
    with pgtrigger.ignore():  # the rows of another story
        TestRun.objects.filter(pk=run).update(subject={"agent": "booking", "commit": commit}, status="completed")
    asked = request_evaluation(config=config, run_id=run, now=NOW)
    found = Evaluation.objects.get(pk=asked.evaluation_id)
    Judgement.objects.filter(evaluation=found).delete()
    rows = {row.external_id: row for row in Conversation.objects.filter(run=run)}
    made = []
    for at, (name, score) in enumerate(scores.items()):
        Conversation.objects.filter(pk=rows[name].pk).update(language=language_of(at))
        judgement = Judgement.objects.create(
            evaluation=found, conversation=rows[name], status="parse_error" if score is None else "scored",
            weighted_score=score, fingerprint=fingerprint, second_chances=0, from_cache=from_cache,
        )  # fmt: skip
        if score is not None:
            made += [
                _score(judgement, criterion, place, score, left_out=name in not_cross_checked)
                for place, criterion in enumerate(criteria)
            ]
    CriterionScore.objects.bulk_create(made)
    Evaluation.objects.filter(pk=found.pk).update(status=status, ended_at=NOW)
    found.refresh_from_db()
    return found


def _score(judgement: Judgement, criterion: str, place: int, score: float, *, left_out: bool) -> CriterionScore:
    opinions = [{"purpose": "cross_check", "score": None, "left_out": LEFT_OUT_FOR_BUDGET}] if left_out else []
    return CriterionScore(
        judgement=judgement, criterion=criterion, position=place, status="scored", score=score, weight=1, pass_mark=6,
        reason=f"{criterion} is {score}", evidence=[{"quote": "ten", "turn": 1, "kind": "exact"}], opinions=opinions,
    )  # fmt: skip


def level(score: float, n: int = 12) -> dict[str, float | None]:
    return {f"case-{at:02}": score for at in range(n)}


def body(candidate: Evaluation, baseline: Evaluation | None, **more: Any) -> dict[str, Any]:
    """Of POST /gates/."""
    return {
        "agent": "booking",
        "commit": HEAD,
        "base_commit": BASE,
        "candidate": {"evaluation": str(candidate.pk)},
        "baseline": {"evaluation": str(baseline.pk)} if baseline else None,
        **more,
    }
