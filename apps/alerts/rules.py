"""The registry of rules: what each asks of the tenant's rows. A new rule is a function of `now` and its line here."""

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from types import MappingProxyType

from apps.alerts.domain.conditions import Condition, Rule
from apps.alerts.queries.delivery_alerts import failing_callbacks
from apps.alerts.queries.judge_alerts import ending_certificates, falling_agreement
from apps.alerts.queries.money_alerts import spent_budgets
from apps.alerts.queries.production_alerts import empty_sampling, rolled_back
from apps.alerts.queries.run_alerts import stuck_runs
from apps.alerts.queries.score_alerts import fallen_scores

Question = Callable[[datetime], Sequence[Condition]]
RULES: Mapping[Rule, Question] = MappingProxyType(
    {
        Rule.SCORE_DROP: fallen_scores,
        Rule.RUN_STUCK: stuck_runs,
        Rule.BUDGET: spent_budgets,
        Rule.ROLLED_BACK: rolled_back,
        Rule.CERTIFICATE: ending_certificates,
        Rule.CALLBACKS: failing_callbacks,
        Rule.SAMPLING_EMPTY: empty_sampling,
        Rule.AGREEMENT: falling_agreement,
    }
)
TITLES: Mapping[Rule, str] = MappingProxyType(
    {
        Rule.SCORE_DROP: "An agent's score falls on the same cases",
        Rule.RUN_STUCK: "A run makes no progress for half an hour",
        Rule.BUDGET: "A budget is nearly or wholly spent",
        Rule.ROLLED_BACK: "A canary was rolled back",
        Rule.CERTIFICATE: "A judge's certificate ends or is void",
        Rule.CALLBACKS: "Callbacks do not arrive",
        Rule.SAMPLING_EMPTY: "Real conversations come in and none is judged",
        Rule.AGREEMENT: "Two judges agree less than before",
    }
)
