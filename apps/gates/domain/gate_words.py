"""A gate's answer in the words of its pages: the page in the window and the file say the same."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.gates.domain.gate_markdown import baseline_origin, p_words
from apps.gates.domain.metric_titles import QUESTIONS, metric_title

LINK_TITLES = {
    "persona_valid": "Personas approved",
    "battle_kept": "Customers kept to their part",
    "judge_certified": "Judge compared with people",
    "quote_exact": "Quotes stand in the conversations",
    "score": "Scored",
    "gate": "Decided",
}
OUTCOMES = {"loss": "worse", "possible": "cannot tell", "no_loss": "no loss"}
CHANGES = {
    "lost": "lost",
    "worse": "worse",
    "gone": "only in the baseline",
    "left_out": "not measured",
    "new": "only in the candidate",
    "gained": "gained",
    "better": "better",
}
_HEADS = {
    "pass": "May pass",
    "fail": "Must not pass: worse",
    "undecided": "Nobody can tell yet",
    "unmeasurable": "Could not be measured",
}
_LET_THROUGH = "Worse, and let through (advisory)"


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """One question: `turned` says how many cases were lost and gained, "" where no case can turn; `kind` is "" for the
    score and the share that passes."""

    name: str
    kind: str
    language: str
    p: str
    turned: str


@dataclass(frozen=True, slots=True, kw_only=True)
class GateHead:
    """The first line: `text`, what decided it, and what there is more to read. `bad`: it stops or measured nothing."""

    text: str
    sentence: str
    note: str = ""
    bad: bool = False


def gate_head(gate: Mapping[str, Any]) -> GateHead:
    """Of the document that the API gives."""
    if gate["decision"] is None:
        return GateHead(text="Not decided yet", sentence=f"It waits: {gate['waiting_for'] or 'a worker'}.")
    sentence = gate["reasons"][0]["sentence"] if gate["reasons"] else gate["sentence"]
    more = len(gate["reasons"]) - 1
    note = f"and {more} more reason{'' if more == 1 else 's'}, below" if more > 0 else ""
    bad = gate["decision"] in ("fail", "unmeasurable")
    let_through = gate["decision"] == "fail" and not gate["blocks"]
    return GateHead(
        text=_LET_THROUGH if let_through else _HEADS[gate["decision"]], sentence=sentence, note=note, bad=bad
    )


def baseline_words(gate: Mapping[str, Any]) -> str:
    """What it was compared with."""
    baseline = gate["baseline"]
    if baseline is None:
        return "no baseline"
    commit = baseline["commit"][:12] or "of a commit nobody named"
    when = "" if baseline["beside"] else " when compared"
    return f"baseline {commit}, {baseline_origin(baseline)}{when}"


def question_words(one: Mapping[str, Any]) -> QuestionWords:
    """Of one entry of `metrics`."""
    name, kind = str(one["metric"]), ""
    if name.startswith("check:"):
        kind = "check, its score" if name.endswith(":score") else "check"
    elif name not in QUESTIONS:
        kind = "criterion"
    title = one.get("title") or metric_title(name, {})
    return QuestionWords(
        name=f"{title[:1].upper()}{title[1:]}",
        kind=kind,
        language=one["language"],
        p=p_words(one["adjusted"]),
        turned=f"{len(one['lost'])} / {len(one['gained'])}" if one["share"] else "",
    )
