"""Trials as the API and the pages show them. Conversations of a hold-out are never named: aggregates only."""

import uuid
from collections.abc import Mapping, Sequence
from typing import Annotated, Any

from apps.core.documents import Count, Document, Id, Moment, StoredAs, members, one_of
from apps.core.errors import NotFound
from apps.core.shapes import Keywords, described
from apps.core.timestamps import format_if_known, format_timestamp
from apps.evaluations.progress.services.wait import progress_of
from apps.improvement.domain.acceptance import AcceptanceVerdict
from apps.improvement.drafts.domain.decision_document import TrialDecision
from apps.improvement.drafts.domain.trial_forecast import TrialForecastDocument
from apps.improvement.drafts.domain.trial_states import SideName, TrialStatus
from apps.improvement.drafts.models import Trial
from apps.improvement.drafts.queries.draft_status import verdict_of_trial
from apps.improvement.drafts.queries.provenance import STEP, provenance_of
from apps.improvement.holdout.domain.parts import Part


class TrialLineDocument(Document, component="TrialLine"):
    id: Id
    draft: Id
    part: Annotated[str, one_of(Part)]
    look: Annotated[Count | None, described("Its number among the looks at this hold-out set; null: none is spent.")]
    status: Annotated[str, one_of(TrialStatus)]
    verdict: Annotated[
        Annotated[str, one_of(AcceptanceVerdict)] | None, described("With what people lifted taken away.")
    ]
    sentence: str
    requested_by: str
    created_at: Moment
    decided_at: Moment | None


class TrialProgress(Document):
    done: Count
    total: Count


class TrialSideDocument(Document):
    side: Annotated[str, one_of(SideName)]
    prompt_version: str
    test_run: Id | None
    evaluation: Id | None


class TrialLiftedBlock(Document):
    criterion: str
    reason: str
    by: str
    at: Moment


class TrialDocument(TrialLineDocument, component="Trial"):
    set_number: Count | None
    agent: str
    personas: Sequence[str]
    repeats: Count
    seed: Count
    evaluator_config: str
    block_points: float
    budget_usd: float | None
    scenarios: Count
    forecast: Annotated[Mapping[str, Any], StoredAs(TrialForecastDocument)]
    progress: TrialProgress
    waiting_for: str
    error_message: str
    sides: Sequence[TrialSideDocument]
    decision: Annotated[Mapping[str, Any], StoredAs(TrialDecision)] | None
    lifted_blocks: Sequence[Annotated[Mapping[str, Any], StoredAs(TrialLiftedBlock)]]
    provenance: Sequence[Annotated[Mapping[str, Any], Keywords(STEP)]]
    started_at: Moment | None
    ended_at: Moment | None


def find_trial(trial_id: uuid.UUID | str) -> Trial:
    """The row with its draft. One query. Raises NotFound."""
    rows = Trial.objects.select_related("draft__line__live", "draft__version", "draft__base", "draft__original")
    try:
        return rows.get(pk=uuid.UUID(str(trial_id)))
    except (ValueError, Trial.DoesNotExist):
        raise NotFound(f"There is no trial {trial_id}.") from None


def trial_line(row: Trial) -> TrialLineDocument:
    """One line of a list. No query where the draft is loaded."""
    return TrialLineDocument(
        id=str(row.pk),
        draft=str(row.draft_id),
        part=row.part,
        look=row.look,
        status=row.status,
        verdict=verdict_of_trial(row).value if row.decision else None,
        sentence=row.sentence or row.error_message,
        requested_by=row.requested_by,
        created_at=format_timestamp(row.created_at),
        decided_at=format_if_known(row.decided_at),
    )


def trial_document(row: Trial) -> TrialDocument:
    """Build the whole document of a trial. Some fifteen queries."""
    sides = list(row.sides.select_related("prompt", "evaluation").order_by("id"))
    return TrialDocument(
        **members(trial_line(row)),
        set_number=row.set_number or None,
        agent=row.agent,
        personas=row.personas,
        repeats=row.repeats,
        seed=row.seed,
        evaluator_config=row.evaluator_config,
        block_points=row.block_points,
        budget_usd=None if row.budget_usd is None else float(row.budget_usd),
        scenarios=len(row.scenarios),
        forecast=row.forecast,
        progress=progress_of_trial(row),
        waiting_for=row.waiting_for,
        error_message=row.error_message,
        sides=[
            TrialSideDocument(
                side=side.side,
                prompt_version=side.prompt.version,
                test_run=None if side.test_run_id is None else str(side.test_run_id),
                evaluation=None if side.evaluation_id is None else str(side.evaluation_id),
            )
            for side in sides
        ],
        decision={"stopped_early": False, "groups_withheld": 0, **row.decision} if row.decision else None,
        lifted_blocks=row.lifted_blocks,
        provenance=provenance_of(row),
        started_at=format_if_known(row.started_at),
        ended_at=format_if_known(row.ended_at),
    )


def progress_of_trial(row: Trial) -> TrialProgress:
    """Conversations and judgements done, of how many; as forecast while nothing is started. Nine queries at most."""
    if row.status == TrialStatus.PENDING:
        return TrialProgress(done=0, total=2 * int(row.forecast.get("conversations", 0)))
    sides = [side for side in row.sides.all() if side.test_run_id and side.evaluation_id]
    if not sides:
        return TrialProgress(done=0, total=0)
    progress = progress_of(
        run_ids=[side.test_run_id for side in sides if side.test_run_id],
        evaluation_ids=[side.evaluation_id for side in sides if side.evaluation_id],
    )
    return TrialProgress(done=progress.done, total=progress.total)
