"""The report of one run, from its rows and nothing else.

A report can be made again at any time and is the same while the rows are: its digest says so. Nothing of another run,
of a file or of a process's memory goes in (the stale report of brief 004, cannot be made).
"""

import uuid
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from django.core.paginator import Page, Paginator
from django.db.models import F
from django.db.models.fields.json import KT

from apps.budgets.queries import spent_on_run
from apps.catalog.connections.domain.profile import judging_profile
from apps.checks.domain.divergence import Divergence, TurnDivergence, divergences, first_that_matters
from apps.checks.domain.profile_warning import profile_warnings
from apps.checks.models import CheckResult
from apps.checks.queries.check_results import pending_checks, results_in_force
from apps.core.digest import sha256_hex
from apps.core.errors import Conflict
from apps.core.plurals import many
from apps.core.timestamps import format_timestamp
from apps.evaluations.models import Evaluation
from apps.reports.run_reports.domain.golden_way import LEFT_KIND, GoldenWay, SaidReply, golden_way
from apps.reports.run_reports.queries.report_summaries import summary_document
from apps.runs.domain.counting import counting_of
from apps.runs.domain.states import RUN_TERMINAL, UNCOUNTED, Blame, ConversationStatus, Kind
from apps.runs.goldens.domain.replayed import ReplayedConversation, ReplayedTurn, ToolUse
from apps.runs.goldens.domain.stuck_gates import is_stuck
from apps.runs.goldens.queries.replayed import replayed_conversations, turns_of
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.queries.progress import find_run
from apps.runs.playing.queries.simulator_counts import simulator_counts
from apps.statistics.decision import Decision, decide_run
from apps.statistics.reliability import pass_hat_k

PER_PAGE = 25
FAILING_FIRST = (Decision.FAIL, Decision.UNDECIDED, Decision.UNMEASURABLE, Decision.PASS, Decision.SKIPPED)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportLine:
    """A conversation of a report without its words. `checks`: (name, outcome) of each; `name`, `profile` are those of
    the golden session that it replays or re-simulates. `verdict` is decided once: a run may have 20,000 of them."""

    pk: uuid.UUID
    kind: str
    status: str
    blame: str | None
    error_code: str
    golden: str | None
    name: str | None
    transport: str | None
    profile: Any
    checks: tuple[tuple[str, str], ...]
    verdict: Decision = field(init=False)

    def __post_init__(self) -> None:
        by_agent = self.status != ConversationStatus.ENDED and self.blame == Blame.AGENT_QUALITY
        outcomes = (Decision(outcome) for _, outcome in self.checks)
        object.__setattr__(self, "verdict", decide_run(outcomes, agent_failed=by_agent, undecided=self.stuck))

    @property
    def has_golden(self) -> bool:
        return self.name is not None

    @property
    def replays(self) -> bool:
        return self.has_golden and self.kind == Kind.REPLAY

    @property
    def stuck(self) -> bool:
        """Tell whether the conversation stopped where only the words differ."""
        return is_stuck(status=self.status, code=self.error_code, blame=self.blame)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportPage:
    """A page of a report.

    `shown` are the documents of its conversations, `documents` those that were read for the sentence about the run;
    `stuck` counts replays that stopped where only the words differ.
    """

    head: Mapping[str, Any]
    documents: Sequence[Mapping[str, Any]]
    shown: Sequence[Mapping[str, Any]]
    page: Page[ReportLine]
    stuck: int


def run_report(run_id: uuid.UUID | str) -> dict[str, Any]:
    """The report.json (`report_of_rows`), and where somebody asked for one the `summary` that a model wrote of it. One
    query more."""
    report = report_of_rows(run_id)
    written = summary_document(uuid.UUID(report["test_run_id"]), report=report)
    if written is None:
        return report
    whole = {**report, "summary": written}
    del whole["digest"]
    return {**whole, "digest": sha256_hex(whole)}


