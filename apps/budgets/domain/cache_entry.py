"""One model asked one question about one conversation, as text that can be stored and read again.

An exchange is kept with the nonce its reply is bound to and the salt in the keys of its numbers, so that a kept reply
is read by the same strict rules as a fresh one, by the parser of the day: what somebody planted in it is no number now,
as it was none then. Neither is part of the key of the entry, so that another evaluation's same question is answered.
"""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Any

from apps.connectors.llms.base import Finish, LLMResponse
from apps.core.digest import sha256_hex
from apps.core.usage import Usage

FIRST = "first"


class CorruptEntry(ValueError):
    """A kept exchange that is not what was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheEntry:
    """Answers by step (`first`, then `again <criteria>`), all bound to `nonce` and `salt` ("": plain keys)."""

    nonce: str
    salt: str = ""
    answers: Mapping[str, LLMResponse] = field(default_factory=dict)

    @property
    def cost_usd(self) -> Decimal | None:
        """The cost of all its answers; None where any price is unknown."""
        costs = [answer.cost_usd for answer in self.answers.values()]
        return None if None in costs else sum((cost for cost in costs if cost is not None), Decimal(0))


def again(criteria: tuple[str, ...]) -> str:
    """The step of a tighter repeat for these criteria."""
    return f"again {json.dumps(criteria, ensure_ascii=False)}"


def write_entry(entry: CacheEntry) -> str:
    """Checksum, line break, JSON."""
    answers = {step: _as_json(answer) for step, answer in entry.answers.items()}
    # ASCII: a NUL or half a character is kept too.
    text = json.dumps({"nonce": entry.nonce, "salt": entry.salt, "answers": answers})
    return f"{sha256_hex(text)}\n{text}"


def read_entry(body: str) -> CacheEntry:
    """The exchange as it was written. Raises Corrupt."""
    checksum, _, text = body.partition("\n")
    if checksum != sha256_hex(text):
        raise CorruptEntry("the checksum does not match")
    try:
        document = json.loads(text)
        answers = {str(step): _from_json(answer) for step, answer in document["answers"].items()}
        return CacheEntry(nonce=str(document["nonce"]), salt=str(document.get("salt") or ""), answers=answers)
    except (ValueError, KeyError, TypeError, AttributeError, InvalidOperation, RecursionError) as error:
        raise CorruptEntry(f"not an exchange: {error!r}"[:300]) from error


def _as_json(answer: LLMResponse) -> dict[str, Any]:
    return {
        "text": answer.text,
        "finish": answer.finish.value,
        "provider": answer.provider,
        "model": answer.model,
        "usage": asdict(answer.usage),
        "cost_usd": None if answer.cost_usd is None else str(answer.cost_usd),
    }


def _from_json(document: Mapping[str, Any]) -> LLMResponse:
    cost = document["cost_usd"]
    return LLMResponse(
        text=str(document["text"]),
        finish=Finish(document["finish"]),
        provider=str(document["provider"]),
        model=str(document["model"]),
        usage=Usage(**document["usage"]),
        cost_usd=None if cost is None else Decimal(cost),
        latency_ms=0,
    )
