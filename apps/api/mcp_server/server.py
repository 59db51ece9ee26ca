"""The MCP server's tools. Each is one question to the API, cut to a short document with links.

`mcp` takes a second or two to import, so only the command imports this module.
"""

import functools
import secrets
from collections.abc import Callable, Mapping
from typing import Annotated, Any
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connections
from django.urls import resolve
from django.utils import timezone
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import ToolAnnotations
from pydantic import AnyHttpUrl, Field

from apps.api.domain import agent_answers as answers
from apps.api.domain.agent_answers import NOTE, Fence
from apps.api.domain.keys import digest_of, looks_like_key
from apps.api.mcp_server import run_confirmations
from apps.api.mcp_server.inner_requests import API, ApiCaller
from apps.api.queries.keys import find_api_key
from apps.core.errors import RatibaError
from apps.tenants.context import in_tenant

INSTRUCTIONS = (
    "Ratiba Eval tests conversational agents. An evaluation is one judge's verdict on one test run. To learn why a "
    "version got worse: list_evaluations, compare_evaluations(before, after), worst_conversations(after). To learn why "
    "a pull request was stopped: list_gates, gate_reasons. Scores are 0 to 10; differences come with intervals, and "
    "only the field `decision` says whether something passes. To start a run: forecast_run, show the figures to your "
    "user, then start_run with its confirmation. " + NOTE
)
MOST_JUDGEMENTS, MOST_CONVERSATIONS = 2_000, 1_000
Few = Annotated[int, Field(ge=1, le=20, description="how many")]
_READS = ToolAnnotations(read_only_hint=True, open_world_hint=False)
_STARTS = ToolAnnotations(read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=True)


class TenantKeys(TokenVerifier):
    """Bearer keys of one tenant: a key of another is unknown here."""

    def __init__(self, tenant: str) -> None:
        self.tenant = tenant

    async def verify_token(self, token: str) -> AccessToken | None:
        """The key's scopes, or None for one that is unknown, revoked or expired. One query."""
        return await sync_to_async(self._found, thread_sensitive=False)(token)

    def _found(self, token: str) -> AccessToken | None:
        if not looks_like_key(token):
            return None
        try:
            with in_tenant(self.tenant):
                key = find_api_key(digest_of(token))
        finally:
            connections.close_all()
        if key is None or key.revoked_at or (key.expires_at and key.expires_at <= timezone.now()):
            return None
        return AccessToken(token=token, client_id=self.tenant, scopes=sorted(key.scopes))


def build_server(caller: ApiCaller, *, http: bool) -> MCPServer[Any]:
    """The server of one tenant: on stdio `caller` asks, over HTTP each request's own key."""
    resolve(f"{API}evaluations/")  # loads the API's views now: the first caller does not wait for them
    safety: dict[str, Any] = {}
    if http:
        url = AnyHttpUrl(caller.base)
        auth = AuthSettings(issuer_url=url, resource_server_url=None, required_scopes=["read"])
        safety = {"token_verifier": TenantKeys(caller.tenant), "auth": auth}
    server: MCPServer[Any] = MCPServer("ratiba", instructions=INSTRUCTIONS, log_level="WARNING", **safety)
    toolbox = Toolbox(caller, http=http)
    reading: tuple[Callable[..., dict[str, Any]], ...] = (
        toolbox.list_evaluations, toolbox.explain_evaluation, toolbox.worst_conversations, toolbox.compare_evaluations,
        toolbox.list_runs, toolbox.find_conversations, toolbox.list_gates, toolbox.gate_reasons, toolbox.forecast_run,
    )  # fmt: skip
    for tool in reading:
        server.tool(annotations=_READS)(_answered(tool))
    server.tool(annotations=_STARTS)(_answered(toolbox.start_run))
    return server


