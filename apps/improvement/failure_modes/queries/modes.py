"""Failure modes and their notes as anybody may read them: counts of what somebody noted, and the rates there are.

Notes beside a conversation of a hold-out are left out everywhere, in counts too: they tell what it holds.
"""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Min, QuerySet

from apps.calibration.models import ConversationNote
from apps.calibration.queries.remarks import readable_notes
from apps.catalog.models import EvaluatorConfigVersion
from apps.core.errors import NotFound
from apps.improvement.failure_modes.domain.rates import FixComparison, ModeRate, compare_sides
from apps.improvement.failure_modes.domain.states import ModeStatus, NoteShows
from apps.improvement.failure_modes.models import FailureMode, ModeGrouping, ModeNote
from apps.improvement.failure_modes.queries.rates import rates_of, sides_of
from apps.improvement.holdout.queries.sealing import sealed_among
from apps.runs.domain.kind_traits import UNSEALED

MAX_SHOWN = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeFigures:
    """A mode in its list. Only notes that show the failure count; `since` is when the first was written. `rates`: the
    newest first."""

    mode: FailureMode
    notes: int
    conversations: int
    since: datetime | None
    rates: Sequence[ModeRate]

    @property
    def rate(self) -> ModeRate | None:
        """The newest rate; None where only counts are known."""
        return self.rates[0] if self.rates else None


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownNote:
    """A note within a mode."""

    note: ConversationNote
    shows: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ModeDetail:
    """One mode in detail.

    It has its notes newest first, its rates, the result of its fix (None: no fix was told), and the published config
    versions that judge by its criterion.
    """

    figures: ModeFigures
    notes: Sequence[ShownNote]
    rates: Sequence[ModeRate]
    comparison: FixComparison | None
    published_in: Sequence[str]


def shown_notes() -> QuerySet[ConversationNote]:
    """Notes that anybody may read who may read conversations. Two queries at once: which conversations are sealed."""
    beside = ConversationNote.objects.exclude(conversation__run__kind__in=UNSEALED)
    sealed = sealed_among(set(beside.values_list("conversation", flat=True)))
    return readable_notes().exclude(conversation__in=sealed)


def open_notes() -> QuerySet[ConversationNote]:
    """Return the notes with words that are in no named mode, the newest first. Two queries at once."""
    named = ModeNote.objects.filter(mode__status=ModeStatus.NAMED).values("note")
    rows = shown_notes().exclude(text="").exclude(pk__in=named)
    return _with_conversation(rows).order_by("-created_at", "-id")


def named_modes() -> list[FailureMode]:
    """Return the named modes, by name. One query."""
    return list(FailureMode.objects.filter(status=ModeStatus.NAMED).order_by("name"))


def figures_of(modes: Sequence[FailureMode]) -> list[ModeFigures]:
    """Return the figures in the order of `modes`. Five queries at most, whatever their number."""
    rates = rates_of(modes)
    failing = ModeNote.objects.filter(mode__in=modes, shows=NoteShows.FAILURE, note__in=shown_notes())
    counted = failing.values("mode").annotate(
        notes=Count("pk"), conversations=Count("note__conversation", distinct=True), since=Min("note__created_at")
    )
    counts = {pk: figures for pk, *figures in counted.order_by().values_list("mode", "notes", "conversations", "since")}
    return [_figures(mode, counts.get(mode.pk, (0, 0, None)), rates[mode.pk]) for mode in modes]


def _figures(mode: FailureMode, counted: Sequence[Any], rates: Sequence[ModeRate]) -> ModeFigures:
    notes, conversations, since = counted
    return ModeFigures(mode=mode, notes=notes, conversations=conversations, since=since, rates=rates)


def find_mode(mode_id: uuid.UUID) -> FailureMode:
    """Return the failure mode with this id. Raises NotFound. One query."""
    row = FailureMode.objects.select_related("into").filter(pk=mode_id).first()
    if row is None:
        raise NotFound(f"There is no failure mode {mode_id}.")
    return row


def mode_detail(mode: FailureMode) -> ModeDetail:
    """Build the detail of a mode.

    Some ten queries, whatever its size. A mode without a name from a person has no rate: nobody says what it is.
    """
    named, figures = mode.status == ModeStatus.NAMED, figures_of([mode])[0]
    return ModeDetail(
        figures=figures,
        notes=_notes_of([mode])[mode.pk][:MAX_SHOWN],
        rates=figures.rates if named else [],
        comparison=compare_sides(sides_of(mode)) if named and mode.fixed_at else None,
        published_in=_published_in(mode.criterion),
    )


def proposals() -> list[tuple[FailureMode, Sequence[ShownNote]]]:
    """The modes that a model proposed and nobody has looked at, the largest first. Three queries at most."""
    rows = list(FailureMode.objects.filter(status=ModeStatus.PROPOSED).select_related("into"))
    notes = _notes_of(rows)
    groups = [(row, notes[row.pk]) for row in rows if notes[row.pk]]
    return sorted(groups, key=lambda group: (-len(group[1]), group[0].name))


def latest_grouping() -> ModeGrouping | None:
    """The newest question to a model. One query."""
    return ModeGrouping.objects.order_by("-created_at").first()


def find_grouping(grouping_id: uuid.UUID) -> ModeGrouping:
    """Return the grouping with this id. Raises NotFound. One query."""
    row = ModeGrouping.objects.filter(pk=grouping_id).first()
    if row is None:
        raise NotFound(f"There is no grouping {grouping_id}.")
    return row


def _notes_of(modes: Sequence[FailureMode]) -> dict[uuid.UUID, list[ShownNote]]:
    """Return the notes by mode, the newest first. Four queries, none without modes."""
    notes_by_mode: dict[uuid.UUID, list[ShownNote]] = {mode.pk: [] for mode in modes}
    if not modes:
        return notes_by_mode
    links = list(ModeNote.objects.filter(mode__in=modes).values_list("mode", "note", "shows"))
    rows = _with_conversation(shown_notes().filter(pk__in={note for _, note, _ in links}))
    notes = {row.pk: row for row in rows}
    for mode, note, shows in links:
        if note in notes:
            notes_by_mode[mode].append(ShownNote(note=notes[note], shows=shows))
    for shown in notes_by_mode.values():
        shown.sort(key=lambda one: (one.note.created_at, one.note.pk), reverse=True)
    return notes_by_mode


def _with_conversation(rows: QuerySet[ConversationNote]) -> QuerySet[ConversationNote]:
    return rows.select_related("conversation").only(
        "conversation__external_id", "conversation__kind", "author", "text", "created_at", "item"
    )


def _published_in(criterion: str) -> list[str]:
    """One query, none without a criterion."""
    if not criterion:
        return []
    rows = EvaluatorConfigVersion.objects.filter(status="published").select_related("config")
    return [str(row) for row in rows if criterion in (*row.criteria["core"], *row.criteria["domain"])]