def report_of_rows(run_id: uuid.UUID | str) -> dict[str, Any]:
    """The report of a run that has ended and whose checks are measured: failing conversations first.

    `digest` is of everything else in it. Conversations whose golden session was itself wrong (blame `golden`), and
    battles whose simulated customer was at fault (`simulator`), are shown and decide nothing. Eleven queries. Raises
    NotFound, and Conflict (`not_ended`) where something is still to come.
    """
    run = find_run(run_id)
    refuse_unfinished(run)
    lines = _lines(run)
    report = {**_head(run, lines), "conversations": _conversations(run, lines)}
    return {**report, "digest": sha256_hex(report)}


def report_page(run_id: uuid.UUID | str, *, number: int | str | None) -> ReportPage:
    """One page of the report, with the verdicts of the whole run. Eleven queries; words are read of the conversations
    of this page alone, and of all where they replay a golden session. Raises what `report_of_rows` raises."""
    run = find_run(run_id)
    refuse_unfinished(run)
    lines = _lines(run)
    page = Paginator(lines, PER_PAGE).get_page(number)
    documents = _conversations(run, lines if run.kind == Kind.REPLAY else list(page.object_list))
    ids = {str(line.pk) for line in page.object_list}
    return ReportPage(
        head={**_head(run, lines), "verdicts": dict(Counter(line.verdict.value for line in lines))},
        documents=documents,
        page=page,
        shown=[document for document in documents if document["id"] in ids],
        stuck=sum(line.stuck for line in lines),
    )


def _head(run: TestRun, lines: Sequence[ReportLine]) -> dict[str, Any]:
    """The part of a report about the whole run. Five queries."""
    counted = [line for line in lines if line.blame not in UNCOUNTED]
    return {
        "test_run_id": str(run.pk),
        "kind": run.kind,
        "transport": next((line.transport or run.frozen_plan.reached_by for line in lines if line.replays), ""),
        "verdict": decide_run(line.verdict for line in counted).value,
        **spent_on_run(run.pk).as_json(),
        **_run_fields(run),
        "evaluations": [
            {"id": str(pk), "evaluator_config": config}
            for pk, config in Evaluation.objects.filter(run=run).order_by("id").values_list("pk", "config_ref")
        ],
        "simulator": simulator_counts(run.pk),
        "outcomes": _outcomes(counted),
        "pass_hat_k": _reliability(counted),
        "warnings": profile_warnings(
            (judging_profile(line.profile, run.frozen_plan.agent_profile)[1],) for line in lines if line.has_golden
        ),
    }


def _lines(run: TestRun) -> list[ReportLine]:
    """The verdict of each conversation, failing ones first, else in the order they were played. Two queries."""
    checks: dict[uuid.UUID, list[tuple[str, str]]] = defaultdict(list)
    for pk, check, outcome in results_in_force(run_id=run.pk).values_list("conversation_id", "check_name", "outcome"):
        checks[pk].append((check, outcome))
    rows = Conversation.objects.filter(run=run).order_by("position")
    lines = [
        ReportLine(checks=tuple(checks[row["pk"]]), **row)
        for row in rows.values(
            "pk",
            "kind",
            "status",
            "blame",
            "error_code",
            golden=KT("spec__golden_session"),
            name=KT("spec__golden__name"),
            transport=KT("spec__transport"),
            profile=F("spec__golden__profile"),
        )
    ]
    return sorted(lines, key=lambda line: FAILING_FIRST.index(line.verdict))


def _conversations(run: TestRun, lines: Sequence[ReportLine]) -> list[dict[str, Any]]:
    """The documents of these conversations, in this order. Four queries."""
    ids = [line.pk for line in lines]
    rows = list(Conversation.objects.filter(run=run, pk__in=ids).order_by("position"))
    for row in rows:
        row.run = run
    replays = replayed_conversations(rows)
    plain = turns_of([row.pk for row in rows if row.pk not in replays])
    checks = _checks(run.pk, ids)
    verdicts = {line.pk: line.verdict for line in lines}
    documents = {
        row.pk: _conversation(row, verdicts[row.pk], checks[row.pk], replays.get(row.pk), plain.get(row.pk, ()))
        for row in rows
    }
    return [documents[pk] for pk in ids]


