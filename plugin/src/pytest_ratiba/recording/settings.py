"""The section `recordings:` of the configuration: where recordings lie, what they leave out, which hosts they know."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from pytest_ratiba.agents import read_agents
from pytest_ratiba.config import Project
from pytest_ratiba.recording.json_paths import PathSyntaxError, parse_path
from pytest_ratiba.recording.local_models import is_loopback
from pytest_ratiba.recording.stubs import STUB_KEYS, Stub

FOLDER = "tests/fixtures/llm_recordings"
RULES = ("ids", "timestamps", "dates")
KEYS = ("path", "ignore", "compare", "upstreams", "stubs", "names", "redact", "allow", "headers")
# Name -> (the address to use where none is configured, the variables that clients read it from).
MODEL_UPSTREAMS = {
    "openai": ("https://api.openai.com/v1", ("OPENAI_BASE_URL",)),
    "anthropic": ("https://api.anthropic.com", ("ANTHROPIC_BASE_URL",)),
    "gemini": ("https://generativelanguage.googleapis.com", ("GOOGLE_GEMINI_BASE_URL", "GEMINI_BASE_URL")),
    "ollama": ("http://localhost:11434", ("OLLAMA_HOST",)),
}
_NAME = re.compile(r"[a-z][a-z0-9_-]{0,40}")
RESERVED = ("scenario",)


class RecordMode(StrEnum):
    """`none` plays only, `once` records what has no recording yet, `all` records again."""

    NONE = "none"
    ONCE = "once"
    ALL = "all"


@dataclass(frozen=True, kw_only=True)
class RecordingSettings:
    """These are the settings of recordings that the user configured.
    `upstreams`: name -> base URL without a slash at its end. `ignore`: JSONPaths left out of a request. `rules`:
    those of RULES in force. `allow`: hosts, or host:port, that may be reached while a recording plays. `headers`:
    names of reply headers that are kept beside the usual ones, in lower case. `agents`: addresses of the agents
    under test, which are no models."""

    folder: Path
    ignore: tuple[str, ...] = ()
    rules: frozenset[str] = frozenset(RULES)
    upstreams: Mapping[str, str] = field(default_factory=dict)
    stubs: tuple[Stub, ...] = ()
    names: tuple[str, ...] = ()
    redact: tuple[re.Pattern[str], ...] = ()
    allow: frozenset[str] = frozenset()
    headers: frozenset[str] = frozenset()
    agents: tuple[str, ...] = ()


def read_settings(project: Project, environ: Mapping[str, str] | None = None) -> RecordingSettings:
    """The settings of a project; reads the files that stubs name. Raises ProjectError with the pointer at fault."""
    environ = os.environ if environ is None else environ
    section = project.mapping("recordings")
    project.refuse_unknown("/recordings", section, KEYS)
    folder = section.get("path", FOLDER)
    if not isinstance(folder, str) or not folder:
        raise project.error("/recordings/path", f"must name a folder, for example {FOLDER}")
    ignore = _strings(project, section, "ignore")
    compare = _strings(project, section, "compare")
    for number, rule in enumerate(compare):
        if rule not in RULES:
            raise project.error(f"/recordings/compare/{number}", f"{rule!r} is no rule; rules are {', '.join(RULES)}")
    return RecordingSettings(
        folder=project.folder / folder,
        ignore=_paths(project, ignore),
        rules=frozenset(RULES) - frozenset(compare),
        upstreams=_upstreams(project, section, environ),
        stubs=_stubs(project, section),
        names=_strings(project, section, "names"),
        redact=_patterns(project, section),
        allow=frozenset(_strings(project, section, "allow")),
        headers=frozenset(name.lower() for name in _strings(project, section, "headers")),
        agents=tuple(agent.address for agent in read_agents(project).values() if agent.address),
    )


def _strings(project: Project, section: Mapping[str, Any], key: str) -> tuple[str, ...]:
    value = section.get(key, [])
    if not isinstance(value, list) or not all(isinstance(one, str) and one for one in value):
        raise project.error(f"/recordings/{key}", "must be a list of texts")
    return tuple(value)


def _paths(project: Project, ignore: Sequence[str]) -> tuple[str, ...]:
    """The JSONPaths among them; names of rules are in force anyway."""
    paths = []
    for number, text in enumerate(ignore):
        if text in RULES:
            continue
        try:
            parse_path(text)
        except PathSyntaxError as error:
            raise project.error(
                f"/recordings/ignore/{number}", f"{error}; a rule is one of {', '.join(RULES)}"
            ) from error
        paths.append(text)
    return tuple(paths)


def _patterns(project: Project, section: Mapping[str, Any]) -> tuple[re.Pattern[str], ...]:
    compiled = []
    for number, text in enumerate(_strings(project, section, "redact")):
        try:
            compiled.append(re.compile(text))
        except re.error as error:
            raise project.error(f"/recordings/redact/{number}", f"is no regular expression: {error}") from error
    return tuple(compiled)


def _upstreams(project: Project, section: Mapping[str, Any], environ: Mapping[str, str]) -> dict[str, str]:
    """Configured ones win over the environment's, these over the providers' own."""
    found = {}
    for name, (usual, variables) in MODEL_UPSTREAMS.items():
        found[name] = next((environ[variable] for variable in variables if environ.get(variable)), usual).rstrip("/")
    found["ollama"] = _ollama_address(found["ollama"])
    configured = section.get("upstreams", {})
    if not isinstance(configured, dict):
        raise project.error("/recordings/upstreams", "must be a mapping of names to base URLs")
    for name, url in configured.items():
        pointer = f"/recordings/upstreams/{name}"
        if not isinstance(name, str) or not _NAME.fullmatch(name) or name in RESERVED:
            raise project.error(pointer, "a name is small letters, digits, - and _, and not `scenario`")
        parts = urlsplit(url) if isinstance(url, str) else None
        if parts is None or parts.scheme not in ("http", "https") or not parts.hostname or parts.query:
            raise project.error(pointer, "must be a base URL, for example https://api.example.com/v1")
        found[name] = str(url).rstrip("/")
    return found


def _ollama_address(text: str) -> str:
    """OLLAMA_HOST as an address: it may be `host`, `host:port` or a URL, and 0.0.0.0 where the server shares it."""
    parts = urlsplit(text if "://" in text else f"http://{text}")
    usual = 11434 if parts.scheme == "http" and "://" not in text else None
    host, port = parts.hostname or "localhost", parts.port or usual
    host = "localhost" if is_loopback(host) else host
    return f"{parts.scheme}://{host}" + (f":{port}" if port else "") + parts.path


def _stubs(project: Project, section: Mapping[str, Any]) -> tuple[Stub, ...]:
    rows = section.get("stubs", [])
    if not isinstance(rows, list):
        raise project.error("/recordings/stubs", "must be a list")
    stubs = []
    for number, row in enumerate(rows):
        pointer = f"/recordings/stubs/{number}"
        if not isinstance(row, dict):
            raise project.error(pointer, "must be a mapping with `host` and what to answer")
        project.refuse_unknown(pointer, row, STUB_KEYS)
        try:
            stubs.append(Stub.from_row(row, folder=project.folder))
        except (ValueError, OSError) as error:
            raise project.error(pointer, str(error)) from error
    return tuple(stubs)
