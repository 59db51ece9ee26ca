"""The files of one commit as far as the matrix needs them: names, links, other repositories within, texts."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import PurePosixPath
from posixpath import normpath

MAX_HOPS = 40  # from link to link, as Linux does


@dataclass(frozen=True, kw_only=True)
class RepositoryTree:
    """`sizes` in bytes of every file; `links` from a link to what it says; `modules` are other repositories. `read`
    gives a file's text, None where its bytes are none."""

    sizes: Mapping[str, int] = field(default_factory=dict)
    links: Mapping[str, str] = field(default_factory=dict)
    modules: frozenset[str] = frozenset()
    read: Callable[[str], str | None] = field(default=lambda path: "")

    @cached_property
    def targets(self) -> dict[str, str]:
        """Return the target of each link within the repository; a link that leads outside is left out."""
        found = {link: target_of(link, said) for link, said in self.links.items()}
        return {link: target for link, target in found.items() if target is not None}

    @cached_property
    def links_to(self) -> dict[str, list[str]]:
        """The links to each path."""
        found: dict[str, list[str]] = {}
        for link, target in self.targets.items():
            found.setdefault(target, []).append(link)
        return found

    def real_path(self, path: str) -> str:
        """The file that is opened under this name; "" where links lead nowhere, outside or round."""
        for _ in range(MAX_HOPS):
            link = next((prefix for prefix in prefixes(path) if prefix in self.links), None)
            if link is None:
                return path if path in self.sizes else ""
            if link not in self.targets:
                return ""
            path = joined(self.targets[link], path[len(link) + 1 :])
        return ""

    def text(self, path: str, *, most: int) -> str | None:
        """The text that is read under this name; "" where there is no such file, None where it is larger than `most`
        bytes, no text, or not a file of this repository."""
        real = self.real_path(path)
        if not real:
            return None if any(prefix in self.links for prefix in prefixes(path)) else ""
        return self.read(real) if self.sizes[real] <= most else None

    def below(self, folder: str) -> list[str]:
        """The files in a folder, at any depth."""
        return [size for size in self.sizes if not folder or size.startswith(f"{folder}/")]


def target_of(link: str, said: str) -> str | None:
    """The path a link leads to, relative to the root, which is ""; None where that is outside."""
    path = normpath(str(PurePosixPath(link).parent / said))
    return None if path.startswith(("/", "..")) else path.removeprefix(".") if path == "." else path


def prefixes(path: str) -> list[str]:
    """`a/b/c`: a, a/b, a/b/c."""
    parts = path.split("/")
    return ["/".join(parts[:end]) for end in range(1, len(parts) + 1)]


def joined(folder: str, rest: str) -> str:
    """The path of `rest` in a folder; the root is ""."""
    return "/".join(part for part in (folder, rest) if part)
