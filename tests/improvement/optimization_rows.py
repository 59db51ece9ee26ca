"""What tests of optimizations start from: a judged run whose finding a draft answers, and families of every part."""

from datetime import datetime, timedelta
from typing import Any
from uuid import UUID

from apps.evaluations.models import Evaluation
from apps.improvement.drafts.services.advancing_trials import advance_trials
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.models import Analysis, FamilyPart, Optimization
from apps.improvement.optimizer.domain.choices import OptimizationChoices
from apps.improvement.optimizer.services.advancing_optimizations import advance_optimizations
from apps.improvement.optimizer.services.proposing import propose_due
from apps.improvement.optimizer.services.requesting_optimizations import request_optimization
from apps.runs.models import Conversation
from apps.tenants.context import current_slug
from apps.tenants.services import update_workflow_config
from tests.evaluations.bench import make_config
from tests.improvement.trial_rows import CRITERIA, NOW, Score, make_families, make_line, play

LIVE = (
    "# Role\nYou book haircuts.\n\n# Payment\nAsk for the PIN.\n\n# Prices\nSay nothing of prices.\n\n"
    "# Hours\nSay nothing of hours.\n"
)


def make_parts(families: int = 12, *, hold_out: int = 0) -> list[str]:
    """So many families, chosen among in the first of them and sealed in the last."""
    slugs = make_families(families)
    FamilyPart.objects.bulk_create(
        FamilyPart(family=f"family-{number:02}", drawn_at=NOW, set_number=int(number >= families - hold_out),
                   part=Part.HOLD_OUT if number >= families - hold_out else Part.SELECTION)
        for number in range(families)
    )  # fmt: skip
    return slugs


def make_scene(evaluation: Evaluation, *, families: int = 12, hold_out: int = 0, text: str = LIVE) -> Evaluation:
    """A prompt that is live, who plays and who judges it, and the families; the evaluation that disappoints."""
    make_line(text=text)
    make_config(weights=dict.fromkeys(CRITERIA, 1.0))
    update_workflow_config(slug=current_slug(), changes={"models": {
        "simulator": {"provider": "offline", "model": "offline-rules"}}})  # fmt: skip
    make_parts(families, hold_out=hold_out)
    return evaluation


def ask(evaluation: Evaluation, **more: Any) -> Optimization:
    more.setdefault("evaluator_configs", ("probe",))
    more.setdefault("name", "greeting")
    asked = OptimizationChoices(evaluation_id=evaluation.pk, **more)
    return Optimization.objects.get(pk=request_optimization(asked, by="amina", now=NOW))


def found(row: Optimization, *titles: str) -> None:
    """The analysis that it asked for ends with these findings."""
    row.refresh_from_db()
    names = list(Conversation.objects.filter(run=row.evaluation.run).order_by("position")
                 .values_list("external_id", flat=True)[:2])  # fmt: skip
    findings = [
        {"title": title, "criteria": ["first"], "section": "", "suggestion": "Mend it.", "conversations": names,
         "n": len(names), "evidence": [], "doubts": []}
        for title in titles
    ]  # fmt: skip
    Analysis.objects.filter(pk=row.analysis.pk).update(status="completed", findings=findings, ended_at=NOW)


def go_on(row: Optimization, at: datetime = NOW) -> Optimization:
    """As far as it goes without a model or a trial."""
    advance_optimizations(now=at)
    row.refresh_from_db()
    return row


def propose(at: datetime = NOW) -> None:
    later = at + timedelta(minutes=1)
    propose_due(now=lambda: later, until=later + timedelta(seconds=30))


def try_next(row: Optimization, score: Score, **more: Any) -> UUID | None:
    """The trial that is open begins, is played so, and decides; its id."""
    for one in row.drafts.select_related("trial").order_by("position"):
        if one.trial is not None and one.trial.status in ("pending", "running"):
            advance_trials(now=NOW)
            one.trial.refresh_from_db()
            play(one.trial, score, **more)
            advance_trials(now=NOW)
            go_on(row)
            return UUID(str(one.trial.pk))
    return None
