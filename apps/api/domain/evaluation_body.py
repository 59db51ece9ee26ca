"""The body of POST /evaluations/ as plain data."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from annotated_types import Interval, MaxLen

from apps.api.domain.request_fields import Id, RequestOptions
from apps.core.conversation import ConversationDocument
from apps.core.document_parsing import DocumentLimits, parse_document
from apps.core.errors import BadInput
from apps.core.shapes import NOT_BLANK, WHOLE, Check, Flag, Text, described
from apps.core.validation import validate

MAX_CONVERSATIONS = 500
MAX_TURNS = 400


def _number_of(raw: list[Any]) -> list[Any]:
    if not raw:
        raise BadInput("holds none", code="no_conversations")
    if len(raw) > MAX_CONVERSATIONS:
        what = f"holds {len(raw)} conversations; the limit is {MAX_CONVERSATIONS} per request"
        raise BadInput(what, code="too_many_conversations")
    return raw


_CONVERSATIONS = {
    "items": {"$ref": "#/components/schemas/ConversationRequest"},
    "minItems": 1,
    "maxItems": MAX_CONVERSATIONS,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class EvaluationOptions(RequestOptions):
    """What is asked for, whatever it is about."""

    evaluator_config: Annotated[Text, MaxLen(200), NOT_BLANK, described("`name@3`, or `name` for the active version.")]
    use_cache: Annotated[Flag, described("False asks although an answer is kept.")] = True
    repeat: Annotated[int, Interval(ge=1, le=1000), WHOLE, described("2, 3 … ask once more.")] = 1

    @property
    def how(self) -> Mapping[str, Any]:
        return {"use_cache": self.use_cache, "repeat": self.repeat, "pull_request": self.pull_request}


# Two shapes and not one with alternatives: what makes clients from our OpenAPI document knows unions of objects only.
@dataclass(frozen=True, slots=True, kw_only=True)
class RunEvaluationRequest(EvaluationOptions):
    """Judge a run that exists."""

    test_run_id: Id


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversationsEvaluationRequest(EvaluationOptions):
    """Judge conversations that come with the request.

    `documents_of` reads them: the documents of conversations have a reader of their own.
    """

    conversations: Annotated[list[Any], Check(_number_of, _CONVERSATIONS)]


EvaluationRequest = RunEvaluationRequest | ConversationsEvaluationRequest
_SHAPES: dict[str, type[EvaluationRequest]] = {
    "test_run_id": RunEvaluationRequest,
    "conversations": ConversationsEvaluationRequest,
}


def read_evaluation(body: Any) -> EvaluationRequest:
    """Read the body of an evaluation.

    Raises BadInput with a pointer: `too_many_conversations`, `run_or_conversations`, `required` … Pure.
    """
    raw = body if isinstance(body, dict) else {}
    about = {name: raw[name] for name in _SHAPES if raw.get(name) is not None}
    if len(about) == 1:
        return validate(_SHAPES[next(iter(about))], {name: raw[name] for name in raw if name not in _SHAPES} | about)
    validate(EvaluationOptions, {name: raw[name] for name in raw if name not in _SHAPES} if raw else body)
    raise BadInput("Give either test_run_id or conversations.", code="run_or_conversations", pointer="")


def documents_of(request: EvaluationRequest) -> tuple[ConversationDocument, ...] | None:
    """The conversations that came with the request. Raises DocumentError, `too_many_turns`, `duplicate_id`. Pure; about
    2 ms for 400 turns."""
    if isinstance(request, RunEvaluationRequest):
        return None
    limits = DocumentLimits(turns=MAX_TURNS)
    documents = tuple(
        parse_document(conversation, pointer=f"/conversations/{n}", limits=limits)
        for n, conversation in enumerate(request.conversations)
    )
    seen: dict[str, int] = {}
    for position, document in enumerate(documents):
        first = seen.setdefault(document.id, position)
        if first != position:
            raise BadInput(
                f"Conversations {first} and {position} both have the id {document.id!r}; ids must differ.",
                code="duplicate_id",
                pointer=f"/conversations/{position}/id",
            )
    return documents
