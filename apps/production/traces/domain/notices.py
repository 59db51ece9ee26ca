"""The possible faults of spans, in words, and the ways to mend them."""

from enum import StrEnum


class NoticeKind(StrEnum):
    NO_TEXT = "no_text"
    NO_CONVERSATION = "no_conversation"
    DROPPED_ATTRIBUTES = "dropped_attributes"
    LATE = "late"
    REFUSED = "refused"


REMEDIES = {
    NoticeKind.NO_TEXT: (
        "hold no text that is read here (GenAI, OpenInference, Traceloop, Vercel's AI SDK, Langfuse, Google's ADK)",
        "where capturing content is off, set OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY (Traceloop: "
        "TRACELOOP_TRACE_CONTENT=true; OpenInference: unset OPENINFERENCE_HIDE_INPUTS and OPENINFERENCE_HIDE_OUTPUTS); "
        "where the text stands in span events or attributes of your own, write it into gen_ai.input.messages",
    ),
    NoticeKind.NO_CONVERSATION: (
        "belong to no conversation",
        "set gen_ai.conversation.id on the span of the turn, or session.id (OpenInference: using_session)",
    ),
    NoticeKind.DROPPED_ATTRIBUTES: (
        "lost attributes on their way",
        "the SDK keeps 128 attributes and drops the oldest: raise OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT, to 2000 or so",
    ),
    NoticeKind.LATE: (
        "came after their conversation was over",
        "raise settle_minutes in Settings, or let the exporter send more often (OTEL_BSP_SCHEDULE_DELAY)",
    ),
    NoticeKind.REFUSED: (
        "are of conversations that cannot be taken in",
        "a conversation has up to 400 turns of up to 50,000 characters, and one way in: posts or spans, not both",
    ),
}


def remedy_sentence(kind: NoticeKind, spans: int) -> str:
    """The fault and its remedy in a sentence, for an exporter's log and for people."""
    what, remedy = REMEDIES[kind]
    verb = {"hold": "holds", "belong": "belongs", "are": "is"}.get(what.partition(" ")[0]) if spans == 1 else None
    sentence = f"{verb} {what.partition(' ')[2]}" if verb else what
    return f"{spans} model call{'' if spans == 1 else 's'} {sentence}: {remedy}."
