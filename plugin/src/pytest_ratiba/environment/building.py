"""One scenario's environment from its schema to its end, for tests with and without a loop.

There is one way through it, written as coroutines. In a test without a loop they run to their end at once: nothing in
them waits except hooks that are coroutines themselves, which then get a loop of their own.
"""

import inspect
import secrets
import time
import warnings
from collections.abc import Coroutine
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from typing import Any

from pytest_ratiba.environment import savers, watching
from pytest_ratiba.environment.addresses import with_settings
from pytest_ratiba.environment.errors import EvalEnvironmentError, LeftBehind
from pytest_ratiba.environment.hooks import EnvironmentHooks, call
from pytest_ratiba.environment.naming import RUN_DIGITS, schema_name
from pytest_ratiba.environment.schemas import SchemaOwner
from pytest_ratiba.environment.templates import SchemaTemplate
from pytest_ratiba.environment.tenant import EvalTenant


def finished(coroutine: Coroutine[Any, Any, Any]) -> Any:
    """Return the answer of a coroutine that never waits. Raises RuntimeError for a coroutine that waits."""
    try:
        coroutine.send(None)
    except StopIteration as end:
        return end.value
    coroutine.close()
    raise RuntimeError("a hook waits for a loop, and this test has none")


class EvalEnvironments:
    """The scenarios of one pytest process share this object.
    It holds the connection that owns schemas, and the script that fills a schema.

    `swept` are the schemas of dead sessions that were dropped at the start. `seconds` is what making and dropping took,
    one number for each scenario, without the test itself and without the project's own hooks after migrate.
    """

    def __init__(self, address: str, hooks: EnvironmentHooks, template: SchemaTemplate, *, workers: bool) -> None:
        self.hooks, self.template, self.workers = hooks, template, workers
        self.owner = SchemaOwner(address)
        self.swept = self.owner.sweep()
        self.registering: set[str] = set()  # tables of public that registering a tenant writes into
        self.seconds: list[float] = []

    def close(self) -> None:
        """Give the connection and its locks back. Safe to repeat."""
        self.owner.close()

    def tenant(self, scenario_id: str) -> EvalTenant:
        """A new tenant, by name: its schema is not made yet. Raises EvalEnvironmentError for a wrong address."""
        schema = schema_name(scenario_id, secrets.token_hex(RUN_DIGITS // 2))
        url = with_settings(self.owner.address, {"search_path": schema}, application_name=schema)
        return EvalTenant(scenario_id=scenario_id, schema=schema, url=url, tenant_id=schema)


@dataclass(slots=True)
class ScenarioEnvironment:
    """One scenario's environment: `await enter()`, `await leave()`. Not to be used twice."""

    environments: EvalEnvironments
    scenario_id: str
    test: str  # how the report names it
    has_loop: bool
    saver: Any = None
    orchestrator: Any = None
    tenant: EvalTenant = field(init=False)
    _stack: AsyncExitStack = field(default_factory=AsyncExitStack)
    _public: dict[str, tuple[int, int]] = field(default_factory=dict)
    _seconds: float = 0.0

    def __post_init__(self) -> None:
        self.tenant = self.environments.tenant(self.scenario_id)

    async def enter(self) -> "ScenarioEnvironment":
        """Make it. What is half made is dropped before an error goes on. Raises EvalEnvironmentError, and whatever the
        project's hooks raise."""
        await self.open()
        try:
            hooks = self.environments.hooks
            self.saver, self.orchestrator = await built(hooks, self.tenant, self._stack, has_loop=self.has_loop)
        except BaseException:
            await self._abandon()
            raise
        return self

    async def open(self) -> None:
        """Make and register the tenant alone, without saver and orchestrator. Raises as `enter`."""
        start = time.perf_counter()
        try:
            await self._make(self.tenant)
            self._seconds = time.perf_counter() - start
            await self._register(self.tenant)
        except BaseException:
            await self._abandon()
            raise

    async def leave(self) -> None:
        """Close, look at what the test left behind, drop. Raises LeftBehind naming the test; the schema is gone."""
        shared, owner, schema = self.environments, self.environments.owner, self.tenant.schema
        written: dict[str, str] = {}
        found: list[watching.OpenConnection] = []
        start = time.perf_counter()
        try:
            written = watching.changes(self._public, watching.public_rows(owner.connection))
            await self._stack.aclose()
        finally:
            found = watching.still_open(owner.connection, schema)
            watching.end_connections(owner.connection, found)
            owner.drop(schema)
            shared.seconds.append(self._seconds + time.perf_counter() - start)
        written = {name: what for name, what in written.items() if name not in shared.registering}
        if found or written:
            raise LeftBehind(self._leftovers(found, written))

    async def _make(self, tenant: EvalTenant) -> None:
        template, owner = self.environments.template, self.environments.owner
        script = template.script_of(tenant.schema)
        if script is not None:
            owner.create(tenant.schema, script)
            return
        with template.being_made():
            script = template.script_of(tenant.schema)  # another worker's, while we waited
            owner.create(tenant.schema, script or "")
            if script is None:
                await self._migrate(tenant)

    async def _migrate(self, tenant: EvalTenant) -> None:
        shared, hooks = self.environments, self.environments.hooks
        with tenant.connect() as connection:
            ((seen,),) = connection.execute("SELECT coalesce(current_schema(), '')")
        if seen != tenant.schema:
            raise EvalEnvironmentError(
                f"the server ignores `options=-c search_path=…` ({seen!r} instead of {tenant.schema!r}): a pooler in "
                "transaction mode does; give RATIBA_TEST_DATABASE_URL the server's own address"
            )
        before = watching.public_rows(shared.owner.connection)
        if hooks.migrate is not None:
            await self._hook(hooks.migrate, tenant.schema)
        if savers.installed():
            savers.set_up(tenant)
        if written := watching.changes(before, watching.public_rows(shared.owner.connection)):
            changed = ", ".join(f"{name} {what}" for name, what in written.items())
            warnings.warn(
                f"`migrate` wrote outside the tenant's schema, once for all scenarios: {changed}", stacklevel=2
            )
        shared.template.keep(shared.owner.address, tenant.schema, pg_dump=hooks.pg_dump)

    async def _register(self, tenant: EvalTenant) -> None:
        shared = self.environments
        self._public = watching.public_rows(shared.owner.connection)
        if shared.hooks.register_test_tenant is not None:
            tenant_id = await self._hook(shared.hooks.register_test_tenant, tenant.schema)
            self.tenant = replace(tenant, tenant_id=tenant_id)
            after = watching.public_rows(shared.owner.connection)
            shared.registering |= set(watching.changes(self._public, after))
            self._public = after

    async def _hook(self, hook: Any, *arguments: Any) -> Any:
        return await _answered(hook, *arguments, tenant=self.tenant, stack=self._stack, has_loop=self.has_loop)

    async def _abandon(self) -> None:
        owner = self.environments.owner
        try:
            await self._stack.aclose()
        finally:
            watching.end_connections(owner.connection, watching.still_open(owner.connection, self.tenant.schema))
            owner.drop(self.tenant.schema)

    def _leftovers(self, found: list[watching.OpenConnection], written: dict[str, str]) -> str:
        lines = [f"{self.test} left something behind:"]
        for one in found:
            lines.append(
                f"  an open connection ({one.state or 'unknown state'}; application_name {one.application_name!r}; "
                f"last query: {' '.join(one.query.split())!r}): close it, or let build_test_orchestrator answer a "
                "context manager that does"
            )
        beside = " (or a test of another worker did, at the same time)" if self.environments.workers else ""
        for name, what in written.items():
            lines.append(f"  {name} {what}{beside}: a scenario writes into its own schema only")
        return "\n".join(lines)


async def built(
    hooks: EnvironmentHooks, tenant: EvalTenant, stack: AsyncExitStack, *, has_loop: bool
) -> tuple[Any, Any]:
    """The saver and the orchestrator of a tenant; what they open is closed with `stack`. Raises as the hooks."""
    saver = None
    if hooks.saver_for is not None:
        saver = await _answered(hooks.saver_for, tenant.tenant_id, tenant=tenant, stack=stack, has_loop=has_loop)
    elif savers.installed() and has_loop:
        saver = await stack.enter_async_context(savers.async_saver(tenant))
    elif savers.installed():
        saver = stack.enter_context(savers.saver(tenant))
    if hooks.build_test_orchestrator is None:
        return saver, tenant
    return saver, await _answered(
        hooks.build_test_orchestrator, saver, tenant.tenant_id, tenant=tenant, stack=stack, has_loop=has_loop
    )


async def _answered(hook: Any, *arguments: Any, tenant: EvalTenant, stack: AsyncExitStack, has_loop: bool) -> Any:
    """Call a hook of the project and return its answer.
    A context manager is entered, and left with the stack."""
    value = call(hook, *arguments, tenant=tenant)
    if inspect.isawaitable(value):
        value = await value if has_loop else _in_a_loop(value)
    if hasattr(type(value), "__aenter__") and has_loop:
        return await stack.enter_async_context(value)
    if hasattr(type(value), "__enter__"):
        return stack.enter_context(value)
    return value


def _in_a_loop(value: Any) -> Any:
    import asyncio

    async def waited() -> Any:
        return await value

    return asyncio.run(waited())
