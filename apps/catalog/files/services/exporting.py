"""The catalog as YAML files: what import_catalog reads back without changing anything. No secrets."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

from apps.catalog.configs.domain.criteria import ANCHORS
from apps.catalog.configs.models import Criterion, EvaluatorConfig, EvaluatorConfigVersion
from apps.catalog.connections.domain.fields import PROMPT_FIELDS
from apps.catalog.connections.models import Agent, AgentConnection, ModelProvider
from apps.catalog.domain.catalog_yaml import dump
from apps.catalog.domain.states import LANGUAGES, ConnectionPurpose, ScenarioStatus, VersionStatus
from apps.catalog.files.domain.document import KEYS, SECTIONS
from apps.catalog.files.services.persona_import import persona_entry
from apps.catalog.personas.models import Persona
from apps.catalog.prompts.models import PromptLine, PromptVersion
from apps.catalog.scenarios.domain.script import script_document
from apps.catalog.scenarios.models import Scenario
from apps.core.errors import BadInput


def export_catalog(*, path: Path) -> dict[str, int]:
    """Write the whole catalog: one file when the path ends in .yaml or .yml, else a folder with a file a section.

    The same catalog gives the same bytes. Gives the number of items a section. Nine queries. Raises BadInput where it
    cannot be written.
    """
    catalog = catalog_as_data()
    try:
        if path.suffix in (".yaml", ".yml"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dump(catalog), encoding="utf-8")
        else:
            path.mkdir(parents=True, exist_ok=True)
            for section, items in catalog.items():
                (path / f"{section}.yaml").write_text(dump({section: items}), encoding="utf-8")
    except OSError as error:
        raise BadInput(f"cannot write to {path}: {error}", pointer="") from error
    return {section: len(items) for section, items in catalog.items()}


def catalog_as_yaml(*, section: str = "", names: Sequence[str] = ()) -> str:
    """The catalog as one YAML text, or some items of a section with all they need to be imported elsewhere.

    Of evaluator configs the criteria come along, of scenarios their personas. No names: the whole section. Nine
    queries. Raises BadInput for a section there is not, and names those that are not there.
    """
    catalog = catalog_as_data()
    if not section:
        return dump(catalog)
    if section not in catalog:
        raise BadInput(f"there is no section {section!r}: {', '.join(SECTIONS)}", pointer="/section")
    key = KEYS.get(section, "name")
    chosen = [item for item in catalog[section] if not names or item[key] in names]
    missing = set(names) - {item[key] for item in chosen}
    if missing:
        raise BadInput(f"not in {section}: {', '.join(sorted(missing))}", pointer="/name")
    return dump(_with_what_they_need(section, chosen, catalog))


def _with_what_they_need(
    section: str, chosen: list[dict[str, Any]], catalog: Mapping[str, list[dict[str, Any]]]
) -> dict[str, list[dict[str, Any]]]:
    needed: dict[str, set[str]] = {}
    for item in chosen:
        if section == "scenarios":
            needed.setdefault("personas", set()).add(item.get("persona", ""))
        for version in item.get("versions", ()) if section == "evaluator_configs" else ():
            criteria = version.get("criteria", {})
            needed.setdefault("criteria", set()).update((*criteria.get("core", ()), *criteria.get("domain", ())))
    needed_items = {name: [item for item in catalog[name] if item["name"] in names] for name, names in needed.items()}
    return {name: items for name in SECTIONS if (items := {**needed_items, section: chosen}.get(name))}


def catalog_as_data() -> dict[str, list[dict[str, Any]]]:
    """Return the whole catalog as plain data, by name; empty fields are left out. Nine queries."""
    criteria = list(Criterion.objects.order_by("kind", "domain", "name"))
    now = {row.name: _frozen_form(row) for row in criteria}
    readers: dict[str, list[dict[str, Any]]] = {
        "criteria": [_criterion(row) for row in criteria],
        "evaluator_configs": _configs(now),
        "personas": [_filled(_sorted_inside(persona_entry(row))) for row in Persona.objects.order_by("name")],
        "scenarios": [_scenario(row) for row in Scenario.objects.select_related("persona").order_by("slug")],
        "agents": _agents(),
        "model_providers": [_provider(row) for row in ModelProvider.objects.defer("api_key").order_by("name")],
        "prompts": _prompts(),
    }
    return {section: readers[section] for section in SECTIONS}


def _prompts() -> list[dict[str, Any]]:
    """Return the prompts in the order they were recorded. The last of a name which is no draft is the live one."""
    live = dict(PromptLine.objects.values_list("name", "live__created_at"))
    return [
        {"version": row.version, "text": row.text, **({"draft": True} if _is_draft(row, live.get(row.name)) else {})}
        for row in PromptVersion.objects.order_by("created_at", "id")
    ]


def _is_draft(row: PromptVersion, live_since: datetime | None) -> bool:
    return live_since is None or row.created_at > live_since


def _criterion(row: Criterion) -> dict[str, Any]:
    titles = {language: row.titles[language] for language in LANGUAGES if language in row.titles}
    return {"name": row.name, **_filled({"titles": titles}), **_criterion_data(_frozen_form(row), domain=row.domain)}


def _criterion_data(source: Mapping[str, Any], *, domain: str = "") -> dict[str, Any]:
    return _filled(
        {
            "kind": source["kind"],
            "domain": domain,
            "offline_rule": source["offline_rule"],
            "offline_parameters": _sorted(source["offline_parameters"]),
            "texts": {
                language: {
                    "description": source["texts"][language]["description"],
                    "scoring_guide": {anchor: source["texts"][language]["scoring_guide"][anchor] for anchor in ANCHORS},
                }
                for language in LANGUAGES
                if language in source["texts"]
            },
        }
    )


def _frozen_form(row: Criterion) -> dict[str, Any]:
    return {
        "kind": row.kind,
        "texts": row.texts,
        "offline_rule": row.offline_rule,
        "offline_parameters": row.offline_parameters,
    }


def _configs(now: Mapping[str, Any]) -> list[dict[str, Any]]:
    versions: dict[Any, list[dict[str, Any]]] = {}
    for row in EvaluatorConfigVersion.objects.order_by("number"):
        versions.setdefault(row.config_id, []).append(_version(row, now))
    return [
        _filled({"name": row.name, "description": row.description, "versions": versions.get(row.pk, [])})
        for row in EvaluatorConfig.objects.order_by("name")
    ]


def _version(row: EvaluatorConfigVersion, now: Mapping[str, Any]) -> dict[str, Any]:
    names = [*row.criteria["core"], *row.criteria["domain"]]
    weights = row.criteria["weights"]
    frozen = row.frozen_criteria if row.status != VersionStatus.DRAFT else {}
    return {
        "number": row.number,
        "status": row.status,
        **_filled(
            {
                "note": row.note,
                "criteria": {
                    "core": row.criteria["core"],
                    "domain": row.criteria["domain"],
                    "weights": {name: weights[name] for name in names if name in weights},
                    **({"blocking": blocking} if (blocking := row.criteria.get("blocking")) else {}),
                },
                "pass_marks": {name: row.pass_marks[name] for name in names if name in row.pass_marks},
                "system_prompt_template": row.system_prompt_template,
                "llm_config": _sorted(row.llm_config),
                "parameters": _sorted(row.parameters),
                "frozen_criteria": {
                    name: _criterion_data(frozen[name])
                    for name in names
                    if name in frozen and frozen[name] != now.get(name)
                },
            }
        ),
    }


def _scenario(row: Scenario) -> dict[str, Any]:
    return _filled(
        {
            "id": row.slug,
            "persona": row.persona.name if row.persona else "",
            "language": row.language,
            "goal": row.goal,
            "opening": row.opening,
            "max_turns": row.max_turns,
            **script_document(row.script),
            "assertions": row.assertions,
            "must_not": row.must_not,
            "family": row.family,
            "status": "" if row.status == ScenarioStatus.RELEASED else row.status,
            "origin": row.origin if row.status != ScenarioStatus.RELEASED else "",
            "provenance": row.provenance if row.status != ScenarioStatus.RELEASED else {},
        }
    )


def _agents() -> list[dict[str, Any]]:
    connections: dict[Any, list[dict[str, Any]]] = {}
    for row in AgentConnection.objects.defer("secrets").order_by("kind", "purpose"):
        fields = {"kind": row.kind, "address": row.address, "options": _sorted(row.options), "timeout_s": row.timeout_s}
        if row.purpose == ConnectionPurpose.STAGING:
            fields |= {name: getattr(row, name) for name in ("purpose", *PROMPT_FIELDS)}
        connections.setdefault(row.agent_id, []).append(_filled(fields))
    return [_agent(row, connections.get(row.pk, [])) for row in Agent.objects.defer("secrets").order_by("name")]


def _agent(row: Agent, connections: list[dict[str, Any]]) -> dict[str, Any]:
    return _filled(
        {
            "name": row.name,
            "kind": row.kind,
            "address": row.address,
            "options": _sorted(row.options),
            "timeout_s": row.timeout_s,
            "stagger_s": None if row.stagger_min_s is None else [row.stagger_min_s, row.stagger_max_s],
            "max_concurrent": row.max_concurrent,
            "profile": _sorted(row.profile),
            "connections": connections,
        }
    )


def _provider(row: ModelProvider) -> dict[str, Any]:
    return _filled(
        {
            "name": row.name,
            "kind": row.kind,
            "base_url": row.base_url,
            "options": _sorted(row.options),
            "max_concurrent": row.max_concurrent,
        }
    )


def _filled(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value not in ("", None, {}, [])}


def _sorted_inside(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: _sorted(value) for name, value in fields.items()}


def _sorted(value: Any) -> Any:
    """The database keeps no order of keys: sorted at every depth, so that the same data gives the same bytes."""
    if isinstance(value, Mapping):
        return {key: _sorted(value[key]) for key in sorted(value)}
    return [_sorted(item) for item in value] if isinstance(value, list) else value
