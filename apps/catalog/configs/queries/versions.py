"""Evaluator configs and their versions, as plain data."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.db import connection
from django.db.models import QuerySet

from apps.catalog.configs.domain.content import VersionContent, parse_content
from apps.catalog.configs.domain.criteria import UnknownCriteria, text_in
from apps.catalog.configs.domain.snapshots import ConfigSnapshot, CriterionSnapshot
from apps.catalog.configs.models import Criterion, EvaluatorConfigVersion
from apps.catalog.domain.states import VersionStatus
from apps.core.errors import BadInput, Conflict, NotFound
from apps.tenants.context import current_schema


def active_version(name: str) -> EvaluatorConfigVersion:
    """The highest published version of a config. One query, two where there is none. Raises NotFound."""
    row = _versions().filter(config__name=name, status=VersionStatus.PUBLISHED).order_by("-number").first()
    if row is None:
        there = ", ".join(published_configs()[:10]) or "none yet"
        raise NotFound(
            f"no published version of the evaluator config {name!r}; published: {there}", pointer="/evaluator_config"
        )
    return row


def published_configs() -> list[str]:
    """Names of the configs that something can be judged with now. One query."""
    rows = EvaluatorConfigVersion.objects.filter(status=VersionStatus.PUBLISHED).order_by("config__name")
    return list(rows.values_list("config__name", flat=True).distinct())


def published_versions() -> dict[str, list[str]]:
    """The versions to judge with now: those of each config as `name@number`, newest first. One query."""
    rows = EvaluatorConfigVersion.objects.filter(status=VersionStatus.PUBLISHED).order_by("config__name", "-number")
    versions: dict[str, list[str]] = {}
    for name, number in rows.values_list("config__name", "number"):
        versions.setdefault(name, []).append(f"{name}@{number}")
    return versions


def find_version(ref: str) -> EvaluatorConfigVersion:
    """Return the version that `ref` names. One query. Raises NotFound, BadInput.

    `name@3` names version 3, whatever its state; `name` alone names the active version.
    """
    name, at, number = ref.rpartition("@")
    if not at:
        return active_version(ref)
    if not (number.isascii() and number.isdigit() and 0 < len(number) < 10):
        raise BadInput(f"{ref!r} is not a version: write name@number, or the name alone", pointer="/evaluator_config")
    row = _versions().filter(config__name=name, number=int(number)).first()
    if row is None:
        raise NotFound(f"there is no evaluator config version {ref!r}", pointer="/evaluator_config")
    return row


def resolve_config(ref: str) -> ConfigSnapshot:
    """Return all that an evaluation freezes of a config, criteria texts in the version's rubric language.

    One query for a published version this process has read before: its content cannot change (docs/adr/0020), so only
    which version it is and whether its criteria still exist is asked again. Four queries the first time. Raises
    NotFound, UnknownCriteria (a criterion was taken out of the catalog) and Conflict for a draft.
    """
    seen = _seen_before(ref)
    if seen is not None:
        return seen
    row = find_version(ref)
    if row.status == VersionStatus.DRAFT:
        raise Conflict(f"{row} is a draft: publish it before judging with it", code="not_published")
    snapshot = snapshot_of(row)
    if all(criterion.name in row.frozen_criteria for criterion in snapshot.criteria):
        if len(_published) >= _KEPT_VERSIONS:
            _published.clear()
        _published[current_schema(), row.pk] = snapshot
    return snapshot


_KEPT_VERSIONS = 200  # of all tenants of one process; a snapshot is some 20 kB
_published: dict[tuple[str, UUID], ConfigSnapshot] = {}
_WHICH = """
SELECT v.id, v.status <> 'draft' AND (SELECT count(*) FROM catalog_criterion k WHERE k.name = ANY(ARRAY(
  SELECT jsonb_object_keys(v.frozen_criteria)))) = (SELECT count(*) FROM jsonb_object_keys(v.frozen_criteria))
FROM catalog_evaluatorconfigversion v JOIN catalog_evaluatorconfig c ON c.id = v.config_id
WHERE c.name = %s AND CASE WHEN %s::integer IS NULL THEN v.status = 'published' ELSE v.number = %s END
ORDER BY v.number DESC LIMIT 1
"""


def _seen_before(ref: str) -> ConfigSnapshot | None:
    """The snapshot of a version read before, if it is still what `ref` means and whole. One query, or none."""
    if not _published:
        return None
    name, at, given = ref.rpartition("@")
    if at and not (given.isascii() and given.isdigit() and len(given) < 10):
        return None
    number = int(given) if at else None
    with connection.cursor() as cursor:
        cursor.execute(_WHICH, [name if at else ref, number, number])
        row = cursor.fetchone()
    return _published.get((current_schema(), row[0])) if row and row[1] else None


def snapshot_of(row: EvaluatorConfigVersion) -> ConfigSnapshot:
    """The snapshot of a loaded version, drafts too (preview, dry run). One query. Raises UnknownCriteria."""
    content = content_of(row)
    parameters = content.settings()
    sources = criteria_sources(content.names, row.frozen_criteria, where=str(row))
    return ConfigSnapshot(
        config=row.config.name,
        version=row.number,
        version_id=row.pk,
        criteria=tuple(
            _criterion(name, content, sources[name], parameters["rubric_language"]) for name in content.names
        ),
        system_prompt_template=content.system_prompt_template,
        llm_config=content.models(),
        parameters=parameters,
    )


def content_of(row: EvaluatorConfigVersion) -> VersionContent:
    """A version's content as plain data. No query."""
    return parse_content(
        {
            "criteria": row.criteria,
            "pass_marks": row.pass_marks,
            "system_prompt_template": row.system_prompt_template,
            "llm_config": row.llm_config,
            "parameters": row.parameters,
            "note": row.note,
        }
    )


def criteria_sources(names: Sequence[str], frozen: Mapping[str, Any], *, where: str) -> dict[str, Mapping[str, Any]]:
    """Return for each name its {"kind", "texts", "offline_rule", "offline_parameters"}.

    They are as frozen at publishing, else as they are now. One query, since a criterion must still exist. Raises
    UnknownCriteria with all names that do not.
    """
    rows = {row["name"]: row for row in Criterion.objects.filter(name__in=names).values(*_CRITERION_FIELDS)}
    missing = [name for name in names if name not in rows]
    if missing:
        raise UnknownCriteria(missing, where=where)
    return {name: frozen.get(name) or {key: rows[name][key] for key in _CRITERION_FIELDS[1:]} for name in names}


_CRITERION_FIELDS = ("name", "kind", "texts", "offline_rule", "offline_parameters")


def _versions() -> QuerySet[EvaluatorConfigVersion]:
    return EvaluatorConfigVersion.objects.select_related("config")


def _criterion(name: str, content: VersionContent, source: Mapping[str, Any], language: str) -> CriterionSnapshot:
    text = text_in(source["texts"], language)
    return CriterionSnapshot(
        name=name,
        weight=content.weight(name),
        pass_mark=content.pass_mark(name),
        kind="core" if name in content.criteria["core"] else "domain",
        description=text["description"],
        scoring_guide=dict(text["scoring_guide"]),
        offline_rule=source["offline_rule"],
        offline_parameters=source["offline_parameters"],
        blocking=content.blocks(name),
    )
