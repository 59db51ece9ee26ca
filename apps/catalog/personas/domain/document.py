"""A persona as the catalog's files say it.

- name: wanjiru-short-of-time
  language: en
  text: Wanjiru, 34, accountant in Upper Hill. …
  spec: {patience: 2, typing: [short], behaviours: [{name, instruction, violation}], …}
  status: validated
  scores: {naturalness: 8, coherence: 9, testability: 8}
"""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import PersonaOrigin, PersonaStatus
from apps.catalog.personas.domain.rules import PERSONA_CRITERIA
from apps.catalog.personas.domain.spec import read_persona_spec
from apps.core.errors import BadInput

_KEYS = (
    "language",
    "text",
    "spec",
    "origin",
    "status",
    "scores",
    "validation",
    "rejection_reason",
    "override",
    "release",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedDecision:
    """A signed decision: the person, the time, and the reason (a release needs no reason)."""

    by: str
    at: datetime
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaItem:
    """Persona of a catalog file.

    `status` None: the file does not say, so an existing persona keeps its own; `spec` likewise.
    """

    language: str
    text: str
    spec: Mapping[str, Any] | None
    origin: PersonaOrigin
    status: PersonaStatus | None
    scores: Mapping[str, float]
    validation: Mapping[str, Any]
    rejection_reason: str
    override: SignedDecision | None
    release: SignedDecision | None
    needs_release: bool


def read_persona(raw: Mapping[str, Any]) -> PersonaItem:
    """Read an entry of `personas:`, without its name. Raises BadInput for a status without its grounds:
    `validated` needs three scores, `rejected` a reason, `approved_override` both reasons and a person."""
    checks.only(raw, _KEYS, "")
    status = raw.get("status")
    scores = checks.mapping(raw.get("scores"), "/scores")
    checks.only(scores, PERSONA_CRITERIA, "/scores")
    release = checks.mapping(raw.get("release"), "/release")
    checks.only(release, ("wanted", "by", "at"), "/release")
    item = PersonaItem(
        language=checks.language(raw.get("language"), "/language"),
        text=checks.text(raw.get("text"), "/text", required=True),
        spec=read_persona_spec(raw["spec"], "/spec").as_json() if "spec" in raw else None,
        origin=PersonaOrigin(checks.one_of(raw.get("origin", "file"), list(PersonaOrigin), "/origin")),
        status=PersonaStatus(checks.one_of(status, list(PersonaStatus), "/status")) if status else None,
        scores={name: checks.number(value, f"/scores/{name}", low=1, high=10) for name, value in scores.items()},
        validation=checks.json_mapping(raw.get("validation"), "/validation"),
        rejection_reason=checks.text(raw.get("rejection_reason"), "/rejection_reason"),
        override=_signed(raw["override"], "/override") if raw.get("override") else None,
        release=_signed({key: release[key] for key in release if key != "wanted"}, "/release", why=False)
        if "by" in release or "at" in release
        else None,
        needs_release=_flag(release.get("wanted", False), "/release/wanted"),
    )
    if item.release is not None and item.status not in (PersonaStatus.VALIDATED, PersonaStatus.ARCHIVED):
        raise BadInput("/release: only a validated persona is released", pointer="/release")
    return item


def refuse_unfounded(item: PersonaItem) -> None:
    """Refuse a status without its grounds: a file must give them for a persona that does not have the status yet.
    Raises BadInput."""
    missing = next((name for name in PERSONA_CRITERIA if name not in item.scores), None)
    if item.status is PersonaStatus.VALIDATED and missing:
        raise BadInput(
            f"/status: validated stands for three scores (1 to 10), and /scores/{missing} is missing; without a status "
            "the persona waits for its validation",
            pointer="/status",
        )
    if item.status in (PersonaStatus.REJECTED, PersonaStatus.APPROVED_OVERRIDE) and not item.rejection_reason.strip():
        raise BadInput(
            f"/rejection_reason is missing: {item.status.value} says why it was rejected", pointer="/rejection_reason"
        )
    if item.status is PersonaStatus.APPROVED_OVERRIDE and item.override is None:
        raise BadInput(
            "/override is missing: who approved it all the same (by, at) and why (reason)", pointer="/status"
        )


def _signed(raw: Any, pointer: str, *, why: bool = True) -> SignedDecision:
    data = checks.mapping(raw, pointer)
    checks.only(data, ("by", "at", "reason") if why else ("by", "at"), pointer)
    return SignedDecision(
        by=checks.text(data.get("by"), f"{pointer}/by", required=True, limit=150),
        at=_time(data.get("at"), f"{pointer}/at"),
        reason=checks.text(data.get("reason"), f"{pointer}/reason", required=why, limit=2000),
    )


def _time(value: Any, pointer: str) -> datetime:
    try:
        moment = datetime.fromisoformat(checks.text(value, pointer, required=True))
    except ValueError:
        raise BadInput(f"{pointer}: {value!r} is no time like 2026-03-01T09:00:00+00:00", pointer=pointer) from None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _flag(value: Any, pointer: str) -> bool:
    if not isinstance(value, bool):
        raise BadInput(f"{pointer} must be true or false, not {value!r}", pointer=pointer)
    return value
