"""A gate's answer in words: the one table of which the comment, the terminal, JUnit, the page and the file are made.
Nothing is escaped here. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from apps.core.cost_words import cost_parts, dollars
from apps.core.portable.first_names import listed
from apps.gates.domain.gate_floor import looser_fields, shown
from apps.gates.domain.gate_states import GateKind, GateReasonCode
from apps.gates.domain.metric_titles import QUESTIONS, criterion_title, metric_title
from apps.gates.domain.policy import MAX_LOOKS, GatePolicy, read_policy

LINK_WORDS = {
    "persona_valid": "personas approved",
    "battle_kept": "customers kept to their part",
    "judge_certified": "judge compared with people",
    "quote_exact": "quotes stand in the conversations",
    "score": "scored",
    "gate": "decided",
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
NAMES_SHOWN = 5
_NOT_COMPARED = (GateReasonCode.LATENCY_UNKNOWN, GateReasonCode.TOKENS_UNKNOWN)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionWords:
    """Words of one question.

    `turned` says how many cases were lost and gained, "" where no case can turn; `kind` is "" for the score and the
    share that passes.
    """

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
    """The head of a gate's page, from the document that the API gives."""
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


def link_title(link: str) -> str:
    """A step of the chain, at the beginning of a line."""
    return f"{LINK_WORDS[link][:1].upper()}{LINK_WORDS[link][1:]}"


def baseline_words(gate: Mapping[str, Any]) -> str:
    """The baseline that the gate compared with, in words."""
    baseline = gate["baseline"]
    if baseline is None:
        return "no baseline"
    commit = baseline["commit"][:12] or "of a commit nobody named"
    when = "" if baseline["beside"] else " when compared"
    return f"baseline {commit}, {baseline_origin(baseline)}{when}"


def question_words(one: Mapping[str, Any]) -> QuestionWords:
    """The words for one question, from an entry of `metrics`."""
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


def kind_note(gate: Mapping[str, Any]) -> str:
    """The consequence of the gate's decision, in words; "" where the decision alone tells it."""
    if gate["kind"] == "blocking":
        return " (blocks)" if gate.get("blocks") else ""
    if gate["blocks"]:
        return ""
    return ", let through by advisory_loss: warn" if gate["decision"] == "fail" else " (advisory)"


def baseline_origin(baseline: Mapping[str, Any]) -> str:
    """Say where the baseline comes from: played by this gate, or stored, with its age."""
    return (
        "played by this gate, since none was stored"
        if baseline["beside"]
        else f"stored, {age_words(baseline['age_s'])} old"
    )


def age_words(seconds: int) -> str:
    """Return an age in words: "3 days", "5 h", "12 min"."""
    if seconds >= 86_400:
        days = seconds // 86_400
        return f"{days} day{'' if days == 1 else 's'}"
    return f"{seconds // 3600} h" if seconds >= 3600 else f"{seconds // 60} min"


def change_words(one: Mapping[str, Any]) -> str:
    """Return a case's change in words, for example "lost".

    Where a case passes now and yet has fewer points, or the reverse, the words say both.
    """
    word, difference = str(one["change"]).replace("_", " "), one["difference"]
    if difference and one["change"] in ("gained", "lost") and (difference < 0) is (one["change"] == "gained"):
        verb = "passes" if one["change"] == "gained" else "fails"
        return f"{verb} now, {'fewer' if difference < 0 else 'more'} points"
    return word


def p_words(p: float | None) -> str:
    """A corrected p in words."""
    if p is None:
        return "–"
    return "< 0.001" if p < 0.001 else f"{p:.3f}"


def p_equals(p: float | None) -> str:
    """Return p as in a sentence: `p = 0.031`, `p < 0.001`."""
    return "p unknown" if p is None else f"p {'' if p < 0.001 else '= '}{p_words(p)}"


def why_words(case: Mapping[str, Any]) -> str:
    """A case of the gate's document in one line: what fails hard in it, and why the judge gave what it gave."""
    words = case.get("said")
    if not words or not words["reason"]:
        return str(case["why"])
    moved = " to ".join(f"{one:g}" for one in (words["before"], words["after"]) if one is not None)
    judged = f"{words.get('title') or criterion_title(words['criterion'], {})} {moved}: {words['reason']}"
    return f"{case['why'].rstrip('.')}; {judged}" if case["why"] else judged


