"""The server's API as this plugin uses it: one method a question, plain data in and out.

Every answer that is not 2xx raises `ServerError` with the problem's stable code and pointer. A connection that is lost
is tried again a few times where the request may be repeated; what starts something carries an Idempotency-Key.
"""

import os
import re
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any
from urllib.parse import urlencode

from pytest_ratiba.errors import ProjectError

if TYPE_CHECKING:
    import httpx

URL, API_KEY = "RATIBA_URL", "RATIBA_API_KEY"  # variables
LOCAL = "local"  # in place of an address: a server is started here
TIMEOUT_S = 30.0
ATTEMPTS = 5
MAX_CHECKS = 1000  # in one request


@dataclass(frozen=True, kw_only=True)
class ServerAccess:
    """A server that somebody named: its address without /api/v1, and the key `rk_…`."""

    url: str
    api_key: str = field(repr=False)


def named_server(url: str | None = None) -> ServerAccess | None:
    """The server at `url` (RATIBA_URL without it) with the key of RATIBA_API_KEY; None where one of both is missing, as
    in a fork's pull request, or where the address is `local`. Raises `ProjectError` for an address of another kind."""
    address = (os.environ.get(URL, "") if url is None else url).strip()
    api_key = os.environ.get(API_KEY, "").strip()
    if address in ("", LOCAL):
        return None
    if not address.startswith(("http://", "https://")):
        raise ProjectError(f"{URL} {address!r} is neither {LOCAL} nor an address that begins with http:// or https://")
    if not re.fullmatch(r"[!-~]*", api_key):
        raise ProjectError(f"{API_KEY} holds a sign that no key has: is it whole, on one line and nothing else?")
    return ServerAccess(url=address, api_key=api_key) if api_key else None


class ServerError(Exception):
    """The server refused a request (`status` is its HTTP status), or could not be asked (`status` 0)."""

    def __init__(self, message: str, *, status: int = 0, code: str = "", problem: Mapping[str, Any] | None = None):
        self.status, self.code, self.problem = status, code, dict(problem or {})
        super().__init__(message)


class ServerAnswer(dict[str, Any]):
    """A JSON object of the server. A key that is missing means another web server: `ProjectError` says so."""

    def __missing__(self, key: str) -> Any:
        raise ProjectError(f"the server answered without {key!r}: is {URL} the address of a Ratiba server?")


