"""Which class answers for which provider name. A provider's module is imported only when it is named."""

from collections.abc import Callable
from importlib import import_module

from apps.connectors.llms.base import LLM, ModelSpec
from apps.core.errors import BadInput

Factory = Callable[[ModelSpec], LLM]

_PROVIDERS: dict[str, str | Factory] = {
    "anthropic": "apps.connectors.llms.anthropic:Anthropic",
    "openai": "apps.connectors.llms.openai:OpenAI",
    "google": "apps.connectors.llms.gemini:Gemini",
    "vertex": "apps.connectors.llms.vertex:Vertex",
    "offline": "apps.offline.provider:Offline",
}


def llm_for(spec: ModelSpec) -> LLM:
    """The model behind `spec`. Raises BadInput for a provider nobody registered. Cost: the first call per provider
    imports its module; no network."""
    found = _PROVIDERS.get(spec.provider)
    if found is None:
        raise BadInput(
            f"unknown model provider {spec.provider!r}; known: {', '.join(provider_names())}", code="unknown_provider"
        )
    if isinstance(found, str):
        module, _, name = found.partition(":")
        factory: Factory = getattr(import_module(module), name)
        _PROVIDERS[spec.provider] = found = factory
    return found(spec)


def provider_names() -> tuple[str, ...]:
    """Every name `llm_for` takes, sorted."""
    return tuple(sorted(_PROVIDERS))


def register(name: str, factory: Factory) -> Callable[[], None]:
    """Add or replace a provider; call what is returned to undo it (tests)."""
    before = _PROVIDERS.get(name)
    _PROVIDERS[name] = factory

    def undo() -> None:
        if before is None:
            _PROVIDERS.pop(name, None)
        else:
            _PROVIDERS[name] = before

    return undo
