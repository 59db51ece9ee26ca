"""A curator accepts what a pull request alters of what decides about it, for one commit."""

import uuid

from django.db import IntegrityError, transaction

from apps.core.errors import BadInput, Conflict
from apps.gates.domain.judging_changes import changes_digest, read_changes
from apps.gates.models import GateAcceptance
from apps.gates.queries.gates import find_gate

NOTE_CHARS = 2000


def accept_changes(gate_id: uuid.UUID | str, *, by: str, seen: str, note: str = "") -> uuid.UUID:
    """Accept all changes that this gate lists, once, in a person's name; return the id of the row.
    `seen` is the digest of the list as the person saw it. Three queries.

    Raises NotFound; Conflict `nothing_to_accept`, `already_accepted`, and `other_changes` where the list is another
    one; BadInput without a person, or for a note that is too long.
    """
    if not by:
        raise BadInput("Changes of what decides are accepted by a person.", code="person_required")
    if len(note) > NOTE_CHARS:
        raise BadInput(f"A note has {NOTE_CHARS} characters at most.", code="too_long", pointer="/note")
    gate = find_gate(gate_id)
    if not gate.changes:
        raise Conflict("This change alters nothing of what decides about it.", code="nothing_to_accept")
    if changes_digest(read_changes(gate.changes)) != seen:
        raise Conflict("The gate tells other changes than those you saw: look again.", code="other_changes")
    try:
        with transaction.atomic():
            row = GateAcceptance.objects.create(
                gate=gate.pk,
                agent=gate.agent,
                commit=gate.commit,
                changes=gate.changes,
                accepted_by=by[:150],
                note=note,
            )
    except IntegrityError as error:
        raise Conflict("These changes are accepted already.", code="already_accepted") from error
    return uuid.UUID(str(row.pk))
