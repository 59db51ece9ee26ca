"""A capture that was asked for by a button and is done by a worker."""

import re
import uuid
from collections.abc import Mapping, Sequence
from datetime import datetime

from apps.catalog.connections.queries.agents import agent_snapshot
from apps.catalog.goldens.services.versions import keep_files
from apps.core.attached_files import MAX_BYTES, AttachedFile
from apps.core.errors import BadInput
from apps.jobs.domain.interactive_states import InteractiveRequest, InteractiveStep
from apps.jobs.services.interactive import request_interactive_job
from apps.runs.goldens.services.capture.files import read_file_turns

KIND = "capture_session"
MAX_IDS = 20
_BETWEEN = re.compile(r"[\s,;]+")


def request_capture(
    *,
    agent_id: uuid.UUID,
    ids: str,
    name: str,
    file_turns: str,
    requested_by: str,
    now: datetime,
    files: Sequence[AttachedFile] = (),
) -> uuid.UUID:
    """Request a capture of these conversations of the agent.

    `ids` have blanks or commas between them, `file_turns` is as 2:Zelle.pdf, one a line (names only: no path is
    opened); `files` are stored at once, by digest.

    Raises NotFound, BadInput (`/ids`, `/file_turn`, `/files`), and Conflict while one is on its way. Five queries.
    """
    agent_snapshot(agent_id)
    ids_given = [part for part in _BETWEEN.split(ids) if part]
    if not 1 <= len(ids_given) <= MAX_IDS:
        raise BadInput(f"give 1 to {MAX_IDS} ids of conversations", pointer="/ids")
    named = {str(turn): path.name for turn, path in read_file_turns(filter(str.strip, file_turns.splitlines())).items()}
    large = next((file for file in files if len(file.content) > MAX_BYTES), None)
    if large is not None:
        raise BadInput(f"{large.name} is larger than {MAX_BYTES:,} bytes", pointer="/files")
    keep_files({file.sha256: file for file in files})
    digests = {file.name: file.sha256 for file in files}
    arguments = {"ids": ids_given, "name": name.strip()[:200], "file_turns": named, "files": digests}
    return request_interactive_job(
        kind=KIND, subject_id=agent_id, requested_by=requested_by, now=now, arguments=arguments
    )


def run(request: InteractiveRequest) -> InteractiveStep:
    """The capture, with the profile that is stored with the agent. Raises RatibaError for what cannot be captured."""
    from apps.runs.goldens.services.capture.capturing import capture_session  # noqa: PLC0415 - a page loads no HTTP client
    from apps.runs.goldens.services.capture.reading import CaptureSource, are_ours  # noqa: PLC0415

    agent = agent_snapshot(request.subject_id)
    ids: Sequence[str] = request.arguments["ids"]
    named: Mapping[str, str] = request.arguments["file_turns"]
    result = capture_session(
        agent=agent["name"],
        now=request.now(),
        ids=ids,
        source=CaptureSource.RUN if are_ours(ids) else CaptureSource.PEGA,
        name=request.arguments["name"],
        file_turns={int(turn): name for turn, name in named.items()},
        stored_files=request.arguments["files"],
        profile=agent["profile"],
        profile_source="the profile stored with the agent",
    )
    return InteractiveStep(answer={**result.as_json(), "agent": agent["name"]})
