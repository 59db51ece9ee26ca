"""Bringing a catalog in: all of it or nothing, and nothing where nothing differs."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

from django.db import connection, transaction
from django.db.models import Model

from apps.catalog.configs.models import Criterion, EvaluatorConfig
from apps.catalog.connections.models import Agent, ModelProvider
from apps.catalog.connections.queries.agents import agent_id
from apps.catalog.connections.services.agent_connections import set_connections
from apps.catalog.connections.services.entering_secrets import missing_secret_notes
from apps.catalog.connections.services.moved_secrets import without_moved_secrets
from apps.catalog.connections.services.outbound_policies import check_agent, check_base_url, check_calls
from apps.catalog.connections.services.profiles import record_agent_profile
from apps.catalog.domain.catalog_yaml import YamlDocument, load, plain_document
from apps.catalog.files.domain.document import AgentItem, Catalog, Item, ProviderItem, read_catalog
from apps.catalog.files.services.config_import import import_config
from apps.catalog.files.services.import_notes import slow_pattern_notes, unmeasured_metric_notes
from apps.catalog.files.services.import_report import ImportReport
from apps.catalog.files.services.persona_import import import_persona
from apps.catalog.files.services.scenario_import import scenario_fields, scenario_standing
from apps.catalog.personas.models import Persona
from apps.catalog.prompts.models import PromptVersion
from apps.catalog.prompts.services.recording import make_live
from apps.catalog.scenarios.models import Scenario
from apps.connectors.agents.base import AgentSpec
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput, Conflict

SUFFIXES = (".yaml", ".yml", ".json")
MAX_FILE_BYTES = 10 * 1024 * 1024
ORDER = ("criteria", "model_providers", "personas", "scenarios", "agents", "prompts", "evaluator_configs")


def read_files(paths: list[Path]) -> list[YamlDocument]:
    """Every YAML document of these files and folders (whole trees, by name). Raises BadInput naming the file."""
    documents: list[YamlDocument] = []
    for path in paths:
        if not path.exists():
            raise BadInput(f"{path} does not exist", pointer="")
        files = sorted(f for f in path.rglob("*") if f.suffix in SUFFIXES and f.is_file()) if path.is_dir() else [path]
        if not files:
            raise BadInput(f"{path} holds no {', '.join(SUFFIXES)} file", pointer="")
        for file in files:
            documents.extend(load(_text(file), str(file)))
    return documents


def import_catalog(*, paths: list[Path], at: datetime, by: str = "", only_new: bool = False) -> ImportReport:
    """Bring in everything these files say; what they do not mention stays. All or nothing; safe to repeat.

    With `only_new` what exists already stays as it is, whatever the files say.

    Raises BadInput with file, line and field (nothing is written then). A published version is never changed: the
    same content is fine, another is refused. Costs one query per section plus those of what differs.
    """
    return _import(read_files(paths), at=at, by=by, only_new=only_new)


def import_catalog_text(*, text: str, file: str, at: datetime, by: str = "", only_look: bool = False) -> ImportReport:
    """Bring in a catalog that somebody sent as a text, as `import_catalog` does with files.

    Errors call the text `file`. With `only_look` the import is tried and then undone: the report says what would
    change. Raises BadInput as `import_catalog` does, also for more than MAX_FILE_BYTES.
    """
    if len(text.encode("utf-8", "replace")) > MAX_FILE_BYTES:
        raise BadInput(f"{file} is larger than {MAX_FILE_BYTES // 1024 // 1024} MiB", pointer="")
    return _import(load(text, file), at=at, by=by, only_look=only_look)


def import_catalog_files(*, files: Mapping[str, str], at: datetime, by: str = "") -> ImportReport:
    """Bring in the texts of several files, by the names that errors call them: all or nothing. Raises BadInput."""
    return _import([document for name, text in files.items() for document in load(text, name)], at=at, by=by)


def add_to_catalog(*, items: Mapping[str, Any], file: str, at: datetime, by: str = "") -> ImportReport:
    """Add the items of a catalog file that is data already ({section: [item]}).

    An item that is there under the same name stays as it is. All or nothing; safe to repeat. Raises BadInput.
    """
    return _import([plain_document(items, file)], at=at, by=by, only_new=True)


@contextmanager
def catalog_tried(
    *, files: Mapping[str, str], sections: Sequence[str], at: datetime, by: str = ""
) -> Iterator[ImportReport]:
    """Import these files inside the block only: everything is rolled back at its end.

    Other imports wait meanwhile.
    """
    documents = [document for name, text in files.items() for document in load(text, name)]
    catalog = read_catalog(documents, sections=sections)
    with transaction.atomic():
        yield _written(catalog, at=at, by=by)
        transaction.set_rollback(True)


def _import(
    documents: list[YamlDocument], *, at: datetime, by: str, only_new: bool = False, only_look: bool = False
) -> ImportReport:
    catalog = read_catalog(documents)
    with transaction.atomic():
        report = _written(catalog, at=at, by=by, only_new=only_new)
        if only_look:
            transaction.set_rollback(True)
    return report


def _written(catalog: Catalog, *, at: datetime, by: str, only_new: bool = False) -> ImportReport:
    report = ImportReport(notes=[*unmeasured_metric_notes(catalog), *slow_pattern_notes(catalog)])
    _wait_for_other_imports()
    for section in ORDER:
        if catalog[section]:
            _import_section(section, catalog, report, at=at, by=by, only_new=only_new)
    report.notes += missing_secret_notes([*catalog["agents"]]) if catalog["agents"] else []
    return report


def _wait_for_other_imports() -> None:
    """One import at a time in a tenant, until the transaction ends.

    Two that bring the same new rows would meet at their unique names, and two that change the same rows in another
    order would wait for each other.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(hashtextextended(current_schema() || ' catalog import', 0))")


