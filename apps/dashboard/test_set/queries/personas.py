"""The content of the personas' list and of a persona's page: may it play, is it believable, how did its battles end."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.audit.models import Entry
from apps.catalog.domain.states import PersonaOrigin, PersonaStatus
from apps.catalog.models import Persona, PersonaValidation
from apps.catalog.personas.domain.rules import PERSONA_CRITERIA
from apps.catalog.personas.domain.spec import PATIENCE_WORDS, TYPING_WORDS, PersonaSpec, read_persona_spec
from apps.core.errors import NotFound
from apps.dashboard.domain.figures import many, score_text
from apps.dashboard.domain.sentences import Headline
from apps.runs.playing.queries.persona_records import PersonaRecord, persona_records

CHANGES = 20  # newest, on its page
ORIGIN_WORDS: Mapping[str, str] = {
    PersonaOrigin.HAND: "written by hand",
    PersonaOrigin.FILE: "from a file",
    PersonaOrigin.GENERATED: "written by a model",
}


def record_words(record: PersonaRecord) -> str:
    """A persona's record on one line."""
    if not record.battles:
        return "has not played yet"
    reviewed = f"{record.invalid} of {record.reviewed} reviewed invalid" if record.reviewed else "none reviewed"
    return f"{many(record.battles, 'battle')}; {reviewed}"


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaScore:
    """One of the validator's scores; `weight` is its share of the mean, None where the validation did not keep it."""

    name: str
    score: float
    reason: str
    weight: float | None


@dataclass(frozen=True, slots=True, kw_only=True)
class PersonaPage:
    """`facts` are the structured persona as (name, lines); `probes` what it was tried out in; `last` the newest
    validation by a model, where the persona still waits for its verdict."""

    headline: Headline
    row: Persona
    origin: str
    spec: PersonaSpec
    facts: Sequence[tuple[str, Sequence[str]]]
    scores: Sequence[PersonaScore]
    mean: float | None
    threshold: float | None
    validated_by: str
    probes: Sequence[Mapping[str, Any]]
    record: PersonaRecord
    scenarios: Sequence[str]
    changes: Sequence[Entry]
    can: frozenset[str]
    last: PersonaValidation | None


def persona_page(persona_id: uuid.UUID) -> PersonaPage:
    """One persona, whole. Raises NotFound. At most six queries."""
    row = Persona.objects.filter(pk=persona_id).first()
    if row is None:
        raise NotFound(f"there is no persona {persona_id}")
    validation = row.validation or {}
    record = persona_records([row.pk])[row.pk]
    return PersonaPage(
        headline=_headline(row, record),
        row=row,
        origin=ORIGIN_WORDS[row.origin],
        spec=(spec := read_persona_spec(row.spec)),
        facts=_facts(spec),
        scores=_scores(row),
        mean=validation.get("weighted"),
        threshold=validation.get("threshold"),
        validated_by=str(validation.get("model") or validation.get("by") or ""),
        probes=validation.get("probes") or (),
        record=record,
        scenarios=list(row.scenarios.order_by("slug").values_list("slug", flat=True)),
        changes=list(
            Entry.objects.filter(table_name="catalog_persona", object_id=str(row.pk)).order_by("-id")[:CHANGES]
        ),
        can=_can(row),
        last=row.validations.order_by("-id").first() if row.status == PersonaStatus.PENDING_VALIDATION else None,
    )


def _can(row: Persona) -> frozenset[str]:
    """The actions allowed on a persona now, by the names of the page's buttons."""
    status = PersonaStatus(row.status)
    actions = {"archive"} if status is not PersonaStatus.ARCHIVED else set()
    if status is PersonaStatus.PENDING_VALIDATION:
        actions |= {"score"}
    elif status is PersonaStatus.REJECTED:
        actions |= {"override"}
    if status not in (PersonaStatus.ARCHIVED, PersonaStatus.PENDING_VALIDATION):
        actions |= {"resubmit"}
    if status is PersonaStatus.VALIDATED and row.needs_release and row.released_at is None:
        actions |= {"release"}
    return frozenset(actions)


def _headline(row: Persona, record: PersonaRecord) -> Headline:
    validation = row.validation or {}
    mean = validation.get("weighted")
    rated = f", rated {score_text(mean, validation.get('threshold'))} of 10" if mean is not None else ""
    how = {
        PersonaStatus.VALIDATED: f"validated{rated}",
        PersonaStatus.APPROVED_OVERRIDE: f"rejected{rated}, and approved all the same by {row.override_by}",
    }.get(PersonaStatus(row.status), "")
    but, words = "", record_words(record)
    if row.may_play:
        text = f"{row.name} may play: {how}."
        share = record.invalid_share or 0
        but = f"{share:.0%} of its reviewed battles were invalid." if share >= 0.1 else ""  # more than chance spoils
    else:
        text = f"{row.name} may not play: {row.why_not()}."
        but = f"Rejected because: {row.rejection_reason}" if row.status == PersonaStatus.REJECTED else ""
    return Headline(text=text, but=but, note=f"{words[:1].upper()}{words[1:]}.")


def _scores(row: Persona) -> list[PersonaScore]:
    validation = row.validation or {}
    weights = validation.get("weights") or {}
    total = sum(weights.values()) or None
    reasons = validation.get("reasons") or {}
    return [
        PersonaScore(
            name=name,
            score=float(row.scores[name]),
            reason=str(reasons.get(name) or ""),
            weight=weights[name] / total if total and name in weights else None,
        )
        for name in PERSONA_CRITERIA
        if name in row.scores
    ]


def _facts(spec: PersonaSpec) -> list[tuple[str, Sequence[str]]]:
    every = [
        ("Demographics", [f"{name}: {value}" for name, value in spec.demographics.items()]),
        ("Mixing of languages", [spec.code_mixing]),
        ("Temper", [spec.temper]),
        ("Patience", [f"{spec.patience} of 5: {PATIENCE_WORDS[spec.patience]}"] if spec.patience else []),
        ("Typing", [f"writes {TYPING_WORDS[one]}" for one in spec.typing]),
        ("Goal", [spec.goal.text]),
        ("They have it when", [spec.goal.success]),
        ("Knows", list(spec.knowledge.knows)),
        ("Does not know", list(spec.knowledge.does_not_know)),
        ("Hidden constraints", list(spec.hidden_constraints)),
        ("Never", list(spec.never)),
    ]
    return [(name, filled_lines) for name, lines in every if (filled_lines := [line for line in lines if line])]
