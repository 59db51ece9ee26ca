"""The registry of rules: what each asks of the tenant's rows. A new rule is a function of `now` and its line here."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from apps.alerts.domain.conditions import Condition, Rule
from apps.alerts.queries.delivery_alerts import failing_deliveries
from apps.alerts.queries.evaluation_alerts import failed_evaluations, silent_judges
from apps.alerts.queries.judge_alerts import ending_certificates, falling_agreement
from apps.alerts.queries.money_alerts import spent_budgets
from apps.alerts.queries.production_alerts import empty_sampling, rolled_back
from apps.alerts.queries.run_alerts import ended_badly
from apps.alerts.queries.score_alerts import fallen_scores

Question = Callable[[datetime], Sequence[Condition]]
RULES: Mapping[Rule, Question] = MappingProxyType(
    {
        Rule.SCORE_DROP: fallen_scores,
        Rule.RUN_STUCK: ended_badly,
        Rule.EVALUATION_FAILED: failed_evaluations,
        Rule.JUDGE_SILENT: silent_judges,
        Rule.BUDGET: spent_budgets,
        Rule.ROLLED_BACK: rolled_back,
        Rule.CERTIFICATE: ending_certificates,
        Rule.DELIVERIES: failing_deliveries,
        Rule.SAMPLING_EMPTY: empty_sampling,
        Rule.AGREEMENT: falling_agreement,
    }
)
TITLES: Mapping[Rule, str] = MappingProxyType(
    {
        Rule.SCORE_DROP: "An agent's score falls on the same cases",
        Rule.RUN_STUCK: "A run failed, or was stopped because it made no progress",
        Rule.EVALUATION_FAILED: "An evaluation failed",
        Rule.JUDGE_SILENT: "A judge does not answer, or fails most of its calls",
        Rule.BUDGET: "A budget is nearly or wholly spent",
        Rule.ROLLED_BACK: "A canary was rolled back",
        Rule.CERTIFICATE: "A judge's certificate ends or is void",
        Rule.DELIVERIES: "Callbacks, messages, questions or deliveries to a Langfuse do not arrive",
        Rule.SAMPLING_EMPTY: "Real conversations come in and none is judged",
        Rule.AGREEMENT: "Two judges agree less than before",
    }
)
