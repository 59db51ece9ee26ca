"""Major versions that a change bumps: requirements files, pyproject.toml, uv.lock, poetry.lock, package.json.

Only the first number counts, as Renovate and Dependabot call a bump major: of what a range begins at, and of the
highest version it lets in. Below 1.0 the second number is none, as there. What was added or removed is no bump; what
had a version and has none any more is.
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
_NUMBER = re.compile(r"(?:(\d+)!)?(\d+)")
_LINE = re.compile(r"^\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^#;]*)")
_BOUND = re.compile(r"([<>=~^!]*)\s*v?(\d[^\s,|]*)")
_UPPER = ("<", "<=", "!=")
_UPPER_BOUND = re.compile(r"(<=?)\s*v?(\d+)((?:\.\d*[1-9]\d*)*)")
_OF_GIT = re.compile(r"git\+\S*@v?(\d[\w.]*)#egg=([A-Za-z0-9._-]+)")


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
        MajorBump(file=path, package=name, **_shown(old[name], wanted))
        for name, wanted in new.items()
        if _is_major(old.get(name, ""), wanted)
    )


def is_dependency_file(path: str) -> bool:
    """Whether versions are read from such a file."""
    return fits(path, DEPENDENCY_FILES)


def _reader(path: str) -> Callable[[str], Iterator[tuple[str, str]]] | None:
    name = PurePosixPath(path).name
    if name in _READERS:
        return _READERS[name]
    return _requirements if fits(path, REQUIREMENTS) else None


def unreadable(path: str, text: str) -> bool:
    """Whether the file should say versions and cannot be read: nobody knows what it holds."""
    read = _reader(path)
    try:
        return read is not None and bool(text.strip()) and not all(True for _ in read(text))
    except _UNREADABLE:
        return True


_UNREADABLE = (ValueError, TypeError, AttributeError, KeyError)


def _versions(read: Callable[[str], Iterator[tuple[str, str]]], text: str) -> dict[str, str]:
    try:
        return {_plain(name): version for name, version in read(text)} if text.strip() else {}
    except _UNREADABLE:  # the file does not say what such files say
        return {}


def _requirements(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines():
        if found := _OF_GIT.search(line):
            yield found[2], found[1]
        elif found := _LINE.match(line):
            yield found[1], found[2].strip()


def _pyproject(text: str) -> Iterator[tuple[str, str]]:
    raw = tomllib.loads(text)
    project, tool = raw.get("project") or {}, raw.get("tool") or {}
    uv, poetry = tool.get("uv") or {}, tool.get("poetry") or {}
    groups = [project.get("dependencies") or [], *(project.get("optional-dependencies") or {}).values()]
    groups += (raw.get("dependency-groups") or {}).values()
    groups += [uv.get(f"{kind}-dependencies") or [] for kind in ("override", "constraint", "dev")]
    for group in groups:
        yield from _requirements("\n".join(one for one in group if isinstance(one, str)))
    tables = [poetry.get("dependencies") or {}, poetry.get("dev-dependencies") or {}, uv.get("sources") or {}]
    tables += [group.get("dependencies") or {} for group in (poetry.get("group") or {}).values()]
    for table in tables:
        yield from _table(table)


def _lock(text: str) -> Iterator[tuple[str, str]]:
    for package in tomllib.loads(text).get("package") or ():
        if package.get("version"):
            yield str(package["name"]), str(package["version"])


def _package_json(text: str) -> Iterator[tuple[str, str]]:
    raw = json.loads(text)
    kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "overrides", "resolutions")
    for kind in kinds:
        yield from _table(raw.get(kind) or {})


def _table(table: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for name, value in table.items():
        wanted = (value.get("version") or value.get("tag") or value.get("rev")) if isinstance(value, dict) else value
        if name != "python" and isinstance(wanted, str):
            yield name, wanted


def _is_major(before: str, after: str) -> bool:
    """Whether the first number of what is wanted at least, or of what is let in at most, is another one now."""
    old, new = _lowest(before), _lowest(after)
    if not (old and new):
        return bool(old) and not _BOUND.search(after)
    return _major(old) != _major(new) or _highest_major(after) > _highest_major(before)


def _shown(before: str, after: str) -> dict[str, str]:
    """The versions that both begin at; where these are of one major version, what is wanted as it is written."""
    old, new = _lowest(before), _lowest(after)
    alike = bool(new) and _major(old) == _major(new)
    return {"before": before, "after": after} if alike else {"before": old, "after": new or "any"}


def _lowest(wanted: str) -> str:
    """The version a specifier begins at: `>=1.4,<2` at 1.4, `^5.0.1` at 5.0.1; "" where it names none."""
    return next((found[2] for found in _BOUND.finditer(wanted.split(",")[0]) if found[1] not in _UPPER), "")


def _highest_major(wanted: str) -> float:
    """The first number of the newest version that is let in: 2 for `>=1,<3` and for `^1 || ^2`; of an open range, which
    lets everything in, infinity on both sides of a comparison."""
    uppers = [int(found[2]) - (found[1] == "<" and not found[3]) for found in _UPPER_BOUND.finditer(wanted)]
    if uppers:
        return max(uppers)
    if ">" in wanted:
        return float("inf")
    return max((float(_major(found[2])) for found in _BOUND.finditer(wanted) if _major(found[2]).isdigit()), default=0)


def _major(version: str) -> str:
    """The first number, with the epoch before it where there is one (`1!2.3`)."""
    found = _NUMBER.match(version)
    return f"{int(found[1] or 0)}!{int(found[2])}".removeprefix("0!") if found else version


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


_READERS: Mapping[str, Callable[[str], Iterator[tuple[str, str]]]] = {
    "pyproject.toml": _pyproject,
    "uv.lock": _lock,
    "poetry.lock": _lock,
    "package.json": _package_json,
}
