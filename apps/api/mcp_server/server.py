"""The MCP server's tools. Each is one question to the API, cut to a short document with links.

`mcp` takes a second to import, so only the command imports this module. The API's own views (two seconds more) are
loaded by the first call: an agent that starts the server gets its list of tools at once.
"""

import functools
import secrets
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Literal
from uuid import UUID

from asgiref.sync import sync_to_async
from django.db import connections
from django.utils import timezone
from mcp.server import MCPServer
from mcp.server.auth.middleware.auth_context import get_access_token
from mcp.server.auth.provider import AccessToken, TokenVerifier
from mcp.server.auth.settings import AuthSettings
from mcp.server.mcpserver.exceptions import ToolError
from mcp.types import CallToolResult, TextContent, ToolAnnotations
from pydantic import AnyHttpUrl, Field, ValidationError

from apps.api.domain import agent_answers as answers
from apps.api.domain.agent_answers import NOTE, Fence
from apps.api.domain.keys import digest_of, looks_like_key
from apps.api.mcp_server import run_confirmations
from apps.api.mcp_server.inner_requests import ApiCaller
from apps.api.queries.keys import find_api_key
from apps.core.errors import RatibaError
from apps.tenants.context import in_tenant

INSTRUCTIONS = (
    "Ratiba Eval tests conversational agents. An evaluation is one judge's verdict on one test run. How is it? "
    "list_evaluations (score, verdict, worst criterion of each). Did it get worse, and where? compare_evaluations("
    "before, after). What do I change? worst_conversations. Why was my pull request stopped? gate_reasons. What is "
    "live? live_and_drafts, production_state. Scores are 0 to 10; each answer's text is its short form, its structured "
    "content all of it, and only `answer` and `decision` say whether something passes or is worse. To start a run: "
    "forecast_run, show the figures to your user, then start_run with its confirmation. " + NOTE
)
MAX_JUDGEMENTS, MAX_CONVERSATIONS = 2_000, 1_000
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
    safety: dict[str, Any] = {}
    if http:
        url = AnyHttpUrl(caller.base)
        auth = AuthSettings(issuer_url=url, resource_server_url=None, required_scopes=["read"])
        safety = {"token_verifier": TenantKeys(caller.tenant), "auth": auth}
    server: MCPServer[Any] = _Server("ratiba", instructions=INSTRUCTIONS, log_level="WARNING", **safety)
    toolbox = Toolbox(caller, http=http)
    reading: tuple[Callable[..., dict[str, Any]], ...] = (
        toolbox.list_evaluations,
        toolbox.explain_evaluation,
        toolbox.worst_conversations,
        toolbox.compare_evaluations,
        toolbox.list_runs,
        toolbox.find_conversations,
        toolbox.list_gates,
        toolbox.gate_reasons,
        toolbox.live_and_drafts,
        toolbox.production_state,
        toolbox.list_catalog,
        toolbox.forecast_run,
    )
    for tool in reading:
        server.tool(annotations=_READS)(_answered(tool))
    server.tool(annotations=_STARTS)(_answered(toolbox.start_run))
    return server


class _Server(MCPServer[Any]):
    """Says what is wrong with a call's arguments in our words."""

    async def call_tool(self, name: str, arguments: dict[str, Any], context: Any = None) -> Any:
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            if not isinstance(error.__cause__, ValidationError):
                raise
            wrong = "; ".join(_wrong_argument(one) for one in error.__cause__.errors())
            raise ToolError(f"bad_argument: {wrong}") from error


def _wrong_argument(one: Mapping[str, Any]) -> str:
    name = ".".join(str(part) for part in one["loc"])
    limits = one.get("ctx") or {}
    if one["type"] == "missing":
        return f"{name} is missing"
    if one["type"].startswith("uuid"):
        return f"{name} is no id: take one from a list_… tool"
    if "ge" in limits or "le" in limits:
        return f"{name} is 1 to 20"
    return f"{name}: {one['msg'].lower()}"


