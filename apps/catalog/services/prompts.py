"""Prompt files become prompt versions, named after the commit that last changed them."""

import subprocess
from pathlib import Path

from apps.catalog.domain import checks
from apps.catalog.models import PromptVersion
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput, Conflict

GIT_TIMEOUT_S = 10.0


def record_prompt(*, path: Path | str, name: str | None = None) -> str:
    """Keep a prompt file as a version and give its name: `<name>@<git short sha>` of the commit that last changed the
    file; `<name>@sha256-<12 digits>` where git does not know it, or the file differs from what was committed.

    The name is the file's stem unless given. Safe to repeat: the same text under the same name is one version. Costs
    two git calls and two queries. Raises BadInput for a file that cannot be read.
    """
    file = Path(path)
    called = checks.name(name or file.stem, "/name")
    try:
        text = checks.text(file.read_text(encoding="utf-8"), "/text", required=True, limit=1_000_000)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read the prompt {file}: {error}", pointer="/path") from error
    digest = sha256_hex(text)
    version = f"{called}@{_commit(file) or 'sha256-' + digest[:12]}"
    row, made = PromptVersion.objects.get_or_create(
        version=version, defaults={"name": called, "text": text, "digest": digest, "path": str(file)[-500:]}
    )
    if not made and row.digest != digest:
        raise Conflict(f"{version} is already kept with another text")
    return str(row.version)


def _commit(file: Path) -> str | None:
    """The short sha of the commit that last changed the file, where the file is as that commit left it."""
    folder = file.resolve().parent
    if _git(folder, "status", "--porcelain", "--", file.name) != "":
        return None  # changed, untracked, or no repository
    return _git(folder, "log", "-1", "--format=%h", "--abbrev=7", "--", file.name) or None


def _git(folder: Path, *args: str) -> str | None:
    command = ["git", "-C", str(folder), *args]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=GIT_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
