"""The content of the conversation page: the chat, and one judgement beside it."""

import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import count
from statistics import median
from typing import Any

from apps.core.conversation import TurnPurpose, TurnRole
from apps.core.errors import NotFound
from apps.dashboard.conversations.domain.marking import Piece, pieces
from apps.dashboard.conversations.domain.personas import persona_of
from apps.dashboard.conversations.domain.uncertainty_text import (
    ShownOpinion,
    doubt_sentence,
    flips_sentence,
    opinions_of,
)
from apps.dashboard.conversations.queries.checks import ChecksPanel, checks_panel
from apps.dashboard.conversations.queries.held_expectations import HeldExpectation, expectations_of
from apps.dashboard.conversations.queries.verdicts import mark_of_scores
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import conversation_look, look, score_look
from apps.dashboard.domain.sentences import Headline, conversation_headline
from apps.dashboard.queries.criterion_titles import NAMES, Titles
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.figures.domain.uncertainty import Uncertainty
from apps.evaluations.figures.queries.flips import flips_of
from apps.evaluations.figures.queries.uncertainty import Uncertainties, uncertainties_of
from apps.evaluations.models import CriterionScore, Judgement
from apps.runs.domain.counting import Counting, counting_of
from apps.runs.domain.kind_traits import traits_of
from apps.runs.domain.states import Kind
from apps.runs.goldens.domain.replay_script import script_of
from apps.runs.models import Conversation, SimulatorReview, Turn
from apps.runs.playing.queries.simulator_counts import reviews_of
from apps.statistics.decision import Decision, decide


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownTurn:
    """Turn as the page shows it.

    `number` is its place in the transcript that judges read; None for a nudge, which they do not read.
    """

    turn: Turn
    number: int | None
    who: str
    pieces: Sequence[Piece]


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownEvidence:
    """A quote below the reason; `mark` is its id in the chat, `found` whether it is marked there."""

    mark: str
    kind: str
    quote: str
    turn: int | None
    repair: str
    found: bool
    by_customer: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ShownScore:
    score: CriterionScore
    look: Badge
    evidence: Sequence[ShownEvidence]
    width: float
    mark_at: float
    decision: str = ""
    doubt: str = ""
    opinions: Sequence[ShownOpinion] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationPage:
    conversation: Conversation
    headline: Headline
    persona: str
    attempt: int  # whose turns these are; the last one counts
    other_attempts: Sequence[int]
    last_attempt: str  # its address where another one is shown: evidence is a quote from it
    turns: Sequence[ShownTurn]
    median_latency_ms: int | None
    seconds: float | None
    judgement: Judgement | None
    judgements: Sequence[Judgement]
    scores: Sequence[ShownScore]
    score_look: Badge
    decision: str
    flips: str
    checks: ChecksPanel
    must_not: Sequence[HeldExpectation]
    simulator_reviews: Sequence[SimulatorReview]

    @property
    def counting(self) -> Counting:
        """Tell whether the conversation counts, and why."""
        row = self.conversation
        return counting_of(status=row.status, blame=row.blame, simulator_verdict=row.simulator_verdict)


