"""Three judges of three providers on loopback, in their own wire formats, and a config that seats them."""

import json
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from typing import Any

from apps.catalog.configs.services.versions import create_draft, publish
from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Criterion
from tests.catalog.samples import GUIDE
from tests.evaluations.bench import NOW, reply
from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request
from tests.loopback.providers import ModelProvider

KINDS = {"judge": "openai", "cross_check": "anthropic", "panel": "google"}
MODELS = {"judge": "gpt-4o", "cross_check": "claude-sonnet-4-5", "panel": "gemini-2.5-flash"}
TEXTS = {"en": {"description": "Is it good?", "scoring_guide": dict(GUIDE)}}


class ThreeJudges:
    """`says` sets what each answers; a role left out keeps its answer."""

    def __init__(self) -> None:
        self.servers: dict[str, ModelProvider] = {}
        self._stack = ExitStack()

    def __enter__(self) -> "ThreeJudges":
        for role in KINDS:
            self.servers[role] = self._stack.enter_context(ModelProvider(reply({"first": 8, "second": 8})))
        return self

    def __exit__(self, *exc: object) -> None:
        self._stack.close()

    def __getitem__(self, role: str) -> ModelProvider:
        return self.servers[role]

    def says(self, **scored: Mapping[str, Any]) -> None:
        for role, scores in scored.items():
            self.servers[role].text = reply(scores)

    @property
    def asked(self) -> dict[str, int]:
        return {role: len(server.requests) for role, server in self.servers.items()}

    def config(
        self,
        *,
        name: str = "judged-thrice",
        roles: tuple[str, ...] = ("judge", "cross_check", "panel"),
        by: str = "tests",
        **parameters: Any,
    ) -> str:
        """A published version with these seats and rules."""
        for criterion in ("first", "second"):
            Criterion.objects.update_or_create(
                name=criterion, defaults={"kind": "domain", "domain": "tea", "texts": TEXTS}
            )
        for role in roles:
            kind = KINDS[role]
            listed = {"price_provider": "openai"} if kind == "openai" else None
            address = self[role].base_url(kind)
            save_model_provider(name=f"at-{kind}", kind=kind, base_url=address, api_key="not-a-key", options=listed)
        version = create_draft(
            config=name,
            content={
                "criteria": {"core": [], "domain": ["first", "second"], "weights": {}},
                "llm_config": {role: {"provider": f"at-{KINDS[role]}", "model": MODELS[role]} for role in roles},
                "parameters": parameters,
            },
        )
        publish(version_id=version, at=NOW, by=by)
        return name


def answers(server: ModelProvider, kind: str, model: str, *many: Mapping[str, Any]) -> None:
    """One after the other."""
    server.script(*(formats.answer(kind, reply(scored), model=model) for scored in many))


def tenant_settings(slug: str) -> Callable[..., None]:
    """Writes the tenant's settings."""
    from apps.tenants.models import Tenant  # noqa: PLC0415 - apps are loaded by then

    def write(**settings: Any) -> None:
        Tenant.objects.filter(slug=slug).update(settings=json.loads(json.dumps(settings)))

    return write


class ByText:
    """A judge whose scores depend on what stands in the conversation and on nothing else, whatever the order."""

    def __init__(self, scored: Callable[[str], Mapping[str, Any]]) -> None:
        self.scored = scored
        self.server = LoopbackServer(self._answer)

    def _answer(self, request: Request) -> Answer:
        kind = formats.kind_of(request.path) or "openai"
        body = json.loads(request.body)
        prompt = request.body.decode()
        return formats.answer(kind, reply(self.scored(prompt)), model=body.get("model", "m"))
