"""The life of an evaluator config version: drafted, edited, published for good, retired."""

from collections.abc import Mapping
from datetime import datetime
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import Max

from apps.catalog.configs.domain.content import DEFAULT_PASS_MARK, VersionContent, parse_new_content
from apps.catalog.configs.domain.snapshots import RoleModel
from apps.catalog.configs.domain.template import check_template
from apps.catalog.configs.models import EvaluatorConfig, EvaluatorConfigVersion
from apps.catalog.configs.queries.criterion_titles import criterion_names
from apps.catalog.configs.queries.judges import check_of
from apps.catalog.configs.queries.versions import content_of, criteria_sources
from apps.catalog.connections.domain.providers import unknown_provider
from apps.catalog.connections.models import ModelProvider
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import VersionStatus
from apps.connectors.llms.options import check_role_options
from apps.connectors.llms.registry import provider_names
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.tenants.context import current_slug
from apps.tenants.queries import workflow_config

LOCKED = (
    "{ref} is {status}: its scores must stay comparable, so nobody can change it, not even in the database. "
    "Make a new version from it instead."
)


def create_draft(
    *, config: str, content: VersionContent | Mapping[str, Any], number: int | None = None, description: str = ""
) -> UUID:
    """A new draft of a config (made where it is not there yet); its number is the next one unless given.

    Raises BadInput for content of the wrong form, Conflict where the number is taken. Not safe to repeat without a
    number: each call makes another draft. Criteria may be called by their titles. Six queries.
    """
    parsed = criterion_names().names_in(_read(content))
    checks.name(config, "/name")
    with transaction.atomic():
        EvaluatorConfig.objects.get_or_create(name=config, defaults={"description": description})
        owner = EvaluatorConfig.objects.select_for_update().get(name=config)
        if number is None:
            number = 1 + (owner.versions.aggregate(last=Max("number"))["last"] or 0)
        elif owner.versions.filter(number=number).exists():
            raise Conflict(f"{config}@{number} exists already")
        row = EvaluatorConfigVersion.objects.create(config=owner, number=number, **parsed.as_json())
    return UUID(str(row.pk))


def new_version_from(*, version_id: UUID | str) -> UUID:
    """A new draft with the same content as a version, under the next number. Raises NotFound."""
    row = _version(version_id)
    return create_draft(config=row.config.name, content=content_of(row))


def update_draft(*, version_id: UUID | str, content: VersionContent | Mapping[str, Any]) -> None:
    """Replace a draft's content. Safe to repeat. Two queries. Raises BadInput, NotFound; Conflict once published."""
    parsed = criterion_names().names_in(_read(content))
    changed = EvaluatorConfigVersion.objects.filter(pk=version_id, status=VersionStatus.DRAFT).update(
        **parsed.as_json()
    )
    if not changed:
        row = _version(version_id)
        raise Conflict(LOCKED.format(ref=row, status=row.status), code="version_locked")


def publish(
    *,
    version_id: UUID | str,
    at: datetime,
    by: str = "",
    frozen: Mapping[str, Any] | None = None,
    despite_check: str = "",
) -> None:
    """Publish a draft: from then on the database refuses every change. The criteria's texts are frozen with it, and the
    tenant's pass mark for criteria that have none of their own.

    `frozen` gives texts that differ from the catalog's present ones (an import of an older version). Raises BadInput
    with the field: no or unknown criteria, a template that cannot be rendered, an unknown provider, a rubric
    language that a criterion lacks; Conflict when it is not a draft (any more), and `judge_below_floor` where the
    newest check of this very judge found it wanting. `despite_check` is the reason to publish it all the same; it is
    kept in the note. Six queries.
    """
    with transaction.atomic():
        row = _version(version_id, lock=True)
        content = content_of(row)
        sources = check_publishable(content, frozen=frozen or {}, where=str(row))
        note = _noted(row, despite_check.strip())
        moved = EvaluatorConfigVersion.objects.advance(
            row.pk,
            expected=VersionStatus.DRAFT,
            to=VersionStatus.PUBLISHED,
            published_at=at,
            published_by=by,
            frozen_criteria=sources,
            pass_marks=content.pass_marks if frozen else _marks(content),
            note=note,
        )
        if not moved:
            raise Conflict(f"{row} is {row.status}, only a draft can be published", code="version_locked")
    log_event(EventType.CONFIG_PUBLISHED, version=str(row), by=by, despite_check=bool(despite_check.strip()))


