"""Major versions that a change bumps: requirements files, pyproject.toml, uv.lock, poetry.lock, package.json.

Only the first number counts, as Renovate and Dependabot call a bump major. What was added or removed is no bump.
"""

import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import Any

from pytest_ratiba.ci.globs import fits

REQUIREMENTS = ("**/*requirements*.txt", "**/*requirements*.in", "**/requirements/**/*.txt", "**/requirements/**/*.in")
DEPENDENCY_FILES = (
    *REQUIREMENTS, "**/pyproject.toml", "**/uv.lock", "**/poetry.lock", "**/package.json"
)  # fmt: skip
_NUMBER = re.compile(r"\d+")
_LINE = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^#;]*)")
_BOUND = re.compile(r"([<>=~^!]*)\s*v?(\d[^\s,|]*)")
_UPPER = ("<", "<=", "!=")


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class MajorBump:
    """A package whose first number changed."""

    file: str
    package: str
    before: str
    after: str

    @property
    def sentence(self) -> str:
        """As a table shows it."""
        return f"{self.package} {self.before} → {self.after} in {self.file}"


def major_bumps(path: str, before: str, after: str) -> list[MajorBump]:
    """The major bumps of one file. [] for a file of another kind and for one that cannot be read."""
    read = _reader(path)
    if read is None:
        return []
    old, new = _versions(read, before), _versions(read, after)
    return sorted(
        MajorBump(file=path, package=name, before=old[name], after=version)
        for name, version in new.items()
        if name in old and _major(old[name]) != _major(version)
    )


def is_dependency_file(path: str) -> bool:
    """Whether versions are read from such a file."""
    return fits(path, DEPENDENCY_FILES)


def _reader(path: str) -> Callable[[str], Iterator[tuple[str, str]]] | None:
    name = PurePosixPath(path).name
    if name in _READERS:
        return _READERS[name]
    return _requirements if fits(path, REQUIREMENTS) else None


def _versions(read: Callable[[str], Iterator[tuple[str, str]]], text: str) -> dict[str, str]:
    try:
        return {_plain(name): version for name, version in read(text)} if text.strip() else {}
    except (ValueError, TypeError, AttributeError, KeyError):  # the file does not say what such files say
        return {}


def _requirements(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        found = _LINE.match(line)
        if found and (version := _lowest(found[2])):
            yield found[1], version


def _pyproject(text: str) -> Iterator[tuple[str, str]]:
    raw = tomllib.loads(text)
    project = raw.get("project") or {}
    groups = [project.get("dependencies") or [], *(project.get("optional-dependencies") or {}).values()]
    groups += (raw.get("dependency-groups") or {}).values()
    for group in groups:
        yield from _requirements("\n".join(one for one in group if isinstance(one, str)))
    poetry = (raw.get("tool") or {}).get("poetry") or {}
    tables = [poetry.get("dependencies") or {}, poetry.get("dev-dependencies") or {}]
    tables += [group.get("dependencies") or {} for group in (poetry.get("group") or {}).values()]
    for table in tables:
        yield from _table(table)


def _lock(text: str) -> Iterator[tuple[str, str]]:
    for package in tomllib.loads(text).get("package") or ():
        if package.get("version"):
            yield str(package["name"]), str(package["version"])


def _package_json(text: str) -> Iterator[tuple[str, str]]:
    raw = json.loads(text)
    for kind in ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies"):
        yield from _table(raw.get(kind) or {})


def _table(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        wanted = value.get("version") if isinstance(value, dict) else value
        if name != "python" and isinstance(wanted, str) and (version := _lowest(wanted)):
            yield name, version


def _lowest(wanted: str) -> str:
    """The version a specifier begins at: `>=1.4,<2` at 1.4, `^5.0.1` at 5.0.1; "" where it names none."""
    return next((found[2] for found in _BOUND.finditer(wanted.split(",")[0]) if found[1] not in _UPPER), "")


def _major(version: str) -> str:
    found = _NUMBER.search(version)
    return str(int(found[0])) if found else version


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


_READERS: Mapping[str, Callable[[str], Iterator[tuple[str, str]]]] = {
    "pyproject.toml": _pyproject,
    "uv.lock": _lock,
    "poetry.lock": _lock,
    "package.json": _package_json,
}
