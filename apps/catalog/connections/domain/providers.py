"""Resolve a provider's name to an address and a key: the tenant's own, else the platform's.

A key from the environment is only ever sent to the environment's own base URL or to the provider's official one: a
tenant who could choose the address could otherwise collect the platform's keys.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from apps.connectors.llms.registry import key_variable, provider_names
from apps.core.errors import BadInput

_LOCATION = re.compile(r"[a-z][a-z0-9-]{0,40}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A tenant's model provider, decrypted."""

    name: str
    kind: str
    base_url: str = ""
    api_key: str = field(default="", repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PlatformKeys:
    """Keys of the platform from the environment, by the variable's name.

    `openai_base_url` is the operator's own server that speaks like OpenAI.
    """

    keys: Mapping[str, str] = field(default_factory=dict, repr=False)
    openai_base_url: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Endpoint:
    """Address of a model's server and its key. None means the adapter's official address, or no key at all."""

    kind: str
    base_url: str | None
    api_key: str | None = field(repr=False)
    options: Mapping[str, Any] = field(default_factory=dict)


def endpoint(
    name: str, row: Provider | None, platform: PlatformKeys, options: Mapping[str, Any] | None = None
) -> Endpoint:
    """The endpoint behind a provider's name; `options` of the role come over those of the provider.

    Raises BadInput (`unknown_provider`, `model_key_missing`, and for a Vertex location that is no location).
    """
    if row is None:
        if name not in provider_names():  # a kind's own name needs no row
            raise unknown_provider(name)
        row = Provider(name=name, kind=name)
    row = replace(row, options={**row.options, **(options or {})})
    kind = row.kind
    if kind == "vertex":
        _check_location(row.options)
    if kind == "offline":
        return Endpoint(kind=kind, base_url=None, api_key=None, options=row.options)
    if row.api_key:
        return Endpoint(kind=kind, base_url=row.base_url or None, api_key=row.api_key, options=row.options)
    if kind == "vertex":
        return _default_credentials(row)
    own_url = platform.openai_base_url if kind == "openai" else ""
    if row.base_url and row.base_url.rstrip("/") != own_url.rstrip("/"):
        # The tenant's own address and no key of its own: a local server that wants none. Never the platform's key.
        return Endpoint(kind=kind, base_url=row.base_url, api_key=None, options=row.options)
    variable = key_variable(kind)
    key = platform.keys.get(variable, "")
    if not key and not own_url:
        remedy = f"add a model provider named {name!r} with its key"
        raise _key_missing(name, f"set {variable}, or {remedy}" if variable else remedy)
    return Endpoint(kind=kind, base_url=own_url or None, api_key=key or None, options=row.options)


def _default_credentials(row: Provider) -> Endpoint:
    """Return Vertex's endpoint without a key of its own, with the platform's default credentials.

    They are GOOGLE_APPLICATION_CREDENTIALS or the machine's own account. The adapter finds them itself, and they must
    not travel to an address of the tenant's.
    """
    if row.base_url:
        raise _key_missing(row.name, "an address of one's own needs a service account key of one's own")
    return Endpoint(kind=row.kind, base_url=None, api_key=None, options=row.options)


def _check_location(options: Mapping[str, Any]) -> None:
    # The location becomes part of a host name that is sent a Google access token.
    location = options.get("location", "global")
    if not isinstance(location, str) or not _LOCATION.fullmatch(location):
        raise BadInput(f"{location!r} is not a Google Cloud location", pointer="/options/location")


def _key_missing(name: str, remedy: str) -> BadInput:
    return BadInput(f"no key for the model provider {name!r}: {remedy}", code="model_key_missing")


def kind_choices() -> list[tuple[str, str]]:
    """Kinds as choices of a column. Read when asked, so that a new kind needs no migration."""
    return [(name, name.capitalize()) for name in provider_names()]


def unknown_provider(name: str, pointer: str | None = None) -> BadInput:
    """The error for a provider nobody knows."""
    return BadInput(
        f"{pointer + ': ' if pointer else ''}unknown model provider {name!r}; known are "
        f"{', '.join(provider_names())} and the catalog's own model providers",
        code="unknown_provider",
        pointer=pointer,
    )
