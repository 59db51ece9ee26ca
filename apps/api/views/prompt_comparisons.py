"""Versions of one prompt beside each other."""

from rest_framework.request import Request
from rest_framework.response import Response

from apps.api.schema import operation
from apps.api.views.base import ApiView
from apps.improvement.drafts.queries.version_comparison import compare_prompt_versions
from apps.improvement.drafts.queries.version_document import version_document

FILTERS = {
    "versions": "Two to eight versions of one prompt, by commas; the others are held against the first.",
    "evaluator_config": "Whose scores: `name` or `name@number`. Without it, the judge that most versions share.",
    "scenarios": "Only these scenarios, by commas; leaves out what belongs to a hold-out.",
}


class PromptComparison(ApiView):
    """Live, earlier and draft versions, over what they played alike and one judge scored."""

    query_names = tuple(FILTERS)

    @operation(
        "comparePromptVersions",
        "Versions of a prompt against the first of them, criterion by criterion",
        answers={200: "PromptComparison"},
        filters=FILTERS,
    )
    def get(self, request: Request) -> Response:
        named = request.query_params
        versions = compare_prompt_versions(
            _listed(named.get("versions", "")),
            config=named.get("evaluator_config", "").strip(),
            scenarios=_listed(named["scenarios"]) if named.get("scenarios") else None,
        )
        return Response(version_document(versions))


def _listed(words: str) -> list[str]:
    return [part.strip() for part in words.split(",") if part.strip()]
