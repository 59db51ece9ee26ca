"""Prompt files become prompt versions, named after the commit that last changed them."""

import re
import subprocess
import sys
from pathlib import Path

from django.db import transaction

from apps.catalog.connections.models import Agent
from apps.catalog.domain import field_readers as checks
from apps.catalog.prompts.domain.texts import MAX_PROMPT_CHARS
from apps.catalog.prompts.models import PromptLine, PromptVersion
from apps.catalog.signals import prompt_went_live
from apps.core.digest import sha256_hex
from apps.core.errors import BadInput, Conflict, NotFound
from apps.core.events import EventType, log_event
from apps.core.portable.prompt_words import comparable

GIT_TIMEOUT_S = 10.0
STANDARD_INPUT = "-"  # in place of a file's path
_REVISION = re.compile(r"[A-Za-z0-9._-]{0,40}")


def record_prompt(
    *, path: Path | str, name: str | None = None, revision: str = "", draft: bool = False, by: str = ""
) -> str:
    """Keep a prompt file as a version and give its name.

    The name is `<name>@<revision>`, else `<name>@<git short sha>` of the commit that last changed the file;
    `<name>@sha256-<12 digits>` where git does not know it, or the file differs from what was committed.

    The name is the file's stem unless given; `draft` is that of `record_prompt_text`. Safe to repeat: the same text
    under the same name is one version. Costs two git calls and at most five queries. Raises BadInput for a file that
    cannot be read.
    """
    called, text = read_prompt_file(path, name)
    file = "" if path == STANDARD_INPUT else str(path)
    commit = revision or (_commit(Path(file)) if file else None) or ""
    return record_prompt_text(name=called, text=text, revision=commit, path=file, draft=draft, by=by)


def read_prompt_file(path: Path | str, name: str | None = None) -> tuple[str, str]:
    """A prompt file's name, its stem unless given, and its text. The path `-` is standard input, whose name must be
    given. Raises BadInput for what cannot be read or is none."""
    file = Path(path)
    if path == STANDARD_INPUT and not name:
        raise BadInput("A prompt from standard input has no name of its own: give --name.", pointer="/name")
    called = checks.name(name or file.stem, "/name")
    try:
        content = sys.stdin.read() if path == STANDARD_INPUT else file.read_text(encoding="utf-8")
        text = checks.text(content, "/text", required=True, limit=MAX_PROMPT_CHARS)
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"cannot read the prompt {file}: {error}", pointer="/path") from error
    return called, text


def record_prompt_text(
    *, name: str, text: str, revision: str = "", path: str = "", draft: bool = False, by: str = ""
) -> str:
    """Keep a prompt's text as a version and give its name: `<name>@<revision>`, or `<name>@sha256-<12 digits>`.

    What admin, API and command do. A version that is new is live from now on, unless it is a `draft`; one that was
    recorded before stays what it is. Safe to repeat: the same text under the same name is one version. Raises BadInput,
    and Conflict (`prompt_differs`) where the version is kept with another text. At most five queries.
    """
    called = checks.name(name, "/name")
    kept_text = checks.text(text, "/text", required=True, limit=MAX_PROMPT_CHARS)
    if not _REVISION.fullmatch(revision):
        raise BadInput(f"/revision cannot be {revision!r}: letters, digits and . _ - only", pointer="/revision")
    digest = sha256_hex(kept_text)
    version = f"{called}@{revision or 'sha256-' + digest[:12]}"
    with transaction.atomic():
        row, made = PromptVersion.objects.get_or_create(
            version=version, defaults={"name": called, "text": kept_text, "digest": digest, "path": path[-500:]}
        )
        if made and not draft:
            _set_live(row, by=by)
    if not made and comparable(row.text) != comparable(kept_text):
        raise Conflict(f"{version} is already kept with another text", code="prompt_differs")
    return str(row.version)


def make_live(*, version: str, by: str) -> bool:
    """Make this version the one that is played where nobody names one; return whether that is new.

    Three queries; safe to repeat. Raises NotFound for a version that nobody recorded.
    """
    row = PromptVersion.objects.filter(version=version).first()
    if row is None:
        raise NotFound(f"There is no prompt version {version!r}.")
    if PromptLine.objects.filter(name=row.name, live=row).exists():
        return False
    _set_live(row, by=by)
    return True


def _set_live(row: PromptVersion, *, by: str) -> None:
    agent = Agent.objects.filter(name=row.name).first()  # whose prompt it is, until somebody says otherwise
    PromptLine.objects.update_or_create(
        name=row.name,
        defaults={"live": row, "live_by": by[:150]},
        create_defaults={"live": row, "live_by": by[:150], "agent": agent},
    )
    prompt_went_live.send(sender=PromptLine, name=row.name, version=row.version, digest=row.digest)
    log_event(EventType.PROMPT_LIVE, version=row.version, name=row.name, by=by)


def _commit(file: Path) -> str | None:
    """The short sha of the commit that last changed the file. None where it was changed since, or git knows no file."""
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
