"""A client of the API, as the tests use it: one tenant's host, one key or one webhook secret."""

import json
import tempfile
import uuid
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from django.apps import apps
from django.core.cache import cache
from django.test import Client
from standardwebhooks.webhooks import Webhook

from apps.api.services.keys import add_api_key, add_webhook_key
from apps.catalog.files.services.importing import import_catalog
from apps.catalog.models import Agent
from apps.tenants.context import in_tenant
from apps.tenants.domain.roles import KeyScope
from tests.catalog.samples import NOW, TEA_YAML

CONFIG = "tea-service"
ROOMS = ("api", "budgets", "catalog", "runs", "evaluations", "gates")


class Door:
    """Posts and gets at a tenant's host. `bearer` authenticates, unless a call signs or says otherwise."""

    secret: str

    def __init__(self, tenant: str, bearer: str = "") -> None:
        self.tenant, self.bearer = tenant, bearer
        self.client = Client(headers={"host": f"{tenant}.localhost"}, raise_request_exception=False)

    def headers(self, more: dict[str, str]) -> dict[str, str]:
        return ({"authorization": f"Bearer {self.bearer}"} if self.bearer else {}) | more

    def get(self, path: str, **headers: str) -> Any:
        return self.client.get(_address(path), headers=self.headers(_dashed(headers)))

    def post(self, path: str, body: Any = None, *, media: str = "application/json", **headers: str) -> Any:
        raw = body if isinstance(body, bytes | str) else json.dumps(body or {})
        return self.client.post(_address(path), raw, content_type=media, headers=self.headers(_dashed(headers)))

    def signed(
        self, path: str, body: Any, secret: str, *, id: str = "", at: datetime | None = None, **more: str
    ) -> Any:
        """Signed by the independent library."""
        raw = body if isinstance(body, str) else json.dumps(body)
        at, id = at or datetime.now(UTC), id or f"msg_{uuid.uuid4().hex}"
        signature = Webhook(secret).sign(id, at, raw)
        own = {"webhook_id": id, "webhook_timestamp": str(int(at.timestamp())), "webhook_signature": signature}
        return Door(self.tenant).post(path, raw, **(own | more))


def _address(path: str) -> str:
    return path if path.startswith(("/", "http")) else f"/api/v1/{path}"


def _dashed(headers: dict[str, str]) -> dict[str, str]:
    return {name.replace("_", "-"): value for name, value in headers.items()}


def stock(tenant: str) -> tuple[str, str]:
    """A tenant with a small catalog; its API key and its webhook secret."""
    cache.clear()
    with in_tenant(tenant):
        load_tea()
        return add_api_key(name="tests", scopes=list(KeyScope)).secret, add_webhook_key(name="tests").secret


def load_tea() -> None:
    """A published config of two criteria, a persona that may play, a scenario, and an agent nobody listens for."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "tea.yaml")
        file.write_text(TEA_YAML)
        import_catalog(paths=[file], at=NOW)
    Agent.objects.create(name="waiter", kind="http", address="http://127.0.0.1:10/")


def conversation(id: str = "c-1", *, turns: int = 2, **more: Any) -> dict[str, Any]:
    roles = ("user", "assistant")
    said = [{"role": roles[n % 2], "content": f"line {n}", "ts": "2026-11-20T10:30:00Z"} for n in range(turns)]
    return {"id": id, "language": "en", "turns": said, **more}


def evaluation(*ids: str, **more: Any) -> dict[str, Any]:
    return {"evaluator_config": CONFIG, "conversations": [conversation(id) for id in ids or ("c-1",)], **more}


def row_counts(tenant: str) -> dict[str, int]:
    """Rows of every table of the rooms that a request may write to."""
    with in_tenant(tenant):
        return {
            model._meta.label: model._default_manager.count()
            for room in ROOMS
            for model in apps.get_app_config(room).get_models()
        }
