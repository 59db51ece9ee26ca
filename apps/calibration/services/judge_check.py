"""Trying a version's judge on conversations with known answers, before anybody relies on it (docs/adr/0070)."""

import asyncio
import uuid
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import datetime
from statistics import median
from typing import Any

from django.conf import settings

from apps.budgets.domain.estimate import History
from apps.budgets.domain.purpose import Purpose
from apps.budgets.domain.sentences import SPENT_CODE
from apps.budgets.services import CallFor, LedgerCall, record_calls
from apps.budgets.services.metered_model import Opener
from apps.budgets.services.metered_run import MeteredJob, run_metered
from apps.budgets.services.reservations import BudgetReservations
from apps.calibration.domain.check_fixtures import (
    FIXTURES,
    FIXTURES_VERSION,
    KNOWN_ANSWERS,
    PASS_MARK,
    Fixture,
    check_criteria,
)
from apps.catalog.configs.domain.judge_qualification import Figures, out_of_reach
from apps.catalog.configs.queries.judges import digest_of_judge, with_models_in_force
from apps.catalog.configs.queries.versions import snapshot_of
from apps.catalog.models import EvaluatorConfigVersion, JudgeCheck
from apps.connectors.llms.base import LLM, Finish, LLMRequest, LLMResponse
from apps.core.errors import Fault, NotFound, RatibaError
from apps.core.question_secrets import fresh_nonce, fresh_salt
from apps.evaluations.domain.parsing import score_key
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.judging.services.judge import Judge, funding_of
from apps.evaluations.judging.services.judge_conversation import LedgerAccess, judge_conversation
from apps.evaluations.judging.services.leases import ClaimedJudgement
from apps.evaluations.judging.services.outcomes import JudgementOutcome
from apps.runs.services.model_roles import models_of, retry_policy

AT_ONCE = 4  # a small local model answers no faster to more
MAX_WAITS, MAX_WAIT_S = 8, 60.0  # for a model that limits us, or loads


class JudgeDown(RatibaError):
    """No answer at all, or no money to ask: nothing was measured."""

    code = "judge_down"
    fault = Fault.REMOTE


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeCheckResult:
    """The result of a check, and whether the judge passes it."""

    ref: str
    judge: str
    fingerprint: str
    passed: bool
    shortfalls: tuple[str, ...]
    figures: Figures

    def as_json(self) -> dict[str, Any]:
        return {
            "evaluator_config": self.ref,
            "judge": self.judge,
            "fingerprint": self.fingerprint,
            "passed": self.passed,
            "shortfalls": list(self.shortfalls),
            "fixtures_version": FIXTURES_VERSION,
            **asdict(self.figures),
        }


class _Watched:
    """A model whose answers are noted.

    It notes their ends, their times, whether they carry the nonce of their question and the key of its numbers.
    """

    def __init__(self, inner: LLM) -> None:
        self.inner, self.spec = inner, inner.spec
        self.seen: list[LLMResponse] = []
        self.without_nonce = self.without_key = 0

    async def complete(self, request: LLMRequest, *, client: Any) -> LLMResponse:
        response = await self.inner.complete(request, client=client)
        self.seen.append(response)
        self.without_key += response.is_answer and score_key(request.facts["salt"]) not in response.text
        self.without_nonce += response.is_answer and str(request.facts["nonce"]) not in response.text
        return response


@dataclass(frozen=True, slots=True)
class _KnownAnswer:
    """One criterion of a fixture, and the score that the judge gave it."""

    fixture: Fixture
    criterion: str
    score: float | None

    @property
    def is_right(self) -> bool:
        return self.score is not None and (self.score >= PASS_MARK) == self.fixture.passes[self.criterion]

    def told(self) -> str:
        score = "no score" if self.score is None else f"{self.score:g}"
        should = "pass" if self.fixture.passes[self.criterion] else "fail"
        return f"{self.fixture.id}: {self.criterion} {score}, should {should}"


_Verdicts = dict[Fixture, JudgementOutcome]


def find_version(ref: str) -> EvaluatorConfigVersion:
    """Return a version of `name@number`, drafts too; of `name` alone the newest, draft or not.

    Raises NotFound. One query.
    """
    name, at, number = ref.rpartition("@")
    rows = EvaluatorConfigVersion.objects.select_related("config").filter(config__name=name if at else ref)
    if at:
        rows = rows.filter(number=int(number)) if number.isascii() and number.isdigit() else rows.none()
    row = rows.order_by("-number").first()
    if row is None:
        raise NotFound(f"There is no evaluator config version {ref!r}.", pointer="/config")
    return row


