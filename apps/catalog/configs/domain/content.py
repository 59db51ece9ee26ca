"""The content of an evaluator config version: read strictly from plain data, compared, and written back the same.

The seed's form: criteria {"core": [...], "domain": [...], "weights": {...}}, to which "blocking": [...] may be added (a
conversation below the pass mark of one of them fails, whatever its mean); llm_config {role: {"model", "provider",
"fallback"}} with a fallback that is a model of the same provider (a text) or of another ({"provider", "model"}).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from apps.catalog.configs.domain.judging_rules import READERS, read_rules
from apps.catalog.configs.domain.snapshots import RoleModel
from apps.catalog.configs.domain.template import check_language
from apps.catalog.connections.domain.secret_names import refuse_secrets
from apps.catalog.domain import field_readers as checks
from apps.catalog.domain.states import LANGUAGES
from apps.core.errors import BadInput

DEFAULT_WEIGHT = 1.0  # seed: weight 1.0 where none is given
DEFAULT_PASS_MARK = 6.0  # issue: default 6, in the version that uses the criterion
MAX_CRITERIA = 100
MAX_WEIGHT = 1000.0
DEFAULT_PARAMETERS: dict[str, Any] = {
    "rubric_language": "en",
    "prompt_language": "en",
    "reason_language": "en",
    "allow_fallback_in_mean": False,
    "max_output_tokens": 4096,
}
_FIELDS = ("criteria", "pass_marks", "system_prompt_template", "llm_config", "parameters", "note")


@dataclass(frozen=True, slots=True, kw_only=True)
class VersionContent:
    """The content of one version, already checked for form (not yet against what exists: that is publishing)."""

    criteria: Mapping[str, Any]
    pass_marks: Mapping[str, float] = field(default_factory=dict)
    system_prompt_template: str = ""
    llm_config: Mapping[str, Any] = field(default_factory=dict)
    parameters: Mapping[str, Any] = field(default_factory=dict)
    note: str = ""

    def as_json(self) -> dict[str, Any]:
        return {
            "criteria": dict(self.criteria),
            "pass_marks": dict(self.pass_marks),
            "system_prompt_template": self.system_prompt_template,
            "llm_config": dict(self.llm_config),
            "parameters": dict(self.parameters),
            "note": self.note,
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Names of all criteria, core first, in the order given."""
        return (*self.criteria["core"], *self.criteria["domain"])

    def weight(self, name: str) -> float:
        return float(self.criteria["weights"].get(name, DEFAULT_WEIGHT))

    def pass_mark(self, name: str) -> float:
        return float(self.pass_marks.get(name, DEFAULT_PASS_MARK))

    def blocks(self, name: str) -> bool:
        """Tell whether a conversation below this criterion's pass mark fails whatever its mean."""
        return name in self.criteria.get("blocking", ())

    def models(self) -> dict[str, RoleModel]:
        return parse_llm_config(self.llm_config)

    def settings(self) -> dict[str, Any]:
        """The parameters with the defaults filled in."""
        return {**DEFAULT_PARAMETERS, **self.parameters}


def parse_content(raw: Mapping[str, Any], pointer: str = "") -> VersionContent:
    """Read a version's content. Raises BadInput with the JSON pointer of the first field at fault."""
    checks.only(raw, _FIELDS, pointer)
    criteria = parse_criteria(raw.get("criteria"), checks.step(pointer, "criteria"))
    names = {*criteria["core"], *criteria["domain"]}
    marks_at = checks.step(pointer, "pass_marks")
    marks = checks.mapping(raw.get("pass_marks"), marks_at)
    _belong(marks, names, marks_at)
    llm = checks.json_mapping(raw.get("llm_config"), checks.step(pointer, "llm_config"))
    parse_llm_config(llm, checks.step(pointer, "llm_config"))
    return VersionContent(
        criteria=criteria,
        pass_marks={
            name: checks.number(mark, checks.step(marks_at, name), low=0, high=10) for name, mark in marks.items()
        },
        system_prompt_template=checks.text(
            raw.get("system_prompt_template"), checks.step(pointer, "system_prompt_template")
        ),
        llm_config=dict(llm),
        parameters=parse_parameters(raw.get("parameters"), checks.step(pointer, "parameters")),
        note=checks.text(raw.get("note"), checks.step(pointer, "note"), limit=2000),
    )


def parse_new_content(raw: Mapping[str, Any], pointer: str = "") -> VersionContent:
    """Read content that is to be saved, as `parse_content` does; its template is checked as well.

    Stored content is read without this check, so that a page with an older template still opens; rendering holds it to
    the same rules.
    """
    content = parse_content(raw, pointer)
    check_language(content.system_prompt_template, checks.step(pointer, "system_prompt_template"))
    return content


