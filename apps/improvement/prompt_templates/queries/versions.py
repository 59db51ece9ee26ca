"""The texts that ask the workshop's models now, and their versions."""

from collections.abc import Iterable, Mapping
from typing import Any

from apps.core.timestamps import format_if_known
from apps.improvement.prompt_templates.domain.built_in import BUILT_IN, built_in, language_of_texts
from apps.improvement.prompt_templates.domain.texts import PromptTexts, TemplatePurpose, texts_from_json
from apps.improvement.prompt_templates.models import PromptTemplate


def texts_in_force(purposes: Iterable[str], language: str) -> dict[str, dict[str, str]]:
    """Return {purpose: texts}: the tenant's active version, else the shipped one. One query."""
    ours = PromptTemplate.objects.filter(active=True, language=language_of_texts(language), purpose__in=list(purposes))
    active = {row.purpose: texts_of(row) for row in ours}
    return {str(purpose): (active.get(purpose) or built_in(purpose, language)).as_json() for purpose in purposes}


def texts_of(row: PromptTemplate) -> PromptTexts:
    """Return the texts of a version."""
    return PromptTexts(
        purpose=row.purpose, language=row.language, version=str(row.number), system=row.system, ask=row.ask
    )


def kept_texts(kept: Mapping[str, Any], purpose: str, language: str) -> PromptTexts:
    """The texts that a row keeps for this purpose; those in force where it keeps none (an earlier release wrote it). At
    most one query."""
    texts = kept.get(purpose) or texts_in_force([purpose], language)[purpose]
    return texts_from_json(texts)


def template_documents() -> list[dict[str, Any]]:
    """Every text: those that ship and the tenant's own, the newest first, by purpose and language. One query."""
    own: dict[tuple[str, str], list[PromptTemplate]] = {}
    for row in PromptTemplate.objects.order_by("-number"):
        own.setdefault((row.purpose, row.language), []).append(row)
    documents: list[dict[str, Any]] = []
    for key, shipped in BUILT_IN.items():
        rows = own.get(key, [])
        documents += [_document(texts_of(row), row) for row in rows]
        documents.append({**_document(shipped, None), "in_force": not any(row.active for row in rows)})
    return documents


def template_lines(kept: Mapping[str, Any]) -> list[dict[str, str]]:
    """The texts that a row keeps, without their words: purpose, language and version."""
    lines = [{name: str(one[name]) for name in ("purpose", "language", "version")} for one in kept.values()]
    return sorted(lines, key=lambda line: list(TemplatePurpose).index(TemplatePurpose(line["purpose"])))


def _document(texts: PromptTexts, row: PromptTemplate | None) -> dict[str, Any]:
    return {
        **texts.as_json(),
        "id": None if row is None else str(row.pk),
        "in_force": row is not None and row.active,
        "note": "" if row is None else row.note,
        "created_by": "" if row is None else row.created_by,
        "created_at": None if row is None else format_if_known(row.created_at),
    }