def check_judge(*, version_id: uuid.UUID, now: Callable[[], datetime]) -> JudgeCheckResult:
    """Ask the version's judge about every fixture, store what came of it, and say whether it reaches the floor.

    The judge alone, without its fallback: another model would hide what is wrong with this one. Costs one call for each
    of 20 fixtures, fewer once it cannot reach the floor any more, and up to two more where a reply cannot be used; the
    ledger has them under `check`, and the money is reserved before. Raises NotFound, BadInput where the provider cannot
    be used, and JudgeDown where the server left a question without an answer: nothing is stored then. Must not be
    called inside a transaction. Safe to repeat: the newest check counts.
    """
    row = EvaluatorConfigVersion.objects.select_related("config").filter(pk=version_id).first()
    if row is None:
        raise NotFound(f"There is no evaluator config version {version_id}.")
    row.parameters = {name: value for name, value in row.parameters.items() if name not in ("repeats", "asking")}
    snapshot = replace(with_models_in_force(snapshot_of(row)), criteria=check_criteria())
    watched = _Watched(models_of(snapshot.as_json()["llm_config"]["judge"])[0])
    judge = Judge(
        snapshot=snapshot,
        primary=watched,
        fallback=None,
        policy=retry_policy(),
        timeout_s=settings.MODEL_TIMEOUT_S,
        use_cache=False,
    )
    verdicts = _ask_fixtures(judge, now)
    _refuse_unanswered(list(verdicts.values()))
    checked = _result(str(row), judge, watched, verdicts)
    JudgeCheck.objects.create(
        created_at=now(),
        version_id=version_id,
        judge_digest=digest_of_judge(
            snapshot.llm_config["judge"], template=snapshot.system_prompt_template, parameters=snapshot.parameters
        ),
        fingerprint=checked.fingerprint,
        passed=checked.passed,
        figures=checked.as_json(),
    )
    return checked


def _refuse_unanswered(verdicts: Sequence[JudgementOutcome]) -> None:
    """Raise JudgeDown where the server left questions without an answer: that says nothing about the judge."""
    unanswered = [verdict for verdict in verdicts if _is_unanswered(verdict)]
    if not unanswered:
        return
    nothing = len(unanswered) == len(verdicts)
    what = "nothing" if nothing else f"{len(verdicts) - len(unanswered)} of {len(verdicts)} questions"
    why = unanswered[0].error_message or f"{unanswered[0].waiting_for}."
    raise JudgeDown(f"The judge answered {what}: {why} Nothing is stored: check it again when its server answers.")


def _is_unanswered(verdict: JudgementOutcome) -> bool:
    return verdict.status is JudgementStatus.MODEL_ERROR or verdict.wait_until is not None


def _result(ref: str, judge: Judge, watched: _Watched, verdicts: _Verdicts) -> JudgeCheckResult:
    figures = _figures(verdicts, watched)
    answered = next((verdict for verdict in verdicts.values() if verdict.model), None)
    return JudgeCheckResult(
        ref=ref,
        judge=f"{watched.spec.label}/{watched.spec.model}",
        fingerprint=judge.fingerprint(watched.spec, answered.model) if answered else "",
        passed=not figures.shortfalls(),
        shortfalls=tuple(figures.shortfalls()),
        figures=figures,
    )


def _ask_fixtures(judge: Judge, now: Callable[[], datetime]) -> _Verdicts:
    """Ask for one verdict a fixture until the outcome is certain.

    Each is booked before the next is asked, and the money is released after that.
    """
    claimed = [_claimed_fixture(fixture) for fixture in FIXTURES]
    salt = fresh_salt()
    reservations = BudgetReservations(now=now)
    reservations.history.load(judge.specs())
    history = reservations.history.paid
    fundings = [
        funding_of(judgement, judge, judge.plan(judgement, alone=True), history=history) for judgement in claimed
    ]
    try:
        for refusal in reservations.reserve([funding.request for funding in fundings]).values():
            raise JudgeDown(refusal.sentence, code=SPENT_CODE)
        return run_metered(
            {fixture: _job(claim, judge, salt, history, now) for fixture, claim in zip(FIXTURES, claimed, strict=True)},
            reservations=reservations,
            concurrency=AT_ONCE,
            store=lambda ended: record_calls(calls=[call for verdict in ended for call in verdict.calls]),
            enough=_is_certain,
        )
    finally:
        reservations.release()


