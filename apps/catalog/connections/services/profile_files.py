"""Choose the profile that counts, and say why: files are tried in order until one is there.

For capture: `--project-config`, the variable PROJECT_CONFIG, `project_config.json` in the folder, the first
`project_config.*.json` in it (the template apart), the profile stored with the agent. For judging the golden session's
own profile comes first, and minimal defaults come last, with a warning.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from apps.catalog.connections.domain.profile import MINIMAL, NO_PROFILE, AgentProfile, parse_profile, read_profile
from apps.core.errors import BadInput
from apps.core.json_hygiene import decoded_json

VARIABLE = "PROJECT_CONFIG"
MAX_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileStep:
    """One place where a profile was looked for. `found` says where it is, "" where there is none."""

    place: str
    found: str = ""
    document: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileChoice:
    """The profile that counts. `source` says where it came from; `warning` is NO_PROFILE where only the minimal
    defaults are left; `steps` are all places, in order."""

    document: Mapping[str, Any]
    source: str
    warning: str = ""
    steps: tuple[ProfileStep, ...] = ()

    @property
    def profile(self) -> AgentProfile:
        return read_profile(self.document) if self.document else MINIMAL

    def explain(self) -> str:
        """A line for each place: which one won, and why the others did not."""
        lines, won = [], False
        for number, step in enumerate(self.steps, start=1):
            if not step.found:
                why = "not there"
            elif won:
                why = f"{step.found}: passed over, an earlier place has one"
            else:
                why, won = f"{step.found}: taken", True
            lines.append(f"{number}. {step.place}: {why}")
        if not won:
            lines.append("No profile anywhere: minimal defaults are used. Write one from project_config.template.json.")
        return "\n".join(lines)


def profile_for_capture(
    *,
    explicit: Path | str | None = None,
    environment: Mapping[str, str],
    folder: Path,
    stored: Mapping[str, Any] | None = None,
) -> ProfileChoice:
    """The profile a capture is made with. Raises BadInput, with the file and the path in it, for a file of the chain
    that cannot be read; those behind the one that counts are not opened. No query."""
    return _choice(_files(explicit, environment, folder, stored))


def read_profile_file(path: Path) -> dict[str, Any]:
    """A profile's sections from a JSON file. Raises BadInput naming the file, and the line or the path in it."""
    try:
        if path.stat().st_size > MAX_BYTES:
            raise BadInput(f"{path} is larger than {MAX_BYTES // 1024 // 1024} MiB", code="bad_profile")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read the profile {path}: {error}", code="bad_profile") from error
    return profile_from_text(text, str(path))


def profile_from_text(text: str, file: str) -> dict[str, Any]:
    """Read a profile from a text; `file` is its name in errors."""
    try:
        raw = decoded_json(text)
    except json.JSONDecodeError as error:
        raise BadInput(f"{file}, line {error.lineno}: not JSON: {error.msg}", code="bad_profile") from error
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{file}: not JSON: {error}", code="bad_profile") from error
    except BadInput as error:
        raise BadInput(f"{file}: {error.message}", code=error.code, pointer=error.pointer) from error
    try:
        return parse_profile(raw, "")
    except BadInput as error:
        at = f" at {error.pointer}" if error.pointer else ""
        raise BadInput(f"{file}{at}: {error.message}", code=error.code, pointer=error.pointer) from error


def _files(
    explicit: Path | str | None, environment: Mapping[str, str], folder: Path | None, stored: Mapping[str, Any] | None
) -> Iterator[ProfileStep]:
    yield _named("--project-config", explicit)
    yield _named(f"the variable {VARIABLE}", environment.get(VARIABLE))
    if folder is not None:
        plain = folder / "project_config.json"
        yield _file(f"project_config.json in {folder}", plain if plain.is_file() else None)
        named = (path for path in sorted(folder.glob("project_config.*.json")) if path.is_file())
        usual = next((path for path in named if path.name.split(".")[1] not in ("template", "schema")), None)
        yield _file(f"the first project_config.*.json in {folder}", usual)
    yield ProfileStep(
        place="the profile stored with the agent", found="the newest version" if stored else "", document=stored or {}
    )


def _named(place: str, path: Path | str | None) -> ProfileStep:
    return _file(place, Path(path) if path else None)


def _file(place: str, path: Path | None) -> ProfileStep:
    return ProfileStep(place=place, found=str(path) if path else "")


def _choice(chain: Iterator[ProfileStep]) -> ProfileChoice:
    steps = tuple(chain)
    won = next((step for step in steps if step.found), None)
    if won is None:
        return ProfileChoice(document={}, source="minimal defaults", warning=NO_PROFILE, steps=steps)
    document = won.document or read_profile_file(Path(won.found))
    return ProfileChoice(document=document, source=f"{won.place} ({won.found})", steps=steps)