def conversation_page(
    conversation_id: uuid.UUID, *, evaluation: str, asked: Mapping[str, str], attempt: str = "", titles: Titles = NAMES
) -> ConversationPage:
    """All of the page: the newest judgement, or that of the evaluation asked for; the turns of the last attempt, or of
    the one asked for. `asked` filters its checks, `titles` is what its sentence calls criteria. Raises NotFound. Eight
    queries, one more where it was attempted twice, one for a battle, and up to three for each further grading."""
    conversation = _found(conversation_id)
    judgements = _judgements(conversation)
    judgement = _chosen(conversation, judgements, evaluation)
    scores = _worst_first(judgement)
    attempts = _attempts(conversation)
    shown = _shown_attempt(conversation, attempts, attempt)
    turns = list(Turn.objects.filter(conversation=conversation, attempt=shown).order_by("position"))
    marks = _marks(scores, judgement) if shown == conversation.attempt else {}  # the last attempt was judged
    shown_turns = _shown_turns(turns, marks, conversation)
    held = {name for shown_turn in shown_turns for piece in shown_turn.pieces for name in piece.marks.split()}
    doubts, whole = _doubts(judgement, scores, conversation.blame)
    blockers = whole.blockers if whole else ()
    return ConversationPage(
        conversation=conversation,
        headline=_headline(conversation, judgement, scores, blockers, titles),
        persona=persona_of(conversation.spec),
        attempt=shown,
        other_attempts=[one for one in attempts if one != shown],
        last_attempt=f"?evaluation={judgement.evaluation_id}" if judgement and shown != conversation.attempt else "",
        turns=shown_turns,
        median_latency_ms=_median_latency_ms(turns),
        seconds=_seconds(turns),
        judgement=judgement,
        judgements=judgements,
        scores=[shown_score(score, held, doubts) for score in scores],
        score_look=conversation_look(
            judgement.weighted_score if judgement else None, mark_of_scores(scores), blockers, titles
        ),
        decision=whole.decision.value if whole else "",
        flips=flips_sentence(flips_of(judgement)) if judgement and whole else "",
        checks=checks_panel(asked=asked, conversation_id=conversation.pk),
        must_not=expectations_of(conversation, scores, titles),
        simulator_reviews=reviews_of(conversation.pk) if conversation.simulator_verdict or attempts[1:] else (),
    )


def _found(conversation_id: uuid.UUID) -> Conversation:
    conversation = Conversation.objects.select_related("run", "word_deletion").filter(pk=conversation_id).first()
    if conversation is None:
        raise NotFound(f"There is no conversation {conversation_id}.")
    return conversation


def _judgements(conversation: Conversation) -> list[Judgement]:
    rows = Judgement.objects.filter(conversation=conversation)
    return list(rows.select_related("evaluation").order_by("-created_at"))


def _worst_first(judgement: Judgement | None) -> list[CriterionScore]:
    return sorted(
        judgement.scores.all() if judgement else (),
        key=lambda score: (score.score is None, (score.score or 0) - score.pass_mark, -score.weight, score.position),
    )


def _chosen(conversation: Conversation, judgements: Sequence[Judgement], evaluation: str) -> Judgement | None:
    """The newest judgement, or that of the evaluation asked for."""
    chosen = [judgement for judgement in judgements if str(judgement.evaluation_id) == evaluation]
    if evaluation and not chosen:
        raise NotFound(f"Conversation {conversation.pk} is not in evaluation {evaluation}.")
    return next(iter(chosen or judgements), None)


def _shown_attempt(conversation: Conversation, attempts: Sequence[int], attempt: str) -> int:
    if attempt and attempt not in map(str, attempts):
        raise NotFound(f"Conversation {conversation.pk} has no attempt {attempt}.")
    return int(attempt) if attempt else conversation.attempt


def _median_latency_ms(turns: Sequence[Turn]) -> int | None:
    latencies = [turn.latency_ms for turn in turns if turn.latency_ms is not None]
    return int(median(latencies)) if latencies else None


def _seconds(turns: Sequence[Turn]) -> float | None:
    """Return the seconds from the first turn with a time to the last one; None below two."""
    stamps = [turn.ts for turn in turns if turn.ts is not None]
    return (max(stamps) - min(stamps)).total_seconds() if len(stamps) > 1 else None


def _doubts(
    judgement: Judgement | None, scores: Sequence[CriterionScore], blame: str | None
) -> tuple[Uncertainties | None, Uncertainty | None]:
    if judgement is None or not scores:
        return None, None
    doubts = uncertainties_of(judgement.evaluation)
    return doubts, doubts.of_judgement(scores, blame=blame)


def _headline(
    conversation: Conversation,
    judgement: Judgement | None,
    scores: Sequence[CriterionScore],
    blockers: Sequence[str],
    titles: Mapping[str, str],
) -> Headline:
    if judgement is None:
        return conversation_headline(
            name=str(conversation), score=None, worst=None, state="not judged yet", passed=False
        )
    worst = scores[0] if scores and scores[0].score is not None else None
    return conversation_headline(
        name=str(conversation),
        score=judgement.weighted_score,
        worst=(titles.get(worst.criterion, worst.criterion), float(worst.score or 0), worst.pass_mark)
        if worst
        else None,
        state=_state(judgement),
        mark=mark_of_scores(scores),
        passed=worst is not None and decide(worst.score, worst.pass_mark) is Decision.PASS,
        blockers=[titles.get(name, name) for name in blockers],
    )


