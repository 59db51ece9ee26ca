"""The kinds of model provider: which class answers, whose prices count, which variable holds the platform's key.

A new kind is one module with a class that takes a ModelSpec and has `complete` (base.LLM), and one line here. Pages,
catalog files, settings, prices and keys read this list. A kind's module is imported when it is first asked.
"""

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module

from apps.connectors.llms.base import LLM, ModelSpec
from apps.core.errors import BadInput

Factory = Callable[[ModelSpec], LLM]


@dataclass(frozen=True, slots=True)
class ProviderKind:
    """One wire protocol. `adapter` is "module:class" or the class itself.

    `price_list` is the provider in genai-prices whose prices count ("": the one of the kind's own name).
    `key_variable` is the environment's variable with the platform's key ("": a key is in a tenant's row only).
    """

    adapter: str | Factory
    price_list: str = ""
    key_variable: str = ""


# `openai` serves every server that speaks like it (Ollama, vLLM, LiteLLM).
_KINDS: dict[str, ProviderKind] = {
    "anthropic": ProviderKind("apps.connectors.llms.anthropic:Anthropic", key_variable="ANTHROPIC_API_KEY"),
    "openai": ProviderKind("apps.connectors.llms.openai:OpenAI", key_variable="OPENAI_API_KEY"),
    "google": ProviderKind("apps.connectors.llms.gemini:Gemini", key_variable="GEMINI_API_KEY"),
    "vertex": ProviderKind("apps.connectors.llms.vertex:Vertex", price_list="google"),
    "offline": ProviderKind("apps.offline.provider:Offline"),
}


def llm_for(spec: ModelSpec) -> LLM:
    """The model behind `spec`. Raises BadInput for a provider nobody registered. Cost: the first call per provider
    imports its module; no network."""
    kind = _KINDS.get(spec.provider)
    if kind is None:
        raise BadInput(
            f"unknown model provider {spec.provider!r}; known: {', '.join(provider_names())}", code="unknown_provider"
        )
    if not isinstance(kind.adapter, str):
        return kind.adapter(spec)
    module, _, name = kind.adapter.partition(":")
    factory: Factory = getattr(import_module(module), name)
    return factory(spec)


def provider_names() -> tuple[str, ...]:
    """Every name `llm_for` takes, in the order in which people choose among them."""
    return tuple(_KINDS)


def price_list(provider: str) -> str:
    """Return the name whose prices in genai-prices count for this kind.

    It is the kind's own, where nothing else is registered.
    """
    kind = _KINDS.get(provider)
    return (kind.price_list if kind else "") or provider


def key_variable(provider: str) -> str:
    """The environment's variable with the platform's key for this kind; "" where there is none."""
    kind = _KINDS.get(provider)
    return kind.key_variable if kind else ""


def key_variables() -> tuple[str, ...]:
    """Every variable of the environment that may hold a key of the platform's."""
    return tuple(kind.key_variable for kind in _KINDS.values() if kind.key_variable)


def register(name: str, kind: ProviderKind) -> Callable[[], None]:
    """Add or replace a provider; call what is returned to undo it (tests)."""
    before = _KINDS.get(name)
    _KINDS[name] = kind

    def undo() -> None:
        if before is None:
            _KINDS.pop(name, None)
        else:
            _KINDS[name] = before

    return undo
