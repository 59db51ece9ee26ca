"""Files that say which versions of packages are wanted, by name, and how each kind is read.

Reading is bounded: a file of more than MAX_CHARS, a line of more than MAX_LINE or brackets nested too deep are not
read, and what is not read may be anything.
"""

import configparser
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from .globs import fits

MAX_CHARS = 4_000_000
MAX_LINE = 4_000
MAX_VERSION = 300
MAX_DOTS = 300  # in a line of TOML

REQUIREMENTS = (
    "**/*requirements*.txt",
    "**/*requirements*.in",
    "**/requirements/**/*.txt",
    "**/requirements/**/*.in",
    "**/*constraints*.txt",
    "**/*constraints*.in",
)
CONDA = ("**/environment*.yml", "**/environment*.yaml", "**/conda*.yml", "**/conda*.yaml")
# What they say is not read here, or is decided by code: any change of theirs may be a major version.
NOT_READ = (
    "**/setup.py",
    "**/yarn.lock",
    "**/pnpm-lock.yaml",
    "**/bun.lock*",
    "**/go.mod",
    "**/Cargo.toml",
    "**/Cargo.lock",
    "**/Gemfile",
    "**/Gemfile.lock",
    "**/composer.json",
    "**/composer.lock",
    "**/pom.xml",
    "**/build.gradle*",
    "**/pixi.toml",
    "**/pixi.lock",
    "**/conda-lock.yml",
    "**/*.csproj",
    "**/mix.exs",
    "**/mix.lock",
    # where packages come from
    "**/pip.conf",
    "**/pip.ini",
    "**/uv.toml",
    "**/poetry.toml",
    "**/pdm.toml",
    "**/.pypirc",
    "**/.condarc",
    "**/.npmrc",
    "**/.yarnrc",
    "**/.yarnrc.yml",
    "**/.pnpmfile.cjs",
    "**/bunfig.toml",
)
DEPENDENCY_FILES = (
    *REQUIREMENTS,
    *CONDA,
    *NOT_READ,
    "**/pyproject.toml",
    "**/setup.cfg",
    "**/uv.lock",
    "**/poetry.lock",
    "**/pdm.lock",
    "**/pylock*.toml",
    "**/Pipfile",
    "**/Pipfile.lock",
    "**/package.json",
    "**/package-lock.json",
    "**/npm-shrinkwrap.json",
)

Versions = Iterator[tuple[str, str]]
Reader = Callable[[str], Versions]

_LINE = re.compile(r"\s*([A-Za-z0-9][A-Za-z0-9._-]*)\s*(?:\[[^\]]*\])?\s*([^#;]*)")
_ARCHIVE = re.compile(
    r"(?:^|[/\\\s=])([A-Za-z0-9][\w.]*?(?:-[A-Za-z][\w.]*?)*)-v?(\d[\w.!+]*?)(?:-[^\s/#?]+)?\.(?:whl|zip|tar\.\w+|tgz)\b"
)
_HOST = re.compile(r"\b(?:https?|ssh|git)://(?:[^\s/@\"']*@)?([^\s/\"':]+)|\bgit@([\w.-]+):")
_OPTION = re.compile(r"\s*(-[a-zA-Z-][^#]*|\.{0,2}/[^#]*|[\w+]+://[^#]*)")
_OF_GIT = re.compile(r"@v?(\d[\w.]*)#egg=([A-Za-z0-9._-]+)")
_OF_CONDA = re.compile(r"\s*-\s*[\"']?(?:[\w.-]+::)?([A-Za-z0-9][A-Za-z0-9._-]*)\s*([=<>!~][^\"'#]*)?")


class NotRead(ValueError):
    """Nobody knows which versions the file wants; the sentence says why."""


def is_dependency_file(path: str) -> bool:
    """Whether versions are expected in a file of this name."""
    return fits(path, DEPENDENCY_FILES)


def wanted_versions(path: str, text: str, *, as_requirements: bool = False) -> dict[str, tuple[str, ...]]:
    """Return the versions that the file wants, by normalised name of the package; {} for an empty file.
    A package may have several versions, under several conditions. `as_requirements`: some other file includes this
    one as a list of requirements, whatever its name.

    Raises NotRead where it is of a kind that is not read, too large, or is not what its name says.
    """
    if not text.strip():
        return {}
    read = _requirements if as_requirements else _reader(path)
    if read is None:
        raise NotRead("is not read here")
    if len(text) > MAX_CHARS:
        raise NotRead(f"is longer than {MAX_CHARS:,} characters")
    try:
        versions: dict[str, dict[str, None]] = {}
        for name, version in read(text):
            versions.setdefault(_plain(name), {})[_short(version)] = None
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError, configparser.Error) as error:
        raise NotRead("cannot be read") from error
    return {name: tuple(found) for name, found in versions.items()}


