"""A person approves a version of a golden session: it is masked, its variables are named and its gates proven again."""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from apps.catalog.domain.states import GoldenStatus
from apps.catalog.goldens.domain.session import files_of
from apps.catalog.goldens.queries.versions import current_goldens, golden_version
from apps.catalog.goldens.services.versions import release_golden_version, retire_golden_version
from apps.catalog.models import StoredFile
from apps.core.document_masking import mask_document
from apps.core.document_parsing import DocumentLimits, document_as_json, parse_document
from apps.core.errors import BadInput, Conflict
from apps.runs.goldens.domain.changes import (
    ChangedTurn,
    changed_turns,
    kept_positions,
    original_values,
    with_kept_turns,
)
from apps.runs.goldens.domain.gates import GateProof, with_proven_gates
from apps.runs.goldens.domain.notes import empty_replies, release_notes, undated_notes
from apps.runs.goldens.domain.pinned_tools import without_masked
from apps.runs.goldens.domain.variables import PROOF_IDENTITY, filled, shown_values, values_for, with_variables

LIMITS = DocumentLimits(turns=2_000)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovedGolden:
    """The result of approving: the variables, and how strong each gate is now. `notes`: gates that were replaced, dates
    that stay as they are, identities that a replay needs. `changed`: the customer's turns that are said otherwise now.
    `replayed` is the version that a replay plays now: a higher one where that was approved before."""

    version_id: str
    number: int
    variables: tuple[str, ...]
    gates: tuple[GateProof, ...]
    gate_strengths: tuple[str, ...]
    notes: tuple[str, ...] = ()
    changed: tuple[ChangedTurn, ...] = ()
    replayed: int = 0

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
    keep: Collection[int] = (),
) -> ApprovedGolden:
    """Release a candidate, and confirm its session: the highest approved version is what a replay plays.

    What masking takes out of user turns, and dates, become variables; all else is masked; the gates are proven on the
    text that is left. `test_data`: the person vouches that nobody's data is in it, and it stays to the letter. `names`
    are people's that masking should know; `keep` are places of the customer's turns that stay to the letter. Raises
    NotFound, Conflict (`not_a_candidate`), BadInput: `file_missing` where the file of an upload is not stored,
    `empty_reply`, `reason_required` where a replay that failed becomes a new version without a reason in `note`. Seven
    queries.
    """
    version = golden_version(version_id)
    if version.status is not GoldenStatus.CANDIDATE:
        raise Conflict(f"{version.name}@{version.number} is {version.status.value}", code="not_a_candidate")
    if version.document.get("replaces_failure") and not (note or "").strip():
        raise BadInput(
            "The replay it comes from did not pass: say why it is right now.", code="reason_required", pointer="/note"
        )
    for refusal in _refusals(version.document):
        raise refusal
    document, gates = released_document(version.document, now=now, test_data=test_data, names=names, keep=keep)
    release_golden_version(version_id=version_id, document=document, now=now, by=by, test_data=test_data, note=note)
    return ApprovedGolden(
        version_id=str(version_id),
        number=version.number,
        variables=tuple(document.get("variables") or ()),
        gates=tuple(gates),
        gate_strengths=tuple(turn["gate_strength"] for turn in document["turns"] if turn.get("gate_strength")),
        notes=(*(() if test_data else undated_notes(version.document)), *release_notes(document, gates)),
        changed=changed_turns(version.document, document, values=shown_values(document, now=now)),
        replayed=current_goldens([version.name])[version.name].number,
    )


def approval_changes(document: Mapping[str, Any], *, now: datetime) -> tuple[ChangedTurn, ...]:
    """The customer's turns that approving this candidate would change, old beside new. No query."""
    released, _ = released_document(document, now=now)
    return changed_turns(document, released, values=shown_values(released, now=now))


def approval_refusals(document: Mapping[str, Any]) -> list[str]:
    """Return in sentences every reason to refuse this document's approval. One query where there are uploads."""
    return [refusal.message for refusal in _refusals(document)]


def _refusals(document: Mapping[str, Any]) -> Iterator[BadInput]:
    """A reply without words holds no replay to anything: it was lost on the way here, or nothing was said. An upload
    whose bytes are nowhere would be an empty one, and the agent would be blamed for it."""
    for at in empty_replies(document):
        yield BadInput(
            f"/turns/{at}/content: this reply has no words, so nothing could be held against it: capture the "
            "conversation again, or write down what the agent said",
            code="empty_reply",
            pointer=f"/turns/{at}/content",
        )
    files = [(at, file) for at, turn in enumerate(document.get("turns") or ()) for file in files_of(turn)]
    digests = [str(file["sha256"]) for _, file in files if file.get("sha256")]
    stored = set(StoredFile.objects.filter(sha256__in=digests).values_list("sha256", flat=True)) if digests else set()
    for at, file in files:
        if str(file.get("sha256") or "") not in stored:
            name = file.get("name") or file.get("path") or "of this upload"
            yield BadInput(
                f"/turns/{at}/file_attachment: the file {name} is not stored, so a replay would upload nothing: import "
                "or capture it again with the file beside it, in attachments/",
                code="file_missing",
                pointer=f"/turns/{at}/file_attachment",
            )


def reject_golden(*, version_id: UUID | str, now: datetime) -> None:
    """Retire a version; a candidate is masked on the way, so that nothing raw is left. Raises NotFound, Conflict."""
    version = golden_version(version_id)
    document = None
    if version.status is GoldenStatus.CANDIDATE:
        document, _ = released_document(version.document, now=now, mask_all=True)
    retire_golden_version(version_id=version_id, document=document)


def released_document(
    document: Mapping[str, Any],
    *,
    now: datetime,
    test_data: bool = False,
    names: Sequence[str] = (),
    keep: Collection[int] = (),
    mask_all: bool = False,
) -> tuple[dict[str, Any], list[GateProof]]:
    """The document as it may be kept, and its gates. Masking twice changes nothing. `keep` are places of turns that
    stay to the letter, beside those marked so; with `mask_all` none does. No query."""
    released = dict(document)
    if not test_data:
        released = _masked(
            document, now=now, names=names, letter=frozenset() if mask_all else kept_positions(released, keep)
        )
    # Gates meet filled texts: they are proven on one.
    values = values_for(released, identity=PROOF_IDENTITY, now=now)
    proven, gates = with_proven_gates({**released, "turns": filled(released.get("turns") or [], values)})
    for kept_turn, turn in zip(released["turns"], proven["turns"], strict=True):
        for key in ("wait_for_pattern", "gate_strength", "gate_from"):
            kept_turn.pop(key, None)
            if key in turn:
                kept_turn[key] = turn[key]
    return released, gates


def _masked(
    document: Mapping[str, Any], *, now: datetime, names: Sequence[str], letter: Collection[int]
) -> dict[str, Any]:
    named, people = with_variables(document, captured=now, names=names)
    originals = original_values(document, named, letter)
    vouched = {word for value in originals.values() for word in value.casefold().split()}
    people = tuple(person for person in people if not vouched & set(person.casefold().split()))
    parsed = parse_document(named, limits=LIMITS, default_id=str(document.get("name") or "golden"))
    masked: dict[str, Any] = document_as_json(mask_document(parsed, names=people))
    for before, after in zip(document.get("turns") or (), masked["turns"], strict=True):
        if after.get("expected_tools"):
            after["expected_tools"] = without_masked(before.get("expected_tools"), after["expected_tools"])
    if "variables" in named:
        masked["variables"] = named["variables"]
    return with_kept_turns(masked, document, letter, originals)