def _import_section(
    section: str, catalog: Catalog, report: ImportReport, *, at: datetime, by: str, only_new: bool
) -> None:
    items = catalog[section]
    model, key = _MODELS[section]
    rows = {getattr(row, key): row for row in model._default_manager.filter(**{f"{key}__in": list(items)})}
    personas: dict[str, Persona] = {}
    if section == "scenarios":
        wanted = {item.content.persona for item in items.values()} - {""}
        personas = {row.name: row for row in Persona.objects.filter(name__in=wanted)}
    for name, item in items.items():
        row: Any = rows.get(name)
        differing: list[str] = []
        try:
            if only_new and row is not None:
                done = "unchanged"
            elif section == "evaluator_configs":
                done = import_config(name, item.content, row, at=at, by=by, notes=report.notes, what=differing)
            elif section == "prompts" and row is not None:
                done = _same_prompt(item, row)
            elif section == "personas":
                done = import_persona(name, item.content, row, differing)
            else:
                fields = _FIELDS[section](item, personas)
                fields |= scenario_standing(item.content, row) if section == "scenarios" else {}
                _check_settings(section, row, fields)
                if row is not None and section in ("agents", "model_providers"):
                    fields, note = without_moved_secrets(row, fields, f"{section[:-1].replace('_', ' ')} {name}")
                    report.notes += [note] if note else []
                done = _create(model, key, name, fields) if row is None else _update(row, fields, differing)
                if section == "prompts" and not item.content.draft:
                    make_live(version=name, by=by)
                if section == "agents":
                    done = _details(name, item, differing, done, report.notes)
        except BadInput as error:
            raise item.origin.locate(error) from error
        except Conflict as error:
            raise item.origin.locate(BadInput(error.message, code=error.code, pointer="")) from error
        report.count(section, name, done, differing)


def _create(model: type[Model], key: str, name: str, fields: Mapping[str, Any]) -> str:
    model._default_manager.create(**{key: name, **fields})
    return "created"


