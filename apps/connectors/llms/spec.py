"""Describe the model that is asked: its server, its name, its settings."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from apps.connectors.llms.endpoint import is_openais_own
from apps.connectors.llms.options import identifying


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenPrice:
    """A declared price of a model, in US dollars for a million tokens; 0 for a machine of one's own."""

    input: Decimal
    output: Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelSpec:
    """Model with its address and its key.

    `provider` is the kind of interface, `name` the catalog's name for it ("": the kind). `options` are the provider's
    own settings (see each adapter); `known_by` are those that keep their first value in its identity
    (llms.options.known_by). `price` is the tenant's own declaration: it precedes every list and is no part of the
    identity. One process makes at most `max_concurrent` calls at once (connectors.places).
    """

    provider: str
    model: str
    base_url: str | None = None
    api_key: str | None = field(default=None, repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)
    name: str = ""
    price: TokenPrice | None = field(default=None, compare=False)
    known_by: Mapping[str, Any] = field(default_factory=dict)
    max_concurrent: int | None = field(default=None, compare=False)

    @property
    def label(self) -> str:
        """The provider as people know it: in judgements, the ledger and every message."""
        return self.name or self.provider

    def identity(self) -> dict[str, Any]:
        """The identity of this server, without keys and operating options: name, address, options, as JSON."""
        options = {**identifying(self.options), **self.known_by}
        return {"provider": self.label, "address": (self.base_url or "").rstrip("/"), "options": options}


def own_temperature(spec: ModelSpec) -> float | None:
    """Return the temperature for a judge where nobody sets one.

    It is 0 at a server that is not OpenAI's own and speaks its format, whose default may be 0.8; None where the model's
    own default counts.
    """
    is_own = spec.provider == "openai" and not is_openais_own(spec.base_url)
    return 0.0 if is_own and spec.options.get("supports_temperature", True) else None


def judging_parameters(parameters: Mapping[str, Any], spec: ModelSpec) -> dict[str, Any]:
    """A judge's parameters as this model is asked by them, with the temperature that nobody said."""
    own = own_temperature(spec)
    unsaid = own is not None and parameters.get("temperature") is None
    return {**parameters, "temperature": own} if unsaid else dict(parameters)