def origins(path: str, text: str, *, as_requirements: bool = False) -> set[str]:
    """List the sources of packages, as far as the file names them.
    These are servers, and in a list of requirements also its options, paths and addresses as they are written."""
    lines = [line for line in text.splitlines() if len(line) <= MAX_LINE]
    found = {one[1] or one[2] for line in lines for one in _HOST.finditer(line)}
    if as_requirements or fits(path, REQUIREMENTS):
        found |= {said[1].strip() for line in lines if (said := _OPTION.match(line)) and "--hash" not in line}
    return found


def is_lock(path: str) -> bool:
    """Whether the file lists what was resolved, and not what is wanted."""
    return _reader(path) in (_lock, _package_lock, _pipfile_lock)


def _reader(path: str) -> Reader | None:
    name = PurePosixPath(path).name
    if name in _READERS:
        return _READERS[name]
    if fits(path, ("**/pylock*.toml",)):
        return _lock
    if fits(path, NOT_READ):
        return None
    if fits(path, CONDA):
        return _conda
    return _requirements if fits(path, REQUIREMENTS) else None


def _lines(text: str) -> Iterator[str]:
    for line in text.splitlines():
        if len(line) > MAX_LINE:
            raise NotRead("has a line that is too long")
        yield line


def _short(version: str) -> str:
    if len(version) > MAX_VERSION:
        raise NotRead("has a version that is too long")
    return version


def _requirements(text: str) -> Versions:
    for line in _lines(text):
        if found := _ARCHIVE.search(line.partition("#")[0]):
            yield found[1], found[2]
        elif "git+" in line and (found := _OF_GIT.search(line)):
            yield found[2], found[1]
        elif found := _LINE.match(line):
            yield found[1], found[2].strip()


def _conda(text: str) -> Versions:
    for line in _lines(text):
        if found := _OF_CONDA.match(line):
            yield found[1], (found[2] or "").strip()


def _toml(text: str) -> dict[str, Any]:
    """Keys are bounded: one of ten thousand parts costs the reader its square."""
    lines = list(_lines(text))
    if any(line.count(".") > MAX_DOTS for line in lines):
        raise NotRead("has a line with too many dots")
    return tomllib.loads("\n".join(lines))


def _pyproject(text: str) -> Versions:
    raw = _toml(text)
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


def _setup_cfg(text: str) -> Versions:
    raw = configparser.ConfigParser(strict=False, interpolation=None)
    raw.read_string("\n".join(_lines(text)))
    for key in ("install_requires", "setup_requires"):
        yield from _requirements(raw.get("options", key, fallback=""))
    if raw.has_section("options.extras_require"):
        for _, value in raw.items("options.extras_require"):
            yield from _requirements(value)


def _pipfile(text: str) -> Versions:
    raw = _toml(text)
    for key in ("packages", "dev-packages"):
        yield from _table(raw.get(key) or {})


def _pipfile_lock(text: str) -> Versions:
    raw = json.loads(text)
    for key in ("default", "develop"):
        yield from _table(raw.get(key) or {})


def _lock(text: str) -> Versions:
    raw = _toml(text)
    for package in (*(raw.get("package") or ()), *(raw.get("packages") or ())):
        if package.get("version"):
            yield str(package["name"]), str(package["version"])


def _package_json(text: str) -> Versions:
    raw = json.loads(text)
    kinds = ("dependencies", "devDependencies", "peerDependencies", "optionalDependencies", "overrides", "resolutions")
    for kind in kinds:
        yield from _table(raw.get(kind) or {})


def _package_lock(text: str) -> Versions:
    raw = json.loads(text)
    yield from _table(raw.get("dependencies") or {})
    for place, package in (raw.get("packages") or {}).items():
        if place and package.get("version"):  # the path, as one name stands there in several versions
            yield place, str(package["version"])


def _table(table: Mapping[str, Any]) -> Versions:
    for name, value in table.items():
        wanted = (value.get("version") or value.get("tag") or value.get("rev")) if isinstance(value, dict) else value
        if name != "python" and isinstance(wanted, str):
            yield name, wanted


def _plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


_READERS: Mapping[str, Reader] = {
    "pyproject.toml": _pyproject,
    "setup.cfg": _setup_cfg,
    "Pipfile": _pipfile,
    "Pipfile.lock": _pipfile_lock,
    "uv.lock": _lock,
    "poetry.lock": _lock,
    "pdm.lock": _lock,
    "package.json": _package_json,
    "package-lock.json": _package_lock,
    "npm-shrinkwrap.json": _package_lock,
}
