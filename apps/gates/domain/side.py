"""One side of a gate as plain data: the trials of its cases, and who judged them."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from math import fsum

from apps.statistics.decision import Decision


class JudgedAs(StrEnum):
    """State of a trial's judgement. `other_judge`: a fallback model, or the model of another fingerprint, answered."""

    SCORED = "scored"
    ERROR = "error"
    OTHER_JUDGE = "other_judge"
    NOT_JUDGED = "not_judged"


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckFact:
    """One check of one conversation; `score` is on `scale` (1 or 10).
    `measured_by` identifies its judge (fingerprint, metric version), "" without one. `fact`: each failure counts (a
    forbidden tool, a secret, a sum of money, a state), while an agent may sometimes fail other checks."""

    outcome: Decision
    fact: bool = False
    score: float | None = None
    scale: float = 1.0
    measured_by: str = ""
    reason: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GateTrial:
    """One conversation: a trial of the case `digest`. `blame` is "" where nobody is at fault.

    `passed` is None where no score says so; `blockers` are the blocking criteria that fail it beyond the judge's noise.
    `look`: played for the first answer (1), or repeated because it could not tell (2). `replay`: the case was played
    again because the candidate alone was lost or failed in it; it confirms that or not, and enters no mean.
    `evaluation` is set for what was played after the first look. `latency_s` is the agent's mean time for a turn,
    `tokens` what it used in all, None where nobody measured it; `tools` how often it called which tool, `doubled`
    whether it called one twice with the same arguments, `written` the longest text of each one's arguments and answers.
    `must_not` are the marks, by criterion, that it was
    played with (domain.must_not); `asserted` are digests of its assertions.
    """

    digest: str
    case: str
    conversation: str
    language: str = ""
    blame: str = ""
    judged: JudgedAs = JudgedAs.NOT_JUDGED
    score: float | None = None
    criteria: Mapping[str, float] = field(default_factory=dict)
    passed: bool | None = None
    blockers: tuple[str, ...] = ()
    checks: Mapping[str, CheckFact] = field(default_factory=dict)
    look: int = 1
    replay: bool = False
    evaluation: str = ""
    latency_s: float | None = None
    tokens: int | None = None
    tools: Mapping[str, int] = field(default_factory=dict)
    doubled: bool = False
    written: Mapping[str, str] = field(default_factory=dict)
    scenario: str = ""
    must_not: Mapping[str, float] = field(default_factory=dict)
    asserted: tuple[str, ...] = ()

    @property
    def tool_calls(self) -> int:
        """The calls of all tools."""
        return sum(self.tools.values())

    @property
    def agent_failed(self) -> bool:
        return self.blame == AGENT

    @property
    def counts(self) -> bool:
        """Tell whether the trial says anything of the agent.

        What judge, platform, simulator, golden session, transport or budget did is out of every denominator.
        """
        return self.blame in ("", AGENT)


AGENT = "agent_quality"
TRANSPORT = "agent_transport"
BUDGET = "budget"


