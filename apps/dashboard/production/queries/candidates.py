"""The content of the pages of candidates: conversations that wait for a person before they become tests."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Q

from apps.catalog.measured_metrics import measured_metrics
from apps.catalog.models import Criterion, PromptLine
from apps.catalog.scenarios.domain.document import can_fail
from apps.core.plurals import many
from apps.dashboard.conversations.domain.marking import Piece, name_pieces
from apps.dashboard.domain.sentences import Headline
from apps.dashboard.queries.criterion_titles import NAMES, Titles
from apps.production.models import Promotion
from apps.production.privacy.domain.second_check import MAX_HITS
from apps.production.promotion.queries.candidates import CandidateGroup, CandidateInbox, candidate_inbox, waiting_alike
from apps.production.promotion.services.candidates import find_promotion
from apps.runs.models import TestRun

_PASS_MARK = 6.0
_WORDS = {
    "thumbs_down": "Thumbs down",
    "thumbs_up": "Thumbs up",
    "comment": "Comment",
    "failed_criterion": "Failed",
    "failed_check": "Failed",
    "by_hand": "Chosen by hand",
    "surprisingly_good": "Surprisingly good",
    "surprisingly_bad": "Surprisingly bad",
}
_RESIDUE_WORDS = {
    "digits": "digits in pieces that make a phone number together",
    "spelled": "a number said in words",
    "across_turns": "a number in pieces over several messages",
    "name": "a listed name in other letters",
    "email": "an address said in words",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownSignal:
    """Reason why a candidate is here."""

    words: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownCandidate:
    """A row of the inbox; `others` ask for the same thing in nearly the same words."""

    row: Promotion
    title: str
    signals: Sequence[ShownSignal]
    forbidden: Sequence[str]
    others: Sequence["ShownCandidate"] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateInboxPage:
    headline: Headline
    note: str
    waiting: Sequence[ShownCandidate]
    decided: Sequence[ShownCandidate]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateTurn:
    """One masked message, as a transcript shows it."""

    turn: Mapping[str, Any]
    number: int
    who: str
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidatePage:
    """One candidate. `criteria` and `metrics` are what a person may choose from; `residues` is what masking may have
    left ([(words, turn, quote)])."""

    headline: Headline
    row: Promotion
    signals: Sequence[ShownSignal]
    turns: Sequence[CandidateTurn]
    must_not: Sequence[tuple[str, str, float]]
    metrics_asked: Sequence[tuple[str, float]]
    other_assertions: int
    can_fail: bool
    residues: Sequence[tuple[str, int, str]]
    criteria: Sequence[tuple[str, str]]
    metrics: Sequence[str]
    pass_mark: float
    most_residues: int
    agent: str  # whose conversation it was; "" where nobody knows
    prompt: str  # the name of that agent's prompt, "" where none is recorded
    alike: Sequence[ShownCandidate]


def candidate_inbox_page(*, titles: Titles = NAMES) -> CandidateInboxPage:
    """Return the inbox of candidates. Two queries."""
    inbox = candidate_inbox()
    return CandidateInboxPage(
        headline=_inbox_headline(inbox),
        note=_inbox_note(inbox),
        waiting=[_shown_group(group, titles) for group in inbox.groups],
        decided=[_shown(row, titles) for row in inbox.decided],
    )


def candidate_page(promotion_id: uuid.UUID, *, titles: Titles = NAMES) -> CandidatePage:
    """Return the page of a candidate. Five queries. Raises NotFound."""
    row = find_promotion(promotion_id)
    agent = _agent_of(row)
    scenario = row.scenario
    metric_assertions = [assertion for assertion in scenario.assertions if "metric" in assertion]
    names = list(Criterion.objects.order_by("name").values_list("name", flat=True))
    return CandidatePage(
        headline=_headline(row),
        row=row,
        signals=[_signal(signal) for signal in row.signals],
        turns=[
            CandidateTurn(
                turn=turn | {"tool_calls": [_shown_call(tool_call) for tool_call in turn.get("tool_calls") or ()]},
                number=number,
                who={"user": "customer", "assistant": "agent"}.get(turn["role"], turn["role"]),
                pieces=name_pieces(turn["content"]),
            )
            for number, turn in enumerate(row.transcript)
        ],
        must_not=[
            (one["criterion"], titles.get(one["criterion"], one["criterion"]), one["below"])
            for one in scenario.must_not
        ],
        metrics_asked=[(assertion["metric"], assertion.get("threshold")) for assertion in metric_assertions],
        other_assertions=len(scenario.assertions) - len(metric_assertions),
        can_fail=can_fail(scenario.assertions, scenario.must_not),
        residues=[
            (_RESIDUE_WORDS.get(residue["kind"], residue["kind"]), residue["turn"], residue.get("quote", ""))
            for residue in row.residues
        ],
        criteria=[(name, titles.get(name, name)) for name in names],
        metrics=measured_metrics(),
        pass_mark=_PASS_MARK,
        most_residues=MAX_HITS,
        agent=agent,
        prompt=_prompt_of(row, agent),
        alike=[_shown(promotion, titles) for promotion in waiting_alike(row)],
    )


def _agent_of(row: Promotion) -> str:
    run: Any = TestRun.objects.select_related("agent").filter(conversations=row.conversation_id).first()
    if run is None:
        return ""
    return run.agent.name if run.agent else str(run.subject.get("agent") or "")


def _prompt_of(row: Promotion, agent: str) -> str:
    """Return the prompt that the candidate's conversation named, else the agent's.

    The agent has the prompt, or the prompt has its name.
    """
    named = str(row.scenario.provenance.get("prompt_version") or "").partition("@")[0]
    lines = PromptLine.objects.filter(Q(name=named) | Q(agent__name=agent) | Q(name=agent))
    names = list(lines.order_by("name").values_list("name", flat=True))
    return named if named in names else next(iter(names), "")


def _inbox_headline(inbox: CandidateInbox) -> Headline:
    if not inbox.groups:
        return Headline(text="No conversation waits to become a test.")
    waiting, groups = inbox.waiting + inbox.older, len(inbox.groups)
    verb, become = ("waits", "a test") if waiting == 1 else ("wait", "tests")
    alike = f" They ask for {many(groups, 'different thing')}." if groups < inbox.waiting else ""
    return Headline(text=f"{many(waiting, 'conversation')} {verb} for you to become {become}.{alike}")


def _inbox_note(inbox: CandidateInbox) -> str:
    parts = []
    if inbox.older:
        verb = "comes" if inbox.older == 1 else "come"
        parts.append(f"{many(inbox.older, 'older one')} {verb} into view when you have decided about these.")
    if inbox.undecided:
        verb = "says" if inbox.undecided == 1 else "say"
        parts.append(f"{inbox.undecided} {verb} nothing yet of what must not happen again.")
    if inbox.blocked:
        verb = "needs" if inbox.blocked == 1 else "need"
        parts.append(f"{inbox.blocked} {verb} a look at the masking first.")
    return " ".join(parts)


def _headline(row: Promotion) -> Headline:
    scenario = row.scenario
    if scenario.status == "released":
        return Headline(text=f"{scenario.slug} is a test: {scenario.released_by} released it.")
    if scenario.status == "archived":
        return Headline(text=f"{scenario.slug} is archived and is not played.")
    if row.blocked:
        return Headline(text="Masking may have left something of a person here: look at it first.")
    if row.keeps_good and not can_fail(scenario.assertions, scenario.must_not):
        return Headline(text="It went surprisingly well. What must stay so? It is released once you say so.")
    if not can_fail(scenario.assertions, scenario.must_not):
        return Headline(text="What must not happen again? It is released once you say so.")
    return Headline(text="This conversation can become a test: release it, or archive it.")


def _shown_group(group: CandidateGroup, titles: Titles) -> ShownCandidate:
    return replace(_shown(group.first, titles), others=[_shown(row, titles) for row in group.others])


def _shown(row: Promotion, titles: Titles) -> ShownCandidate:
    scenario = row.scenario
    forbidden = [
        *(f"{titles.get(one['criterion'], one['criterion'])} below {one['below']:g}" for one in scenario.must_not),
        *(
            f"{assertion['metric']} below {assertion['threshold']:g}"
            for assertion in scenario.assertions
            if "threshold" in assertion
        ),
    ]
    return ShownCandidate(
        row=row,
        title=_title(row),
        signals=[_signal(signal) for signal in row.signals[:3]],
        forbidden=forbidden,
    )


def _title(row: Promotion) -> str:
    """The customer's wish in their own words: the longest of their first three messages."""
    messages = [turn["content"] for turn in row.transcript if turn["role"] == "user"][:3]
    longest = max(messages, key=len, default=row.scenario.slug)
    return longest if len(longest) <= 140 else f"{longest[:138]} …"


def _shown_call(call: Mapping[str, Any]) -> dict[str, Any]:
    """Return a call's masked arguments, and the beginning of the digest of the original ones."""
    arguments = call["arguments"]
    masked = arguments.get("masked", {})
    shown = masked if isinstance(masked, Mapping) else {"": masked}
    digest = str(arguments.get("hmac_sha256") or arguments.get("sha256") or "")[:12]
    return {"name": call["name"], "arguments": {**shown, **({"digest of the original": digest} if digest else {})}}


def _signal(one: Mapping[str, Any]) -> ShownSignal:
    return ShownSignal(words=_WORDS.get(one["kind"], one["kind"]), text=str(one.get("text") or ""))
