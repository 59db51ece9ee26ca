"""A person approves a version of a golden session: it is masked, its variables are named and its gates proven again."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.catalog.domain.states import GoldenStatus
from apps.catalog.queries.goldens import golden_version
from apps.catalog.services.golden_versions import release_golden_version, retire_golden_version
from apps.core.document_masking import mask_document
from apps.core.document_parsing import DocumentLimits, document_as_json, parse_document
from apps.core.errors import BadInput, Conflict
from apps.runs.domain.golden_gates import GateProof, with_proven_gates
from apps.runs.domain.golden_notes import release_notes
from apps.runs.domain.golden_variables import DEFAULT_IDENTITY, filled, values_for, with_variables

LIMITS = DocumentLimits(turns=2_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedGolden:
    """What approving did: the variables, and how strong each gate is now. `notes`: gates that were replaced, dates that
    stay as they are."""

    version_id: str
    number: int
    variables: tuple[str, ...]
    gates: tuple[GateProof, ...]
    gate_strengths: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def strengths(self) -> dict[str, int]:
        """{strength: how many gates}; none are turns that were looked at and had nothing to hold on to."""
        return dict(Counter(self.gate_strengths))


def approve_golden(
    *,
    version_id: UUID | str,
    by: str,
    now: datetime,
    test_data: bool = False,
    names: Sequence[str] = (),
    note: str | None = None,
) -> ApprovedGolden:
    """Release a candidate: from now on it is the version that a replay plays, and its session is confirmed.

    What masking takes out of user turns, and dates, become variables; all else is masked; the gates are proven on the
    text that is left. `test_data`: the person vouches that nobody's data is in it, and it stays to the letter. `names`
    are people's that masking should know. Raises NotFound, Conflict (`not_a_candidate`); a replay that becomes a new
    version needs its reason in `note` where it was captured from a failing one (`reason_required`). Five queries.
    """
    version = golden_version(version_id)
    if version.status is not GoldenStatus.CANDIDATE:
        raise Conflict(f"{version.name}@{version.number} is {version.status.value}", code="not_a_candidate")
    if version.document.get("replaces_failure") and not (note or "").strip():
        raise BadInput(
            "The replay it comes from did not pass: say why it is right now.", code="reason_required", pointer="/note"
        )
    document, gates = released_document(version.document, now=now, test_data=test_data, names=names)
    release_golden_version(version_id=version_id, document=document, now=now, by=by, test_data=test_data, note=note)
    return ApprovedGolden(
        version_id=str(version_id),
        number=version.number,
        variables=tuple(document.get("variables") or ()),
        gates=tuple(gates),
        gate_strengths=tuple(turn["gate_strength"] for turn in document["turns"] if turn.get("gate_strength")),
        notes=release_notes(document, gates),
    )


def reject_golden(*, version_id: UUID | str, now: datetime) -> None:
    """Retire a version; a candidate is masked on the way, so that nothing raw is left. Raises NotFound, Conflict."""
    version = golden_version(version_id)
    document = None
    if version.status is GoldenStatus.CANDIDATE:
        document, _ = released_document(version.document, now=now)
    retire_golden_version(version_id=version_id, document=document)


def released_document(
    document: Mapping[str, Any], *, now: datetime, test_data: bool = False, names: Sequence[str] = ()
) -> tuple[dict[str, Any], list[GateProof]]:
    """The document as it may be kept, and its gates. Masking twice changes nothing. No query."""
    kept = dict(document)
    if not test_data:
        named, people = with_variables(kept, captured=now, names=names)
        parsed = parse_document(named, limits=LIMITS, default_id=str(document.get("name") or "golden"))
        kept = document_as_json(mask_document(parsed, names=people))
        if "variables" in named:
            kept["variables"] = named["variables"]
    # Gates meet filled texts: they are proven on one.
    values = values_for(kept, identity=DEFAULT_IDENTITY, now=now)
    proven, gates = with_proven_gates({**kept, "turns": filled(kept.get("turns") or [], values)})
    for kept_turn, turn in zip(kept["turns"], proven["turns"], strict=True):
        for key in ("wait_for_pattern", "gate_strength"):
            kept_turn.pop(key, None)
            if key in turn:
                kept_turn[key] = turn[key]
    return kept, gates
