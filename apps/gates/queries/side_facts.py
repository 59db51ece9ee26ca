"""One side of a gate, read from the rows of its evaluation and its run."""

import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from apps.calibration.domain.agreement_with_people import CertificateStatus
from apps.calibration.queries.certificates import certification_of
from apps.catalog.scenarios.domain.assertions import asserted_items
from apps.checks.domain.check_states import RUNNER_ASSERTION, SESSION_ISOLATION
from apps.checks.models import CheckResult
from apps.checks.queries.check_results import results_in_force
from apps.core.conversation import TurnRole
from apps.core.digest import sha256_hex
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.figures.queries.uncertainty import Uncertainties, uncertainties_of
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.gates.domain.case_digest import case_digest, case_name
from apps.gates.domain.judge_address import SaidWords
from apps.gates.domain.side import CheckFact, GateSide, GateTrial, JudgedAs, SaidSide
from apps.gates.queries.agent_costs import NO_COST, AgentCost, agent_costs, job_of, loop_ms_of, span_of
from apps.runs.domain.states import Blame, ConversationStatus, Kind, SimulatorVerdict
from apps.runs.models import Conversation, Turn
from apps.runs.playing.domain.battle_script import wholly_scripted
from apps.statistics.decision import Decision, Measured, decide_conversation, mark_of

STATE_ASSERTION = re.compile(r"assertions/\d+ \((?:sql|fsm_state)\)")  # of the agent's own rows and state machine
_ERRORS = (JudgementStatus.PARSE_ERROR, JudgementStatus.MODEL_ERROR)


def read_gate_side(evaluation: Evaluation, *, now: datetime, stopped_by_budget: bool = False) -> GateSide:
    """Read everything that a gate needs of one evaluation; its `run` should be loaded. Eleven queries at most, whatever
    the size, three more where the judge repeats; memory holds every criterion score (500 x 10 criteria: 10 MB)."""
    rows = list(Conversation.objects.filter(run=evaluation.run_id).select_related("persona").order_by("position"))
    judgements = {judgement.conversation_id: judgement for judgement in _judgements(evaluation)}
    scores: dict[uuid.UUID, list[CriterionScore]] = defaultdict(list)
    for one in CriterionScore.objects.filter(judgement__evaluation=evaluation).order_by("position"):
        scores[one.judgement_id].append(one)
    checks: dict[uuid.UUID, list[CheckResult]] = defaultdict(list)
    for result in results_in_force(run_id=evaluation.run_id):
        checks[result.conversation_id].append(result)
    scored = [judgement for judgement in judgements.values() if judgement.status == JudgementStatus.SCORED]
    doubts = uncertainties_of(evaluation, scored=len(scored))
    print_of_judge = headline_fingerprint(scored)
    costs = agent_costs(evaluation.run_id)
    trials = [
        _with_cost(_trial(row, judgements.get(row.pk), scores, checks[row.pk], doubts, judge=print_of_judge), costs)
        for row in rows
    ]
    battles = [row for row in rows if row.kind == Kind.BATTLE and not wholly_scripted(row.spec)]
    return GateSide(
        evaluation=str(evaluation.pk),
        commit=commit_of(evaluation),
        status=evaluation.status,
        fingerprint=print_of_judge,
        trials=trials,
        age_s=max(0, int((now - evaluation.created_at).total_seconds())),
        stopped_by_budget=stopped_by_budget,
        job=job_of(evaluation.run),
        loop_ms=loop_ms_of(evaluation.run),
        span=span_of(rows),
        battles=len(battles),
        personas=Counter({one.pk: one.may_play for row in battles if (one := row.persona)}.values()),
        simulator=Counter(SimulatorVerdict(row.simulator_verdict) for row in battles),
        certified=_certified(evaluation, print_of_judge, len(scored), scores, now),
        quotes=Counter(quote["kind"] for many in scores.values() for one in many for quote in one.evidence),
        said=_words_of_agent(evaluation, scores, {trial.conversation: trial.digest for trial in trials}),
    )