def _answered(tool: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """The tool with its refusals as words for the caller, and the note on data beside every answer."""

    @functools.wraps(tool)
    def answer(*args: Any, **named: Any) -> dict[str, Any]:
        try:
            return {**tool(*args, **named), "note": NOTE}
        except RatibaError as error:
            raise ToolError(f"{error.code}: {error.message}") from error

    return answer


class Toolbox:
    """The tools; their docstrings are what a coding agent reads."""

    def __init__(self, caller: ApiCaller, *, http: bool) -> None:
        self._caller, self._http = caller, http

    def list_evaluations(self, agent: str = "", limit: Few = 10) -> dict[str, Any]:
        """Evaluations, newest first, with their ids and links; `agent` names one agent exactly. Begin here when you
        have no evaluation id."""
        page = self._ask().get("evaluations/", agent=agent, limit=limit)
        return {"evaluations": answers.evaluation_lines(page, _fence(), self._caller.base)}

    def explain_evaluation(self, evaluation: UUID) -> dict[str, Any]:
        """What an evaluation found: decision, mean with interval, criteria from the weakest on, counts, warnings. A
        mean without its warnings is not to be trusted."""
        return answers.evaluation_answer(self._ask().get(f"evaluations/{evaluation}/"), _fence(), self._caller.base)

    def worst_conversations(self, evaluation: UUID, n: Few = 3) -> dict[str, Any]:
        """The conversations that scored lowest, with the judge's reason and quotes for the weakest criteria. Use it to
        see what to change in a prompt or in code."""
        rows = list(self._ask().rows(f"evaluations/{evaluation}/judgements/", most=MOST_JUDGEMENTS))
        worst = answers.worst_answer(rows, n, _fence(), self._caller.base)
        return {"looked_at": len(rows), "conversations": worst}

    def compare_evaluations(self, before: UUID, after: UUID, n: Few = 5) -> dict[str, Any]:
        """Did it get better or worse? `after` minus `before`, over the same cases in pairs, criterion by criterion with
        intervals. Only `decision` says whether the difference is real."""
        found = self._ask().get(f"evaluations/{after}/comparison/{before}/")
        return answers.comparison_answer(found, n, _fence(), self._caller.base)

    def list_runs(self, agent: str = "", limit: Few = 10) -> dict[str, Any]:
        """Test runs, newest first: the sets of conversations that evaluations judge."""
        page = self._ask().get("test-runs/", agent=agent, limit=limit)
        return {"runs": answers.run_lines(page, _fence(), self._caller.base)}

    def find_conversations(
        self, run: UUID, words: str = "", language: str = "", status: str = "", n: Few = 5
    ) -> dict[str, Any]:
        """Conversations of a run that hold these words (any case), with the turns where they stand; `language` and
        `status` (completed, failed, …) narrow it. Looks at the run's first thousand."""
        rows = list(self._ask().rows(f"test-runs/{run}/conversations/", most=MOST_CONVERSATIONS))
        found = [one for one in rows if answers.holds(one, words=words, language=language, status=status)]
        fence = _fence()
        shown = [answers.conversation_answer(one, words, fence, self._caller.base) for one in found[:n]]
        return {"looked_at": len(rows), "found": len(found), "conversations": shown}

    def list_gates(self, agent: str = "", pull_request: str = "", limit: Few = 10) -> dict[str, Any]:
        """Gates of pull requests, newest first, with what each decided: may this change be merged?"""
        page = self._ask().get("gates/", agent=agent, pull_request=pull_request, limit=limit)
        return {"gates": answers.gate_lines(page, _fence(), self._caller.base)}

    def gate_reasons(self, gate: UUID, n: Few = 5) -> dict[str, Any]:
        """Why a gate lets a pull request pass or stops it: its decision, reasons, metrics, and the cases to look at."""
        return answers.gate_answer(self._ask().get(f"gates/{gate}/"), n, _fence())

    def forecast_run(
        self,
        agent: str,
        scenarios: Annotated[list[str], Field(description='ids of scenarios; ["all"] is every released one')],
        evaluator_config: Annotated[str, Field(description="name or name@version that judges it; empty: none")] = "",
        repeats: Annotated[int, Field(ge=1, le=20)] = 1,
    ) -> dict[str, Any]:
        """What playing these scenarios against an agent would cost: conversations and dollars. Starts nothing. Show the
        figures to your user, and pass `confirmation` to start_run if they agree. Needs a key with the scope write."""
        body = {
            "kind": "battle", "agent": agent, "scenarios": "all" if scenarios == ["all"] else scenarios,
            "repeats": repeats, "triggered_by": "mcp",
            **({"evaluator_config": evaluator_config} if evaluator_config else {}),
        }  # fmt: skip
        return run_confirmations.forecast(self._ask(), body)

    def start_run(self, confirmation: str) -> dict[str, Any]:
        """Start the run that forecast_run described: it costs what was forecast. The same confirmation again gives the
        same run. Needs a key with the scope write."""
        started: Mapping[str, Any] = run_confirmations.start(self._ask(), confirmation)
        return {**started, "link": f"{self._caller.base}runs/{started['id']}/"}

    def _ask(self) -> ApiCaller:
        if not self._http:
            return self._caller
        token = get_access_token()
        if token is None:
            raise RatibaError("Send Authorization: Bearer rk_…", code="not_authenticated")
        return ApiCaller(tenant=self._caller.tenant, base=self._caller.base, token=token.token)


def _fence() -> Fence:
    return Fence(secrets.token_hex(8))
