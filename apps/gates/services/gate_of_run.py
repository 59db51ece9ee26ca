"""Ask a gate for a run that stands here: a change beside what is live, without CI."""

import uuid
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import Any

from django.db import transaction

from apps.catalog.prompts.queries.versions import live_prompt
from apps.core.errors import BadInput, Conflict, NotFound
from apps.evaluations.domain.states import EVALUATION_ACTIVE, EvaluationStatus
from apps.evaluations.models import Evaluation
from apps.evaluations.requests.services.creating import request_evaluation
from apps.gates.domain.case_digest import case_digest, case_name
from apps.gates.domain.gate_floor import asked_policy
from apps.gates.domain.gate_states import GateKind
from apps.gates.domain.policy import read_policy
from apps.gates.models import PullRequestGate
from apps.gates.queries.gate_floors import floor_of
from apps.gates.queries.gates import find_gate
from apps.gates.queries.side_facts import agents_of, commit_of
from apps.gates.services.requesting import GateQuestion, request_gate
from apps.runs.domain.kind_traits import BASELINE, traits_of
from apps.runs.models import Conversation, TestRun
from apps.runs.playing.queries.progress import find_run
from apps.runs.playing.services.playing_again import play_by_prompt, play_under_the_same_plan, refuse_unfit_personas

MOST = 20  # evaluations of what is live that are looked at for the same cases, the newest
MAX_COMMIT = 64
_USABLE = (EvaluationStatus.COMPLETED, *EVALUATION_ACTIVE)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedGate:
    """Identity of a requested gate.

    `played` are the runs that were started for it: of the baseline, or of cases that are played again.
    """

    gate_id: uuid.UUID
    played: tuple[uuid.UUID, ...] = ()


@transaction.atomic
def ask_gate_of_run(
    *,
    run_id: uuid.UUID,
    baseline_run: uuid.UUID | None = None,
    policy: Mapping[str, Any] | None = None,
    by: str = "",
    now: datetime,
) -> AskedGate:
    """Request a gate for the prompt that a run played; a worker decides it.
    The policy is the agent's floor, else the default, with the fields of `policy` that are not None.

    The baseline is the newest evaluation of `baseline_run`; without one, that of the live prompt over the same cases by
    the same evaluator config; where there is none, the live prompt plays the cases now and is judged, which costs about
    as much as the run. A run of the live prompt, or of an agent without prompts, is compared with the newest run of
    another commit.

    Raises NotFound; Conflict `not_judged`, `no_agent`, and `nothing_to_compare` where it played what is live and no
    other commit is known; BadInput (`not_comparable`) for a run of a kind that no gate reads, and what `request_gate`
    and `play_by_prompt` raise. Some thirty queries, no model call. Not safe to repeat: each call asks.
    """
    candidate = _judged(run_id, "/candidate")
    played: tuple[uuid.UUID, ...] = ()
    if baseline_run is not None:
        baseline = _judged(baseline_run, "/baseline", config=candidate.config_ref)
    elif (newest := _newest_of_live(candidate)) is not None:
        baseline = newest
    else:
        baseline = _play_live(candidate, by=by, now=now)
        played = (uuid.UUID(str(baseline.run_id)),)
    agent = candidate.run.agent.name if candidate.run.agent else next(iter(sorted(agents_of(candidate))), "")
    if not agent:
        raise Conflict("Nobody knows which agent this run is of, so nothing can be live beside it.", code="no_agent")
    gate = request_gate(_question(agent, candidate, baseline), asked_policy(floor_of(agent), policy), requested_by=by)
    return AskedGate(gate_id=gate, played=played)


def _question(agent: str, candidate: Evaluation, baseline: Evaluation) -> GateQuestion:
    version = candidate.run.frozen_plan.prompt_version
    return GateQuestion(
        agent=agent,
        commit=commit_of(candidate) or _revision(version) or f"run-{str(candidate.run_id)[:8]}",
        base_commit=commit_of(baseline),
        candidate=candidate.pk,
        baseline=baseline.pk,
        pull_request=candidate.run.frozen_plan.pull_request,
        title=(version or candidate.run.name)[:300],
    )


@transaction.atomic
def play_gate_again(*, gate_id: uuid.UUID, by: str = "", now: datetime) -> AskedGate:
    """Play the cases that a gate names in `play_again` as often as it says, and ask the same once more.

    They are played on both sides, each under the plan it was played by.

    Raises NotFound; BadInput (`nothing_to_replay`); Conflict (`replayed_twice`); and what `request_evaluation` and
    `request_gate` raise. Some thirty queries, no model call.
    """
    row = find_gate(gate_id)
    times = {one["digest"]: int(one["times"]) for one in row.document.get("play_again", ())}
    if not times or row.baseline is None:
        message = "That gate names no case that is to be played again."
        raise BadInput(message, code="nothing_to_replay", pointer="/replays_of")
    if PullRequestGate.objects.filter(replays_of=row).exists():
        raise Conflict(f"The cases of the gate {row.pk} were played again already.", code="replayed_twice")
    copies = _copies(row, times)
    refuse_unfit_personas(copies)
    sides = [_played_again(side, copies, by=by, now=now) for side in (row.candidate, row.baseline)]
    question = GateQuestion(
        agent=row.agent,
        commit=row.commit,
        base_commit=row.base_commit,
        candidate=sides[0].pk,
        baseline=sides[1].pk,
        pull_request=row.pull_request,
        title=row.title,
        kind=GateKind(row.kind),
        budget_usd=row.budget_usd,
        replays_of=row.pk,
    )
    gate = request_gate(question, read_policy(row.policy), requested_by=by)
    return AskedGate(gate_id=gate, played=tuple(uuid.UUID(str(side.run_id)) for side in sides))