def _words_of_agent(
    evaluation: Evaluation, scores: Mapping[uuid.UUID, Sequence[CriterionScore]], cases: Mapping[str, str]
) -> SaidSide:
    """The words of everything that a judge reads of the agent's side. One query."""
    criteria = evaluation.snapshot.get("criteria", ())
    wordings = [(criterion["description"], *criterion["scoring_guide"].values()) for criterion in criteria]
    words = SaidWords(criteria=[one.criterion for many in scores.values() for one in many], wordings=wordings)
    rows = Turn.objects.transcript().filter(conversation__run=evaluation.run_id)
    read = rows.values_list("conversation", "role", "content", "name", "tool_calls", "attachments")
    for conversation, role, content, name, calls, attachments in read:
        case, is_reply = cases.get(str(conversation), ""), role == TurnRole.ASSISTANT
        if role == TurnRole.USER:
            words.hear(content)
            continue
        words.add(case, content=content, data=[name, *calls, *attachments], is_reply=is_reply)
    return words.said()


def _with_cost(trial: GateTrial, costs: Mapping[uuid.UUID, AgentCost]) -> GateTrial:
    cost = costs.get(uuid.UUID(trial.conversation), NO_COST)
    return replace(
        trial,
        latency_s=cost.latency_s,
        tokens=cost.tokens,
        tools=cost.tools,
        doubled=cost.doubled,
        written=cost.written,
    )


def commit_of(evaluation: Evaluation) -> str:
    """The commit of who was tested: of the run's subject, else of the evaluation's; "" where nobody said."""
    for subject in (evaluation.run.subject, evaluation.subject):
        if commit := str(subject.get("commit") or ""):
            return commit
    return ""


def runner_mark(evaluation: Evaluation, name: str) -> str:
    """Return a mark that the runner put on its run; "" without it.

    `versions`: whose scenarios and checks were played; `beside`: the commit for which a baseline was played;
    `after_change`: its code had run by then; `other_files`: files from outside the commit lay beside it.
    """
    metadata = evaluation.run.subject.get("metadata")
    mark = metadata.get(name) if isinstance(metadata, Mapping) else None
    return mark if isinstance(mark, str) else ""


def agents_of(evaluation: Evaluation) -> set[str]:
    """Return every name of the agent that the run and its subject give; empty where nobody said."""
    named = {str(subject.get("agent") or "") for subject in (evaluation.run.subject, evaluation.subject)}
    return (named | {evaluation.run.agent.name if evaluation.run.agent else ""}) - {""}


def headline_fingerprint(scored: Sequence[Judgement]) -> str:
    """The judge of most scores, fallback models aside; "" without any. Pure."""
    own = Counter(judgement.fingerprint for judgement in scored if not judgement.by_fallback)
    return min(own, key=lambda name: (-own[name], name)) if own else ""


def _judgements(evaluation: Evaluation) -> Any:
    return Judgement.objects.filter(evaluation=evaluation).defer("raw_reply")


def _trial(
    row: Conversation,
    judgement: Judgement | None,
    scores: Mapping[uuid.UUID, Sequence[CriterionScore]],
    checks: Sequence[CheckResult],
    doubts: Uncertainties,
    *,
    judge: str,
) -> GateTrial:
    judged = _judged_as(judgement, judge=judge)
    ours = scores.get(judgement.pk, ()) if judgement and judged is JudgedAs.SCORED else ()
    facts = {_check_name(check): _check_fact(check) for check in checks}
    blame = _blame(row)
    doubt = doubts.of_judgement(list(ours), blame=row.blame) if ours else None
    return GateTrial(
        digest=case_digest(row.spec, external_id=row.external_id),
        case=case_name(row.spec, external_id=row.external_id),
        conversation=str(row.pk),
        language=row.language,
        blame=blame,
        judged=judged,
        score=judgement.weighted_score if judgement and ours else None,
        criteria={one.criterion: one.score for one in ours if one.score is not None and one.scale == "0-10"},
        passed=_passed(ours, doubts, facts, agent_failed=blame == Blame.AGENT_QUALITY),
        # What must not happen again is a check of the gate's own, which plays it again first (domain.must_not).
        blockers=tuple(name for name in doubt.blockers if name in doubts.blocking) if doubt else (),
        checks=facts,
        scenario=str(row.spec.get("scenario") or ""),
        asserted=_asserted(row, checks),
        must_not={one["criterion"]: float(one["below"]) for one in row.spec.get("must_not", ())},
    )


