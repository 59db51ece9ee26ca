"""An agent's profile: who it is, how its work goes, what is true, and how its tools show in what it says.

One reader for every file and form: the sections of `project_config.*.json` and `profile_*.json`, and the names that
agents' YAML had before (`identity`, `known_facts`). A template with explanations and the JSON Schema stand in
apps/catalog/profiles.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Annotated, Any

from annotated_types import MaxLen

from apps.catalog.connections.domain import profile_patterns as patterns
from apps.catalog.connections.domain.profile_patterns import StepAgentPattern, ToolPattern
from apps.catalog.domain import field_readers as checks
from apps.core.errors import BadInput
from apps.core.json_hygiene import escape
from apps.core.shapes import Reader, Shape, Text, described
from apps.core.validation import json_schema, validate

ALIASES = {"identity": "agent_identity", "known_facts": "hallucination_context"}
NOTES = ("name", "project", "description", "version", "captured_from", "captured_at", "source")  # of a whole file
IDENTITY = ("role", "description", "domain", "organization", "off_topic_guidance")
_MAX_TEXT, _MAX_LINES = 20_000, 500


@dataclass(frozen=True, slots=True, kw_only=True)
class Connection(Shape):
    """Where the agent stands, for people: how it is reached is set on the agent itself."""

    base_url: Annotated[Text, MaxLen(2000)] = ""
    agent_name: Annotated[Text, MaxLen(500)] = ""
    app_path: Annotated[Text, MaxLen(500)] = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentIdentity(Shape):
    """Who the agent is."""

    role: Annotated[Text, MaxLen(_MAX_TEXT), described("With off_topic_guidance, the role a judge holds it to.")] = ""
    description: Annotated[Text, MaxLen(_MAX_TEXT)] = ""
    domain: Annotated[Text, MaxLen(_MAX_TEXT)] = ""
    organization: Annotated[Text, MaxLen(_MAX_TEXT)] = ""
    off_topic_guidance: Annotated[Text, MaxLen(_MAX_TEXT), described("What it should refuse, and how.")] = ""


def _lines(raw: Any) -> list[str]:
    lines = []
    for index, line in enumerate(_list(raw)):
        if not isinstance(line, str) or not line.strip():
            raise BadInput("must be a text that says something", pointer=f"/{index}")
        if len(line) > _MAX_TEXT:
            raise BadInput(f"has {len(line):,} characters; the limit is {_MAX_TEXT:,}", pointer=f"/{index}")
        lines.append(line)
    return lines


def _list(raw: Any) -> list[Any]:
    if isinstance(raw, str):
        return [raw]
    if not isinstance(raw, list):
        raise BadInput("must be a list of texts")
    if len(raw) > _MAX_LINES:
        raise BadInput(f"has {len(raw):,} lines; the limit is {_MAX_LINES}")
    return raw


def _identities(raw: Any) -> list[dict[str, str]]:
    if not isinstance(raw, list):
        raise BadInput("must be a list of people, each with name, phone, email …")
    for index, one in enumerate(raw):
        if not isinstance(one, Mapping) or not one:
            raise BadInput('must be an object such as {"phone": "+254700000001"}', pointer=f"/{index}")
        for key, value in one.items():
            if not isinstance(value, str) or not value.strip() or len(value) > 200:
                raise BadInput("must be a text of at most 200 characters", pointer=f"/{index}/{escape(str(key))}")
    return [{str(key): value for key, value in one.items()} for one in raw]


_PERSON = {"type": "object", "additionalProperties": {"type": "string"}, "minProperties": 1}
_IDENTITIES = {"type": "array", "items": _PERSON}
_TEXTS = {"type": "array", "items": {"type": "string", "minLength": 1}, "maxItems": _MAX_LINES}


def _pattern_schema(name: str, *more: str) -> dict[str, Any]:
    properties = {key: {"type": "string"} for key in ("pattern", name, *more)}
    entry = {"type": "object", "properties": properties, "required": ["pattern", name]}
    by_pattern = {"type": "object", "additionalProperties": {"type": "string"}}
    return {"anyOf": [{"type": "array", "items": entry}, by_pattern]}


@dataclass(frozen=True, slots=True, kw_only=True)
class Workflow(Shape):
    """What a complete conversation achieves."""

    description: Annotated[Text, MaxLen(_MAX_TEXT)] = ""
    stages: Annotated[list[str] | None, Reader(_lines, _TEXTS), described("In order.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileDocument(Shape):
    """The sections of a profile; each may be left out. Keys that begin with _ or $ are notes and are dropped."""

    connection: Connection | None = None
    agent_identity: AgentIdentity | None = None
    workflow: Workflow | None = None
    hallucination_context: Annotated[
        list[str] | None, Reader(_lines, _TEXTS), described("What is true, and may be said.")
    ] = None
    tool_patterns: Annotated[Any, Reader(patterns.tool_patterns, _pattern_schema("tool", "label"))] = None
    step_agent_patterns: Annotated[Any, Reader(patterns.step_agent_patterns, _pattern_schema("step_agent"))] = None
    silent_upload_patterns: Annotated[Any, Reader(patterns.upload_patterns, _TEXTS)] = None
    test_identities: Annotated[Any, Reader(_identities, _IDENTITIES), described("People of the tests.")] = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentProfile:
    """A profile as judges and captures read it; what nobody wrote is empty."""

    role: str = ""
    description: str = ""
    domain: str = ""
    organization: str = ""
    off_topic_guidance: str = ""
    workflow_description: str = ""
    stages: tuple[str, ...] = ()
    facts: tuple[str, ...] = ()
    tool_patterns: tuple[ToolPattern, ...] = ()
    step_agent_patterns: tuple[StepAgentPattern, ...] = ()
    silent_upload_patterns: tuple[str, ...] = ()
    test_identities: tuple[Mapping[str, str], ...] = ()

    @property
    def chatbot_role(self) -> str:
        """The role a judge holds the agent to: role and off-topic guidance; without a role, what else says who it
        is. "" where nothing does."""
        who = self.role or " ".join(filter(None, (self.organization, self.domain, self.description)))
        return "\n".join(filter(None, (who, self.off_topic_guidance)))

    @property
    def expected_outcome(self) -> str:
        """The expected outcome of a complete conversation, from the workflow's stages. "" without them."""
        if not self.stages:
            return ""
        steps = "\n".join(f"{number}. {stage}" for number, stage in enumerate(self.stages, start=1))
        begins = f"{self.workflow_description}\n" if self.workflow_description else ""
        return f"{begins}The conversation goes through these stages, in order:\n{steps}"

    @property
    def context(self) -> tuple[str, ...]:
        """The facts that a hallucination is measured against; where there are none, who the agent is."""
        who = (self.role, self.organization, self.domain, self.description)
        return self.facts or tuple(dict.fromkeys(line for line in who if line))


