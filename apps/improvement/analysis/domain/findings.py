"""The material of an analyzer, its findings, and how far they can be believed. Pure; the counting is ours.

A run that is too long for one question is read in parts. Every finding keeps the conversations it names by label, so
that findings of several parts can be joined without losing which conversation said what.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from apps.evaluations.domain.evidence import Checker, EvidenceKind
from apps.evaluations.domain.parsing import ParseError, bound_objects
from apps.improvement.analysis.domain.counts import counted
from apps.improvement.analysis.domain.finding_keys import finding_keys

PART_CHARS = 60_000  # about 15,000 tokens of transcripts in one question
CONVERSATION_CHARS = 8_000  # a longer one is shown by its cited turns and their neighbours
MAX_FINDINGS = 20
_LABEL = re.compile(r"\W*+(?:conversation\s*+)?#?c?\s*+0*(\d{1,6})\W*+", re.I)  # "[C3]", "Conversation C3", "c3", "3"


@dataclass(frozen=True, slots=True, kw_only=True)
class Failing:
    """A criterion that a conversation fails: its score, and what the judge said about it."""

    score: float
    reason: str
    quotes: tuple[str, ...] = ()
    turns: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalysedConversation:
    """One judged conversation. `label` (C1, C2 …) is what the analyzer calls it; its own id may say anything."""

    label: str
    conversation_id: str
    turns: Sequence[Mapping[str, Any]]
    failing: Mapping[str, Failing]


@dataclass(frozen=True, slots=True, kw_only=True)
class ClaimedFinding:
    """A finding as the analyzer made it."""

    title: str
    criteria: tuple[str, ...]
    section: str
    suggestion: str
    labels: tuple[str, ...]
    quotes: tuple[tuple[str, str], ...]  # label, quote


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A claim after checking. `conversations` are those that were shown and fail one of the criteria: n counts them.

    `support` is the best evidence it has: words of a conversation that fails (exact), a summary that claims no more
    conversations than were shown (pattern), or neither. A pattern is acceptable, and weaker than a quote. `doubts` say
    why it sinks: no evidence, no such conversation, contradicted by the scores or by another finding.
    """

    title: str
    criteria: tuple[str, ...]
    section: str
    suggestion: str
    conversations: tuple[str, ...]
    claimed: int
    support: EvidenceKind
    evidence: tuple[Mapping[str, Any], ...] = ()
    doubts: tuple[str, ...] = field(default=())

    def as_json(self) -> dict[str, Any]:
        return {
            "title": self.title,
            "criteria": list(self.criteria),
            "section": self.section,
            "suggestion": self.suggestion,
            "conversations": list(self.conversations),
            "n": len(self.conversations),
            "claimed": self.claimed,
            "support": self.support.value,
            "evidence": [dict(one) for one in self.evidence],
            "doubts": list(self.doubts),
        }


def parts_of(
    subjects: Sequence[AnalysedConversation], sizes: Sequence[int], *, limit: int = PART_CHARS
) -> list[list[AnalysedConversation]]:
    """The subjects in as few parts as hold them, in their order; one that is larger than a part stands alone."""
    parts: list[list[AnalysedConversation]] = []
    room = 0
    for subject, size in zip(subjects, sizes, strict=True):
        if not parts or size > room:
            parts.append([])
            room = limit
        parts[-1].append(subject)
        room -= size
    return parts


def shown_turns(subject: AnalysedConversation, *, limit: int = CONVERSATION_CHARS) -> list[int]:
    """The numbers of the turns to show: all of a short conversation, else what is cited, neighbours and both ends."""
    sizes = [len(str(turn.get("content") or "")) + 20 for turn in subject.turns]
    if sum(sizes) <= limit:
        return list(range(len(sizes)))
    cited = [number for failing in subject.failing.values() for number in failing.turns]
    wanted = [near for number in cited for near in (number, number - 1, number + 1)]
    last = len(sizes) - 1
    chosen: dict[int, None] = {}
    room = limit
    for number in (*wanted, last, 0, last - 1, 1):
        if 0 <= number <= last and number not in chosen and sizes[number] <= room:
            chosen[number] = None
            room -= sizes[number]
    return sorted(chosen)