def gate_cost_words(gate: Mapping[str, Any]) -> str:
    """Return the cost of a gate in words, from the document that the API gives.

    `$4.10 of $20.00`; `at least $4.10 of $20.00 (3 of 90 calls have no price)`; `unknown: 90 of 90 calls have no
    price`.
    """
    cost, unpriced = cost_parts(gate["known_cost_usd"], calls=gate["model_calls"], unpriced=gate["calls_without_price"])
    budget = "" if gate["budget_usd"] is None else dollars(gate["budget_usd"])
    if unpriced and not gate["known_cost_usd"]:
        return f"{cost}: {unpriced}{f' (budget {budget})' if budget else ''}"
    return f"{cost}{f' of {budget}' if budget else ''}{f' ({unpriced})' if unpriced else ''}"


def gate_notes(gate: Mapping[str, Any], *, provider: str) -> list[str]:
    """Return the notes beside a gate, from the API's document of it and the provider of the judge's model. Pure.

    They say that the offline rules judged, what was kept from coming back to customers, that cases were repeated, that
    the second judge was left out, and that nobody set a floor.
    """
    notes = (_offline(provider), _prevented(gate), _repeated(gate), _not_cross_checked(gate), _no_floor(gate))
    return [note for note in notes if note]


def lasting_notes(gate: Mapping[str, Any]) -> list[str]:
    """Return notes that are mostly the same from gate to gate.

    They say that nobody set a floor, what is not compared, and the first missing link of the chain. A comment shows the
    new ones at its end. Pure.
    """
    missing = next((one for one in gate["chain"] if not one["holds"]), None)
    sentences = [
        _no_floor(gate),
        *(reason["sentence"] for reason in gate["reasons"] if reason.get("code") in _NOT_COMPARED),
        f"Not so: {LINK_WORDS[missing['link']]} ({missing['why']})." if missing else "",
    ]
    return [sentence for sentence in sentences if sentence]


def _prevented(gate: Mapping[str, Any]) -> str:
    names = [one["scenario"] for one in gate["prevented"]]
    if not names:
        return ""
    subject = "This happened" if len(names) == 1 else "These happened"
    return f"Prevented: {listed(names, NAMES_SHOWN)}. {subject} to a real customer before, and would have again."


def _offline(provider: str) -> str:
    return "Judged by the offline rules: no model was asked." if provider == "offline" else ""


def _no_floor(gate: Mapping[str, Any]) -> str:
    if gate["floor"] is not None:
        return ""
    kind = GateKind(gate["kind"])
    default = GatePolicy(looks=MAX_LOOKS)  # a second look shares the chance of error of the first: it asks no less
    looser = looser_fields(read_policy(gate["policy"]), default, kind)
    fields = ", ".join(
        f"{looser_field.name} {shown(looser_field.asked)} (default {shown(looser_field.floor)})"
        for looser_field in looser
    )
    other = f" It differs from the default rule: {fields}." if looser else ""
    return (
        "Nobody had set the least that this agent's gates must ask (Results → Floors), so the rule is the "
        f"repository's own.{other}"
    )


def _repeated(gate: Mapping[str, Any]) -> str:
    counts = gate["counts"]
    if gate["first_look"] is None or not counts or not counts["baseline"]:
        return ""
    here, there = (counts[side]["repeats"] for side in ("candidate", "baseline"))
    return (
        f"Repeated: the first look could not tell, so the cases were played again, now {here} times by the candidate "
        f"and {there} times by the baseline. Each of the two looks has half of the declared chance of error."
    )


def _not_cross_checked(gate: Mapping[str, Any]) -> str:
    left_out = gate["not_cross_checked"]
    if not left_out:
        return ""
    many = f"{left_out} conversation{'' if left_out == 1 else 's'}"
    return f"The budget is nearly spent, so the second judge was left out: {many} chosen for a cross-check got none."
