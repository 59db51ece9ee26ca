"""A tenant whose models stand on loopback, and the workers' steps one by one."""

from collections.abc import Callable, Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from apps.catalog.connections.services.storing import save_model_provider
from apps.catalog.models import Agent
from apps.personas.services.generating import generate_due
from apps.personas.services.validating import validate_due
from apps.tenants.context import in_public
from apps.tenants.services import update_workflow_config
from tests.evaluations.conftest import knocks, no_backoff  # noqa: F401 - fixtures
from tests.personas.persona_model import PersonaModel
from tests.runs.stage import play

ROLES = ("persona_generator", "validator", "simulator")


@pytest.fixture
def model() -> Iterator[PersonaModel]:
    server = PersonaModel()
    with server:
        yield server


@pytest.fixture
def booking(tenant: str) -> Agent:
    return Agent.objects.create(
        name="booking", kind="scripted", options={"replies": ["Hello"]}, profile={"role": "Books hair appointments."}
    )


@pytest.fixture
def models_in_force(tenant: str, model: PersonaModel, booking: Agent) -> Callable[..., None]:
    """The tenant's models for all roles of personas are on loopback."""
    save_model_provider(
        name="stub",
        kind="openai",
        base_url=model.base_url("openai"),
        api_key="not-a-key",
        options={"prices": {"stub-model": {"input": 1.0, "output": 2.0}}},
    )
    choose(tenant, {role: {"provider": "stub", "model": "stub-model"} for role in ROLES})
    return lambda **changes: choose(tenant, changes.pop("models", {}), **changes)


def choose(tenant: str, models: Any = None, **changes: Any) -> None:
    with in_public():
        update_workflow_config(slug=tenant, changes={**changes, **({"models": models} if models else {})})


def work(rounds: int = 4, *, now: Callable[[], Any] = timezone.now) -> None:
    """What workers do of it until nothing is due: write, validate, play the probe dialogues, judge them."""
    for _ in range(rounds):
        until = now() + timedelta(minutes=5)
        generate_due(now=now, until=until)
        validate_due(now=now, until=until)
        play(now, concurrency=16)
