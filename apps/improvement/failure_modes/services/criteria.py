"""The criterion of a failure mode: drafted from its notes, or one of the catalog that measures it."""

import uuid

from django.db import IntegrityError, transaction

from apps.catalog.configs.domain.criteria import MAX_TITLE, parse_criterion
from apps.catalog.configs.queries.criterion_titles import criterion_names
from apps.catalog.models import Criterion
from apps.core.errors import BadInput, Conflict
from apps.improvement.failure_modes.domain.criterion import MAX_EXAMPLES, criterion_name, drafted_texts
from apps.improvement.failure_modes.domain.states import NoteShows
from apps.improvement.failure_modes.models import ModeNote
from apps.improvement.failure_modes.queries.modes import shown_notes
from apps.improvement.failure_modes.services.naming import named_row


def draft_criterion(*, mode_id: uuid.UUID) -> Criterion:
    """A criterion of the catalog that says what the mode says, with its notes as anchors. It judges nothing until
    somebody puts it into a version of an evaluator config and publishes that.

    Raises NotFound; Conflict `wrong_state`, `has_criterion`, `name_taken`. Some seven queries.
    """
    try:
        with transaction.atomic():
            mode = named_row(mode_id)
            if mode.criterion:
                raise Conflict(f"{mode} is measured by {mode.criterion} already.", code="has_criterion")
            texts = drafted_texts(
                name=mode.name,
                description=mode.description,
                failing=_words(mode_id, NoteShows.FAILURE),
                well=_words(mode_id, NoteShows.DOES_WELL),
            )
            titles = {"en": mode.name[:MAX_TITLE]}
            content = parse_criterion({"texts": {"en": texts}, "titles": titles}).as_json()
            row = Criterion.objects.create(name=criterion_name(mode.name), **content)
            mode.criterion = row.name
            mode.save(update_fields=["criterion"])
    except IntegrityError as error:
        raise Conflict(
            f"The catalog has a criterion {criterion_name(mode.name)} already: say that it measures this mode, or "
            "rename the mode.",
            code="name_taken",
        ) from error
    return row


def measure_by(*, mode_id: uuid.UUID, criterion: str) -> None:
    """Say which criterion measures the mode, by its name or its title; "" for none. Raises NotFound; BadInput
    `unknown_criteria`; Conflict `wrong_state`."""
    names = criterion_names()
    criterion = names.name_of(criterion)
    if criterion and criterion not in names.titles:
        raise BadInput(f"There is no criterion {criterion!r}.", code="unknown_criteria", pointer="/name")
    with transaction.atomic():
        mode = named_row(mode_id)
        mode.criterion = criterion
        mode.save(update_fields=["criterion"])


def _words(mode_id: uuid.UUID, shows: NoteShows) -> list[str]:
    """Return the texts of the mode's newest notes that show what `shows` says, at most MAX_EXAMPLES."""
    noted = ModeNote.objects.filter(mode=mode_id, shows=shows).values("note")
    rows = shown_notes().filter(pk__in=noted).exclude(text="").order_by("-created_at")
    return list(rows.values_list("text", flat=True)[:MAX_EXAMPLES])
