"""Prompts and state machines that a change takes away: what is read in their place is gated only where it is named."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from pytest_ratiba.agents import AgentSetting
from pytest_ratiba.digests import digest_of
from pytest_ratiba.portable.changes.globs import fits

MAX_FILES = 200
GONE = "is gone, which {names} named: what is read in its place asks for a gate only where prompts: or fsm: names it"


def watched_files_gone(
    agents: Mapping[str, AgentSetting], changed: Iterable[str], *, before: Path, now: Path, inside: PurePosixPath
) -> list[dict[str, Any]]:
    """As `altered` tells them. `agents` are those of the merge base, whose configuration stands in the folder `inside`;
    `before` and `now` are the working trees, `changed` paths below them. Costs two looks at the disk a path."""
    found = []
    for path in changed:
        if not PurePosixPath(path).is_relative_to(inside):
            continue
        below = PurePosixPath(path).relative_to(inside).as_posix()
        names = [name for name, one in agents.items() if fits(below, [*one.prompts, *filter(None, [one.fsm])])]
        if names and os.path.lexists(before / path) and not os.path.lexists(now / path):
            what = GONE.format(names=", ".join(names)[:100])
            found.append({"kind": "file", "name": path[:300], "what": what, "digest": digest_of([path, None, names])})
    return found[:MAX_FILES]
