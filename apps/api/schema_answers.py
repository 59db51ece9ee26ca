"""The shapes of what the API answers, from the documents themselves."""

from collections.abc import Mapping
from typing import Any

from apps.api.queries.documents import GoldenSessionLine, SentConversation
from apps.api.queries.personas import PersonaDetailDocument, PersonaLine
from apps.api.queries.promotions import PromotionDetailDocument
from apps.api.queries.scenarios import ScenarioDetailDocument, ScenarioLine
from apps.api.schema_building import Schema, known, made, or_null, page
from apps.calibration.queries.queue_documents import (
    ReviewQueue,
    ReviewQueueAgreement,
    ReviewQueueLine,
    ReviewQueueRater,
)
from apps.checks.queries.check_results import CheckResultDocument
from apps.core.documents import Document
from apps.core.validation import json_schemas
from apps.gates.queries.acceptances import GateAcceptanceDocument
from apps.gates.queries.snapshot_reviews import Snapshot, SnapshotLine
from apps.improvement.analysis.queries.analyses import AnalysisAsked, AnalysisDocument, FindingDocument
from apps.improvement.drafts.domain.decision_document import TrialDecision, TrialGroup
from apps.improvement.drafts.domain.trial_forecast import TrialForecastDocument, TrialForecastOnly
from apps.improvement.drafts.queries.documents import Draft, DraftLine
from apps.improvement.drafts.queries.hold_out import HoldOutDocument, HoldOutDrawn
from apps.improvement.drafts.queries.releases import DraftRelease, DraftReleased
from apps.improvement.drafts.queries.trials import TrialDocument, TrialLineDocument
from apps.improvement.drafts.queries.version_document import (
    PromptComparisonDocument,
    PromptDifference,
    PromptFigure,
    PromptStanding,
    PromptVersionRow,
)
from apps.improvement.failure_modes.queries.documents import (
    ConversationNoteDocument,
    FailureModeDocument,
    FailureModeFix,
    FailureModeLine,
    FailureModeMovement,
    FailureModeNote,
    FailureModeRate,
    NoteGrouping,
)
from apps.improvement.optimizer.domain.forecast import OptimizationForecastDocument, OptimizationForecastOnly
from apps.improvement.optimizer.queries.documents import (
    OptimizationDocument,
    OptimizationLine,
    OptimizationMatrixDocument,
)
from apps.improvement.playground.queries.documents import PlaygroundDocument
from apps.production.rollouts.domain.forecast import RolloutForecastDocument
from apps.production.rollouts.domain.rules import RolloutMetric
from apps.production.rollouts.queries.documents import (
    PromptRoutesDocument,
    ResolvedPromptDocument,
    RolloutDocument,
    RolloutForecastOnly,
    RolloutLine,
)
from apps.production.sampling.queries.anchor_sets import (
    AnchorSetDocument,
    AnchorSetFrozen,
    AnchorSets,
    AnchorShift,
    AnchorWeek,
    RequestShareDocument,
)
from apps.reports.queries.comparison_document import (
    ComparedConversation,
    ComparedSide,
    ComparisonDocument,
    DifferenceDocument,
)
from apps.reports.queries.evaluators_document import (
    EvaluatorComparisonDocument,
    EvaluatorConsistencyDocument,
    EvaluatorOpinion,
)
from apps.reports.queries.matrix import MatrixCellDocument, MatrixDocument, MatrixRowDocument
from apps.reports.queries.reliability import GroupReliability, PassShareDocument, ReliabilityDocument
from apps.reports.queries.search import SearchHitDocument, SearchResults
from apps.reports.queries.slices import (
    EvaluationSlicesDocument,
    HeatRowDocument,
    SliceClaimDocument,
    SliceDimensionDocument,
)

