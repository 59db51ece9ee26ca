"""Command `capture_session --agent A --conversation-id PXCONV-1 …`.

It makes a conversation held elsewhere a golden session.
"""

import os
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser
from django.utils import timezone

from apps.catalog.connections.queries.agents import agent_id, agent_snapshot
from apps.catalog.connections.services.profile_files import profile_for_capture
from apps.catalog.domain.states import GoldenStatus
from apps.catalog.goldens.queries.versions import golden_version
from apps.connectors.tracing.langfuse.address import LangfuseAddress
from apps.core.actor import os_user
from apps.runs.goldens.domain.captured_golden import strengths
from apps.runs.goldens.services.approval import approve_golden
from apps.runs.goldens.services.capture.capturing import CaptureResult, capture_session
from apps.runs.goldens.services.capture.files import files_at_hand, read_file_turns, write_capture
from apps.runs.goldens.services.capture.reading import CaptureSource
from apps.tenants.commands import TenantCommand


class Command(TenantCommand):
    help = (
        "Capture a conversation that was held elsewhere as the next candidate version of a golden session: with gates, "
        "tools, step agents and uploads sensed. Nothing is overwritten. Exit code 0: it is stored; 2: wrong use; "
        "3: the other side cannot be reached."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        several: dict[str, Any] = {"nargs": "+", "action": "extend", "default": []}
        ids = "PXCONV-…, a Langfuse session or trace, a conversation of ours; several become one"
        parser.add_argument("--agent", required=True, help="the agent's name")
        parser.add_argument("--conversation-id", dest="ids", metavar="ID", help=ids, **several)
        parser.add_argument("--file", type=Path, help="a conversation document, OpenAI messages, or a tracer's export")
        sources = [one.value for one in CaptureSource]
        parser.add_argument(
            "--from", dest="source", choices=sources, help="where the ids are; guessed where it is clear"
        )
        parser.add_argument("--name", default="", help="the golden session's name; default: the first id")
        upload = "the file of a turn, as in 2:Zelle.pdf; turns count from 1"
        parser.add_argument("--file-turn", dest="file_turns", metavar="TURN:FILE", help=upload, **several)
        parser.add_argument("--project-config", type=Path, help="the profile to capture with")
        parser.add_argument("--out", type=Path, help="write golden and profile as JSON files into this folder, too")
        parser.add_argument("--approve", action="store_true", help="mask it, prove its gates again, and release it")
        parser.add_argument(
            "--test-data", action="store_true", help="with --approve: nobody's data is in it, mask nothing"
        )
        parser.add_argument("--explain", action="store_true", help="say which profile is used, and why")

    def answer(self, *, agent: str, ids: list[str], file: Path | None, out: Path | None, **options: Any) -> Any:
        now, here = timezone.now(), Path.cwd()
        stored = agent_snapshot(agent_id(agent))["profile"]
        choice = profile_for_capture(
            explicit=options["project_config"], environment=os.environ, folder=here, stored=stored
        )
        if options["explain"]:
            self.note(choice.explain())
        named = read_file_turns(options["file_turns"])
        files = files_at_hand(named.values(), [folder for folder in (out, here) if folder is not None])
        source = CaptureSource(options["source"]) if options["source"] else None
        result = capture_session(
            agent=agent,
            now=now,
            ids=ids,
            file=file,
            source=source,
            name=options["name"],
            file_turns={number: path.name for number, path in named.items()},
            files=files,
            profile=choice.document,
            profile_source=choice.source,
            langfuse=LangfuseAddress.from_environment(os.environ) if source is CaptureSource.LANGFUSE else None,
        )
        answer = result.as_json()
        if options["approve"]:
            result, answer = _approved(result, answer, test_data=options["test_data"], now=now)
        if out is not None:
            answer["files"] = [str(path) for path in write_capture(result, out, now=now, files=files)]
        return answer

    def show(self, answer: Any) -> None:
        gates = ", ".join(f"{number} {strength}" for strength, number in answer["gates"].items())
        made = "is" if answer["is_new"] else "is, as before,"
        self.stdout.write(
            f"{answer['golden']} {made} version {answer['version']}: {answer['turns']} turns; gates: {gates}; profile "
            f"{answer['profile']}"
        )
        for path in answer.get("files", ()):
            self.stdout.write(f"  wrote {path}")
        if answer["status"] == GoldenStatus.CANDIDATE:
            self.stdout.write(
                f"  it waits for approval: in the browser, Test set → Golden sessions → {answer['golden']}, or by this "
                "command once more with --approve. Until then it is not replayed"
            )
        if "variables" in answer:
            names = ", ".join(answer["variables"]) or "none"
            self.stdout.write(f"  approved; variables in its turns: {names}")
        for remark in answer["remarks"]:
            self.stdout.write(f"  ! {remark}")
        for one in answer.get("changed", ()):
            self.stdout.write(f"  turn {one['turn']}: “{one['before'][:200]}” is said as “{one['after'][:200]}”")
        for line in answer["changes"]:
            self.stdout.write(f"  {line}")


def _approved(
    result: CaptureResult, answer: dict[str, Any], *, test_data: bool, now: datetime
) -> tuple[CaptureResult, dict[str, Any]]:
    """The capture as it was released, and the answer with it; a version that is released already stays as it is."""
    version = golden_version(result.version_id)
    if version.status is GoldenStatus.CANDIDATE:
        done = approve_golden(version_id=result.version_id, by=os_user(), now=now, test_data=test_data)
        answer = {**answer, "remarks": [*dict.fromkeys([*answer["remarks"], *done.notes])]}
        answer["changed"] = [{"turn": one.number, "before": one.before, "after": one.after} for one in done.changed]
        version = golden_version(result.version_id)
    released = replace(result, document=version.document, gates=strengths(version.document))
    variables = list(version.document.get("variables") or ())
    answer |= {"gates": dict(released.gates), "status": version.status.value, "approved": True, "variables": variables}
    return released, answer