def _asserted(row: Conversation, checks: Sequence[CheckResult]) -> tuple[str, ...]:
    """Return digests of the assertions by their content, wherever they stand in their list."""
    ours = [check.subject.partition(" ")[2] for check in checks if check.check_name == RUNNER_ASSERTION]
    return tuple(sha256_hex(assertion)[:12] for assertion in (*asserted_items(row.spec), *ours))


def _judged_as(judgement: Judgement | None, *, judge: str) -> JudgedAs:
    if judgement is None or judgement.status in (JudgementStatus.NOT_JUDGED, JudgementStatus.PENDING):
        return JudgedAs.NOT_JUDGED
    if judgement.status in _ERRORS:
        return JudgedAs.ERROR
    return JudgedAs.SCORED if judgement.fingerprint == judge else JudgedAs.OTHER_JUDGE


def _blame(row: Conversation) -> str:
    """Return who is to blame; a conversation that did not end and blames nobody is the platform's."""
    if row.blame:
        return str(row.blame)
    return "" if row.status == ConversationStatus.ENDED else Blame.PLATFORM.value


def _passed(
    scores: Sequence[CriterionScore], doubts: Uncertainties, checks: Mapping[str, CheckFact], *, agent_failed: bool
) -> bool | None:
    """Tell whether the conversation passes as it was answered once, noise aside.

    Its mean against the mean of the marks, its blocking criteria, its checks. A coin on the mark falls either way on
    both sides alike. None: nothing says so.
    """
    if agent_failed or any(check.outcome is Decision.FAIL for check in checks.values()):
        return False
    scored = [
        criterion_score
        for criterion_score in scores
        if criterion_score.score is not None and criterion_score.scale == "0-10"
    ]
    weights = {criterion_score.criterion: criterion_score.weight for criterion_score in scored}
    mark = mark_of({criterion_score.criterion: criterion_score.pass_mark for criterion_score in scored}, weights)
    if mark is None:
        return True if any(check.outcome is Decision.PASS for check in checks.values()) and not scores else None
    score = sum(float(criterion_score.score or 0.0) * criterion_score.weight for criterion_score in scored) / sum(
        weights.values()
    )
    blocking = [
        Measured(name=criterion_score.criterion, score=criterion_score.score, mark=criterion_score.pass_mark)
        for criterion_score in scored
        if criterion_score.criterion in doubts.blocking
    ]
    decided = decide_conversation(Measured(name="", score=score, mark=mark), blocking).decision
    return decided is Decision.PASS


def _check_name(row: CheckResult) -> str:
    return f"{row.check_name}/{row.subject}" if row.subject else row.check_name


def _check_fact(row: CheckResult) -> CheckFact:
    graded = row.fingerprint or (row.model and sha256_hex([row.provider, row.model]))
    return CheckFact(
        outcome=Decision(row.outcome),
        fact=row.outcome == Decision.FAIL and _is_fact(row),
        score=row.score,
        scale=10.0 if row.scale == "0-10" else 1.0,
        measured_by=f"{graded[:16]} {row.version}".strip() if graded else "",
        reason=row.reason,
    )


def _is_fact(row: CheckResult) -> bool:
    """Tell whether a check fails on what is wrong whenever it happens: its evidence says so, or it is about a state."""
    if row.check_name == RUNNER_ASSERTION:
        return bool(STATE_ASSERTION.match(row.subject))
    return row.check_name == SESSION_ISOLATION or any(one.get("fact") for one in row.evidence)


def _certified(
    evaluation: Evaluation,
    judge: str,
    scored: int,
    scores: Mapping[uuid.UUID, Sequence[CriterionScore]],
    now: datetime,
) -> dict[str, bool]:
    """Tell by criterion whether a certificate of this judge holds in every language it was asked in."""
    names = sorted({one.criterion for many in scores.values() for one in many})
    certificate = (
        certification_of(evaluation, fingerprint=judge, scored=scored, now=now)["certificate"] if names else None
    )
    by_name: dict[str, list[bool]] = {name: [] for name in names}
    for item in certificate["items"] if certificate else ():
        by_name.setdefault(item["criterion"], []).append(item["status"] == CertificateStatus.CERTIFIED)
    return {name: bool(held) and all(held) for name, held in by_name.items()}
