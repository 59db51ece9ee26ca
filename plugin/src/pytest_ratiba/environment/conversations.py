"""A tenant of its own for each conversation that a server plays against a function of the project.

The tenant lives from the conversation's first turn until its assertions were checked. Saver and orchestrator are made
for each turn and closed with it, as in a service that answers one message at a time: what the agent remembers has to
stand in the schema.
"""

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import replace
from typing import Any

from pytest_ratiba.config import Project
from pytest_ratiba.environment.building import EvalEnvironments, ScenarioEnvironment, built, finished
from pytest_ratiba.environment.embedded import database_url
from pytest_ratiba.environment.errors import EvalEnvironmentError, LeftBehind
from pytest_ratiba.environment.hooks import read_hooks
from pytest_ratiba.environment.templates import SchemaTemplate
from pytest_ratiba.environment.tenant import EvalTenant
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.replies import Observed


class ConversationTenants:
    """The tenants of one agent's conversations. `turn` is for each turn; `leave` drops one, `close` all of them.

    `failures` says by conversation why a tenant could not be made: that is not the agent's fault.
    """

    def __init__(self, environments: EvalEnvironments, *, has_loop: bool) -> None:
        """`has_loop`: the agent is a coroutine, so it gets an AsyncPostgresSaver and hooks are awaited in its loop."""
        self.environments = environments
        self.failures: dict[str, str] = {}
        self._has_loop = has_loop
        self._open: dict[str, ScenarioEnvironment] = {}
        self._lock = threading.Lock()  # one connection makes and drops all schemas

    @asynccontextmanager
    async def turn(self, conversation_id: str, context: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """`tenant` and `orchestrator` for the context of one turn. The first one makes the tenant, about 0.1 s."""
        try:
            tenant = await asyncio.to_thread(self._tenant_of, conversation_id, context)
        except Exception as error:
            self.failures[conversation_id] = f"the conversation's tenant could not be made: {error}"
            raise
        stack = AsyncExitStack()
        making = built(self.environments.hooks, tenant, stack, has_loop=self._has_loop)
        try:
            _, orchestrator = await (making if self._has_loop else asyncio.to_thread(finished, making))
            yield {"tenant": tenant, "orchestrator": orchestrator}
        finally:
            closing = stack.aclose()
            await (closing if self._has_loop else asyncio.to_thread(finished, closing))

    def url_of(self, conversation_id: str) -> str:
        """The address of the conversation's schema; "" where it has none, or none any more."""
        found = self._open.get(conversation_id)
        return found.tenant.url if found is not None else ""

    def connect_of(self, conversation_id: str) -> Any:
        """Return the function that opens a connection into the conversation's schema.
        None where the conversation has no schema, or has none any more."""
        found = self._open.get(conversation_id)
        return found.tenant.connect if found is not None else None

    def leave(self, conversation_id: str) -> None:
        """Drop the conversation's tenant. Raises LeftBehind; safe to repeat."""
        found = self._open.pop(conversation_id, None)
        if found is not None:
            with self._lock:
                finished(found.leave())

    def close(self) -> None:
        """Drop what is left, without a word about it, and give the connection back. Safe to repeat."""
        for conversation_id in list(self._open):
            try:
                self.leave(conversation_id)
            except LeftBehind:
                continue
        self.environments.close()

    def _tenant_of(self, conversation_id: str, context: Mapping[str, Any]) -> EvalTenant:
        with self._lock:
            found = self._open.get(conversation_id)
            if found is None:
                scenario = str(context.get("scenario") or "scenario")
                found = ScenarioEnvironment(self.environments, scenario, f"scenario {scenario}", has_loop=False)
                finished(found.open())
                self._open[conversation_id] = found
            return found.tenant


class AgentTenants:
    """The tenants of a session's agents, by the agent's name; none for a project without `environment:`."""

    def __init__(self) -> None:
        self._agents: dict[str, ConversationTenants] = {}

    def open(self, project: Project, agent: str, function: Callable[..., Any]) -> ConversationTenants | None:
        """Tenants for the conversations of this function.

        Raises ProjectError for a wrong section and where no database answers. An embedded server is started, about 1 s.
        """
        if not project.mapping("environment"):
            return None
        hooks = read_hooks(project)
        try:
            environments = EvalEnvironments(database_url(project.folder), hooks, SchemaTemplate(None), workers=True)
        except EvalEnvironmentError as error:
            raise ProjectError(str(error)) from error
        tenants = ConversationTenants(environments, has_loop=inspect.iscoroutinefunction(function))
        self._agents[agent] = tenants
        return tenants

    @property
    def environments(self) -> list[EvalEnvironments]:
        """List the environments of the agents; the tenants of one agent share one."""
        return [agent.environments for agent in self._agents.values()]

    def observed(self, seen: Mapping[str, Observed], conversation_id: str) -> Observed | None:
        """Return the inner state that the agent showed in a conversation.
        The way into the conversation's schema is added where there is one."""
        found = seen.get(conversation_id)
        for tenants in self._agents.values():
            if (connect := tenants.connect_of(conversation_id)) is not None:
                return replace(found or Observed(), connect=connect)
        return found

    def failure(self, conversation_id: str) -> str:
        """Say why the conversation's tenant could not be made; "" where it could."""
        found = (tenants.failures.get(conversation_id, "") for tenants in self._agents.values())
        return next(filter(None, found), "")

    def leave(self, conversation_id: str) -> None:
        """Drop the tenant of a conversation whose assertions were checked. Raises LeftBehind; safe to repeat."""
        for tenants in self._agents.values():
            tenants.leave(conversation_id)

    def close(self) -> None:
        """Drop every tenant that is left. Safe to repeat."""
        for tenants in self._agents.values():
            tenants.close()