def _is_certain(verdicts: Mapping[Fixture, JudgementOutcome]) -> bool:
    """Tell whether the questions that are left can change nothing.

    The server left one unanswered, or a floor is missed.
    """
    return any(map(_is_unanswered, verdicts.values())) or out_of_reach(
        known=KNOWN_ANSWERS,
        wrong=sum(not answer.is_right for answer in _known_answers(verdicts)),
        conversations=len(FIXTURES),
        unusable=sum(verdict.status is not JudgementStatus.SCORED for verdict in verdicts.values()),
    )


def _job(
    claimed: ClaimedJudgement, judge: Judge, salt: str, history: History, now: Callable[[], datetime]
) -> MeteredJob[JudgementOutcome]:
    async def job(client: Any, opener: Opener) -> JudgementOutcome:
        ledger = LedgerAccess(opener=opener, history=history)
        calls: tuple[LedgerCall, ...] = ()
        for _ in range(MAX_WAITS):
            verdict = await judge_conversation(
                claimed=claimed, judge=judge, nonce=fresh_nonce(), salt=salt, client=client, now=now, ledger=ledger
            )
            verdict = replace(verdict, calls=(*calls, *verdict.calls))
            if verdict.wait_until is None:
                break
            calls = verdict.calls
            await asyncio.sleep(min(MAX_WAIT_S, max(0.0, (verdict.wait_until - now()).total_seconds())))
        return verdict

    return job


def _claimed_fixture(fixture: Fixture) -> ClaimedJudgement:
    return ClaimedJudgement(
        judgement_id=uuid.uuid4(),  # of no row: a check stores no judgement
        evaluation_id=uuid.uuid4(),
        conversation_id=uuid.uuid4(),
        run_id=uuid.uuid4(),
        call_for=CallFor(purpose=Purpose.CHECK),
        external_id=fixture.id,
        language=fixture.language,
        attempts=1,
        turns=fixture.turns,
    )


def _known_answers(verdicts: Mapping[Fixture, JudgementOutcome]) -> list[_KnownAnswer]:
    """Compare each known answer with the judge's. An answer that the judge did not give, for whatever reason, counts as
    not given."""
    return [
        _KnownAnswer(fixture, name, next((score.score for score in verdict.scores if score.criterion == name), None))
        for fixture, verdict in verdicts.items()
        for name in fixture.passes
    ]


def _shares(answers: Sequence[_KnownAnswer], part: Callable[[_KnownAnswer], str]) -> dict[str, float]:
    """The share of known answers given, by `part`."""
    right: dict[str, list[bool]] = defaultdict(list)
    for answer in answers:
        right[part(answer)].append(answer.is_right)
    return {name: sum(many) / len(many) for name, many in right.items()}


def _figures(verdicts: _Verdicts, watched: _Watched) -> Figures:
    """Shares over what was asked, in the order of the fixtures."""
    verdicts = {fixture: verdicts[fixture] for fixture in FIXTURES if fixture in verdicts}
    answers = _known_answers(verdicts)
    conversations = len(verdicts)
    usable = sum(verdict.status is JudgementStatus.SCORED for verdict in verdicts.values())
    again = sum(verdict.reasked for verdict in verdicts.values())
    seen = watched.seen
    costs = [response.cost_usd for response in seen]
    return Figures(
        conversations=conversations,
        planned=len(FIXTURES),
        valid=usable / conversations,
        first_time=max(0, usable - again) / conversations,
        cut=sum(response.finish is Finish.LENGTH for response in seen) / len(seen) if seen else 0.0,
        without_nonce=watched.without_nonce / len(seen) if seen else 0.0,
        without_key=watched.without_key / len(seen) if seen else 0.0,
        agreement=sum(answer.is_right for answer in answers) / len(answers),
        by_language=_shares(answers, lambda answer: answer.fixture.language),
        by_criterion=_shares(answers, lambda answer: answer.criterion),
        wrong=tuple(answer.told() for answer in answers if not answer.is_right),
        seconds=median(response.latency_ms for response in seen) / 1000 if seen else 0.0,
        cost_usd=None if None in costs else float(sum(cost for cost in costs if cost is not None)),
    )
