"""The content of a golden session's page: one version as a chat with its gates, and its differences from another."""

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import accumulate
from typing import Any

from apps.catalog.domain.states import GoldenStatus
from apps.catalog.goldens.domain.session import files_of
from apps.catalog.models import GoldenSession, GoldenVersion
from apps.core.errors import NotFound
from apps.dashboard.domain.figures import ago, many
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.domain.side_by_side import side_by_side
from apps.dashboard.test_set.queries.golden_replays import ReplayLine, latest_replays
from apps.runs.goldens.domain.age import confirmation_is_old
from apps.runs.goldens.domain.captured_golden import strengths
from apps.runs.goldens.domain.changes import ChangedTurn
from apps.runs.goldens.domain.edits import names_of, shown_fields
from apps.runs.goldens.domain.gate_keeping import in_words
from apps.runs.goldens.domain.gate_words import OfferedWord, offered_words
from apps.runs.goldens.domain.pinned_tools import with_expected_calls, with_pinned_tools
from apps.runs.goldens.domain.replayed import call_text
from apps.runs.goldens.services.approval import approval_changes, approval_refusals


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenTurn:
    """One turn as a curator reads it. `number` counts the customer's turns from 1, with the replies to each; `strength`
    is "" where the turn has no gate."""

    position: int
    number: int
    role: str
    content: str
    latency_ms: int | None = None
    strength: str = ""
    pattern: str = ""
    waits_for: str = ""  # the pattern as people read it
    offered: Sequence[OfferedWord] = ()  # what may be ticked to wait for
    timeout: float | None = None
    calls: Sequence[str] = ()  # the tools the agent called when this was captured
    held: Sequence[Mapping[str, str]] = ()  # of these, what a replay is held to: {"text", "left_out"}
    form: Mapping[str, str] = field(default_factory=dict)  # the fields of its form, as texts
    step_agents: Sequence[str] = ()
    description: str = ""
    files: Sequence[Mapping[str, Any]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class GoldenPage:
    """Facts for the page of a golden session.

    `current` is the version that a replay plays, None where nothing is approved; `other` the version that `rows`
    compare with.
    """

    headline: Headline
    session: GoldenSession
    shown: GoldenVersion
    versions: Sequence[GoldenVersion]
    turns: Sequence[GoldenTurn]
    counts: Mapping[str, int]
    current: GoldenVersion | None = None
    other: GoldenVersion | None = None
    rows: Sequence[Any] = ()
    is_old: bool = False
    variables: Mapping[str, Any] = field(default_factory=dict)
    changes: Sequence[ChangedTurn] = ()
    replays: Sequence[ReplayLine] = ()
    refusals: Sequence[str] = ()  # what approving it would say


def golden_page(session_id: uuid.UUID, *, number: int | None, other: int | None, now: datetime) -> GoldenPage:
    """The newest version unless `number` names one; compared with `other`, else with the one before. Raises NotFound.
    Thirteen queries at most."""
    session = GoldenSession.objects.select_related("agent").defer("agent__secrets").filter(pk=session_id).first()
    if session is None:
        raise NotFound(f"there is no golden session {session_id}")
    versions = list(session.versions.defer("document", "profile").order_by("-number"))
    chosen = next((version for version in versions if number in (None, version.number)), None)
    if chosen is None:
        raise NotFound(f"{session.name} has no version {number}")
    earlier = next((version for version in versions if (other or 0) == version.number), None)
    earlier = earlier or next((version for version in versions if version.number < chosen.number), None)
    documents = dict(
        GoldenVersion.objects.filter(pk__in=[one.pk for one in (chosen, earlier) if one]).values_list("pk", "document")
    )
    document = documents[chosen.pk]
    current = next((version for version in versions if version.status == GoldenStatus.APPROVED), None)
    counts = strengths(document)
    is_old = current is not None and confirmation_is_old(session.confirmed_at, now=now)
    return GoldenPage(
        headline=_headline(session, chosen, current, document, counts, is_old=is_old, now=now),
        session=session,
        shown=chosen,
        versions=versions,
        turns=_turns(document),
        counts=counts,
        current=current,
        other=earlier,
        rows=side_by_side(_text(documents[earlier.pk]), _text(document)) if earlier else (),
        is_old=is_old,
        variables=document.get("variables") or {},
        changes=approval_changes(document, now=now) if chosen.status == GoldenStatus.CANDIDATE else (),
        refusals=approval_refusals(document) if chosen.status == GoldenStatus.CANDIDATE else (),
        replays=latest_replays(session.name),
    )


def _turns(document: Mapping[str, Any]) -> list[GoldenTurn]:
    turns = with_expected_calls(document).get("turns") or ()
    numbers = accumulate(int(turn.get("role") == "user") for turn in turns)
    pinned = with_pinned_tools(document)["turns"]
    offered = offered_words(turns)
    rows = enumerate(zip(numbers, turns, pinned, strict=True))
    return [_turn(position, number, turn, held, offered.get(position, ())) for position, (number, turn, held) in rows]


def _held(entry: Any) -> dict[str, str]:
    if not isinstance(entry, Mapping):
        return {"text": str(entry), "left_out": ""}
    left_out = ", ".join(map(str, entry.get("left_out") or ()))
    arguments = entry.get("arguments")
    text = call_text(entry) if isinstance(arguments, Mapping) and arguments else str(entry.get("name") or "")
    marks = [name for name in ("forbidden", "order") if entry.get(name)]
    return {"text": " ".join([text, *marks]), "left_out": left_out}


def _turn(
    position: int, number: int, turn: Mapping[str, Any], held: Mapping[str, Any], offered: Sequence[OfferedWord]
) -> GoldenTurn:
    return GoldenTurn(
        position=position,
        number=number,
        role=str(turn.get("role") or ""),
        content=str(turn.get("content") or ""),
        latency_ms=turn.get("latency_ms"),
        strength=str(turn.get("gate_strength") or ("weak" if turn.get("wait_for_pattern") else "")),
        pattern=str(turn.get("wait_for_pattern") or ""),
        waits_for=in_words(str(turn.get("wait_for_pattern") or "")),
        offered=offered,
        timeout=turn.get("gate_timeout"),
        calls=[call_text(tool_call) for tool_call in turn.get("tool_calls") or ()],
        held=[_held(expected_tool) for expected_tool in held.get("expected_tools") or ()],
        form=shown_fields(turn),
        step_agents=[name or "a step agent" for name in names_of(turn.get("step_agents"))],
        description=str(turn.get("description") or ""),
        files=files_of(turn),
    )


def _headline(
    session: GoldenSession,
    version: GoldenVersion,
    current: GoldenVersion | None,
    document: Mapping[str, Any],
    counts: Mapping[str, int],
    *,
    is_old: bool,
    now: datetime,
) -> Headline:
    customer_turns = sum(turn.get("role") == "user" for turn in document.get("turns") or ())
    what = f"{session.name}, version {version.number}: {many(customer_turns, 'turn')} of the customer"
    if current is None:
        text, but = f"{what}.", "Nobody has approved it: it cannot be replayed yet."
    elif version.pk == current.pk:
        text = f"{what}; this is what a replay plays."
        last = f"Last confirmed {ago(session.confirmed_at, now)}" if session.confirmed_at else "Never confirmed"
        but = f"{last}: is it still right?" if is_old else ""
    else:
        text, but = f"{what}.", f"A replay plays version {current.number}."
    weak = f"{many(counts['weak'], 'gate')} weak: look at the turn" if counts["weak"] else "no gate is weak"
    gates = f"{many(counts['unique'], 'gate')} unique, {weak}" if any(counts.values()) else "no gates"
    agent = f"Agent {session.agent.name}. " if session.agent else ""
    return Headline(text=text, but=but, note=f"{agent}{gates}. Captured from: {version.captured_from or 'unknown'}.")


def _text(document: Mapping[str, Any]) -> str:
    """A version as lines: what was said, by the number of the customer's turn, and under it what is expected."""
    lines = []
    number = 0
    for turn in document.get("turns") or ():
        number += turn.get("role") == "user"
        lines.append(f"[{number}] {turn.get('role')}: {turn.get('content') or ''}")
        for key in (
            "wait_for_pattern",
            "gate_strength",
            "gate_timeout",
            "expected_tools",
            "step_agents",
            "description",
        ):
            if turn.get(key):
                lines.append(f"      {key}: {json.dumps(turn[key], ensure_ascii=False, sort_keys=True)}")
    return "\n".join(lines)