def _update(row: Any, fields: Mapping[str, Any], differing: list[str]) -> str:
    changed = [name for name, value in fields.items() if getattr(row, name) != value]
    differing += changed
    if not changed:
        return "unchanged"
    for name in changed:
        setattr(row, name, fields[name])
    row.save(update_fields=[*changed, "updated_at"])
    return "updated"


def _same_prompt(item: Item, row: PromptVersion) -> str:
    if row.text != item.content.text:
        raise BadInput(f"/text: {row} is kept with another text", code="version_locked", pointer="/text")
    return "unchanged"


def _prompt(item: Item, _: Mapping[str, Persona]) -> dict[str, Any]:
    return {"name": item.content.name, "text": item.content.text, "digest": sha256_hex(item.content.text)}


def _agent(item: Item, _: Mapping[str, Persona]) -> dict[str, Any]:
    content: AgentItem = item.content
    low, high = content.stagger_s or (None, None)
    return {
        "kind": content.kind,
        "address": content.address,
        "options": dict(content.options),
        "timeout_s": content.timeout_s,
        "stagger_min_s": low,
        "stagger_max_s": high,
        "max_concurrent": content.max_concurrent,
        "profile": dict(content.profile),
    }


def _details(name: str, item: Item, differing: list[str], done: str, notes: list[str]) -> str:
    """Bring the agent's further connections to the file's, if it names any, and keep a new profile.

    The profile is kept as a version. Return what was done.
    """
    content: AgentItem = item.content
    agent = agent_id(name)
    if done == "created" or "profile" in differing:
        record_agent_profile(agent_id=agent, source=item.origin.document.file)
    if content.connections is None:
        return done
    changed, connection_notes = set_connections(agent_id=agent, wanted=content.connections)
    notes += [f"agent {name}: {note}" for note in connection_notes]
    if not changed:
        return done
    differing.append("connections")
    return "updated" if done == "unchanged" else done


def _check_settings(section: str, row: Any, fields: Mapping[str, Any]) -> None:
    """Settings that say where we connect must work where they are new; what was stored already comes back as it went
    out."""
    names = _ADDRESSED.get(section, ())
    settings = {name: fields[name] for name in names}
    if row is not None and all(getattr(row, name) == value for name, value in settings.items()):
        return
    if section == "agents":
        check_agent(AgentSpec(**settings))
    elif section == "model_providers":
        check_base_url(settings["base_url"])
    elif section == "scenarios":
        check_calls(**settings)


def _criterion(item: Item, _: Mapping[str, Persona]) -> dict[str, Any]:
    content: dict[str, Any] = item.content.as_json()
    return content


def _provider(item: Item, _: Mapping[str, Persona]) -> dict[str, Any]:
    content: ProviderItem = item.content
    return {
        "kind": content.kind,
        "base_url": content.base_url,
        "options": dict(content.options),
        "max_concurrent": content.max_concurrent,
    }


def _text(file: Path) -> str:
    try:
        if file.stat().st_size > MAX_FILE_BYTES:
            raise BadInput(f"{file} is larger than {MAX_FILE_BYTES // 1024 // 1024} MiB", pointer="")
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read {file}: {error}", pointer="") from error


_ADDRESSED = {
    "agents": ("kind", "address", "options"),
    "model_providers": ("base_url",),
    "scenarios": ("script", "assertions"),
}
_MODELS: dict[str, tuple[type[Model], str]] = {
    "criteria": (Criterion, "name"),
    "model_providers": (ModelProvider, "name"),
    "personas": (Persona, "name"),
    "scenarios": (Scenario, "slug"),
    "agents": (Agent, "name"),
    "evaluator_configs": (EvaluatorConfig, "name"),
    "prompts": (PromptVersion, "version"),
}
_FIELDS: dict[str, Callable[[Item, Mapping[str, Persona]], dict[str, Any]]] = {
    "criteria": _criterion,
    "model_providers": _provider,
    "scenarios": scenario_fields,
    "agents": _agent,
    "prompts": _prompt,
}
