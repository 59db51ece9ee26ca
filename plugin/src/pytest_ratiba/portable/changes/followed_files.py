"""Follow a changed file to its other names and uses.
These are the target of a link, a list that requirements include, and a script that the workflow runs. Every search
is bounded, and where a bound is reached the change blocks: nobody has seen the rest."""

import re
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from posixpath import dirname, normpath

from .followed_texts import included_by_prompts
from .globs import fits
from .major_versions import MajorBump, major_bumps
from .matrix import GUARD_RULES
from .repository_tree import RepositoryTree, joined, prefixes
from .version_files import MAX_CHARS, MAX_LINE, REQUIREMENTS, NotRead, is_dependency_file, origins, wanted_versions

MAX_NAMES = 200  # of one file
MAX_LINKED = 2_000  # files behind one link that changed
MAX_FOLLOWED = 400  # files that are opened to see what they name
MAX_FOLLOWED_BYTES = 400_000
MAX_READ_BYTES = 16_000_000  # of all dependency files together
MODULE = "another repository (a submodule), whose change is not seen here"
TOO_MANY = "reached under more names than are looked at"
OTHER_ORIGIN = "packages come from elsewhere"
RUN_BY_CI = "what the gate's workflow runs"
NOT_FOLLOWED = "names more files than are looked at"

_INCLUDE = re.compile(r"(?:^|\s)(?:-r|-c|-e|--requirement|--constraint|--editable)[=\s]*([^\s#;&|\"']+)")
_FILE_OF = re.compile(r"\bfile\s*[:=]\s*([^\n]+)")
_WORD = re.compile(r"[\w./@+~-]+")
_NAMES_LISTS = (
    *REQUIREMENTS,
    "**/Dockerfile*",
    "**/Containerfile*",
    "**/*.dockerfile",
    "**/tox.ini",
    "**/noxfile.py",
    "**/Makefile",
    "**/setup.cfg",
    "**/pyproject.toml",
    "**/setup.py",
    "**/environment*.y*ml",
)
_SCRIPTS = ("**/*.sh", "**/*.bash", "**/*.y*ml", "**/Makefile", "**/*.mk", "**/justfile", "**/bin/*", "**/.ci/*")
_FILES_OF_COMMANDS = {
    "make": ("Makefile", "makefile", "GNUmakefile"),
    "just": ("justfile", "Justfile"),
    "task": ("Taskfile.yml",),
    "invoke": ("tasks.py",),
    "nox": ("noxfile.py",),
    "tox": ("tox.ini",),
}
_DOCUMENTS = ("**/*.md", "**/*.rst", "docs/**", "LICENSE", "LICENSE.txt")
_GUARDS = tuple(path for rule in GUARD_RULES for path in rule.paths)


@dataclass(kw_only=True)
class FollowedChange:
    """As `scope_of` takes it: `names` besides its own for a changed path, `bumps` and `unread` of dependencies, and
    what is `blocking` besides, with why. `versions` are files of dependencies that want other versions, or may."""

    names: dict[str, list[str]] = field(default_factory=dict)
    bumps: list[MajorBump] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    blocking: list[tuple[str, str]] = field(default_factory=list)
    versions: list[str] = field(default_factory=list)


def follow(
    changed: Sequence[str],
    *,
    before: RepositoryTree,
    after: RepositoryTree,
    is_prompt: Callable[[str], bool] = lambda path: False,
) -> FollowedChange:
    """Follow these changed paths to their other names and uses, by the files of both commits."""
    found = FollowedChange()
    trees = (before, after)
    for path in changed:
        if any(path in tree.modules for tree in trees):
            found.blocking.append((path, MODULE))
        names, complete = _names(path, trees)
        if names:
            found.names[path] = names
        if not complete:
            found.blocking.append((path, TOO_MANY))
    _dependencies(changed, found, before, after)
    found.blocking += included_by_prompts(changed, trees, is_prompt)
    run, complete = _run_by_ci(trees)
    for path in changed:
        if any(name in run for name in (path, *found.names.get(path, ()))):
            found.blocking.append((path, RUN_BY_CI))
    if not complete:
        found.blocking.append(("the workflow", NOT_FOLLOWED))
    return found


def _names(path: str, trees: Iterable[RepositoryTree]) -> tuple[list[str], bool]:
    """The other names of a path, through links in both directions, and whether these are all."""
    seen, waiting = {path: None}, deque([path])
    for tree in trees:
        if path in tree.targets:  # the link itself changed: what is behind it is what it shows
            behind = tree.below(tree.targets[path])[: MAX_LINKED + 1]
            inside = [one[len(tree.targets[path]) :].lstrip("/") for one in behind[:MAX_LINKED]]
            seen |= {joined(path, one): None for one in inside}
            if len(behind) > MAX_LINKED:
                return list(seen)[1:], False
    most = len(seen) + MAX_NAMES
    while waiting:
        for other in _neighbours(waiting.popleft(), trees):
            if other not in seen:
                if len(seen) >= most:
                    return list(seen)[1:], False
                seen[other] = None
                waiting.append(other)
    return list(seen)[1:], True