def _state(judgement: Judgement) -> str:
    """Say why there is no score: a judgement in which no criterion applied is made, and has none."""
    if judgement.status == JudgementStatus.SCORED and judgement.weighted_score is None:
        return "no criterion applies to it"
    return look("judgement", judgement.status).label


def _marks(scores: Sequence[CriterionScore], judgement: Judgement | None) -> dict[str, dict[str, Any]]:
    """Every piece of evidence by the id its marks carry."""
    if judgement is None:
        return {}
    return {f"q{score.position}-{n}": entry for score in scores for n, entry in enumerate(score.evidence)}


def _attempts(conversation: Conversation) -> list[int]:
    """Attempts with turns, and the last one; none of an imported conversation is looked for."""
    if conversation.attempt < 2:
        return [conversation.attempt]
    turns = Turn.objects.attempts().filter(conversation=conversation)
    return sorted({*turns, conversation.attempt})


def _shown_turns(
    turns: Sequence[Turn], marks: Mapping[str, Mapping[str, Any]], conversation: Conversation
) -> list[ShownTurn]:
    numbers, lines = count(), iter(_lines(conversation))
    shown_turns = []
    for turn in turns:
        nudge = turn.purpose == TurnPurpose.NUDGE
        line = next(lines, None) if turn.role == TurnRole.USER and not nudge else None
        who = _who(turn, conversation.kind, line)
        shown_turns.append(_shown_turn(turn, None if nudge else next(numbers), marks, who))
    return shown_turns


def _lines(conversation: Conversation) -> list[int]:
    """The numbers of the customer's turns that a replay sends, as its report and errors count them."""
    golden = conversation.spec.get("golden") if conversation.kind == Kind.REPLAY else None
    return [line.number for line in script_of(golden["document"])] if golden else []


def _who(turn: Turn, kind: str, line: int | None) -> str:
    if turn.role == TurnRole.USER and kind == Kind.REPLAY:
        return "customer" if line is None else f"customer, turn {line}"
    return {"user": "persona" if traits_of(kind).plays else "customer", "assistant": "agent"}.get(turn.role, turn.role)


def _shown_turn(turn: Turn, number: int | None, marks: Mapping[str, Mapping[str, Any]], who: str) -> ShownTurn:
    quotes = [
        (name, str(mark.get("quote") or ""))
        for name, mark in marks.items()
        if number is not None and mark.get("turn") == number
    ]
    who = "nudge, not judged" if number is None else who
    return ShownTurn(turn=turn, number=number, who=who, pieces=pieces(turn.content, quotes))


def shown_score(score: CriterionScore, marks: set[str], doubts: Uncertainties | None) -> ShownScore:
    """A criterion with its reason and quotes; `held` are the ids of quotes that the chat beside holds marked. Pure."""
    doubt = doubts.of_score(score) if doubts else None
    evidence = []
    for n, entry in enumerate(score.evidence):
        name = f"q{score.position}-{n}"
        evidence.append(
            ShownEvidence(
                mark=name,
                kind=str(entry.get("kind") or "unverified"),
                quote=str(entry.get("quote") or ""),
                turn=entry.get("turn"),
                repair=str(entry.get("repair") or ""),
                by_customer=entry.get("said_by") == "customer",
                found=name in marks,
            )
        )
    return ShownScore(
        score=score,
        look=score_look(score.score, score.pass_mark),
        evidence=evidence,
        width=10 * (score.score or 0.0),
        mark_at=10 * score.pass_mark,
        decision=doubt.decision.value if doubt else "",
        doubt=doubt_sentence(doubt, answers=score.answers, mark=score.pass_mark),
        opinions=opinions_of(score.opinions),
    )