@dataclass(frozen=True, slots=True, kw_only=True)
class SaidSide:
    """Facts about the messages of a side.

    `addressing` messages speak to a judge or of scores; `hiding` ones say things that no customer sees. `often` counts,
    for sentences that are repeated, the cases that hold them; `words` are these sentences as they were first said.
    `quoting` are, for each other message that has some, words of sentences of the criteria's texts; `heard` such words
    that anybody said.
    """

    addressing: int = 0
    hiding: int = 0
    quoting: Sequence[frozenset[frozenset[str]]] = ()
    heard: frozenset[str] = frozenset()
    often: Mapping[str, int] = field(default_factory=dict)
    words: Mapping[str, str] = field(default_factory=dict)

    def with_more(self, other: "SaidSide") -> "SaidSide":
        """Add the messages of the cases that were played again.

        They are the same cases, so no sentence counts twice.
        """
        often = {one: max(self.often.get(one, 0), other.often.get(one, 0)) for one in {*self.often, *other.often}}
        return SaidSide(
            addressing=self.addressing + other.addressing,
            hiding=self.hiding + other.hiding,
            quoting=(*self.quoting, *other.quoting),
            heard=self.heard | other.heard,
            often=often,
            words={**other.words, **self.words},
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class GateSide:
    """An evaluation and the run it is of. `fingerprint` is the judge of most of its scores, "" without one.

    `certified` holds, by criterion, whether the judge is certified in every language it was asked in. `quotes` counts
    evidence by kind; `stopped_by_budget`: what is left of it waits for money; `personas` counts the personas that were
    played by whether they may play today; `job` names the job that played it, `span` when, in seconds,
    and `loop_ms` how long a loop of the same work took on its machine;
    `simulator` counts battles by the verdict on their simulated customer; `said` what of the agent's words a reader
    must know (domain.judge_address); `titles` what people call its criteria.
    """

    evaluation: str
    commit: str = ""
    status: str = "completed"
    fingerprint: str = ""
    trials: Sequence[GateTrial] = ()
    age_s: int = 0
    stopped_by_budget: bool = False
    job: str = ""
    loop_ms: float | None = None
    span: tuple[float, float] | None = None
    battles: int = 0
    personas: Mapping[bool, int] = field(default_factory=dict)
    simulator: Mapping[str, int] = field(default_factory=dict)
    certified: Mapping[str, bool] = field(default_factory=dict)
    quotes: Mapping[str, int] = field(default_factory=dict)
    said: SaidSide = field(default_factory=SaidSide)
    titles: Mapping[str, str] = field(default_factory=dict)

    @property
    def counted(self) -> list[GateTrial]:
        return [trial for trial in self.trials if trial.counts]

    @property
    def judged(self) -> bool:
        """Tell whether anything was to be judged at all."""
        return any(trial.judged is not JudgedAs.NOT_JUDGED for trial in self.trials)

    def by_case(self) -> dict[str, list[GateTrial]]:
        """The trials that count, by case."""
        case: dict[str, list[GateTrial]] = {}
        for trial in self.counted:
            case.setdefault(trial.digest, []).append(trial)
        return case

    @property
    def repeats(self) -> int:
        """The highest number of plays of one case that counts, without plays that only confirm a failure."""
        every = self.by_case().values()
        return max((sum(not trial.replay for trial in trials) for trials in every), default=0)


def known(side: GateSide, new_cases: frozenset[str]) -> GateSide:
    """The side without the cases of these names; all of it where nothing else was played. Pure."""
    trials = [trial for trial in side.trials if trial.case not in new_cases]
    return replace(side, trials=trials) if trials else side


def with_repeats(first: GateSide, second: GateSide) -> GateSide:
    """One side over both looks: the trials of the first, then the repeats. Pure.

    The judge is the first look's: what another judge scored in the second counts as not answered by ours.
    """
    return _joined(first, second, [replace(trial, look=2) for trial in second.trials])


def with_replays(first: GateSide, second: GateSide, *, times: Mapping[str, int]) -> GateSide:
    """Return one side with the cases that were played again.

    Of each case it takes as many trials as were asked for (`times`, by digest), the first ones; whatever else was
    played counts for nothing. Pure.
    """
    look = max((one.look for one in first.trials), default=1)
    left, chosen = Counter(times), []
    for trial in second.trials:
        if left[trial.digest] > 0:
            left[trial.digest] -= 1
            chosen.append(replace(trial, look=look, replay=True))
    return _joined(first, second, chosen)


def _joined(first: GateSide, second: GateSide, trials: Sequence[GateTrial]) -> GateSide:
    if first.fingerprint != second.fingerprint:
        trials = [_by_another(trial) for trial in trials]
    return replace(
        first,
        status=second.status if first.status == "completed" else first.status,
        trials=[*first.trials, *(replace(trial, evaluation=second.evaluation) for trial in trials)],
        age_s=max(first.age_s, second.age_s),
        stopped_by_budget=first.stopped_by_budget or second.stopped_by_budget,
        battles=first.battles + second.battles,
        said=first.said.with_more(second.said),
        personas=Counter(first.personas) + Counter(second.personas),
        simulator=Counter(first.simulator) + Counter(second.simulator),
        certified={
            name: first.certified.get(name, True) and second.certified.get(name, True)
            for name in sorted({*first.certified, *second.certified})
        },
        quotes=Counter(first.quotes) + Counter(second.quotes),
    )


def _by_another(trial: GateTrial) -> GateTrial:
    if trial.judged is not JudgedAs.SCORED:
        return trial
    return replace(trial, judged=JudgedAs.OTHER_JUDGE, score=None, criteria={}, passed=None, blockers=())


def compared_scores(side: GateSide) -> dict[str, float]:
    """Each case's mean score, by the beginning of its digest, without what was played again to confirm it."""
    scores_by_case: dict[str, list[float]] = {}
    for trial in side.counted:
        if trial.score is not None and not trial.replay:
            scores_by_case.setdefault(trial.digest[:16], []).append(trial.score)
    return {digest: fsum(scores) / len(scores) for digest, scores in scores_by_case.items()}


def trials_by_case(side: GateSide) -> dict[str, list[GateTrial]]:
    """The trials of each case, by its digest."""
    trials: dict[str, list[GateTrial]] = {}
    for trial in side.trials:
        trials.setdefault(trial.digest, []).append(trial)
    return trials
