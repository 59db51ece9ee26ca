"""Files of real conversations, one document a line as it is posted: good lines are kept, bad ones are named."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from apps.core.errors import BadInput, Conflict
from apps.core.events import EventType, log_event
from apps.production.intake.domain.posted_document import read_posted
from apps.production.intake.services.conversations import take_conversation
from apps.production.intake.services.production_runs import agent_of
from apps.runs.chat_files.services.import_report import RefusedLine
from apps.runs.chat_files.services.reading import chat_file

MAX_NAMED = 1_000  # refused lines that are named; all are counted


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductionImport:
    """The result of a file: `refused` names the first MAX_NAMED of `refused_lines`."""

    kept: int
    turns: int
    settled: int
    refused_lines: int
    refused: Sequence[RefusedLine]

    def as_json(self) -> dict[str, Any]:
        return {
            "kept": self.kept,
            "turns": self.turns,
            "settled": self.settled,
            "refused_lines": self.refused_lines,
            "refused": [one.as_json() for one in self.refused],
        }


def import_production(*, path: Path, now: datetime, dry_run: bool = False) -> ProductionImport:
    """Take in each line as if it were posted; with `dry_run` only read it. A line at a time, in a transaction of its
    own: memory is that of one line, and what was taken before an interruption stays. Safe to repeat: lines that are
    there already change nothing. Costs what posting each does. Raises BadInput (`no_such_file`)."""
    if not path.is_file():
        raise BadInput(f"There is no file {path}.", code="no_such_file")
    kept_count = turns = settled = count = 0
    refused = list[RefusedLine]()
    for line, raw in chat_file(path).documents:
        try:
            if isinstance(raw, BadInput):
                raise raw
            taken, over = _taken(raw, now, dry_run)
        except (BadInput, Conflict) as error:
            count += 1
            if len(refused) < MAX_NAMED:
                refused.append(_refused(line, error))
            log_event(EventType.IMPORT_LINE_REFUSED, line=line, code=error.code)
            continue
        kept_count, turns, settled = kept_count + 1, turns + taken, settled + over
    if not dry_run:
        log_event(EventType.IMPORT_ENDED, kept=kept_count, refused=count)
    return ProductionImport(kept=kept_count, turns=turns, settled=settled, refused_lines=count, refused=refused)


def _taken(document: Any, now: datetime, dry_run: bool) -> tuple[int, bool]:
    if not dry_run:
        done = take_conversation(raw=document, now=now)
        return done.turns, done.settled
    posted = read_posted(document)
    agent_of(name=posted.fields.agent, prompt_version=posted.fields.prompt_version)
    return len(posted.document.turns), posted.fields.ended


def _refused(line: int, error: BadInput | Conflict) -> RefusedLine:
    pointer = getattr(error, "pointer", None)
    return RefusedLine(line=line, code=error.code, message=error.message + (f" (at {pointer})" if pointer else ""))
