"""Whether a model's reply is an answer at all: the words for replies that nobody can use."""

from apps.connectors.llms.base import Finish, LLMResponse
from apps.core.errors import Fault, RatibaError

NO_ANSWER_CODES = ("refusal", "content_filter")


class ParseError(RatibaError):
    """Nothing usable in a model's reply. `raw` is the whole reply, for people to read; it is never scored."""

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