def _read(content: VersionContent | Mapping[str, Any]) -> VersionContent:
    return content if isinstance(content, VersionContent) else parse_new_content(content)


def _marks(content: VersionContent) -> dict[str, float]:
    """The version's own pass marks, and the tenant's for the others where it is not everybody's default. One query."""
    mark = workflow_config(current_slug()).pass_mark
    others = {} if mark == DEFAULT_PASS_MARK else dict.fromkeys(content.names, mark)
    return {**others, **content.pass_marks}


def _noted(row: EvaluatorConfigVersion, despite: str) -> str:
    """Return the version's note; for a judge below the floor, with the reason why it is published. One query.

    Raises Conflict where such a judge has no reason.
    """
    check = check_of(row)
    if check is None or check.passed:
        return str(row.note)
    if not despite:
        raise Conflict(
            f"The judge of {row} was found below the floor: {'; '.join(check.figures['shortfalls'])}. Choose another, "
            "or say why it is published all the same.",
            code="judge_below_floor",
        )
    return f"{row.note}\nPublished although its judge was found below the floor: {despite}"[:2000].strip()


def check_publishable(
    content: VersionContent, *, frozen: Mapping[str, Any] | None = None, where: str = "this version"
) -> dict[str, Mapping[str, Any]]:
    """Refuse a version that publishing would refuse, without publishing it; gives the criteria as they would be frozen.
    Two queries."""
    if not content.names:
        raise BadInput(f"{where} has no criteria", pointer="/criteria")
    sources = criteria_sources(content.names, frozen or {}, where=where)
    check_template(content.system_prompt_template)
    _check_providers(content.models(), stored=bool(frozen))
    language = content.settings()["rubric_language"]
    lacking = [name for name, source in sources.items() if language not in source["texts"]]
    if lacking:
        raise BadInput(
            f"these criteria have no text in the rubric language {language!r}: {', '.join(lacking)}",
            pointer="/parameters/rubric_language",
            criteria=lacking,
        )
    return sources


def retire(*, version_id: UUID | str, at: datetime) -> None:
    """Take a published version out of use: the highest number that is still published becomes the active one.

    Safe to repeat. What was judged with it stays. Raises NotFound, and Conflict for a draft (delete it instead).
    """
    moved = EvaluatorConfigVersion.objects.advance(
        version_id, expected=VersionStatus.PUBLISHED, to=VersionStatus.RETIRED, retired_at=at
    )
    if not moved and (row := _version(version_id)).status != VersionStatus.RETIRED:
        raise Conflict(f"{row} is a draft: only a published version can be retired")


def _check_providers(models: Mapping[str, RoleModel], *, stored: bool) -> None:
    """Check that the models' providers are known and take their options. Raises BadInput.

    With `stored` an older version is brought in, whose scores must stay comparable: its options stay as they were.
    """
    kinds = {name: name for name in provider_names()} | dict(ModelProvider.objects.values_list("name", "kind"))
    for role, model in models.items():
        at = checks.step("/llm_config", role)
        for one, where in ((model, at), (model.fallback, f"{at}/fallback")):
            if one is None:
                continue
            if one.provider not in kinds:
                raise unknown_provider(one.provider, f"{where}/provider")
            if one.options and not stored and (one is model or one.options != model.options):
                check_role_options(kinds[one.provider], one.options, f"{where}/options")


def _version(version_id: UUID | str, *, lock: bool = False) -> EvaluatorConfigVersion:
    rows = EvaluatorConfigVersion.objects.select_related("config")
    row = (rows.select_for_update(of=("self",)) if lock else rows).filter(pk=version_id).first()
    if row is None:
        raise NotFound(f"there is no evaluator config version with the id {version_id}")
    return row