_REFERENCE = "#/components/schemas/"
# What stands under a name of its own; a document that is not here stands where it is used.
DOCUMENTS: dict[str, type[Document]] = {
    "HoldOut": HoldOutDocument,
    "HoldOutDrawn": HoldOutDrawn,
    "TrialForecast": TrialForecastDocument,
    "TrialForecastOnly": TrialForecastOnly,
    "TrialGroup": TrialGroup,
    "TrialDecision": TrialDecision,
    "TrialLine": TrialLineDocument,
    "Trial": TrialDocument,
    "DraftRelease": DraftRelease,
    "DraftReleased": DraftReleased,
    "OptimizationForecast": OptimizationForecastDocument,
    "OptimizationForecastOnly": OptimizationForecastOnly,
    "OptimizationLine": OptimizationLine,
    "Optimization": OptimizationDocument,
    "OptimizationMatrix": OptimizationMatrixDocument,
    "ConversationNote": ConversationNoteDocument,
    "FailureModeNote": FailureModeNote,
    "FailureModeRate": FailureModeRate,
    "FailureModeMovement": FailureModeMovement,
    "FailureModeFix": FailureModeFix,
    "FailureModeLine": FailureModeLine,
    "FailureMode": FailureModeDocument,
    "NoteGrouping": NoteGrouping,
    "RolloutMetric": RolloutMetric,
    "RolloutForecast": RolloutForecastDocument,
    "RolloutForecastOnly": RolloutForecastOnly,
    "RolloutLine": RolloutLine,
    "Rollout": RolloutDocument,
    "PromptRoutes": PromptRoutesDocument,
    "ResolvedPrompt": ResolvedPromptDocument,
    "EvaluatorConsistency": EvaluatorConsistencyDocument,
    "EvaluatorOpinion": EvaluatorOpinion,
    "EvaluatorComparison": EvaluatorComparisonDocument,
    "ComparedSide": ComparedSide,
    "Difference": DifferenceDocument,
    "ComparedConversation": ComparedConversation,
    "Comparison": ComparisonDocument,
    "HeatRow": HeatRowDocument,
    "SliceClaim": SliceClaimDocument,
    "SliceDimension": SliceDimensionDocument,
    "EvaluationSlices": EvaluationSlicesDocument,
    "PassShare": PassShareDocument,
    "GroupReliability": GroupReliability,
    "Reliability": ReliabilityDocument,
    "SearchHit": SearchHitDocument,
    "SearchResults": SearchResults,
    "DraftLine": DraftLine,
    "Draft": Draft,
    "PromptFigure": PromptFigure,
    "PromptDifference": PromptDifference,
    "PromptStanding": PromptStanding,
    "PromptVersionRow": PromptVersionRow,
    "PromptComparison": PromptComparisonDocument,
    "Playground": PlaygroundDocument,
    "ScenarioLine": ScenarioLine,
    "ScenarioDetail": ScenarioDetailDocument,
    "ReviewQueueLine": ReviewQueueLine,
    "ReviewQueueAgreement": ReviewQueueAgreement,
    "ReviewQueueRater": ReviewQueueRater,
    "ReviewQueue": ReviewQueue,
    "PersonaLine": PersonaLine,
    "PersonaDetail": PersonaDetailDocument,
    "CheckResult": CheckResultDocument,
    "SnapshotLine": SnapshotLine,
    "Snapshot": Snapshot,
    "PromotionDetail": PromotionDetailDocument,
    "GateAcceptance": GateAcceptanceDocument,
    "AnchorShift": AnchorShift,
    "RequestShare": RequestShareDocument,
    "AnchorWeek": AnchorWeek,
    "AnchorSet": AnchorSetDocument,
    "AnchorSets": AnchorSets,
    "AnchorSetFrozen": AnchorSetFrozen,
    "Finding": FindingDocument,
    "AnalysisAsked": AnalysisAsked,
    "Analysis": AnalysisDocument,
    "GoldenSessionLine": GoldenSessionLine,
    "MatrixCell": MatrixCellDocument,
    "MatrixRow": MatrixRowDocument,
    "Matrix": MatrixDocument,
    "Conversation": SentConversation,
}
# A page of a list: {its name: of what}.
PAGES: dict[str, str] = {
    "TrialPage": "TrialLine",
    "OptimizationPage": "OptimizationLine",
    "ConversationNotePage": "ConversationNote",
    "FailureModePage": "FailureModeLine",
    "RolloutPage": "RolloutLine",
    "DraftPage": "DraftLine",
    "PersonaPage": "PersonaLine",
    "ScenarioPage": "ScenarioLine",
    "SnapshotPage": "SnapshotLine",
    "AnalysisPage": "Analysis",
    "ConversationPage": "Conversation",
    "GoldenSessionPage": "GoldenSessionLine",
    "CheckResultPage": "CheckResult",
}


def answer_components() -> dict[str, Schema]:
    """{name: JSON Schema} of the documents and of pages of them."""
    schemas = json_schemas(DOCUMENTS.values(), _REFERENCE + "{model}")
    # A docstring is for readers of the code.
    by_class = {
        key: {word: part for word, part in schema.items() if word != "description"} for key, schema in schemas.items()
    }
    names = {document.__name__: name for name, document in DOCUMENTS.items()}
    pages = {name: page(item) for name, item in PAGES.items()}
    return pages | {name: _sent(by_class[document.__name__], by_class, names) for name, document in DOCUMENTS.items()}


def _sent(schema: Any, by_class: Mapping[str, Schema], names: Mapping[str, str]) -> Any:
    """In the words of `schema_building`: every member is there, null is a type, and only DOCUMENTS have a name."""
    if isinstance(schema, list):
        return [_sent(part, by_class, names) for part in schema]
    if not isinstance(schema, dict):
        return schema
    more = {key: _sent(part, by_class, names) for key, part in schema.items() if key not in ("$ref", "anyOf")}
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(_REFERENCE)
        return ({"$ref": _REFERENCE + names[name]} if name in names else _sent(by_class[name], by_class, names)) | more
    if "component" in schema:
        return known(more.pop("component")) | more
    if "anyOf" in schema:
        return _or_null(_sent(schema["anyOf"][0], by_class, names)) | more
    if "properties" in more and "additionalProperties" not in more:
        return more | made(more["properties"])
    return more


def _or_null(schema: Schema) -> Schema:
    unbounded = schema.get("type") == "array" and "minItems" not in schema
    if not isinstance(schema.get("type"), str) or "properties" in schema or unbounded:
        return or_null(schema)
    words = {"enum": [*schema["enum"], None]} if "enum" in schema else {}
    return {**schema, "type": [schema["type"], "null"], **words}
