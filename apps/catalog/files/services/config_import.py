"""One evaluator config of a catalog file, brought to the state the file says, through the same doors as by hand."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.catalog.configs.models import EvaluatorConfig, EvaluatorConfigVersion
from apps.catalog.configs.queries.criterion_titles import criterion_names
from apps.catalog.configs.queries.versions import content_of, criteria_sources
from apps.catalog.configs.services import versions
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import VersionStatus
from apps.catalog.files.domain.document import ConfigItem, VersionItem
from apps.core.errors import BadInput


def import_config(
    name: str,
    item: ConfigItem,
    row: EvaluatorConfig | None,
    *,
    at: datetime,
    by: str,
    notes: list[str],
    what: list[str],
) -> str:
    """Bring one config and its versions to what the file says.

    Returns created, updated or unchanged, and in `what` which parts differ.

    Raises BadInput when a published version would have to change or go back to a draft.
    """
    done = "unchanged"
    if row is None:
        row = EvaluatorConfig.objects.create(name=name, description=item.description)
        done = "created"
    elif row.description != item.description:
        EvaluatorConfig.objects.filter(pk=row.pk).update(description=item.description)
        done = "updated"
        what.append("description")
    names = criterion_names()
    existing = {version.number: version for version in row.versions.select_related("config")}
    for index, item_version in enumerate(item.versions):
        pointer = f"/versions/{index}"
        try:
            frozen = {names.name_of(called): content for called, content in item_version.frozen_criteria.items()}
            version = replace(item_version, content=names.names_in(item_version.content), frozen_criteria=frozen)
            changed = _import_version(name, version, existing.get(version.number), at=at, by=by, notes=notes)
        except BadInput as error:
            raise BadInput(
                error.message, code=error.code, pointer=f"{pointer}{error.pointer or ''}", **error.extra
            ) from error
        if changed:
            what.append(f"@{version.number} {version.status.value}")
            done = "updated" if done == "unchanged" else done
    return done


def _import_version(
    name: str, item: VersionItem, row: EvaluatorConfigVersion | None, *, at: datetime, by: str, notes: list[str]
) -> bool:
    if row is not None and row.status != VersionStatus.DRAFT:
        return _keep_published(item, row, at=at, notes=notes)
    changed = True
    if row is None:
        version_id: Any = versions.create_draft(config=name, content=item.content, number=item.number)
    else:
        version_id = row.pk
        changed = content_of(row) != item.content
        if changed:
            versions.update_draft(version_id=version_id, content=item.content)
    if item.status is VersionStatus.DRAFT:
        return changed
    versions.publish(version_id=version_id, at=at, by=by, frozen=_frozen(item))
    if item.status is VersionStatus.RETIRED:
        versions.retire(version_id=version_id, at=at)
    return True


def _keep_published(item: VersionItem, row: EvaluatorConfigVersion, *, at: datetime, notes: list[str]) -> bool:
    if content_of(row) != item.content:
        raise BadInput(
            f"{row} is {row.status} and cannot change: write the new content as version {row.number + 1}",
            code="version_locked",
            pointer="",
        )
    for name, frozen in _frozen(item).items():
        if row.frozen_criteria.get(name) != frozen:
            at_field = checks.step("/frozen_criteria", name)
            raise BadInput(
                f"{at_field}: {row} was published with another text", code="version_locked", pointer=at_field
            )
    if row.status == VersionStatus.PUBLISHED:
        _note_new_wording(row, notes)
    if item.status == row.status:
        return False
    if item.status is VersionStatus.RETIRED:
        versions.retire(version_id=row.pk, at=at)
        return True
    raise BadInput(f"/status: {row} is {row.status} and cannot become {item.status.value}", pointer="/status")


def _note_new_wording(row: EvaluatorConfigVersion, notes: list[str]) -> None:
    now = criteria_sources(list(row.frozen_criteria), {}, where=str(row))
    differing = [name for name, frozen in row.frozen_criteria.items() if now[name] != frozen]
    if differing:
        notes.append(
            f"{row} keeps the wording it was published with for {', '.join(differing)}; "
            "publish a new version to judge with the new one"
        )


def _frozen(item: VersionItem) -> Mapping[str, Any]:
    return {
        name: {key: value for key, value in content.as_json().items() if key not in ("domain", "titles")}
        for name, content in item.frozen_criteria.items()
    }
