"""One model, one question about one conversation, at most one tighter repeat: what it answered, read strictly."""

from collections.abc import Mapping, Sequence
from typing import Any

from apps.budgets.domain.cache_entry import FIRST, again
from apps.budgets.domain.purpose import Purpose
from apps.budgets.services.response_cache import CachedModel
from apps.connectors.errors import BadReply, ConnectorError, RateLimited, RemoteFailure, Unreachable
from apps.connectors.llms.base import LLMRequest, LLMResponse
from apps.connectors.retry import CallResult
from apps.core.errors import RatibaError
from apps.evaluations.domain.parsing import (
    CriterionReading,
    NoAnswer,
    ParsedAnswer,
    ParseError,
    read_answer,
    read_reply,
    without_salt,
)
from apps.evaluations.domain.prompt import JudgePrompt, tighter_request
from apps.evaluations.domain.states import JudgementStatus
from apps.evaluations.judging.domain.aggregation import Answered, NotAnswered
from apps.evaluations.judging.services.leases import ClaimedJudgement

_PASSING = frozenset({RemoteFailure.code, Unreachable.code, BadReply.code})
_REASKED = frozenset({ParsedAnswer.MISSING, ParsedAnswer.INVALID, ParsedAnswer.FORM})


class ModelQuestion:
    """Asks through a `CachedModel`, which keeps and meters."""

    def __init__(
        self, *, claimed: ClaimedJudgement, model: CachedModel, names: Sequence[str], purpose: Purpose
    ) -> None:
        self.claimed, self.model, self.names, self.purpose = claimed, model, list(names), purpose

    async def ask(self, *, prompt: JudgePrompt, latency: Mapping[str, Any]) -> Answered | NotAnswered:
        """Ask the model about the criteria of `prompt`.

        Raises RateLimited; everything else is in the answer. Costs one question; a second one when the reply was
        unusable or left criteria out. A refusal is not asked again.
        """
        try:
            request = prompt.request(
                turns=self.claimed.turns,
                language=self.claimed.language,
                latency=latency,
                background=self.claimed.background,
                nonce=self.model.nonce,
                salt=self.model.salt,
            )
            result = await self._send(request, FIRST)
        except RateLimited:
            raise
        except RatibaError as error:
            return _failed(error)
        try:
            reading = self._read(result, self.names)
        except NoAnswer as error:
            return self._unusable(error, result.response)
        except ParseError as error:
            return await self._repeat(request, result, error)
        self.model.note_usable(FIRST, result)
        return await self._complete(request, result, reading)

    async def _repeat(self, request: LLMRequest, result: CallResult, unusable: ParseError) -> Answered | NotAnswered:
        """The reply was unusable: one tighter question, then it is a parse error with the raw text."""
        step = again(tuple(self.names))
        try:
            second = await self._send(self._tighter(request, result, self.names), step)
            reading = self._read(second, self.names)
            self.model.note_usable(step, second)
            return self._answered([result, second], reading)
        except RateLimited:
            raise
        except ParseError as error:
            return self._unusable(error, second.response)
        except ConnectorError as error:
            return _failed(error, raw=without_salt(unusable.raw, self.model.salt))

    async def _complete(
        self, request: LLMRequest, result: CallResult, reading: dict[str, CriterionReading]
    ) -> Answered | NotAnswered:
        """Criteria left out, off the scale or with a second number: one tighter question for these alone, then they are
        unscored."""
        open_names = [name for name in self.names if reading[name].answer in _REASKED]
        if not open_names:
            return self._answered([result], reading)
        step = again(tuple(open_names))
        try:
            second = await self._send(self._tighter(request, result, open_names), step)
            reading = {**reading, **self._read(second, open_names)}
            self.model.note_usable(step, second)
        except (ConnectorError, ParseError):
            return self._answered([result], reading)  # what was scored stays; the rest is unscored: missing
        return self._answered([result, second], reading)

    async def _send(self, request: LLMRequest, step: str) -> CallResult:
        purpose = Purpose.REASK if step != FIRST and self.purpose is Purpose.JUDGE else self.purpose
        return await self.model.ask(request, step=step, call_for=self.claimed.call_for_purpose(purpose))

    def _tighter(self, request: LLMRequest, result: CallResult, names: Sequence[str]) -> LLMRequest:
        return tighter_request(request, criteria=names, nonce=self.model.nonce)

    def _read(self, result: CallResult, names: Sequence[str]) -> dict[str, CriterionReading]:
        return read_answer(
            result.response, lambda text: read_reply(text, names, nonce=self.model.nonce, salt=self.model.salt)
        )

    def _answered(
        self, results: Sequence[CallResult], reading: Mapping[str, CriterionReading]
    ) -> Answered | NotAnswered:
        last = results[-1].response
        if all(criterion_reading.answer in _REASKED for criterion_reading in reading.values()):
            nothing = ParseError("the reply gives no criterion a number that can be used", raw=last.text)
            return self._unusable(nothing, last)
        return Answered(
            reading=reading,
            provider=last.provider,
            model=last.model,
            by_fallback=any(result.fallback_used for result in results),
            raw=without_salt("\n\n".join(result.response.text for result in results), self.model.salt),
            complete=not any(criterion_reading.answer in _REASKED for criterion_reading in reading.values()),
        )

    def _unusable(self, error: ParseError, response: LLMResponse) -> NotAnswered:
        return NotAnswered(
            status=JudgementStatus.PARSE_ERROR,
            provider=response.provider,
            model=response.model,
            raw_reply=without_salt(response.text, self.model.salt),
            error_code=error.code,
            error_message=str(error),
        )


def _failed(error: RatibaError, *, raw: str = "") -> NotAnswered:
    return NotAnswered(
        status=JudgementStatus.MODEL_ERROR,
        raw_reply=getattr(error, "raw", "") or raw,
        error_code=error.code,
        error_message=str(error)[:2000],
        passing=error.extra.get("cause") in _PASSING,
    )
