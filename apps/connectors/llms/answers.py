"""Decide whether a model's reply is an answer at all, and word the replies that nobody can use."""

from collections.abc import Callable
from typing import TypeVar

from apps.connectors.llms.base import Finish, LLMResponse
from apps.core.errors import Fault, RatibaError

NO_ANSWER_CODES = ("refusal", "content_filter")
CUT_OFF = "cut_off"
T = TypeVar("T")


class ParseError(RatibaError):
    """Error of a model's reply in which nothing is usable.

    `raw` is the whole reply, for people to read; it is never scored.
    """

    code = "parse_error"
    fault = Fault.REMOTE

    def __init__(self, message: str, *, raw: str) -> None:
        super().__init__(message)
        self.raw = raw


class NoAnswer(ParseError):
    """The model refused, or a content filter held its answer back. `code` says which; asking again would not help."""

    def __init__(self, *, refused: bool, raw: str) -> None:
        filtered = "a content filter of the model's provider held the answer back"
        super().__init__("the model refused to answer" if refused else filtered, raw=raw)
        self.code = NO_ANSWER_CODES[0] if refused else NO_ANSWER_CODES[1]


def answer_text(response: LLMResponse) -> str:
    """The text of a model's answer. Raises NoAnswer."""
    if response.is_answer:
        return response.text
    raise NoAnswer(refused=response.finish is Finish.REFUSAL, raw=response.text)


class CutOff(NoAnswer):
    """The answer ends where there was no more room, and cannot be read. It was asked for with twice the room already
    (connectors.retry), so asking again would not help."""

    def __init__(self, response: LLMResponse) -> None:
        ParseError.__init__(self, cut_sentence(response), raw=response.text)
        self.code = CUT_OFF


def cut_sentence(response: LLMResponse) -> str:
    """Say where an answer was cut, and what to do."""
    if response.finish is Finish.CONTEXT:
        return (
            "the answer is cut off: question and answer fill the model's context window; use a model with a larger one"
        )
    usage = response.usage
    thought = f", {usage.reasoning_tokens:,} of them reasoning" if usage.reasoning_tokens else ""
    spent = f" after {usage.output_tokens:,} tokens{thought}" if usage.output_tokens else ""
    return f"the answer is cut off{spent}: raise max_output_tokens, or let the model think less"


def read_answer(response: LLMResponse, read: Callable[[str], T]) -> T:
    """Read an answer's text with `read`. Raises NoAnswer (CutOff where the answer ends too early to be read), and
    ParseError as `read` does."""
    text = answer_text(response)
    try:
        return read(text)
    except ParseError as error:
        if response.is_cut:
            raise CutOff(response) from error
        raise