def _single_answer(answers: Sequence[dict[str, Any]], key: str, text: str) -> dict[str, Any]:
    """The answer of a reply that has a list under `key`. Raises ParseError where there is none, and where there are two
    that differ."""
    bound = [value for value in answers if isinstance(value.get(key), list)]
    if not bound:
        raise ParseError(f"the reply has no object with {key} and the nonce of the question", raw=text)
    if any(value[key] != bound[-1][key] for value in bound):
        raise ParseError(f"the reply has several objects with {key} that differ", raw=text)
    return bound[-1]


def read_claims(text: str, *, criteria: Sequence[str], nonce: str) -> list[ClaimedFinding]:
    """The findings in a reply. Unknown criteria are dropped, so is a finding without words. Raises ParseError."""
    raws = _single_answer(finding_keys(nonce).read(text, nonce=nonce), "findings", text)["findings"]
    claims = [_claim(raw, criteria) for raw in raws if isinstance(raw, Mapping)]
    return [claim for claim in claims if claim.title or claim.suggestion][:MAX_FINDINGS]


def read_groups(text: str, key: str, *, nonce: str) -> list[list[str]]:
    """Groups of findings' keys in the reply to the joining question. Raises ParseError."""
    return [_texts(group) for group in _single_answer(bound_objects(text, nonce=nonce), key, text)[key]]


def _claim(raw: Mapping[str, Any], criteria: Sequence[str]) -> ClaimedFinding:
    known = {name.lower(): name for name in criteria}
    named = [known.get(name.strip().lower()) for name in _texts(raw.get("criteria"))]
    quotes = [
        (_label(str(one.get("conversation") or "")), str(one.get("quote") or "").strip())
        for one in raw.get("evidence") or ()
        if isinstance(one, Mapping)
    ]
    return ClaimedFinding(
        title=_text(raw.get("title")),
        criteria=tuple(dict.fromkeys(name for name in named if name)),
        section=_text(raw.get("section")),
        suggestion=_text(raw.get("suggestion")),
        labels=tuple(dict.fromkeys(_label(text) for text in _texts(raw.get("conversations")))),
        quotes=tuple(pair for pair in quotes if pair[1])[:10],
    )


def _label(label: str) -> str:
    """C3 however it was written; anything else as it came."""
    match = _LABEL.fullmatch(label)
    return f"C{int(match[1])}" if match else label.strip()


def _text(value: Any) -> str:
    return " ".join(str(value).split())[:2000] if isinstance(value, str) else ""


def _texts(value: Any) -> list[str]:
    return [str(one).strip() for one in value if isinstance(one, str | int)] if isinstance(value, list) else []


def share_a_criterion(claims: Sequence[ClaimedFinding]) -> bool:
    """Tell whether two of them are about the same criterion, so that they may say the same or the opposite."""
    named = [name for claim in claims for name in claim.criteria]
    return len(set(named)) < len(named)


def joined(claims: Mapping[str, ClaimedFinding], groups: Sequence[Sequence[str]]) -> dict[str, ClaimedFinding]:
    """Claims of several parts made one where they say the same: the words of the first, the conversations of all.

    `groups` name claims by their key; unknown keys and second mentions are ignored, what no group names stays.
    """
    findings = dict(claims)
    for group in groups:
        keys = [key for key in dict.fromkeys(group) if key in findings]
        if len(keys) < 2:
            continue
        first, *others = (findings[key] for key in keys)
        for key in keys[1:]:
            del findings[key]
        findings[keys[0]] = replace(
            first,
            criteria=tuple(dict.fromkeys(name for one in (first, *others) for name in one.criteria)),
            labels=tuple(dict.fromkeys(label for one in (first, *others) for label in one.labels)),
            quotes=tuple(dict.fromkeys(quote for one in (first, *others) for quote in one.quotes))[:10],
        )
    return findings


