"""Masking a production conversation before it becomes a test (brief 000 §4): the floor, then what the vertical adds."""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from apps.core.json_hygiene import decoded_json
from apps.core.redaction import hash_arguments, redact
from apps.production import redact_extras
from apps.production.domain.base_masking import is_money

_PERSON = frozenset({"customer", "customer_ref"})  # who it was: not kept at all
_ARGUMENTS = frozenset({"arguments", "args", "tool_args"})
_INPUT = frozenset({"input", "parameters"})  # arguments too, where they are a call's
_CALLED = frozenset({"name", "tool", "tool_name", "function"})  # beside them, they say that it is one
_WHOSE = re.compile(r"(?:customer|client|guest|patient|contact|full|first|last|middle|sur)_?name|client|customer", re.I)
_CONTACT = re.compile(
    r".*(?:phone|mobile|msisdn|e-?mail|whats_?app|wa_id).*|tel", re.I
)  # beside it, a name is a person's
_MASKED = frozenset({"masked", "hmac_sha256"})
_HEX = re.compile(r"[0-9a-f]{64}")


class MaskingTenant(Protocol):
    """Owner of the conversations that are masked: their vertical, and the names of staff and owners.

    One with `arguments_key` has arguments of tools masked beside their digest under that key; without it there is no
    safe digest to keep masked words beside.
    """

    @property
    def vertical(self) -> str: ...
    @property
    def names(self) -> Sequence[str]: ...


async def mask_for_eval(conversation_jsonl_blob: str, tenant: MaskingTenant) -> str:
    """Return the JSON lines with everything masked that the base redaction masks.

    Phones keep their last three digits; e-mails, runs of six digits and more go; listed names become `<name>`. Amounts,
    M-Pesa receipts and order ids stay as they are.

    Arguments of tools (`arguments`, `args`, `tool_args`, and a call's `input` and `parameters`) become {"masked",
    "hmac_sha256"}: the masked ones, and HMAC-SHA256 of the original under `tenant.arguments_key`. For a tenant without
    a key they become {"sha256"} alone: beside masked words, a plain digest tells a phone number in 0.03 s
    (docs/adr/0158).

    Names come from `tenant.names` and from `customer.names` of each line, whose `customer` and `customer_ref` are left
    out. A line that is no JSON is masked as text. Masking twice changes nothing. Raises as `redact_extras.apply`.
    """
    known = _names(tenant.names)
    key = getattr(tenant, "arguments_key", None)
    masked = [_line(line, known, key) for line in conversation_jsonl_blob.split("\n")]
    return await redact_extras.apply("\n".join(masked), tenant.vertical)


def _line(line: str, known: tuple[str, ...], key: bytes | None) -> str:
    if not line.strip():
        return line
    try:
        document = decoded_json(line)
    except ValueError:
        return redact(line, names=known)
    masking = _Masking(names=(*known, *_customer_names(document)), key=key)
    return json.dumps(masking.document(document), ensure_ascii=False)


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class _Masking:
    """The masking of one line: whose names, and the key of digests."""

    names: tuple[str, ...]
    key: bytes | None

    def document(self, value: Any, key: str = "") -> Any:
        """Arguments of tools as such, everything else by `plain`."""
        if isinstance(value, list):
            return [self.document(one, key) for one in value]
        if not isinstance(value, Mapping):
            return self.plain(value, key)
        return {
            redact(str(name), names=self.names): self._arguments(one)
            if _is_arguments(str(name), one, value)
            else self.document(one, str(name))
            for name, one in value.items()
            if name not in _PERSON
        }

    def plain(self, value: Any, key: str = "", *, told: bool = False) -> Any:
        """A value without a look for arguments; `told`: it is an argument, so its key may say that it is a person."""
        if told and value and isinstance(value, str | Mapping) and _WHOSE.fullmatch(key):
            return "<name>"
        if isinstance(value, str):
            return redact(value, names=self.names)
        if isinstance(value, Mapping):
            whose = told and any(_CONTACT.fullmatch(str(name)) for name in value)
            return {
                redact(str(name), names=self.names): self.plain(
                    one, "customer_name" if whose and str(name).lower() == "name" else str(name), told=told
                )
                for name, one in value.items()
            }
        if isinstance(value, list):
            return [self.plain(one, key, told=told) for one in value]
        if isinstance(value, int | float) and not isinstance(value, bool) and not _stays(key, value):
            hidden = redact(str(value), names=())
            return value if hidden == str(value) else hidden
        return value

    def _arguments(self, value: Any) -> Any:
        """Arguments that are masked already keep their digest, so that masking twice changes nothing."""
        if isinstance(value, Mapping):
            if set(value) == {"sha256"} and _HEX.fullmatch(str(value["sha256"])):
                return value
            if set(value) == _MASKED and _HEX.fullmatch(str(value["hmac_sha256"])):
                return {"masked": self.plain(value["masked"], told=True), "hmac_sha256": value["hmac_sha256"]}
        read = _read(value)
        if self.key is None:
            return {"sha256": hash_arguments(read)}
        return {"masked": self.plain(read, told=True), "hmac_sha256": hash_arguments(read, key=self.key)}


def _is_arguments(name: str, value: Any, beside: Mapping[str, Any]) -> bool:
    if name in _ARGUMENTS:
        return True
    return name in _INPUT and (isinstance(value, Mapping | list) or not _CALLED.isdisjoint(beside))


def _read(value: Any) -> Any:
    """Read a provider's JSON where it comes as a text, so that it is masked by its keys and has the same digest."""
    if not isinstance(value, str):
        return value
    try:
        return decoded_json(value)
    except ValueError:
        return value


def _stays(key: str, value: float) -> bool:
    """Sums of money, and moments since 1970 in seconds or milliseconds, of this century up to 2033."""
    if key.casefold() in ("ts", "timestamp"):
        return any(9.4e8 * unit <= value < 2e9 * unit for unit in (1, 1000))
    return is_money(key, value)


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
    names = _names(customer.get("name")) if isinstance(customer, Mapping) else ()
    return (*own, *names, *(name for value in document.values() for name in _customer_names(value)))
