"""A finished replay becomes the next version of the golden session it played."""

import uuid
from datetime import datetime

from apps.checks.queries.check_results import results_in_force
from apps.core.errors import BadInput, Conflict, NotFound
from apps.runs.domain.states import Kind
from apps.runs.goldens.services.approval import ApprovedGolden, approve_golden
from apps.runs.models import Conversation
from apps.statistics.decision import Decision


def golden_from_replay(*, conversation_id: uuid.UUID | str, by: str, now: datetime, reason: str = "") -> ApprovedGolden:
    """Capture what the agent said in this replay as the golden session's next version, and approve it.

    Where a check of it failed, only with a person's `reason`, which stays in the version's note. Raises NotFound;
    Conflict (`not_a_replay`); BadInput: `reason_required`, `not_finished`. About thirty queries.
    """
    from apps.runs.goldens.services.capture.capturing import capture_session  # noqa: PLC0415 - a page loads no HTTP client
    from apps.runs.goldens.services.capture.reading import CaptureSource  # noqa: PLC0415

    row = Conversation.objects.select_related("run__agent").filter(pk=conversation_id).first()
    if row is None:
        raise NotFound(f"there is no conversation {conversation_id}")
    golden = (row.spec or {}).get("golden") or {}
    if row.kind != Kind.REPLAY or not golden:
        raise Conflict(f"{row} is no replay of a golden session", code="not_a_replay")
    if row.run.agent is None:
        raise Conflict(
            f"{row} was played by an agent that came with its run: replay it with an agent of this server first",
            code="not_a_replay",
        )
    failed = results_in_force(conversation_id=row.pk, outcome=Decision.FAIL).exists()
    if failed and not reason.strip():
        raise BadInput(
            "A check of this replay failed: say why what the agent said is right now.",
            code="reason_required",
            pointer="/reason",
        )
    captured = capture_session(
        agent=row.run.agent.name,
        now=now,
        ids=[str(row.pk)],
        source=CaptureSource.RUN,
        name=str(golden["name"]),
        profile=golden.get("profile") or {},
        profile_source="the golden session's own profile",
    )
    note = f"{by}: {reason.strip()}" if reason.strip() else f"taken from replay {row.pk} by {by}"
    return approve_golden(version_id=captured.version_id, by=by, now=now, note=note[:2000])
