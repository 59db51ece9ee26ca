"""Trying a version on several conversations beside the published one, asked for by a button and done by a worker.

Nothing but the ledger and the answer of the button is written: no judgement, no score.
"""

import uuid
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

from apps.catalog.configs.queries.versions import content_of
from apps.catalog.models import EvaluatorConfigVersion
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput, NotFound, RatibaError
from apps.core.redaction import redact
from apps.evaluations.figures.queries.worst_conversations import version_beside
from apps.evaluations.judging.domain.aggregation import CriterionVerdict
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.services.interactive import request_interactive_job
from apps.runs.playing.queries.listed_conversations import listed_conversations

if TYPE_CHECKING:
    from apps.evaluations.requests.services.dry_running import DryRun

KIND = "dry_runs"
FEWEST, MOST = 3, 20


def request_dry_runs(
    *, version_id: uuid.UUID, conversations: Sequence[uuid.UUID], requested_by: str, now: datetime
) -> uuid.UUID:
    """Request dry runs of this version, and of the published one if it differs, on each conversation.

    3 to 20 conversations, fewer only where there are no more. Raises BadInput, NotFound, and Conflict while one is
    running. Costs two judgements a conversation at most, each asked anew. Six queries now.
    """
    chosen = list(dict.fromkeys(conversations))
    there = listed_conversations().filter(status="ended", pk__in=chosen).count()
    if there != len(chosen):
        raise NotFound(f"{len(chosen) - there} of the chosen conversations are not there, or have not ended.")
    enough = min(FEWEST, listed_conversations().filter(status="ended")[:FEWEST].count())
    if not max(1, enough) <= len(chosen) <= MOST:
        raise BadInput(
            f"A version is tried on {FEWEST} to {MOST} conversations, not on {len(chosen)}.", pointer="/conversation"
        )
    beside = version_beside(version_id)
    arguments = {
        "conversations": [str(one) for one in chosen],
        "beside": str(beside.pk) if beside else "",
        "content": content_digest(EvaluatorConfigVersion.objects.get(pk=version_id)),
    }
    return request_interactive_job(
        kind=KIND, subject_id=version_id, requested_by=requested_by, now=now, arguments=arguments
    )


def content_digest(row: EvaluatorConfigVersion) -> str:
    """The digest of the content that was tried, so that a page can tell when a draft has changed since. It leaves the
    note out."""
    return sha256_hex({**content_of(row).as_json(), "note": ""})


def run(request: InteractiveRequest) -> InteractiveStep:
    """The next conversation: this version, and the published one. At most two judgements."""
    rows: list[dict[str, Any]] = list(request.answer.get("rows", ()))
    left = request.arguments["conversations"][len(rows) :]
    if left:
        beside = request.arguments["beside"]
        here = _tried(request, request.subject_id, left[0])
        there = _tried(request, uuid.UUID(beside), left[0]) if beside else None
        rows.append({"conversation": left[0], "here": here, "beside": there})
    return InteractiveStep(answer={"rows": rows}, more=len(left) > 1)


def _tried(request: InteractiveRequest, version_id: uuid.UUID, conversation: str) -> dict[str, Any]:
    """One side as JSON; what could not be done is told in it, so that the other conversations go on."""
    from apps.evaluations.requests.services.dry_running import dry_run, prepare_trial  # noqa: PLC0415 - a page loads no HTTP client

    try:
        trial = prepare_trial(version_id=version_id, conversation_id=uuid.UUID(conversation))
        return _as_json(dry_run(trial, now=request.now))
    except RatibaError as error:
        return {"status": "failed", "error": error.message, "score": None, "criteria": {}, "cost_usd": None}


def _as_json(found: "DryRun") -> dict[str, Any]:
    verdict = found.verdict
    return {
        "status": verdict.status.value,
        "error": redact(verdict.error_message or verdict.waiting_for),
        "score": verdict.weighted_score,
        "cost_usd": None if found.cost_usd is None else float(found.cost_usd),
        "criteria": {score.criterion: _criterion_as_json(score) for score in verdict.scores},
    }


def _criterion_as_json(verdict: CriterionVerdict) -> dict[str, Any]:
    quote = next((str(entry.get("quote") or "") for entry in verdict.evidence), "")
    return {
        "score": verdict.score,
        "pass_mark": verdict.pass_mark,
        "reason": redact(verdict.reason),
        "quote": redact(quote),
    }
