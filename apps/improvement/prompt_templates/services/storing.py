"""Versions of the texts that ask the workshop's models: made, never rewritten, and made active."""

import uuid
from dataclasses import dataclass

from django.db import transaction
from django.db.models import Max

from apps.core.errors import BadInput, NotFound
from apps.core.events import EventType, log_event
from apps.improvement.prompt_templates.domain.texts import MAX_TEMPLATE_NOTE, check_texts
from apps.improvement.prompt_templates.models import PromptTemplate


@dataclass(frozen=True, slots=True, kw_only=True)
class TemplateVersion:
    """The content of a new version of a template."""

    purpose: str
    language: str
    system: str
    ask: str
    note: str = ""


def check_template_version(version: TemplateVersion) -> None:
    """Refuse a version with unusable texts or a long note.

    Raises BadInput as `check_texts`, and `too_long` for the note.
    """
    check_texts(purpose=version.purpose, language=version.language, system=version.system, ask=version.ask)
    if len(version.note) > MAX_TEMPLATE_NOTE:
        message = f"A note has {MAX_TEMPLATE_NOTE} characters at most."
        raise BadInput(message, code="too_long", pointer="/note")


@transaction.atomic
def add_template(version: TemplateVersion, *, activate: bool, by: str) -> uuid.UUID:
    """Store a new version under the next number of its purpose and language; return its id.

    With `activate` new work uses it; work that has begun keeps its texts. Four queries. Raises BadInput.
    """
    check_template_version(version)
    rows = PromptTemplate.objects.filter(purpose=version.purpose, language=version.language)
    list(rows.select_for_update())  # two at once get two numbers; the first ever are told apart by the constraint
    last = rows.aggregate(last=Max("number"))["last"] or 0
    row = PromptTemplate.objects.create(
        purpose=version.purpose,
        language=version.language,
        number=last + 1,
        system=version.system,
        ask=version.ask,
        note=version.note,
        created_by=by[:150],
    )
    if activate:
        activate_template(row.pk, by=by)
    return uuid.UUID(str(row.pk))


@transaction.atomic
def activate_template(template_id: uuid.UUID | str, *, by: str) -> None:
    """Use this version from now on. Safe to repeat and to race. Three queries. Raises NotFound."""
    row = PromptTemplate.objects.filter(pk=template_id).first()
    if row is None:
        raise NotFound(f"There is no prompt template {template_id}.")
    rows = PromptTemplate.objects.filter(purpose=row.purpose, language=row.language)
    list(rows.select_for_update().order_by("number"))
    rows.filter(active=True).exclude(pk=row.pk).update(active=False)
    rows.filter(pk=row.pk).update(active=True)
    log_event(EventType.TEMPLATE_IN_FORCE, purpose=row.purpose, language=row.language, number=row.number, by=by)


@transaction.atomic
def restore_built_in(*, purpose: str, language: str, by: str) -> None:
    """Use the text that ships from now on. Safe to repeat. One query."""
    PromptTemplate.objects.filter(purpose=purpose, language=language, active=True).update(active=False)
    log_event(EventType.TEMPLATE_IN_FORCE, purpose=purpose, language=language, number=0, by=by)