MINIMAL = AgentProfile(role="A helpful assistant that answers the customer's questions.")
"""What is judged by where there is no profile at all."""
NO_PROFILE = "no_profile"  # the warning beside it


def parse_profile(raw: Any, pointer: str = "/profile") -> dict[str, Any]:
    """The sections in one form, empty ones left out; a profile that was read before comes back the same.

    Raises BadInput with the pointer of the field at fault, in the words of the file (an old name stays an old name): a
    pattern that does not compile, or could run for ever, included.
    """
    data = {key: value for key, value in checks.mapping(raw, pointer).items() if key[:1] not in ("_", "$")}
    notes = {key: checks.plain_json(data.pop(key), checks.step(pointer, key)) for key in NOTES if key in data}
    used = {new: old for old, new in ALIASES.items() if old in data}
    for new, old in used.items():
        if new in data:
            at = checks.step(pointer, old)
            raise BadInput(f"{at} is the older name of {new}, which stands beside it: give one of them", pointer=at)
        data[new] = data.pop(old)
    sections = {key: _without_notes(value) for key, value in data.items()}
    try:
        sections_read = asdict(validate(ProfileDocument, sections, pointer=pointer))
    except BadInput as error:
        raise _in_the_files_words(error, used, pointer) from None
    return {**notes, **{name: filled for name, value in sections_read.items() if (filled := _filled(value))}}


def read_profile(raw: Any, pointer: str = "/profile") -> AgentProfile:
    """The profile as judges and captures read it. Raises BadInput as `parse_profile` does."""
    sections = parse_profile(raw, pointer)
    workflow = sections.get("workflow", {})
    return AgentProfile(
        **sections.get("agent_identity", {}),
        workflow_description=workflow.get("description", ""),
        stages=tuple(workflow.get("stages", ())),
        facts=tuple(sections.get("hallucination_context", ())),
        tool_patterns=tuple(ToolPattern(**tool_pattern) for tool_pattern in sections.get("tool_patterns", ())),
        step_agent_patterns=tuple(
            StepAgentPattern(**step_agent_pattern) for step_agent_pattern in sections.get("step_agent_patterns", ())
        ),
        silent_upload_patterns=tuple(sections.get("silent_upload_patterns", ())),
        test_identities=tuple(sections.get("test_identities", ())),
    )


def judging_profile(*chain: Mapping[str, Any] | None) -> tuple[AgentProfile, str]:
    """The first profile of the chain that says anything, and "" ; else MINIMAL and the warning code `no_profile`.

    The chain for judging begins with the golden session's own profile; then that of a file or of the agent. Old names
    are read as `parse_profile` reads them.
    """
    for raw in chain:
        if raw:
            return read_profile(raw), ""
    return MINIMAL, NO_PROFILE


def profile_schema() -> dict[str, Any]:
    """JSON Schema 2020-12 of a profile's sections, for editors. Notes are allowed at every level."""
    return json_schema(ProfileDocument)


def _without_notes(section: Any) -> Any:
    if not isinstance(section, Mapping):
        return section
    return {key: value for key, value in section.items() if not (isinstance(key, str) and key[:1] in ("_", "$"))}


def _filled(value: Any) -> Any:
    """The value without what says nothing."""
    if isinstance(value, dict):
        return {key: one for key, one in value.items() if one}
    return value


def _in_the_files_words(error: BadInput, used: Mapping[str, str], pointer: str) -> BadInput:
    where, message = error.pointer or pointer, error.message
    for new, old in used.items():
        if where.startswith(f"{pointer}/{new}"):
            where = where.replace(f"{pointer}/{new}", f"{pointer}/{old}", 1)
            message = message.replace(new, old, 1)
    return BadInput(message, code=error.code, pointer=where, **error.extra)
