"""What the page of one gate shows: the decision, the chain of trust, every question, and what became of which case."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from apps.dashboard.domain.badges import Badge, look
from apps.dashboard.domain.sentences import Headline
from apps.gates.domain.gate_markdown import age_words, p_words
from apps.gates.domain.gate_states import GateStatus
from apps.gates.domain.paired_metrics import PASSED, SCORE
from apps.gates.domain.policy import policy_sentence
from apps.gates.models import PullRequestGate
from apps.gates.queries.gates import find_gate, gate_document

LINKS = {
    "persona_valid": "Persona valid",
    "battle_kept": "Battle kept",
    "judge_certified": "Judge certified",
    "quote_exact": "Quotes exact",
    "score": "Score",
    "gate": "Gate",
}
_NAMES = {SCORE: "Score", PASSED: "Cases that pass"}
_HEADS = {
    "pass": "May pass",
    "fail": "Must not pass: worse",
    "undecided": "Nobody can tell yet",
    "unmeasurable": "Could not be measured",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class GateLine:
    """One question: `turned` says how many cases were lost and gained, "" where no case can turn."""

    name: str
    kind: str
    language: str
    row: Mapping[str, Any]
    look: Badge
    p: str
    turned: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePage:
    """`gate` is the document of the API. `baseline` says in words what it was compared with."""

    row: PullRequestGate
    gate: Mapping[str, Any]
    headline: Headline
    look: Badge
    pending: bool
    baseline: str
    rule: str
    lines: Sequence[GateLine]
    links: Sequence[tuple[str, Mapping[str, Any], Badge]]
    cases: Sequence[tuple[Mapping[str, Any], Badge]]


def gate_page(gate_id: uuid.UUID | str) -> GatePage:
    """One query. Raises NotFound."""
    row = find_gate(gate_id)
    gate = gate_document(row, base="/")
    pending = row.status == GateStatus.PENDING
    return GatePage(
        row=row,
        gate=gate,
        headline=_headline(gate, pending=pending),
        look=look("verdict", row.decision) if row.decision else look("evaluation", "pending"),
        pending=pending,
        baseline=_baseline(gate),
        rule=policy_sentence(row.policy),
        lines=[_line(one) for one in gate["metrics"]],
        links=[(LINKS[one["link"]], one, look("gate_link", "holds" if one["holds"] else "missing"))
               for one in gate["chain"]],
        cases=[(one, look("case_change", one["change"])) for one in gate["cases"]],
    )  # fmt: skip


def _headline(gate: Mapping[str, Any], *, pending: bool) -> Headline:
    if pending:
        return Headline(text="Not decided yet", note=f"It waits: {gate['waiting_for'] or 'a worker takes it soon'}.")
    sentence = gate["reasons"][0]["sentence"] if gate["reasons"] else gate["sentence"]
    more = len(gate["reasons"]) - 1
    note = f"and {more} more reason{'' if more == 1 else 's'}, below" if more > 0 else ""
    head = _HEADS[gate["decision"]]
    if gate["decision"] in ("fail", "unmeasurable"):
        return Headline(text=f"{head}:" if gate["decision"] == "unmeasurable" else f"{head}.", but=sentence, note=note)
    return Headline(text=f"{head}: {sentence}", note=note)


def _baseline(gate: Mapping[str, Any]) -> str:
    baseline = gate["baseline"]
    if baseline is None:
        return "no baseline"
    commit = baseline["commit"][:12] or "of a commit nobody named"
    return f"baseline {commit}, {age_words(baseline['age_s'])} old when compared"


def _line(one: Mapping[str, Any]) -> GateLine:
    name, kind = one["metric"], ""
    if name.startswith("check:"):
        name, kind = (
            name.removeprefix("check:").removesuffix(":score"),
            "check, its score" if ":score" in name else "check",
        )
    elif name not in _NAMES:
        kind = "criterion"
    return GateLine(
        name=_NAMES.get(name, name),
        kind=kind,
        language=one["language"],
        row=one,
        look=look("gate_outcome", one["outcome"]),
        p=p_words(one["adjusted"]),
        turned=f"{len(one['lost'])} / {len(one['gained'])}" if one["share"] else "",
    )
