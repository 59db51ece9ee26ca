"""Questions to the catalog. They never change anything; what they give away is plain data."""

from collections.abc import Collection, Mapping, Sequence
from typing import Any
from uuid import UUID

from django.conf import settings
from django.db import connection
from django.db.models import Exists, OuterRef, Q, QuerySet

from apps.catalog.domain.content import VersionContent, parse_content
from apps.catalog.domain.criteria import UnknownCriteria, text_in
from apps.catalog.domain.declared_prices import price_for, without_prices
from apps.catalog.domain.providers import PlatformKeys, Provider, endpoint
from apps.catalog.domain.snapshots import ConfigSnapshot, CriterionSnapshot
from apps.catalog.domain.states import VersionStatus
from apps.catalog.fields import Secret
from apps.catalog.models import Criterion, EvaluatorConfigVersion, ModelProvider, PromptLine, PromptVersion
from apps.catalog.queries.agents import agent_id as agent_id
from apps.catalog.queries.agents import agent_snapshot as agent_snapshot
from apps.catalog.queries.agents import agent_spec as agent_spec
from apps.connectors.llms.base import ModelSpec
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
    """What something can be judged with now: the versions of each config as `name@number`, newest first. One query."""
    rows = EvaluatorConfigVersion.objects.filter(status=VersionStatus.PUBLISHED).order_by("config__name", "-number")
    versions: dict[str, list[str]] = {}
    for name, number in rows.values_list("config__name", "number"):
        versions.setdefault(name, []).append(f"{name}@{number}")
    return versions


def find_version(ref: str) -> EvaluatorConfigVersion:
    """`name@3` is that version, whatever its state; `name` the active one. One query. Raises NotFound, BadInput."""
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
    """Everything an evaluation freezes of a config, criteria texts in the version's rubric language.

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
        found = cursor.fetchone()
    return _published.get((current_schema(), found[0])) if found and found[1] else None


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
    """{name: {"kind", "texts", "offline_rule", "offline_parameters"}}: as frozen at publishing, else as they are now.

    One query, since a criterion must still exist. Raises UnknownCriteria with all names that do not.
    """
    rows = {row["name"]: row for row in Criterion.objects.filter(name__in=names).values(*_CRITERION_FIELDS)}
    missing = [name for name in names if name not in rows]
    if missing:
        raise UnknownCriteria(missing, where=where)
    return {name: frozen.get(name) or {key: rows[name][key] for key in _CRITERION_FIELDS[1:]} for name in names}


def model_spec(provider: str, model: str, options: Mapping[str, Any] | None = None) -> ModelSpec:
    """Where and with which key a model is asked. One query; reads a secret.

    Raises BadInput: `unknown_provider`, `model_key_missing`. The offline provider answers only to its own name.
    """
    row = ModelProvider.objects.filter(name=provider).first()
    where = endpoint(provider, _own(row) if row else None, platform_keys(), options or {})
    return ModelSpec(
        provider=where.kind,
        name=provider,
        model=model,
        base_url=where.base_url,
        api_key=where.api_key,
        options=without_prices(where.options),
        price=price_for(where.options, model),
        known_by=row.known_by if row else {},
        max_concurrent=row.max_concurrent if row else None,
    )


def server_identity(provider: str, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """What `model_spec(provider, …).identity()` would say, without opening a secret: a key that no present field key
    opens still belongs to a known server. One query. Raises BadInput as `model_spec`."""
    row = ModelProvider.objects.filter(name=provider).first()
    where = endpoint(provider, _own(row, reveal=False) if row else None, platform_keys(), options or {})
    spec = ModelSpec(
        provider=where.kind,
        name=provider,
        model="",
        base_url=where.base_url,
        options=without_prices(where.options),
        known_by=row.known_by if row else {},
    )
    return spec.identity()


def providers_that_answer(names: Collection[str]) -> frozenset[str]:
    """Which of these providers could be asked: there is a key, or an address that wants none.

    One query, two where the tenant has providers of these names.
    """
    with connection.cursor() as cursor:  # asked with every evaluation, and most tenants have none
        cursor.execute("SELECT EXISTS (SELECT 1 FROM catalog_modelprovider WHERE name = ANY(%s))", [list(names)])
        any_own = cursor.fetchone()[0]
    rows = (
        {row.name: _own(row, reveal=False) for row in ModelProvider.objects.filter(name__in=names)} if any_own else {}
    )
    keys, found = platform_keys(), set()
    for name in names:
        try:
            endpoint(name, rows.get(name), keys, {})
        except BadInput:
            continue
        found.add(name)
    return frozenset(found)


def _own(row: ModelProvider, *, reveal: bool = True) -> Provider:
    """`reveal` False: dots in place of the key, which is then not opened."""
    stored = row.api_key if isinstance(row.api_key, Secret) else Secret("")
    return Provider(
        name=row.name,
        kind=row.kind,
        base_url=row.base_url,
        api_key=stored.reveal() if reveal else str(stored),
        options=row.options,
    )


def platform_keys() -> PlatformKeys:
    """The environment's keys, as settings read them."""
    return PlatformKeys(keys=settings.MODEL_KEYS, openai_base_url=settings.OPENAI_BASE_URL)


def prompt_text(version: str) -> str:
    """The text of a recorded prompt version; empty where there is none of this name. One query."""
    return str(PromptVersion.objects.filter(version=version).values_list("text", flat=True).first() or "")


def prompt_versions() -> QuerySet[PromptVersion]:
    """Prompt versions, each with `live`: whether it is the one that its line plays. One query when read."""
    line = PromptLine.objects.filter(live=OuterRef("pk"))
    return PromptVersion.objects.annotate(live=Exists(line))


def live_prompt(name: str) -> str:
    """The version of this name that is live; empty where there is none, or drafts only. One query."""
    return str(PromptLine.objects.filter(name=name).values_list("live__version", flat=True).first() or "")


def live_prompts_of(agent_id: UUID | str, name: str) -> tuple[str, ...]:
    """The live versions of an agent's own lines: those that name it, and the one of its name that names no agent. One
    query."""
    lines = PromptLine.objects.filter(Q(agent_id=agent_id) | Q(agent__isnull=True, name=name))
    return tuple(lines.order_by("name").values_list("live__version", flat=True))


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
