"""Compare the size of an agent's prompts at the merge base and in the change.
Git knows the size also where no reply tells tokens."""

from pathlib import Path, PurePosixPath

from pytest_ratiba.ci.scope import ProjectChange
from pytest_ratiba.git import git, top_folder
from pytest_ratiba.portable.changes.globs import fits
from pytest_ratiba.portable.first_names import listed


def prompt_size_note(change: ProjectChange, agent: str) -> str:
    """ "Prompts: 1,204 to 61,204 bytes (prompts/booking.md)."; "" where they have the size that they had, or nobody
    named any. Two calls of git."""
    patterns = change.agents[agent].prompts if agent in change.agents else ()
    if not patterns or not change.base or change.base == change.commit:
        return ""
    root = top_folder(change.project.folder)
    here = PurePosixPath(change.project.folder.resolve().relative_to(root.resolve()).as_posix())
    before = _sizes(root, change.base, change.inside or here, patterns)
    after = _sizes(root, change.commit, here, patterns)
    moved = sorted(name for name in {*before, *after} if before.get(name) != after.get(name))
    if not moved:
        return ""
    names = listed(moved, 3)
    return f"Prompts: {sum(before.values()):,} to {sum(after.values()):,} bytes ({names})."


def _sizes(root: Path, commit: str, inside: PurePosixPath, patterns: tuple[str, ...]) -> dict[str, int]:
    """By path below the project's folder, of the files that are prompts."""
    found = {}
    for entry in filter(None, git(root, "ls-tree", "-r", "-l", "-z", "--full-tree", commit).split("\0")):
        about, _, path = entry.partition("\t")
        size = about.split()[-1]
        place = PurePosixPath(path)
        if size.isdigit() and place.is_relative_to(inside) and fits(place.relative_to(inside).as_posix(), patterns):
            found[place.relative_to(inside).as_posix()] = int(size)
    return found