def checked(
    claims: Mapping[str, ClaimedFinding],
    subjects: Sequence[AnalysedConversation],
    *,
    contradicting: Sequence[Sequence[str]] = (),
) -> list[Finding]:
    """Return every claim compared with what was shown.

    Those with a quote come first, then those with a pattern, then those that sink; within each by how many
    conversations they hold for.

    `contradicting` are groups of keys of claims that cannot all be followed: each of them sinks.
    """
    by_label = {subject.label: subject for subject in subjects}
    opposed = {key for group in contradicting if len(group) > 1 for key in group}
    checkers: dict[str, Checker] = {}
    findings = [_checked(claim, by_label, checkers, opposed=key in opposed) for key, claim in claims.items()]
    return sorted(findings, key=_rank)


def _rank(finding: Finding) -> tuple[bool, bool, int, str]:
    return bool(finding.doubts), finding.support is not EvidenceKind.EXACT, -len(finding.conversations), finding.title


def _checked(
    claim: ClaimedFinding, by_label: Mapping[str, AnalysedConversation], checkers: dict[str, Checker], *, opposed: bool
) -> Finding:
    labels = dict.fromkeys((*claim.labels, *(label for label, _ in claim.quotes if label)))
    shown = len(by_label)
    there = [by_label[label] for label in labels if label in by_label]
    holds = [subject for subject in there if any(name in subject.failing for name in claim.criteria)]
    evidence = [_evidence(label, quote, by_label, checkers) for label, quote in claim.quotes]
    doubts = []
    if not there:
        doubts.append("it names no conversation that was shown")
    elif not holds:
        doubts.append("contradicted by the scores: no conversation it names fails these criteria")
    support = _support(evidence, {subject.conversation_id for subject in holds})
    quoted = any(one["kind"] == EvidenceKind.EXACT for one in evidence)
    if support is EvidenceKind.UNVERIFIED and not quoted:
        doubts.append("no quote of it stands in a transcript")
    elif support is EvidenceKind.UNVERIFIED and holds:
        doubts.append("no quote of it stands in a conversation that fails these criteria")
    if opposed:
        doubts.append("contradicted by another finding")
    return Finding(
        title=counted(claim.title, len(holds), of=shown),
        criteria=claim.criteria,
        section=claim.section,
        suggestion=counted(claim.suggestion, len(holds), of=shown, only_after_a_preposition=True),
        conversations=tuple(subject.conversation_id for subject in holds),
        claimed=len(labels),
        support=support,
        evidence=tuple(evidence),
        doubts=tuple(doubts),
    )


def _support(evidence: Sequence[Mapping[str, Any]], failing: Collection[str]) -> EvidenceKind:
    if any(one["kind"] == EvidenceKind.EXACT and one["conversation"] in failing for one in evidence):
        return EvidenceKind.EXACT
    return (
        EvidenceKind.PATTERN
        if any(one["kind"] == EvidenceKind.PATTERN for one in evidence)
        else EvidenceKind.UNVERIFIED
    )


def _evidence(
    label: str, quote: str, by_label: Mapping[str, AnalysedConversation], checkers: dict[str, Checker]
) -> dict[str, Any]:
    """A quote in the conversation it names; a summary may speak of no more conversations than were shown."""
    subject = by_label.get(label)
    if label not in checkers:
        checkers[label] = Checker(subject.turns if subject else ())
    verdict = checkers[label].verify(quote, conversations=len(by_label))
    return {
        "conversation": subject.conversation_id if subject else label,
        "quote": verdict.quote,
        "turn": verdict.turn,
        "kind": verdict.kind.value,
        "repair": verdict.repair.value if verdict.repair else None,
        "source": verdict.source,
    }
