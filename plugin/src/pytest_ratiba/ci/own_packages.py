"""Packages of the change itself that stand in the agent's environment: both sides would run them, so a baseline that
opens one is none."""

import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from urllib.parse import unquote, urlsplit

from pytest_ratiba.ci.opened_files import MAX_WATCHED, watching
from pytest_ratiba.ci.side import SideUnmeasurable
from pytest_ratiba.repository_process import site_folders

_READ_AT_EVERY_START = (".pth", ".dist-info", "__editable__")


def packages_of_files(root: Path) -> dict[str, Path]:
    """Files of packages that were installed from a folder or file of this machine, by "package: file"."""
    found: dict[str, Path] = {}
    for site in site_folders(root):
        for record in site.glob("*.dist-info/direct_url.json"):
            name = record.parent.name.partition("-")[0]
            try:
                url = urlsplit(str(json.loads(record.read_text(encoding="utf-8")).get("url", "")))
                listed = (record.parent / "RECORD").read_text(encoding="utf-8").splitlines()
            except (OSError, ValueError, AttributeError):
                continue
            if url.scheme != "file" or name.replace("_", "-") == "pytest-ratiba":
                continue
            installed = [site / line.partition(",")[0] for line in listed]
            source = Path(unquote(url.path))
            every = [*installed, *(_code_of(source) if source.is_dir() else ())]
            found |= {f"{name}: {path}": path for path in every if _is_opened_when_used(path)}
    return found


@contextmanager
def without_packages_of_the_change(paths: Mapping[str, Path]) -> Iterator[None]:
    """A play of a baseline. Raises `SideUnmeasurable` where its agent has run one of these packages."""
    with watching(dict(list(paths.items())[:MAX_WATCHED])) as found:
        yield
    if found.opened:
        names = ", ".join(sorted({one.partition(":")[0] for one in found.opened})[:5])
        raise SideUnmeasurable(
            f"the baseline's agent ran {names}, which this job has installed from the change's own files, so "
            "both sides are the change's: run `ratiba-ci baseline` on the default branch, which has its own packages",
            by_agent=True,
        )


def _code_of(folder: Path) -> Iterator[Path]:
    for inside, folders, names in os.walk(folder):
        folders[:] = [one for one in folders if one != ".git" and not Path(inside, one, "pyvenv.cfg").exists()]
        yield from (Path(inside, name) for name in names if name.endswith((".py", ".pyc", ".so")))


def _is_opened_when_used(path: Path) -> bool:
    ours = path.is_relative_to(Path(__file__).parents[1])
    return path.is_file() and not ours and not any(word in str(path) for word in _READ_AT_EVERY_START)
