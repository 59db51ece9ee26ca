"""The content of the page that tries a config version: the conversations to choose from, the prompt, the answer."""

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from apps.catalog.models import EvaluatorConfigVersion
from apps.connectors.llms.base import LLMRequest
from apps.core.errors import NotFound, RatibaError
from apps.dashboard.conversations.queries.conversation import ShownEvidence, ShownScore
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import score_look
from apps.dashboard.domain.sentences import Headline, dry_run_headline, trial_headline
from apps.evaluations.judging.domain.aggregation import CriterionVerdict
from apps.evaluations.requests.services.dry_running import DryRun, DryRunQuestion, at_most, prepare_trial, preview
from apps.runs.models import Conversation
from apps.runs.playing.queries.listed_conversations import listed_conversations
from apps.statistics.decision import mark_of

RECENT = 200  # conversations looked at for one of each language
OFFERED = 20
CHARACTERS_A_TOKEN = 4  # a rule of thumb, said as "about"


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPage:
    version: EvaluatorConfigVersion
    headline: Headline
    problem: str
    trial: DryRunQuestion | None
    request: LLMRequest | None
    recent: Sequence[Conversation]
    by_language: Sequence[tuple[str, uuid.UUID]]
    language: str
    tokens: int
    offline: bool
    at_most: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class ResultPage:
    found: DryRun
    headline: Headline
    scores: Sequence[ShownScore]
    score_look: Badge


def trial_page(version_id: uuid.UUID, *, conversation: str, language: str) -> TrialPage:
    """The prompt for a conversation named by its id or its own name, else for the latest one. Eight queries at most.

    What is wrong with the version (no criteria, a template that cannot be rendered) is told, not raised; raises
    NotFound where there is no such version.
    """
    version = EvaluatorConfigVersion.objects.select_related("config").filter(pk=version_id).first()
    if version is None:
        raise NotFound(f"There is no evaluator config version {version_id}.")
    recent = _recent()
    trial, request, problem = None, None, ""
    try:
        chosen = _chosen(recent, conversation)
        if chosen is not None:
            trial = prepare_trial(version_id=version_id, conversation_id=chosen, language=language)
            request = preview(trial)
    except RatibaError as error:
        problem = error.message
    size = len(request.system) + sum(len(message.content) for message in request.messages) if request else 0
    tokens = size // CHARACTERS_A_TOKEN
    offline = bool(trial and trial.snapshot.llm_config["judge"].provider == "offline")
    return TrialPage(
        version=version,
        headline=trial_headline(
            ref=str(version), model=trial.judge_model if trial else "",
            conversation=trial.conversation if trial else "", tokens=tokens, offline=offline, problem=problem,
        ),
        problem=problem,
        trial=trial,
        request=request,
        recent=recent[:OFFERED],
        by_language=_by_language(recent),
        language=language,
        tokens=tokens,
        offline=offline,
        at_most=at_most(trial) if trial else Decimal(0),
    )  # fmt: skip


def _recent() -> list[Conversation]:
    rows = listed_conversations().filter(status="ended").select_related("run").order_by("-id")
    return list(rows.only("id", "external_id", "language", "run__id", "run__name", "run__kind")[:RECENT])


def _by_language(recent: Sequence[Conversation]) -> list[tuple[str, uuid.UUID]]:
    """The newest conversation of each language."""
    newest: dict[str, uuid.UUID] = {}
    for row in recent:
        newest.setdefault(row.language or "?", row.pk)
    return sorted(newest.items())


def result_page(trial: DryRunQuestion, run: DryRun) -> ResultPage:
    """A dry run as it is shown: scores worst first. No query."""
    verdict = run.verdict
    scored = [score for score in verdict.scores if score.score is not None]
    mark = mark_of(
        {score.criterion: score.pass_mark for score in scored}, {score.criterion: score.weight for score in scored}
    )
    shown_look = score_look(verdict.weighted_score, 6.0 if mark is None else mark)
    in_order = sorted(
        enumerate(verdict.scores), key=lambda at: (at[1].score is None, (at[1].score or 0) - at[1].pass_mark, at[0])
    )
    return ResultPage(
        found=run,
        headline=dry_run_headline(
            ref=trial.ref,
            conversation=trial.conversation,
            status=verdict.status.value,
            score=verdict.weighted_score,
            why=verdict.error_message or (f"{verdict.waiting_for}: try again later" if verdict.waiting_for else ""),
        ),
        scores=[_shown(position, one) for position, one in in_order],
        score_look=shown_look,
    )


def _chosen(recent: Sequence[Conversation], wanted: str) -> uuid.UUID | None:
    wanted = wanted.strip()
    if not wanted:
        return recent[0].pk if recent else None
    try:
        return uuid.UUID(wanted)
    except ValueError:
        pass
    row = Conversation.objects.filter(external_id=wanted).order_by("-id").only("id").first()
    if row is None:
        raise NotFound(f"There is no conversation named “{wanted}”. Give its name or its id.")
    pk: uuid.UUID = row.pk
    return pk


def _shown(position: int, verdict: CriterionVerdict) -> ShownScore:
    evidence = [
        ShownEvidence(
            mark=f"q{position}-{n}",
            kind=str(entry.get("kind") or "unverified"),
            quote=str(entry.get("quote") or ""),
            turn=entry.get("turn"),
            repair=str(entry.get("repair") or ""),
            by_customer=entry.get("said_by") == "customer",
            found=False,
        )
        for n, entry in enumerate(verdict.evidence)
    ]
    return ShownScore(
        score=verdict,  # type: ignore[arg-type]  # a verdict has all that is shown of a stored score
        look=score_look(verdict.score, verdict.pass_mark),
        evidence=evidence,
        width=10 * (verdict.score or 0.0),
        mark_at=10 * verdict.pass_mark,
    )