def _neighbours(path: str, trees: Iterable[RepositoryTree]) -> Iterable[str]:
    """The names that are one link away; a link is gone through once, as some lead round."""
    for tree in trees:
        if not tree.targets:
            continue
        for head in ("", *prefixes(path)):
            rest = path[len(head) :].lstrip("/")
            links = [one for one in tree.links_to.get(head, ()) if f"/{one}/" not in f"/{path}/"]
            yield from (joined(link, rest) for link in links)
            if rest and head in tree.targets:
                yield joined(tree.targets[head], rest)


def _dependencies(changed: Sequence[str], found: FollowedChange, before: RepositoryTree, after: RepositoryTree) -> None:
    """Reads what changed of files that say versions, by their own names and by those of links."""
    lists, complete = _included((before, after))
    if not complete:
        found.blocking.append(("lists of requirements", NOT_FOLLOWED))
    left = MAX_READ_BYTES
    for path in changed:
        for name in (path, *found.names.get(path, ())):
            if not (is_dependency_file(name) or name in lists):
                continue
            most = min(left, MAX_CHARS * 4)
            old, new = before.text(name, most=most), after.text(name, most=most)
            if old is None or new is None:
                found.unread.append(path)
                continue
            left -= len(old) + len(new)
            as_requirements = name in lists and not is_dependency_file(name)
            try:
                found.bumps += major_bumps(name, old, new, as_requirements=as_requirements)
                was, now = (wanted_versions(name, text, as_requirements=as_requirements) for text in (old, new))
            except NotRead:
                found.unread.append(path)
            else:
                if was != now:
                    found.versions.append(path)
                if _lists_named(name, old) != _lists_named(name, new):
                    found.unread.append(path)
                other = origins(name, new, as_requirements=as_requirements)
                other -= origins(name, old, as_requirements=as_requirements)
                if other:
                    found.blocking.append((path, f"{OTHER_ORIGIN}: {', '.join(sorted(other))[:200]}"))
    found.versions = list(dict.fromkeys((*found.versions, *found.unread)))


def _included(trees: Iterable[RepositoryTree]) -> tuple[set[str], bool]:
    """The files that lists of requirements, images, workflows and settings include as lists of requirements."""
    lists: set[str] = set()
    for tree in trees:
        waiting = deque(path for path in (*tree.sizes, *tree.links) if fits(path, _NAMES_LISTS) or fits(path, _GUARDS))
        seen = set(waiting)
        for _ in range(MAX_FOLLOWED):
            if not waiting:
                break
            path = waiting.popleft()
            new = _lists_named(path, tree.text(path, most=MAX_FOLLOWED_BYTES) or "") - seen
            new = {name for name in new if tree.real_path(name)}
            seen |= new
            lists |= new
            waiting.extend(sorted(new))
        if waiting:
            return lists, False
    return lists, True


def _lists_named(path: str, text: str) -> set[str]:
    """List the files that a file includes.
    A name is taken relative to the file's own folder, as pip reads it, and to the root, as a workflow does."""
    said: set[str] = set()
    for line in text.splitlines():
        if len(line) <= MAX_LINE:
            said.update(found[1] for found in _INCLUDE.finditer(line))
            for found in _FILE_OF.finditer(line):
                said.update(_WORD.findall(found[1]))
    return {place for word in said for place in _places(path, word)}


def _run_by_ci(trees: Iterable[RepositoryTree]) -> tuple[set[str], bool]:
    """The files that workflows name, and those that the scripts and settings among them name."""
    run: set[str] = set()
    for tree in trees:
        waiting = deque(path for path in tree.sizes if fits(path, _GUARDS) and not fits(path, _DOCUMENTS))
        for _ in range(MAX_FOLLOWED):
            if not waiting:
                break
            path = waiting.popleft()
            words = set(_WORD.findall(tree.text(path, most=MAX_FOLLOWED_BYTES) or ""))
            words |= {file for word in words for file in _FILES_OF_COMMANDS.get(word, ())}
            new = {name for word in words for name in _places(path, word) if name not in run and _is_run(tree, name)}
            run |= new
            waiting.extend(tree.real_path(name) for name in sorted(new) if fits(name, _SCRIPTS))
        if waiting:
            return run, False
    return run, True


def _is_run(tree: RepositoryTree, name: str) -> bool:
    if is_dependency_file(name) or fits(name, _DOCUMENTS) or fits(name, _GUARDS):
        return False
    return (name in tree.sizes or name in tree.links) and bool(tree.real_path(name))


def _places(path: str, word: str) -> Iterable[str]:
    for place in (word.lstrip("/"), f"{dirname(path)}/{word}"):
        name = normpath(place).lstrip("/")
        if name and not name.startswith(".."):
            yield name