class RatibaClient:
    """Speaks to one tenant of one server. `url` is its address without /api/v1; the key is `rk_…`."""

    def __init__(self, url: str, api_key: str) -> None:
        import httpx

        self.url = url.rstrip("/")
        base, headers = address_of(self.url)
        self._http = httpx.Client(
            base_url=f"{base}/api/v1",
            headers={**headers, "authorization": f"Bearer {api_key}"},
            timeout=TIMEOUT_S,
            trust_env=False,
        )

    def close(self) -> None:
        """Close its connections."""
        self._http.close()

    def start_battles(self, *, agent: str, scenarios: Sequence[str], **more: Any) -> dict[str, Any]:
        """Start a run of these scenarios; `more` are further fields of POST /test-runs/."""
        return self._post("/test-runs/", {"kind": "battle", "agent": agent, "scenarios": list(scenarios), **more})

    def start_replays(self, *, agent: str, golden_sessions: Sequence[str], **more: Any) -> dict[str, Any]:
        """Start a replay of these golden sessions."""
        body = {"kind": "replay", "agent": agent, "golden_sessions": list(golden_sessions), **more}
        return self._post("/test-runs/", body)

    def run_status(self, run_id: str) -> dict[str, Any]:
        """Return the progress of a run and its evaluations."""
        return self._get(f"/test-runs/{run_id}/status/")

    def evaluation_status(self, evaluation_id: str) -> dict[str, Any]:
        """Return the progress of an evaluation."""
        return self._get(f"/evaluations/{evaluation_id}/status/")

    def run_report(self, run_id: str) -> dict[str, Any] | None:
        """The report of a run that has ended; None while its checks are still being measured."""
        try:
            return self._get(f"/test-runs/{run_id}/report/")
        except ServerError as error:
            if error.code == "not_ended":
                return None
            raise

    def conversations(self, run_id: str) -> list[dict[str, Any]]:
        """A run's conversations with their turns, tool calls and latencies included."""
        return list(self._pages(f"/test-runs/{run_id}/conversations/"))

    def evaluate_conversations(self, config: str, conversations: Sequence[Mapping[str, Any]]) -> str:
        """Have these conversations imported and judged; the evaluation's id."""
        body = {"evaluator_config": config, "conversations": [dict(conversation) for conversation in conversations]}
        return str(self._post("/evaluations/", body | {"triggered_by": "pytest"})["id"])

    def post_checks(self, run_id: str, results: Sequence[Mapping[str, Any]]) -> None:
        """Add what was checked on the agent's own side to a run's results. The same again changes nothing."""
        for start in range(0, len(results), MAX_CHECKS):
            self._post(f"/test-runs/{run_id}/checks/", {"results": list(results[start : start + MAX_CHECKS])})

    def judgements(self, evaluation_id: str) -> list[dict[str, Any]]:
        """Every judgement of an evaluation."""
        return list(self._pages(f"/evaluations/{evaluation_id}/judgements/"))

    def evaluation(self, evaluation_id: str) -> dict[str, Any]:
        """An evaluation with its decision."""
        return self._get(f"/evaluations/{evaluation_id}/")

    def ask_gate(self, body: Mapping[str, Any]) -> str:
        """Ask whether a pull request may pass; the gate's id."""
        return str(self._post("/gates/", dict(body))["id"])

    def gate(self, gate_id: str) -> dict[str, Any]:
        """A gate: `status` is decided once it has an answer."""
        return self._get(f"/gates/{gate_id}/")

    def add_own_versions(self, gate_id: str, body: Mapping[str, str]) -> dict[str, Any]:
        """Keep beside a decided gate what became of altered scenarios as the commit has them (`evaluation`), or why
        they were not played (`left_out`); the gate with it."""
        return self._post(f"/gates/{gate_id}/own-versions/", dict(body))

    def gate_junit(self, gate_id: str) -> str:
        """A decided gate as JUnit XML."""
        return self._exchange("GET", f"/gates/{gate_id}/junit/", None, {}).text

    def gate_report(self, gate_id: str) -> str:
        """A decided gate as one HTML file."""
        return self._exchange("GET", f"/gates/{gate_id}/report/", None, {}).text

    def gate_baselines(self, *, agent: str, commit: str) -> list[dict[str, Any]]:
        """Completed evaluations of this agent at this commit, the newest first."""
        query = urlencode({"agent": agent, "commit": commit})
        return list(self._get(f"/gates/baselines/?{query}")["results"])

    def gates(self, *, agent: str, commit: str) -> list[dict[str, Any]]:
        """The newest gates of this agent at this commit, in lines."""
        return list(self._get(f"/gates/?{urlencode({'agent': agent, 'commit': commit})}")["results"])

    def gate_floor(self, agent: str) -> dict[str, Any] | None:
        """The least that gates of this agent ask; None where nobody set it."""
        found = self._get(f"/gates/floors/?{urlencode({'agent': agent})}")["results"]
        return dict(found[0]) if found else None

    def gate_acceptances(self, *, agent: str, commit: str) -> list[dict[str, Any]]:
        """List the alterations of this commit that people accepted, the newest first."""
        return list(self._get(f"/gates/acceptances/?{urlencode({'agent': agent, 'commit': commit})}")["results"])

    def cancel_run(self, run_id: str) -> None:
        """Stop a run for good."""
        self._post(f"/test-runs/{run_id}/cancel/", None)

    def post_snapshot(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Show a changed golden conversation to people."""
        return self._post("/snapshots/", dict(body))

    def snapshots(self, **filters: str) -> list[dict[str, Any]]:
        """The newest reviews that the filters find, one page."""
        return list(self._get("/snapshots/?" + urlencode(filters))["results"])

    def _pages(self, path: str) -> Iterator[dict[str, Any]]:
        address: str | None = path
        while address:
            page = self._get(address)
            yield from page["results"]
            following = page.get("next")
            address = f"{path}?{following.partition('?')[2]}" if following else None

    def _get(self, path: str) -> dict[str, Any]:
        return self._send("GET", path, None, {})

    def _post(self, path: str, body: Any) -> dict[str, Any]:
        return self._send("POST", path, body, {"idempotency-key": f"pytest-{uuid.uuid4().hex}"})

    def _send(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> dict[str, Any]:
        return read_answer(self._exchange(method, path, body, headers))

    def _exchange(self, method: str, path: str, body: Any, headers: Mapping[str, str]) -> "httpx.Response":
        """A 2xx. Raises `ServerError` for all else; waits, bounded, where the server is busy or away."""
        import httpx

        for attempt in range(ATTEMPTS):
            try:
                more: dict[str, Any] = {} if body is None else {"json": body}
                response = self._http.request(method, path, headers=dict(headers), **more)
            except httpx.HTTPError as error:
                if attempt == ATTEMPTS - 1:
                    raise ServerError(f"{self.url} does not answer: {error or type(error).__name__}") from error
                time.sleep(0.2 * 2**attempt)
                continue
            if response.status_code in (429, 503) and attempt < ATTEMPTS - 1:
                time.sleep(wait_of(response, 0.5 * 2**attempt))
                continue
            if not response.is_success:
                read_answer(response)
            return response
        raise AssertionError("unreachable")


def client_of_environment() -> RatibaClient | None:
    """A client of the server that RATIBA_URL and RATIBA_API_KEY name; None where they name none (`named_server`)."""
    server = named_server()
    return RatibaClient(server.url, server.api_key) if server is not None else None


def address_of(url: str) -> tuple[str, dict[str, str]]:
    """Return the address to connect to, and the Host header to send where it needs one.
    Every name under `localhost` is this machine, whatever a resolver says."""
    import httpx

    address = httpx.URL(url)
    if address.host.endswith(".localhost"):
        host = address.netloc.decode()
        return str(address.copy_with(host="127.0.0.1")).rstrip("/"), {"host": host}
    return url, {}


def wait_of(response: "httpx.Response", otherwise: float) -> float:
    """The seconds that Retry-After asks for, at most 30."""
    asked = response.headers.get("retry-after", "")
    return min(float(asked), 30.0) if asked.isdigit() else otherwise


def read_answer(response: "httpx.Response") -> dict[str, Any]:
    """The body of a 2xx, {} where there is none. Raises `ServerError` for all else."""
    if response.is_success:
        try:
            value = response.json(object_hook=ServerAnswer) if response.content else {}
        except ValueError:  # a proxy's page, for example
            value = None
        if not isinstance(value, dict):
            asked = f"{response.request.method} {response.request.url}"
            raise ServerError(f"{asked} was not answered in JSON: is that address a Ratiba?")
        return value
    try:
        problem = response.json()
    except ValueError:
        problem = None
    if not isinstance(problem, dict):
        text = f"{response.request.method} {response.request.url} answered {response.status_code}"
        raise ServerError(text, status=response.status_code)
    what = str(problem.get("detail") or problem.get("title") or response.status_code)
    raise ServerError(what, status=response.status_code, code=str(problem.get("code") or ""), problem=problem)
