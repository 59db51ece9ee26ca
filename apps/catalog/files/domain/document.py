"""A catalog as data: what its YAML files say, read strictly, each item with the place it came from.

A file is a mapping of sections (`criteria`, `evaluator_configs`, `personas`, `scenarios`, `agents`,
`model_providers`), or one scenario in the brief's own form (it has an `id:` at the top).
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.catalog.configs.domain.content import VersionContent, parse_new_content
from apps.catalog.configs.domain.criteria import parse_criterion
from apps.catalog.connections.domain.declared_prices import declared_prices
from apps.catalog.connections.domain.fields import parse_connections
from apps.catalog.connections.domain.load_limits import max_concurrent_of, stagger_of
from apps.catalog.connections.domain.profile import parse_profile
from apps.catalog.connections.domain.secret_names import refuse_secrets
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.catalog_yaml import YamlDocument
from apps.catalog.domain.states import AgentKind, VersionStatus
from apps.catalog.personas.domain.document import read_persona
from apps.catalog.scenarios.domain.document import read_scenario
from apps.connectors.llms.options import MAX_TIMEOUT_S, check_options
from apps.connectors.llms.registry import provider_names
from apps.core.errors import BadInput

SECTIONS = ("criteria", "evaluator_configs", "personas", "scenarios", "agents", "model_providers", "prompts")
KEYS = {"scenarios": "id", "prompts": "version"}  # what names an item; elsewhere `name`


@dataclass(frozen=True, slots=True)
class Origin:
    """Origin of an item: its file, and its pointer in the file's document."""

    document: YamlDocument
    pointer: str

    def locate(self, error: BadInput) -> BadInput:
        """Return the same error with file and line as well; `pointer` is then the whole path in the file."""
        whole = f"{self.pointer}{error.pointer or ''}"
        line = self.document.line(whole)
        file = self.document.file
        at = self.pointer if error.message.startswith(error.pointer or " ") else whole
        what = f"{file}, line {line}, {at}: {error.message}"
        return BadInput(what, code=error.code, pointer=whole, **{**error.extra, "file": file, "line": line})


