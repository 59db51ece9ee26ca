"""Does the agent stay who it is? DeepEval's RoleAdherenceMetric, from 0 to 1: the share of its turns that are in
character. Who it is comes from the agent's profile (role and off-topic guidance)."""

from apps.checks.metrics.base import Case, MeasuredMetric, Metric, MetricError, MetricJudge, needs_judge, quoted
from apps.checks.metrics.conversation_case import conversational
from apps.checks.metrics.judge_model import QUESTIONS, deepeval_model
from apps.checks.metrics.rubric_judging import measured
from apps.checks.metrics.verdict_metrics import WORDING, metric, why, words_of

__version__ = "1.1.0"  # raise it with DeepEval's version


async def measure(case: Case, judge: MetricJudge | None) -> MeasuredMetric:
    """One question. Raises MetricError, also where the profile says no role or the judge cites a turn that is not the
    agent's (DeepEval counts such a turn against it), and NotApplicable."""
    asker = needs_judge(judge, "Role adherence")
    if not case.role:
        raise MetricError("the agent's profile says no role: fill in agent_identity", code="no_role")
    test_case = conversational(case, chatbot_role=case.role)
    adherence = metric("RoleAdherenceMetric", deepeval_model(asker))
    await measured(adherence, test_case.case)
    agent = test_case.agent()
    verdicts = {verdict.index: verdict for verdict in adherence.out_of_character_verdicts.verdicts}
    strange = sorted(set(verdicts) - agent)
    if strange:
        raise MetricError(f"the judge cites turn {strange[0]}, which is not the agent's", code="strange_turn")
    out = [(test_case.numbers[at], verdicts[at]) for at in sorted(verdicts)]
    return MeasuredMetric(
        score=round(1 - len(out) / len(agent), 6),
        reason=f"{len(out)} of {len(agent)} turns are out of character. " + " ".join(why(one) for _, one in out),
        evidence=tuple(quoted(turn, words_of(case, turn), why=why(one)) for turn, one in out),
    )


METRIC = Metric(
    name="RoleAdherenceMetric",
    module="role_adherence",
    version=__version__,
    threshold=0.5,
    wording=WORDING,
    measure=measure,
    calls=lambda case: QUESTIONS,
)