def refuse_unfinished(run: TestRun) -> None:
    """Refuse a run of which something is still to come. Raises Conflict `not_ended`. Two queries."""
    pending, waits = pending_checks(run_id=run.pk)
    if run.status not in RUN_TERMINAL or pending:
        over = run.status in RUN_TERMINAL
        what = f"{many(pending, 'conversation')} not checked yet" if over else f"it is {run.status}"
        for_what = f" (waiting for {waits})" if waits else ""
        raise Conflict(f"The run {run.pk} has no report yet: {what}{for_what}.", code="not_ended")


def _run_fields(run: TestRun) -> dict[str, Any]:
    plan = run.frozen_plan
    return {
        "name": run.name,
        "status": run.status,
        "agent": plan.agent_name,
        "subject": run.subject,
        "resimulates": list(plan.resimulates),
        "triggered_by": run.triggered_by,
        "started_at": format_timestamp(run.started_at) if run.started_at else None,
        "ended_at": format_timestamp(run.ended_at) if run.ended_at else None,
    }


def _checks(run_id: uuid.UUID, ids: Collection[uuid.UUID]) -> dict[uuid.UUID, list[CheckResult]]:
    checks: dict[uuid.UUID, list[CheckResult]] = defaultdict(list)
    for row in results_in_force(run_id=run_id).filter(conversation__in=ids).order_by("check_name", "subject"):
        checks[row.conversation_id].append(row)
    return checks


def _conversation(
    row: Conversation,
    verdict: Decision,
    checks: Sequence[CheckResult],
    replay: ReplayedConversation | None,
    turns: Sequence[Mapping[str, Any]],
) -> dict[str, Any]:
    divergences_found = divergences(replay.turns) if replay else ()
    first = first_that_matters(divergences_found)
    pairs = _plain(turns)
    way = _way(row, pairs) if not replay and row.spec.get("golden") else None
    shown = sorted(checks, key=lambda check: FAILING_FIRST.index(Decision(check.outcome)))
    return {
        "id": str(row.pk),
        "name": row.external_id,
        "golden": str(row.spec.get("golden_session") or ""),
        "repeat": int(row.spec.get("repeat") or 0),
        "language": row.language,
        "status": row.status,
        "blame": row.blame,
        "error": row.error_message,
        "error_code": row.error_code,
        "attempt": row.attempt,
        "simulator_verdict": row.simulator_verdict,
        **counting_of(status=row.status, blame=row.blame, simulator_verdict=row.simulator_verdict).as_json(),
        "resumed": (row.extra.get("replay") or {}).get("resumed"),
        "verdict": verdict.value,
        "checks": [_check(one) for one in shown],
        "turns": [_replayed(turn, one) for turn, one in zip(replay.turns, divergences_found, strict=True)]
        if replay
        else pairs,
        "first_divergence": _first(*first) if first else (_left(way) if way else None),
        "golden_way": _way_document(way) if way else None,
    }


def _way(row: Conversation, pairs: Sequence[Mapping[str, Any]]) -> GoldenWay:
    """Compare a re-simulation with its golden session."""
    replies = [
        SaidReply(number=pair["number"], position=pair["position"], text=pair["reply"], tools=tuple(pair["tools"]))
        for pair in pairs
    ]
    golden = row.spec["golden"]
    return golden_way(golden["document"], replies, golden=f"{golden['name']}, version {golden['number']}")


def _left(way: GoldenWay) -> dict[str, Any] | None:
    if way.left is None:
        return None
    return {"position": way.left.position, "number": way.left.number, "kind": LEFT_KIND, "why": way.sentence}


def _way_document(way: GoldenWay) -> dict[str, Any]:
    return {
        "sentence": way.sentence,
        "steps": [
            {"step": step.step, "shows": step.shows, "number": step.number, "in_order": step.in_order}
            for step in way.steps
        ],
        "tools_not_called": list(way.tools_not_called),
    }


