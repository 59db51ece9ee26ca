"""Results of checks as pages, the API and exports read them: of each check the last attempt counts."""

import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields
from typing import Annotated, Any

from django.db import models
from django.db.models import Exists, OuterRef, QuerySet

from apps.audit.domain.masking_rules import OURS
from apps.checks.domain.check_states import CheckJobStatus, CheckSource
from apps.checks.models import CheckJob, CheckResult
from apps.core.documents import Count, Document, Id, Moment, members, one_of
from apps.core.errors import BadInput
from apps.core.shapes import described
from apps.core.timestamps import format_timestamp
from apps.runs.domain.counting import counting_of
from apps.runs.domain.states import UNCOUNTED
from apps.runs.models import Conversation
from apps.runs.playing.queries.progress import find_run
from apps.statistics.decision import Decision


class CheckResultDocument(Document, component="CheckResult"):
    id: Id
    test_run_id: Id
    conversation_id: Id
    conversation: Annotated[str, described("The id it was played or imported under.")]
    check: Annotated[str, described("The metric's or check's name.")]
    subject: Annotated[str, described("What of the conversation it is about; empty: the whole.")]
    position: Annotated[Count | None, described("The turn it is about, where it is about one.")]
    attempt: Annotated[Count, described("Measured again, a check gets a further attempt; the highest counts.")]
    source: Annotated[str, one_of(CheckSource)]
    outcome: Annotated[str, one_of(Decision)]
    score: float | None
    threshold: float | None
    scale: str
    version: str
    error_code: Annotated[str, described("Of what could not be measured; `reason` says it in words.")]
    reason: str
    evidence: Sequence[Mapping[str, Any]]
    provider: Annotated[str, described("Of the judge; empty where facts decided.")]
    model: str
    fingerprint: str
    measured_at: Moment


def results_in_force(
    *,
    run_id: uuid.UUID | None = None,
    conversation_id: uuid.UUID | None = None,
    outcome: str = "",
    check: str = "",
    every_attempt: bool = False,
) -> QuerySet[CheckResult]:
    """Results of a run or a conversation, those of the last attempt unless `every_attempt`. No query of its own.

    Raises BadInput `bad_outcome`; a check nobody has finds nothing.
    """
    rows = CheckResult.objects.select_related("conversation")
    if run_id is not None:
        rows = rows.filter(run_id=run_id)
    if conversation_id is not None:
        rows = rows.filter(conversation_id=conversation_id)
    if not every_attempt:
        later = CheckResult.objects.filter(
            conversation=OuterRef("conversation"),
            check_name=OuterRef("check_name"),
            subject=OuterRef("subject"),
            attempt__gt=OuterRef("attempt"),
        )
        rows = rows.filter(~Exists(later))
    if outcome:
        rows = rows.filter(outcome=_outcome(outcome))
    return rows.filter(check_name=check) if check else rows


def outcome_counts(rows: QuerySet[CheckResult]) -> dict[str, dict[str, int]]:
    """Return check name -> outcome -> how many, of these rows, every outcome named.

    Conversations whose golden session was wrong, or whose simulated customer was, are left out. One query.
    """
    rows = rows.exclude(conversation__blame__in=UNCOUNTED)
    counts: dict[str, dict[str, int]] = {}
    for name, outcome, n in (
        rows.order_by("check_name").values_list("check_name", "outcome").annotate(n=models.Count("id"))
    ):
        counts.setdefault(name, {one.value: 0 for one in Decision})[outcome] = n
    return counts


def pending_checks(*, run_id: uuid.UUID) -> tuple[int, str]:
    """Count the conversations whose checks are still to be measured, and say what one of them waits for.

    Two queries.
    """
    rows = CheckJob.objects.filter(conversation__run_id=run_id, status=CheckJobStatus.PENDING)
    waits = list(rows.values_list("waiting_for", flat=True))
    without_job = Conversation.objects.filter(run_id=run_id, spec__has_key="assertions", check_job__isnull=True)
    return len(waits) + without_job.count(), next((one for one in waits if one), "")


def check_document(row: CheckResult) -> CheckResultDocument:
    """One result as the API and exports show it."""
    return CheckResultDocument(
        id=str(row.pk),
        test_run_id=str(row.run_id),
        conversation_id=str(row.conversation_id),
        conversation=row.conversation.external_id,
        check=row.check_name,
        subject=row.subject,
        position=row.position,
        attempt=row.attempt,
        source=row.source,
        outcome=row.outcome,
        score=row.score,
        threshold=row.threshold,
        scale=row.scale,
        version=row.version,
        error_code=row.error_code,
        reason=row.reason,
        evidence=row.evidence,
        provider=row.provider,
        model=row.model,
        fingerprint=row.fingerprint,
        measured_at=format_timestamp(row.measured_at),
    )


CHECK_COLUMNS = (*[field.name for field in fields(CheckResultDocument)][1:], "counts", "counts_why")
# Where the texts among them are read.
CHECK_SOURCES = {
    **dict.fromkeys(("test_run_id", "conversation_id", "counts_why"), OURS),
    "conversation": "runs_conversation.external_id",
    "check": "checks_checkresult.check_name",
    **{
        name: f"checks_checkresult.{name}"
        for name in (
            "subject",
            "source",
            "outcome",
            "scale",
            "version",
            "error_code",
            "reason",
            "evidence",
            "provider",
            "model",
            "fingerprint",
        )
    },
}


def check_rows(*, run_id: uuid.UUID) -> Iterator[Mapping[str, Any]]:
    """Rows named by CHECK_COLUMNS, those of the last attempts, in the order they were measured; memory holds 500.

    Raises NotFound for a run there is none of, before the first row. One query per 500 rows.
    """
    run = find_run(run_id)
    return _pages(results_in_force(run_id=run.pk))


def _pages(rows: QuerySet[CheckResult]) -> Iterator[Mapping[str, Any]]:
    after = None
    while True:
        page = list((rows.filter(pk__gt=after) if after else rows).order_by("pk")[:500])
        if not page:
            return
        after = page[-1].pk
        for row in page:
            played = row.conversation
            counting = counting_of(status=played.status, blame=played.blame, simulator_verdict=played.simulator_verdict)
            document = {**members(check_document(row)), **counting.as_json()}
            yield {name: document[name] for name in CHECK_COLUMNS} | {"measured_at": row.measured_at}


def _outcome(text: str) -> Decision:
    try:
        return Decision(text)
    except ValueError:
        there = ", ".join(one.value for one in Decision)
        raise BadInput(f"There is no outcome {text!r}; there are {there}.", code="bad_outcome") from None
