"""What lies in the home folder of whoever runs the agent: an earlier job may have left it, and no commit has it."""

import os
from pathlib import Path

from pytest_ratiba.repository_process import agent_prefix

MOST = 2_000
_APART = (".git", ".cache", "__pycache__", "node_modules", "site-packages")


def home_files(root: Path) -> dict[str, Path]:
    """By name as people write it (`~/notes.txt`), without environments, caches and repositories; {} where there are
    more than MOST: the home of a person, and not of an agent's user."""
    words = [one.partition("=")[2] for one in agent_prefix(root) if one.startswith("HOME=")]
    home = Path(words[-1] if words else os.path.expanduser("~"))
    found: dict[str, Path] = {}
    for folder, inside, names in os.walk(home):
        here = Path(folder)
        inside[:] = [one for one in inside if one not in _APART and not _is_apart(here / one, root)]
        found |= {f"~/{(here / name).relative_to(home).as_posix()}": here / name for name in names}
        if len(found) > MOST:
            return {}
    return found


def _is_apart(folder: Path, root: Path) -> bool:
    return folder == root or (folder / "pyvenv.cfg").exists() or (folder / ".git").exists()
