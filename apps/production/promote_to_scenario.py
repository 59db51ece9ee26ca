"""Masking a production conversation before it becomes a test (seed 000 §4): the floor, then what the vertical adds."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from apps.core.json_hygiene import decoded_json
from apps.core.redaction import hash_arguments, redact
from apps.production import redact_extras

_PERSON = frozenset({"customer", "customer_ref"})  # who it was: not kept at all
_ARGUMENTS = frozenset({"arguments", "args", "tool_args"})


class MaskingTenant(Protocol):
    """Whose conversations these are: their vertical, and the names of staff and owners."""

    @property
    def vertical(self) -> str: ...
    @property
    def names(self) -> Sequence[str]: ...


async def mask_for_eval(conversation_jsonl_blob: str, tenant: MaskingTenant) -> str:
    """The JSON lines with everything masked that the floor masks: phones to their last three digits, e-mails, runs of
    six digits and more, listed names to `<name>`; arguments of tools to their sha256. Amounts, M-Pesa receipts and
    order ids stay as they are.

    Names come from `tenant.names` and from `customer.names` of each line, whose `customer` and `customer_ref` are left
    out. A line that is no JSON is masked as text. Masking twice changes nothing. Raises as `redact_extras.apply`.
    """
    known = _names(tenant.names)
    masked = [_line(line, known) for line in conversation_jsonl_blob.split("\n")]
    return await redact_extras.apply("\n".join(masked), tenant.vertical)


def _line(line: str, known: tuple[str, ...]) -> str:
    if not line.strip():
        return line
    try:
        document = decoded_json(line)
    except ValueError:
        return redact(line, names=known)
    return json.dumps(_mask(document, (*known, *_customer_names(document))), ensure_ascii=False)


def _mask(value: Any, names: tuple[str, ...], key: str = "") -> Any:
    if isinstance(value, str):
        return redact(value, names=names)
    if isinstance(value, Mapping):
        return {
            redact(str(name), names=names): _argument(one) if name in _ARGUMENTS else _mask(one, names, str(name))
            for name, one in value.items()
            if name not in _PERSON
        }
    if isinstance(value, list):
        return [_mask(one, names, key) for one in value]
    if isinstance(value, int) and not isinstance(value, bool):
        hidden = redact(str(value), names=())
        return value if hidden == str(value) or _is_money(key) else hidden
    return value


def _argument(value: Any) -> Any:
    """Arguments that are hashed already stay, so that masking twice changes nothing."""
    if isinstance(value, Mapping) and set(value) == {"sha256"} and len(str(value["sha256"])) == 64:
        return value
    return {"sha256": hash_arguments(value)}


def _is_money(key: str) -> bool:
    return key.lower() in {"amount", "price", "total", "kes", "amount_kes", "deposit", "balance", "ts", "timestamp"}


def _names(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(one for one in value or () if isinstance(one, str)) if isinstance(value, Sequence) else ()


def _customer_names(document: Any) -> tuple[str, ...]:
    """The names of `customer`, wherever in the document it stands."""
    if isinstance(document, list):
        return tuple(name for one in document for name in _customer_names(one))
    if not isinstance(document, Mapping):
        return ()
    customer = document.get("customer")
    own = _names(customer.get("names")) if isinstance(customer, Mapping) else ()
    one = _names(customer.get("name")) if isinstance(customer, Mapping) else ()
    return (*own, *one, *(name for value in document.values() for name in _customer_names(value)))