def _check(row: CheckResult) -> dict[str, Any]:
    return {
        "check": row.check_name,
        "subject": row.subject,
        "outcome": row.outcome,
        "score": row.score,
        "threshold": row.threshold,
        "reason": row.reason,
        "error_code": row.error_code,
        "position": row.position,
        "evidence": row.evidence,
        "fingerprint": row.fingerprint,
    }


def _replayed(turn: ReplayedTurn, divergence: TurnDivergence) -> dict[str, Any]:
    return {
        "position": turn.position,
        "number": turn.number,
        "sent": turn.sent,
        "reply": turn.reply,
        "golden_reply": turn.golden_reply,
        "gate": turn.gate or None,
        "nudges": turn.nudges,
        "latency_ms": None if turn.latency_s is None else round(turn.latency_s * 1000),
        "golden_latency_ms": None if turn.golden_latency_s is None else round(turn.golden_latency_s * 1000),
        "tools": [tool.name for tool in turn.tools],
        "expected_tools": [tool.name for tool in turn.expected_tools if not tool.forbidden],
        "calls": [_call(use) for use in turn.tools],
        "golden_calls": [_call(use) for use in turn.golden_calls],
        "reached": turn.reached,
        "differences": [
            {**_difference(difference), "matters": difference.matters} for difference in divergence.differences
        ],
    }


def _call(use: ToolUse) -> dict[str, Any]:
    """A call as it was shown; arguments null where the transport shows none."""
    return {"name": use.name, "arguments": None if use.arguments is None else dict(use.arguments)}


def _first(turn: TurnDivergence, divergence: Divergence) -> dict[str, Any]:
    return {"position": turn.position, "number": turn.number, **_difference(divergence)}


def _difference(divergence: Divergence) -> dict[str, str]:
    return {"kind": divergence.kind.value, "why": divergence.why}


def _plain(turns: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """A conversation that replays nothing: what was said, in pairs."""
    plain_rows: list[dict[str, Any]] = []
    for turn in turns:
        if turn["role"] == "user" or not plain_rows:
            plain_rows.append(
                {
                    "position": turn["position"],
                    "number": len(plain_rows) + 1,
                    "sent": "",
                    "reply": "",
                    "golden_reply": "",
                    "gate": None,
                    "nudges": 0,
                    "latency_ms": None,
                    "tools": [],
                    "expected_tools": [],
                }
            )
        last = plain_rows[-1]
        side = "sent" if turn["role"] == "user" else "reply"
        last[side] = f"{last[side]}\n{turn['content']}".strip() if turn["role"] != "tool" else last[side]
        last["latency_ms"] = turn["latency_ms"] if turn["latency_ms"] is not None else last["latency_ms"]
        last["tools"] += [call["name"] for call in turn["tool_calls"] or ()]
    return plain_rows


def _outcomes(lines: Iterable[ReportLine]) -> dict[str, dict[str, int]]:
    """{check: {outcome: how many}}."""
    outcomes: dict[str, dict[str, int]] = {}
    for check, outcome in (one for line in lines for one in line.checks):
        outcomes.setdefault(check, {one.value: 0 for one in Decision})[outcome] += 1
    return dict(sorted(outcomes.items()))


def _reliability(lines: Sequence[ReportLine]) -> dict[str, Any]:
    """pass^k of each golden session that was repeated, k the number of its repeats that pass or fail (a desync fails);
    Yao et al. 2024 (tau-bench). Re-simulations are no repeats."""
    decided: dict[str, list[Decision]] = defaultdict(list)
    for line in lines:
        if line.golden and (line.replays or not line.has_golden):
            decided[line.golden] += [line.verdict] if line.verdict in _DECIDED else []
    reliability = {}
    for golden, verdicts in decided.items():
        if len(verdicts) > 1:
            passed = verdicts.count(Decision.PASS)
            by_k = {str(k): pass_hat_k(len(verdicts), passed, k) for k in range(1, len(verdicts) + 1)}
            reliability[golden] = {"n": len(verdicts), "passed": passed, "pass_hat_k": by_k}
    return reliability


_DECIDED = (Decision.PASS, Decision.FAIL)
