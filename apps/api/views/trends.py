"""Scores over time: of tests, an evaluation a point; of real conversations, a stretch of time a point."""

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.production.queries.production_trend import TrendFilter, production_trends
from apps.reports.queries.trends import EvaluationTrendFilter, trends_of_tests
from apps.runs.domain.states import Kind

_FILTERS = {
    "agent": "Of this agent, by name.",
    "config": "Judged with this evaluator config: a name, or name@version.",
    "criterion": "Of this criterion. Not named: of the weighted score.",
    "language": "In this language.",
    "prompt_version": "Of this prompt version, exactly.",
    "kind": "battle, replay, imported or production. Not named: a series for each kind of test.",
}


class Trends(ApiView):
    """Each series is of one kind of run, or of one sampling rule; where the judge changed stands in `breaks`."""

    query_names = tuple(_FILTERS)

    @operation("getTrends", "Scores over time, with intervals, and where the judge changed", answers={200: "Trends"},
               filters=_FILTERS)  # fmt: skip
    def get(self, request: Request) -> Response:
        asked = {name: request.query_params.get(name, "")[:200] for name in self.query_names}
        kind = asked.pop("kind")
        if kind == Kind.PRODUCTION:
            series = [one.as_json() for one in production_trends(chosen=TrendFilter(**asked), now=timezone.now())]
        else:
            series = trends_of_tests(EvaluationTrendFilter(kind=kind, **asked))
        return Response({"series": series})
