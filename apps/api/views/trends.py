"""Scores over time: of tests, an evaluation a point; of real conversations, a stretch of time a point."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.catalog.configs.queries.criterion_titles import criterion_names
from apps.production.sampling.queries.production_trend import TrendFilter, production_trends
from apps.reports.slices.queries.trends import EvaluationTrendFilter, agreement_of_judges, trends_of_tests, triggers
from apps.runs.domain.states import Kind

_FILTERS = {
    "agent": "Of this agent, by name.",
    "config": "Judged with this evaluator config: a name, or name@version.",
    "criterion": "Of this criterion, by its name or its title. Not named: of the weighted score.",
    "language": "In this language.",
    "prompt_version": "Of this prompt version, exactly.",
    "triggered_by": "Asked for by this person or program, exactly; of tests.",
    "kind": "battle, replay, imported or production. Not named: a series for each kind of test.",
}


class Trends(ApiView):
    """Each series is of one kind of run, or of one sampling rule; where the judge changed stands in `breaks`."""

    query_names = tuple(_FILTERS)

    @operation(
        "getTrends",
        "Scores over time, with intervals, and where the judge changed",
        answers={200: "Trends"},
        filters=_FILTERS,
    )
    def get(self, request: Request) -> Response:
        parameters = {name: request.query_params.get(name, "")[:200] for name in self.query_names}
        parameters |= (
            {"criterion": criterion_names().name_of(parameters["criterion"])} if parameters["criterion"] else {}
        )
        chosen = EvaluationTrendFilter(**parameters)
        if chosen.kind == Kind.PRODUCTION:
            trends = production_trends(chosen=TrendFilter.among(parameters), now=timezone.now())
            series = [trend.as_json() for trend in trends]
        else:
            series = trends_of_tests(chosen)
        return Response({"series": series, "agreement": agreement_of_judges(chosen), "triggers": triggers(chosen)})