def parse_criteria(raw: Any, pointer: str = "/criteria") -> dict[str, Any]:
    """Read {"core", "domain", "weights"}: unique names, and positive weights for names that are used. Raises BadInput.

    "blocking" names some of them; it is not in the result where it names none, as the brief's form has it.
    """
    data = checks.mapping(raw, pointer)
    checks.only(data, ("core", "domain", "weights", "blocking"), pointer)
    seen: set[str] = set()
    lists: dict[str, list[str]] = {}
    for kind in ("core", "domain"):
        at = checks.step(pointer, kind)
        lists[kind] = [
            checks.name(item, checks.step(at, index)) for index, item in enumerate(checks.listing(data.get(kind), at))
        ]
        for index, name in enumerate(lists[kind]):
            if name in seen:
                where = checks.step(at, index)
                raise BadInput(f"{where}: {name!r} stands twice in the criteria", pointer=where)
            seen.add(name)
    if len(seen) > MAX_CRITERIA:
        raise BadInput(f"{pointer}: {len(seen)} criteria, the limit is {MAX_CRITERIA}", pointer=pointer)
    weights_at = checks.step(pointer, "weights")
    weights = checks.mapping(data.get("weights"), weights_at)
    _belong(weights, seen, weights_at)
    blocking = _blocking(data.get("blocking"), seen, checks.step(pointer, "blocking"))
    return {
        **lists,
        "weights": {name: _weight(value, checks.step(weights_at, name)) for name, value in weights.items()},
        **({"blocking": blocking} if blocking else {}),
    }


def _blocking(raw: Any, names: set[str], pointer: str) -> list[str]:
    problems: list[str] = []
    for index, item in enumerate(checks.listing(raw, pointer)):
        where = checks.step(pointer, index)
        name = checks.name(item, where)
        if name not in names:
            raise BadInput(f"{where}: {name!r} is not among this version's criteria", pointer=where)
        if name in problems:
            raise BadInput(f"{where}: {name!r} stands twice in blocking", pointer=where)
        problems.append(name)
    return problems


def parse_llm_config(raw: Any, pointer: str = "/llm_config") -> dict[str, RoleModel]:
    """Read the models as {role: RoleModel}. Roles are free names (judge, analyzer …). Raises BadInput.

    Whether the providers exist is not checked here.
    """
    data = checks.mapping(raw, pointer)
    return {role: parse_role_model(value, checks.step(pointer, role)) for role, value in data.items()}


def parse_role_model(raw: Any, pointer: str) -> RoleModel:
    """Read the model of a role from {"model", "provider", "fallback"?, "options"?}. Raises BadInput.

    A fallback that is a text is another model of the same provider. A fallback cannot have a fallback.
    """
    data = checks.mapping(raw, pointer)
    checks.only(data, ("model", "provider", "fallback", "options"), pointer)
    provider = checks.name(data.get("provider"), checks.step(pointer, "provider"))
    model = checks.text(data.get("model"), checks.step(pointer, "model"), required=True, limit=120)
    options = checks.json_mapping(data.get("options"), checks.step(pointer, "options"))
    refuse_secrets(options, checks.step(pointer, "options"))
    fallback = data.get("fallback")
    at = checks.step(pointer, "fallback")
    second: RoleModel | None = None
    if isinstance(fallback, str) and fallback:
        second = RoleModel(
            provider=provider, model=checks.text(fallback, at, required=True, limit=120), options=options
        )
    elif fallback:
        second = parse_role_model(fallback, at)
        if second.fallback is not None:
            raise BadInput(f"{at}: a fallback has no fallback of its own", pointer=checks.step(at, "fallback"))
    return RoleModel(provider=provider, model=model, fallback=second, options=options)


def parse_parameters(raw: Any, pointer: str = "/parameters") -> dict[str, Any]:
    """The known parameters, each of its type; what is absent takes its default when the version is used."""
    data = checks.mapping(raw, pointer)
    checks.only(data, (*DEFAULT_PARAMETERS, "temperature", *READERS), pointer)
    result: dict[str, Any] = read_rules(data, pointer)
    for key, value in data.items():
        if key in READERS:
            continue
        at = checks.step(pointer, key)
        if key.endswith("_language"):
            result[key] = checks.one_of(value, LANGUAGES, at)
        elif key == "allow_fallback_in_mean":
            if not isinstance(value, bool):
                raise BadInput(f"{at} must be true or false, not {value!r}", pointer=at)
            result[key] = value
        elif key == "max_output_tokens":
            result[key] = checks.integer(value, at, low=64, high=1_000_000)
        else:
            result[key] = None if value is None else checks.number(value, at, low=0, high=2)
    return result


def _weight(value: Any, pointer: str) -> float:
    weight = checks.number(value, pointer, low=0, high=MAX_WEIGHT)
    if weight == 0:
        raise BadInput(f"{pointer}: a weight must be greater than 0; leave the criterion out instead", pointer=pointer)
    return weight


def _belong(raw: Mapping[str, Any], names: set[str], pointer: str) -> None:
    for name in raw:
        if name not in names:
            where = checks.step(pointer, name)
            raise BadInput(f"{where}: {name!r} is not among this version's criteria", pointer=where)