@dataclass(frozen=True, slots=True)
class Item:
    """One thing of a catalog. `content` is of the section's own type."""

    name: str
    content: Any
    origin: Origin


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionItem:
    number: int
    status: VersionStatus
    content: VersionContent
    frozen_criteria: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ConfigItem:
    description: str
    versions: tuple[VersionItem, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentItem:
    """Agent of a catalog file, without its secrets: those are entered by hand and stay in the database.

    `connections` are the further ways to reach it, {kind, address, options, timeout_s}; None: the file does not say, so
    the stored ones stay.
    """

    kind: str
    address: str
    options: Mapping[str, Any]
    timeout_s: float
    stagger_s: tuple[float, float] | None
    max_concurrent: int | None
    profile: Mapping[str, Any]
    connections: tuple[Mapping[str, Any], ...] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderItem:
    kind: str
    base_url: str
    options: Mapping[str, Any]
    max_concurrent: int | None


@dataclass(frozen=True, slots=True)
class PromptItem:
    """A prompt version of an agent: written once. A draft is recorded and not live."""

    name: str
    text: str
    draft: bool = False


Catalog = dict[str, dict[str, Item]]


def read_catalog(documents: Iterable[YamlDocument], *, sections: Collection[str] = SECTIONS) -> Catalog:
    """Read all documents together, as {section: {name: Item}}.
    Raises BadInput with file, line and field; its `problems` lists the first 50 faults. Items outside `sections` are
    `not_of_a_run`."""
    catalog: Catalog = {section: {} for section in SECTIONS}
    problems: list[BadInput] = []
    for document in documents:
        for section, raw, pointer in _entries(document, problems):
            origin = Origin(document, pointer)
            try:
                if section not in sections:
                    raise _not_of_a_run(section, sections)
                item = _item(section, raw, origin)
                if item.name in catalog[section]:
                    other = catalog[section][item.name].origin.document.file
                    raise BadInput(f"{item.name!r} stands twice (also in {other})")
                catalog[section][item.name] = item
            except BadInput as error:
                problems.append(origin.locate(error))
    if problems:
        first = problems[0]
        more = f"\n{len(problems) - 1} more" if len(problems) > 1 else ""
        raise BadInput(
            "\n".join(problem.message for problem in problems[:50]) + (more if len(problems) > 50 else ""),
            code=first.code,
            pointer=first.pointer,
            **{**first.extra, "problems": [problem.message for problem in problems[:50]]},
        )
    return catalog


def _not_of_a_run(section: str, sections: Collection[str]) -> BadInput:
    return BadInput(
        f"{section} are the whole team's and do not come with a run, which brings {' and '.join(sections)}: bring them "
        "in with import_catalog, or with POST /catalog/import/ and a key that has the scope curate, and take them out "
        "of this file",
        code="not_of_a_run",
        pointer="",
        section=section,
    )


def _entries(document: YamlDocument, problems: list[BadInput]) -> list[tuple[str, Any, str]]:
    try:
        data = checks.mapping(document.value, "")
        if "id" in data:  # the brief's scenario file
            return [("scenarios", data, "")]
        checks.only(data, SECTIONS, "")
        return [
            (section, raw, f"/{section}/{index}")
            for section, entries in data.items()
            for index, raw in enumerate(checks.listing(entries, f"/{section}"))
        ]
    except BadInput as error:
        problems.append(Origin(document, "").locate(error))
        return []


def _item(section: str, raw: Any, origin: Origin) -> Item:
    data = dict(checks.mapping(raw, ""))
    key = KEYS.get(section, "name")
    if key not in data:
        raise BadInput(f"/{key} is missing", pointer="")
    if section == "prompts":
        return _prompt(data, origin)
    free = section == "personas"  # people's names may hold blanks; everything else is referred to in scripts
    name = checks.text(data[key], f"/{key}", required=True, limit=100) if free else checks.name(data[key], f"/{key}")
    del data[key]
    return Item(name, _READERS[section](data), origin)


def _prompt(data: Mapping[str, Any], origin: Origin) -> Item:
    checks.only(data, ("version", "text", "draft"), "")
    version = checks.text(data["version"], "/version", required=True, limit=150)
    name, at, revision = version.partition("@")
    if not at or not revision:
        raise BadInput("/version is written name@revision", pointer="/version")
    checks.name(revision, "/version")
    text = checks.text(data.get("text"), "/text", required=True, limit=1_000_000)
    if not isinstance(data.get("draft", False), bool):
        raise BadInput("/draft is true or false", pointer="/draft")
    return Item(version, PromptItem(checks.name(name, "/version"), text, data.get("draft", False)), origin)


def _config(raw: Mapping[str, Any]) -> ConfigItem:
    checks.only(raw, ("description", "versions"), "")
    versions = [
        _version(item, checks.step("/versions", index))
        for index, item in enumerate(checks.listing(raw.get("versions"), "/versions"))
    ]
    numbers = [version.number for version in versions]
    for index, number in enumerate(numbers):
        if number in numbers[:index]:
            raise BadInput(f"version {number} stands twice", pointer=f"/versions/{index}/number")
    return ConfigItem(
        description=checks.text(raw.get("description"), "/description"),
        versions=tuple(sorted(versions, key=lambda version: version.number)),
    )


def _version(raw: Any, pointer: str) -> VersionItem:
    data = dict(checks.mapping(raw, pointer))
    number = checks.integer(data.pop("number", None), checks.step(pointer, "number"), low=1, high=1_000_000)
    status = checks.one_of(data.pop("status", "draft"), list(VersionStatus), checks.step(pointer, "status"))
    frozen_at = checks.step(pointer, "frozen_criteria")
    frozen = checks.mapping(data.pop("frozen_criteria", None), frozen_at)
    return VersionItem(
        number=number,
        status=VersionStatus(status),
        content=parse_new_content(data, pointer),
        frozen_criteria={
            name: parse_criterion(checks.mapping(value, checks.step(frozen_at, name)), checks.step(frozen_at, name))
            for name, value in frozen.items()
        },
    )


def _agent(raw: Mapping[str, Any]) -> AgentItem:
    if "secrets" in raw:
        raise BadInput("/secrets do not belong into a file: enter them in the admin", pointer="/secrets")
    checks.only(
        raw, ("kind", "address", "options", "timeout_s", "stagger_s", "max_concurrent", "profile", "connections"), ""
    )
    options = checks.json_mapping(raw.get("options"), "/options")
    refuse_secrets(options, "/options")
    kind = checks.one_of(raw.get("kind", "a2a"), list(AgentKind), "/kind")
    return AgentItem(
        kind=kind,
        address=checks.text(raw.get("address"), "/address", limit=2000),
        options=options,
        timeout_s=checks.number(raw.get("timeout_s", 60.0), "/timeout_s", low=0.1, high=MAX_TIMEOUT_S),
        stagger_s=stagger_of(raw),
        max_concurrent=max_concurrent_of(raw),
        profile=parse_profile(raw.get("profile")),
        connections=parse_connections(raw["connections"], kind) if "connections" in raw else None,
    )


def _provider(raw: Mapping[str, Any]) -> ProviderItem:
    if "api_key" in raw:
        raise BadInput("/api_key does not belong into a file: enter it in the admin", pointer="/api_key")
    checks.only(raw, ("kind", "base_url", "options", "max_concurrent"), "")
    options = checks.json_mapping(raw.get("options"), "/options")
    refuse_secrets(options, "/options")
    declared_prices(options)
    kind = checks.one_of(raw.get("kind"), provider_names(), "/kind")
    check_options(kind, options)
    return ProviderItem(
        kind=kind,
        base_url=checks.text(raw.get("base_url"), "/base_url", limit=2000),
        options=options,
        max_concurrent=max_concurrent_of(raw),
    )


_READERS: dict[str, Callable[[Mapping[str, Any]], Any]] = {
    "criteria": parse_criterion,
    "evaluator_configs": _config,
    "personas": read_persona,
    "scenarios": read_scenario,
    "agents": _agent,
    "model_providers": _provider,
}