def _judged(run_id: uuid.UUID, pointer: str, *, config: str = "") -> Evaluation:
    """The newest evaluation of the run that ended well or goes on; by `config` where it has one by that."""
    run = find_run(run_id)
    if not traits_of(run.kind).baseline:
        raise BadInput(f"A gate reads no run of the kind {run.kind}.", code="not_comparable", pointer=pointer)
    rows = (
        Evaluation.objects.filter(run=run, status__in=_USABLE)
        .select_related("run__agent")
        .order_by("-created_at", "-pk")
    )
    evaluation = (rows.filter(config_ref=config).first() if config else None) or rows.first()
    if evaluation is None:
        message = f"Nobody has judged the run {run.name or run.pk}: have it judged first, then ask."
        raise Conflict(message, code="not_judged")
    return evaluation


def _newest_of_live(candidate: Evaluation) -> Evaluation | None:
    """The newest evaluation of what is live over the same cases; None where it has to be played. At most four queries.
    Raises Conflict (`nothing_to_compare`) where what was played is live itself and no other commit was played."""
    version = candidate.run.frozen_plan.prompt_version
    live = _live_version(version)
    others = (
        Evaluation.objects.filter(
            status=EvaluationStatus.COMPLETED,
            config_ref=candidate.config_ref,
            run__kind__in=BASELINE,
            run__agent=candidate.run.agent_id,
        )
        .exclude(run=candidate.run_id)
        .select_related("run__agent")
        .order_by("-created_at", "-pk")
    )
    if live and version != live:
        return _of_same_cases(candidate, others.filter(run__plan__prompt_version=live)[:MOST])
    commit = commit_of(candidate)
    newest_of_agent = None
    if commit:
        newest = others.iterator(chunk_size=MOST)  # a row holds its snapshot, and the first ones are mostly enough
        newest_of_agent = _of_same_cases(candidate, (one for one in newest if commit_of(one) not in ("", commit)))
    if newest_of_agent is None:
        what = f"{version}, which is live" if live else "the agent as it is"
        message = (
            f"This run played {what}, and a gate holds a change against what was before: start a run of a draft, or "
            "of another commit, or name the run to compare with."
        )
        raise Conflict(message, code="nothing_to_compare")
    return newest_of_agent


def _of_same_cases(candidate: Evaluation, rows: Iterable[Evaluation]) -> Evaluation | None:
    cases = _cases(candidate.run_id)
    return next((row for row in islice(rows, MOST) if _cases(row.run_id) == cases), None)


def _cases(run_id: uuid.UUID) -> frozenset[str]:
    rows = Conversation.objects.filter(run=run_id).values_list("spec", "external_id")
    return frozenset(case_digest(spec, external_id=external_id) for spec, external_id in rows)


def _live_version(version: str) -> str:
    """The live version of the prompt that this is a version of; "" where there is none."""
    name = version.partition("@")[0]
    return live_prompt(name) if name else ""


def _revision(version: str) -> str:
    return version.partition("@")[2][:MAX_COMMIT]


def _play_live(candidate: Evaluation, *, by: str, now: datetime) -> Evaluation:
    live = _live_version(candidate.run.frozen_plan.prompt_version)
    run = play_by_prompt(candidate.run, prompt=live, name=f"{live}, for a gate", now=now, triggered_by=by)
    return _evaluation(run, candidate.config_ref, by=by, now=now)


def _copies(row: PullRequestGate, times: dict[str, int]) -> list[Conversation]:
    """Conversations of the named cases to be played, each under a seed and a number of its own."""
    runs = list[uuid.UUID]()
    before: PullRequestGate | None = row
    while before is not None:
        runs.append(before.candidate.run_id)
        before = before.before
    rows: dict[str, list[Conversation]] = {}
    for conversation in Conversation.objects.filter(run__in=runs).order_by("position"):
        rows.setdefault(case_digest(conversation.spec, external_id=conversation.external_id), []).append(conversation)
    if missing := sorted(times.keys() - rows.keys()):
        raise NotFound(f"The gate {row.pk} names {len(missing)} cases whose conversations are gone.")
    return [copy for digest, count in sorted(times.items()) for copy in _numbered(rows[digest], count)]


def _numbered(played: list[Conversation], count: int) -> list[Conversation]:
    first = played[0]
    name = case_name(first.spec, external_id=first.external_id)
    repeat = max(int(conversation.spec.get("repeat") or 0) for conversation in played)
    seed = max(int(conversation.spec.get("seed") or 0) for conversation in played)
    return [
        Conversation(
            external_id=f"{name[:190]}#{repeat + number}",
            kind=first.kind,
            persona_id=first.persona_id,
            language=first.language,
            spec={**first.spec, "repeat": repeat + number, "seed": seed + number},
        )
        for number in range(1, count + 1)
    ]


def _played_again(side: Evaluation, copies: list[Conversation], *, by: str, now: datetime) -> Evaluation:
    earlier = TestRun.objects.get(pk=side.run_id)
    run = play_under_the_same_plan(earlier, copies, only="cases of a gate", now=now, triggered_by=by)
    return _evaluation(run, side.config_ref, by=by, now=now)


def _evaluation(run: uuid.UUID, config: str, *, by: str, now: datetime) -> Evaluation:
    made = request_evaluation(config=config, run_id=run, now=now, triggered_by=by)
    return Evaluation.objects.select_related("run__agent").get(pk=made.evaluation_id)
