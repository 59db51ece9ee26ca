"""States of what Meta posted and of questions that were sent."""

from enum import StrEnum


class PostStatus(StrEnum):
    PENDING = "pending"
    DONE = "done"
    FAILED = "failed"


class QuestionStatus(StrEnum):
    """State of a question.

    `unknown`: no answer came, so it may have arrived and is not sent again; `failed`: WhatsApp refused it, at once or
    later; `expired`: the window closed first.
    """

    PENDING = "pending"
    SENT = "sent"
    DELIVERED = "delivered"
    READ = "read"
    FAILED = "failed"
    UNKNOWN = "unknown"
    EXPIRED = "expired"
