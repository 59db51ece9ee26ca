"""Major versions that a change bumps.

Only the first number counts, as Renovate and Dependabot call a bump major: of what a range begins at, and of the
highest version it lets in. Below 1.0 the second number is none, as there. What was added is no bump; what had a version
and has none any more, or is not named any more, is.
"""

import re
from dataclasses import dataclass

from .version_files import is_lock, wanted_versions

_NUMBER = re.compile(r"(?:(\d+)!)?(\d+)")
_BOUND = re.compile(r"(?:([<>=~^!]{1,3})\s{0,20})?v?(\d[^\s,|]*)")
_UPPER = ("<", "<=", "!=")
_UPPER_BOUND = re.compile(r"(<=?)\s{0,20}v?(\d+)((?:\.\d+)*)")


@dataclass(frozen=True, kw_only=True, order=True)
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


def major_bumps(path: str, before: str, after: str, *, as_requirements: bool = False) -> list[MajorBump]:
    """The major bumps of one file, whose texts these are. Raises NotRead (see `wanted_versions`) where one of them
    cannot be read: nobody knows what changed."""
    old = wanted_versions(path, before, as_requirements=as_requirements)
    new = wanted_versions(path, after, as_requirements=as_requirements)
    gone = () if is_lock(path) else [(name, _lowest(versions[-1])) for name, versions in old.items() if name not in new]
    bumps = [MajorBump(file=path, package=name, before=low, after="not named") for name, low in gone if low]
    return sorted(bumps) + sorted(
        MajorBump(file=path, package=name, **_shown(old[name][-1], version))
        for name, versions in new.items()
        for version in versions
        if name in old and version not in old[name] and all(_is_major(one, version) for one in old[name])
    )


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
    uppers = [int(found[2]) - (found[1] == "<" and not found[3].strip(".0")) for found in _UPPER_BOUND.finditer(wanted)]
    if uppers:
        return max(uppers)
    if ">" in wanted:
        return float("inf")
    return max((float(_major(found[2])) for found in _BOUND.finditer(wanted) if _major(found[2]).isdigit()), default=0)


def _major(version: str) -> str:
    """The first number, with the epoch before it where there is one (`1!2.3`)."""
    found = _NUMBER.match(version)
    return f"{int(found[1] or 0)}!{int(found[2])}".removeprefix("0!") if found else version