def _answered(tool: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """The tool with its refusals as words for the caller, and the note on data beside every answer. The text is the
    answer's short form; the whole stands once, as structured content."""

    @functools.wraps(tool)
    def answer(*args: Any, **named: Any) -> Any:
        try:
            document = {**tool(*args, **named), "note": NOTE}
        except RatibaError as error:
            raise ToolError(f"{error.code}: {error.message}") from error
        text = "\n".join(part for part in (str(document.get("answer") or ""), str(document.get("link") or "")) if part)
        return CallToolResult(content=[TextContent(type="text", text=text)], structured_content=document)

    return answer


class Toolbox:
    """The tools; their docstrings are what a coding agent reads."""

    def __init__(self, caller: ApiCaller, *, http: bool) -> None:
        self._caller, self._http = caller, http

    def list_evaluations(self, agent: str = "", limit: Few = 5) -> dict[str, Any]:
        """Evaluations, newest first, each with its score, verdict and weakest criterion; `agent` names one agent
        exactly. Begin here: how is the agent, and since when?"""
        ask, fence = self._ask(), _fence()
        rows = ask.get("evaluations/", agent=agent, limit=limit)["results"]
        evaluations = [ask.get(f"evaluations/{row['id']}/") if row["status"] == "completed" else None for row in rows]
        lines = [
            answers.evaluation_line(row, whole, fence, self._caller.base)
            for row, whole in zip(rows, evaluations, strict=True)
        ]
        return {"answer": answers.lines_in_words(lines), "evaluations": lines}

    def explain_evaluation(self, evaluation: UUID) -> dict[str, Any]:
        """What an evaluation found: decision, mean with interval, criteria from the weakest on, counts, warnings. A
        mean without its warnings is not to be trusted."""
        return answers.evaluation_answer(self._ask().get(f"evaluations/{evaluation}/"), _fence(), self._caller.base)

    def worst_conversations(self, evaluation: UUID, n: Few = 3) -> dict[str, Any]:
        """The conversations that scored lowest, with the judge's reason and quotes for the weakest criteria. Use it to
        see what to change in a prompt or in code."""
        rows = list(self._ask().rows(f"evaluations/{evaluation}/judgements/", most=MAX_JUDGEMENTS))
        worst = answers.worst_answer(rows, n, _fence(), self._caller.base)
        answer = answers.worst_in_words(worst) or "No conversation has a score."
        return {"answer": answer, "looked_at": len(rows), "conversations": worst}

    def compare_evaluations(self, before: UUID, after: UUID, n: Few = 5) -> dict[str, Any]:
        """Did it get better or worse, and where? `after` minus `before`, over the same cases in pairs: `answer` says
        whether the difference is real; the cases that moved with the judge's reason, then criteria with intervals."""
        comparison = self._ask().get(f"evaluations/{after}/comparison/{before}/")
        return answers.comparison_answer(comparison, n, _fence(), self._caller.base)

    def list_runs(self, agent: str = "", limit: Few = 10) -> dict[str, Any]:
        """Test runs, newest first: the sets of conversations that evaluations judge."""
        page = self._ask().get("test-runs/", agent=agent, limit=limit)
        lines = answers.run_lines(page, _fence(), self._caller.base)
        return {"answer": answers.names_in_words(lines, "id", "kind", "status"), "runs": lines}

    def find_conversations(
        self, run: UUID, words: str = "", language: str = "", status: str = "", n: Few = 5
    ) -> dict[str, Any]:
        """Conversations of a run that hold these words (any case), with the turns where they stand; `language` and
        `status` (completed, failed, …) narrow it. Looks at the run's first thousand."""
        rows = list(self._ask().rows(f"test-runs/{run}/conversations/", most=MAX_CONVERSATIONS))
        conversations = [row for row in rows if answers.holds(row, words=words, language=language, status=status)]
        fence = _fence()
        shown = [
            answers.conversation_answer(conversation, words, fence, self._caller.base)
            for conversation in conversations[:n]
        ]
        answer = f"{len(conversations)} of {len(rows)} conversations; {len(shown)} are shown."
        return {"answer": answer, "looked_at": len(rows), "found": len(conversations), "conversations": shown}

    def list_gates(self, agent: str = "", pull_request: str = "", limit: Few = 10) -> dict[str, Any]:
        """Gates of pull requests, newest first, with what each decided: may this change be merged?"""
        page = self._ask().get("gates/", agent=agent, pull_request=pull_request, limit=limit)
        lines = answers.gate_lines(page, _fence(), self._caller.base)
        return {"answer": answers.names_in_words(lines, "id", "agent", "commit", "decision"), "gates": lines}

    def live_and_drafts(self, prompt: str = "", limit: Few = 5) -> dict[str, Any]:
        """Which prompt version is live, which drafts there are with what their trials decided and what may come next,
        and which canary gets how much. `prompt` names one prompt exactly."""
        ask = self._ask()
        prompts = [row for row in ask.rows("prompts/", most=200) if not prompt or row["name"] == prompt]
        drafts = ask.get("drafts/", name=prompt, limit=limit)["results"]
        rollouts = ask.get("rollouts/", role=prompt, status="running", limit=limit)["results"]
        return answers.live_answer(prompts, drafts, rollouts, _fence(), self._caller.base)

    def production_state(self) -> dict[str, Any]:
        """How production is: conversations and complaints of the last seven days, canaries served, rolled back or
        waiting for a person, candidates that wait to become tests, and what alerts say is wrong now."""
        return answers.production_answer(self._ask().get("production/state/"), _fence(), self._caller.base)

    def list_catalog(
        self,
        kind: Literal["agents", "scenarios", "personas", "evaluator_configs"],
        words: Annotated[str, Field(description="only those with these words in them; empty: all")] = "",
        limit: Annotated[int, Field(ge=1, le=200)] = 20,
    ) -> dict[str, Any]:
        """The names that forecast_run takes: agents, scenarios, personas or evaluator configs."""
        ask = self._ask()
        of_names = kind in ("agents", "evaluator_configs")
        rows = ask.get("catalog/")[kind] if of_names else list(ask.rows(f"{kind}/", most=MAX_CONVERSATIONS))
        rows = [row for row in rows if words.casefold() in str(row).casefold()]
        lines = answers.catalog_lines(kind, rows[:limit], _fence())
        named = ", ".join(str(line.get("name") or line.get("scenario")) for line in lines)
        return {"answer": f"{len(rows)} {kind}: {named}", "found": len(rows), kind: lines}

    def gate_reasons(
        self, gate: Annotated[UUID | None, Field(description="empty: the newest gate")] = None, n: Few = 5
    ) -> dict[str, Any]:
        """Why a gate lets a pull request pass or stops it: its decision, reasons, the cases to look at, and what was
        lost. Questions without a loss are counted, not listed."""
        if gate is None:
            newest = self._ask().get("gates/", limit=1)["results"]
            if not newest:
                raise RatibaError(
                    "No gate was asked yet: CI asks one with ratiba-ci, a page with Ask a gate.", code="no_gate"
                )
            gate = newest[0]["id"]
        return answers.gate_answer(self._ask().get(f"gates/{gate}/"), n, _fence())

    def forecast_run(
        self,
        agent: str,
        scenarios: Annotated[list[str] | str, Field(description='names of scenarios, or "all": every released one')],
        evaluator_config: Annotated[str, Field(description="name or name@version that judges it; empty: none")] = "",
        repeats: Annotated[int, Field(ge=1, le=20)] = 1,
    ) -> dict[str, Any]:
        """What playing these scenarios against an agent would cost: conversations and dollars. Starts nothing. Show the
        figures to your user, and pass `confirmation` to start_run if they agree. Needs a key with the scope write."""
        named = [scenarios] if isinstance(scenarios, str) else scenarios
        body = {
            "kind": "battle",
            "agent": agent,
            "scenarios": "all" if named == ["all"] else named,
            "repeats": repeats,
            "triggered_by": "mcp",
            **({"evaluator_config": evaluator_config} if evaluator_config else {}),
        }
        run_forecast = run_confirmations.forecast(self._ask(), body)
        cost = "an unknown cost" if run_forecast.get("cost_usd") is None else f"about ${run_forecast['cost_usd']:.2f}"
        return {
            "answer": f"{run_forecast['conversations']} conversations for {cost}. Ask your user before start_run.",
            **run_forecast,
        }

    def start_run(self, confirmation: str) -> dict[str, Any]:
        """Start the run that forecast_run described: it costs what was forecast. The same confirmation again gives the
        same run. Needs a key with the scope write."""
        started: Mapping[str, Any] = run_confirmations.start(self._ask(), confirmation)
        return {
            "answer": f"Run {started['id']} is started.",
            **started,
            "link": f"{self._caller.base}runs/{started['id']}/",
        }

    def _ask(self) -> ApiCaller:
        if not self._http:
            return self._caller
        token = get_access_token()
        if token is None:
            raise RatibaError("Send Authorization: Bearer rk_…", code="not_authenticated")
        return ApiCaller(tenant=self._caller.tenant, base=self._caller.base, token=token.token)


def _fence() -> Fence:
    return Fence(secrets.token_hex(3))  # a text of before cannot know it, and each answer has its own
