"""All recordings of a session: which one a call belongs to, what is caught while one is open, and what came of them."""

import os
import threading
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from urllib.parse import urlsplit

from pytest_ratiba.recording.exchange import RawRequest
from pytest_ratiba.recording.local_models import asks_model, is_loopback, place_of
from pytest_ratiba.recording.masking import Masker, environment_secrets
from pytest_ratiba.recording.scenario import RecordingMiss, RecordingOutcome, ScenarioRecording, now_utc
from pytest_ratiba.recording.settings import RecordingSettings, RecordMode

_CURRENT: ContextVar[ScenarioRecording | None] = ContextVar("ratiba_recording", default=None)
PLACEHOLDER_KEY = "ratiba-plays-recordings"
# LiteLLM asks for its price list when it is imported, and by aiohttp in a coroutine, unless these are set.
_CLIENT_VARIABLES = {"LITELLM_LOCAL_MODEL_COST_MAP": "True", "DISABLE_AIOHTTP_TRANSPORT": "True"}
_KEY_VARIABLES = ("OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "GOOGLE_API_KEY")


class Recorder:
    """One per process. A conversation is opened, used by any number of tasks and threads, and closed."""

    def __init__(
        self,
        settings: RecordingSettings,
        *,
        mode: RecordMode = RecordMode.NONE,
        server_url: str = "",
        clock: Callable[[], datetime] = now_utc,
        test_of: Callable[[], str] = lambda: "",
    ) -> None:
        """`server_url` is the Ratiba that verdicts come from: calls to it are never recorded and never blocked.
        `test_of` names the test that is on, which a recording belongs to."""
        self.settings, self.mode, self._clock, self._test_of = settings, mode, clock, test_of
        self.masker = Masker(names=settings.names, patterns=settings.redact, secrets=environment_secrets())
        self._server = urlsplit(server_url)
        self._open: dict[tuple[str, str], ScenarioRecording] = {}
        self._written: set[tuple[str, str, str]] = set()  # by the test that is on
        self._interception: ExitStack | None = None
        self._endpoint: AbstractContextManager[object] | None = None
        self.endpoint_url = ""
        self._turn_of_process: ScenarioRecording | None = None
        # Where calls of an agent's process go that other processes of this session bring turns to (xdist's controller).
        self.elsewhere: Callable[[], str] = lambda: ""
        self._lock = threading.RLock()

    def begin_test(self) -> None:
        """A test starts. Played again, it may record again."""
        with self._lock:
            self._written.clear()

    def open(self, scenario_id: str, conversation: str = "", *, test: str | None = None) -> ScenarioRecording:
        """Starts a conversation of the test that is on, or of `test`; from now on calls are caught. Raises ProjectError
        for a file that cannot be read and ValueError for a conversation that is open already, or that this test has
        recorded: a second recording would replace the first."""
        recording = ScenarioRecording(
            scenario_id,
            settings=self.settings,
            mode=self.mode,
            masker=self.masker,
            conversation=conversation,
            test=self._test_of() if test is None else test,
            clock=self._clock,
        )
        with self._lock:
            name = repr(scenario_id) + (f", conversation {conversation!r}," if conversation else "")
            if (scenario_id, conversation) in self._open:
                raise ValueError(f"the recording of {name} is open already")
            if recording.recording and (scenario_id, conversation, recording.test) in self._written:
                raise ValueError(
                    f"{recording.test or 'this test'} has recorded {name} and would replace it by a second recording: "
                    f"give this one a conversation of its own, open({scenario_id!r}, 'second')"
                )
            self._open[scenario_id, conversation] = recording
            self._intercept()
        return recording

    def close(self, recording: ScenarioRecording) -> RecordingOutcome:
        """Ends a conversation and writes what it recorded."""
        with self._lock:
            self._open.pop((recording.scenario_id, recording.conversation), None)
            if not self._open and self._interception is not None:
                self._interception.close()
                self._interception = None
            if recording.recording:
                self._written.add((recording.scenario_id, recording.conversation, recording.test))
        return recording.close()

    @contextmanager
    def within(self, recording: ScenarioRecording, *, out_of_process: bool = False) -> Iterator[ScenarioRecording]:
        """Calls of this task, and of tasks and `asyncio.to_thread`s it starts, belong to this conversation; with
        `out_of_process`, which one conversation at a time may have, also those that do not say whose they are."""
        token = _CURRENT.set(recording)
        if out_of_process:
            self._turn_of_process = recording
        try:
            yield recording
        finally:
            _CURRENT.reset(token)
            if out_of_process:
                self._turn_of_process = None

    def current(self, scenario_id: str = "", conversation: str = "") -> ScenarioRecording | None:
        """The conversation a call belongs to: the named one, this task's, the one whose turn an
        agent's process has, else the only one that is open; None where
        none is. Raises RecordingMiss where it cannot be told."""
        with self._lock:
            if scenario_id:
                found = self._open.get((scenario_id, conversation))
                if found is None:
                    names = ", ".join(sorted({name for name, _ in self._open})) or "none"
                    raise RecordingMiss(f"the recording of scenario {scenario_id!r} is not open; open are: {names}")
                return found
            mine = _CURRENT.get()
            if mine is not None and mine in self._open.values():
                return mine
            if self._turn_of_process in self._open.values():
                return self._turn_of_process
            if len(self._open) > 1:
                raise RecordingMiss(
                    f"{len(self._open)} recordings are open and this call does not say which it belongs to: use the "
                    f"address {self.endpoint_url}/scenario/<id>/…, or play one scenario at a time"
                )
            return next(iter(self._open.values()), None)

    def any_playing(self) -> ScenarioRecording | None:
        """One of the open conversations, unless one of them is being recorded."""
        with self._lock:
            if any(one.recording for one in self._open.values()):
                return None
            return next(iter(self._open.values()), None)

    def request_of(self, *, method: str, url: str, headers: dict[str, str], body: bytes) -> RawRequest | None:
        """The request as recordings see it; None for one that is let through: the Ratiba server, what is allowed, and
        loopback but for models there."""
        parts = urlsplit(url)
        host, port = parts.hostname or "", parts.port
        found = self._upstream_of(url)
        if found is not None:
            name, path = found
            return RawRequest(
                method=method, upstream=name, host=host, path=path or "/", query=parts.query, headers=headers, body=body
            )
        model = asks_model(method, parts.path, body)
        if self.is_named(host, port):
            if model:
                self.note_live()
            return None
        if is_loopback(host) and not model:
            return None
        at = f":{port}" if port is not None else ""
        return RawRequest(
            method=method,
            upstream=("localhost" if is_loopback(host) else host) + at,
            host=host,
            path=parts.path or "/",
            query=parts.query,
            headers=headers,
            body=body,
        )

    def _upstream_of(self, url: str) -> tuple[str, str] | None:
        """(name, path behind its base URL) of the upstream an address belongs to."""
        asked = _one_spelling(url)
        for name, base in self.settings.upstreams.items():
            base = _one_spelling(base)
            if asked == base or asked.startswith((f"{base}/", f"{base}?")):
                return name, asked[len(base) :].partition("?")[0]
        return None

    def lets_through(self, host: str, port: int | None) -> bool:
        """Whether a connection to a host is none of the recordings' business. No look-up."""
        return is_loopback(host) or self.is_named(host, port)

    def is_named(self, host: str, port: int | None) -> bool:
        """Whether every call to a host goes its own way: the Ratiba server's, the endpoint's, those of agents that the
        configuration names on this machine, and what is allowed."""
        place = place_of(host, port)
        if not is_loopback(host):
            known = {self._server.hostname} - {None}
        else:
            addresses = (self._server, urlsplit(self.endpoint_url), *map(urlsplit, self.settings.agents))
            known = {place_of(address.hostname, address.port) for address in addresses if address.hostname}
        allowed = {place.rpartition(":")[0], place} & {_allowed(one) for one in self.settings.allow}
        return bool(allowed) or (place if is_loopback(host) else host) in known

    def note_live(self) -> None:
        """A model was asked past the recording because the configuration allows it: the summary says so."""
        with suppress(RecordingMiss):
            recording = self.current()
            if recording is not None:
                recording.asked_live()

    def unseen(self, recording: ScenarioRecording | None, *, place: str, path: str) -> str:
        """The sentence about a model on this machine that is asked by a client no recording sees. It fails the
        conversation, or all that are open where it cannot be told which."""
        with self._lock:
            concerned = [recording] if recording is not None else list(self._open.values())
        names = ", ".join(repr(one.scenario_id) for one in concerned)
        what = "is recorded" if any(one.recording for one in concerned) else "plays its recording"
        problem = (
            f"scenario {names} {what} and something asked the model at {place}{path} by a client that recordings do "
            "not see.\nhttpx, urllib, requests and urllib3 are recorded over http. Any other client takes a base URL: "
            "name the server in `recordings.upstreams` and use llm_recording.base_url(name). A server that is no "
            f'model, or one that tests shall ask each time, stands in `recordings.allow: ["{place}"]`.'
        )
        for one in concerned:
            one.blocked(problem)
        return problem

    def start_endpoint(self) -> str:
        """The address for agents in any language; started at the first call."""
        with self._lock:
            if self._endpoint is None:
                from pytest_ratiba.recording.endpoint import RecordingEndpoint

                endpoint = RecordingEndpoint(self)
                self.endpoint_url = endpoint.start()
                self._endpoint = endpoint
        return self.endpoint_url

    def environment(self, scenario_id: str = "") -> dict[str, str]:
        """Variables for an agent's process: base URLs of the providers at the endpoint; while nothing is recorded
        also keys that open nothing, where there are none, because clients do not start without."""
        url = self.start_endpoint() + (f"/scenario/{scenario_id}" if scenario_id else "")
        variables = {
            "RATIBA_RECORDING_URL": url,
            "OPENAI_BASE_URL": f"{url}/openai",
            "ANTHROPIC_BASE_URL": f"{url}/anthropic",
            "GOOGLE_GEMINI_BASE_URL": f"{url}/gemini",
            "OLLAMA_HOST": f"{url}/ollama",
        }
        if self.mode is RecordMode.NONE:
            variables |= {name: PLACEHOLDER_KEY for name in _KEY_VARIABLES if not os.environ.get(name)}
        return variables

    def stop(self) -> None:
        """Ends the endpoint and what is caught."""
        with self._lock:
            if self._interception is not None:
                self._interception.close()
                self._interception = None
            if self._endpoint is not None:
                self._endpoint.__exit__(None, None, None)
                self._endpoint = None

    def _intercept(self) -> None:
        if self._interception is None:
            from pytest_ratiba.recording.capture import catch_clients
            from pytest_ratiba.recording.network import block_network
            from pytest_ratiba.recording.standard_client import catch_standard_client
            from pytest_ratiba.recording.unseen_models import refuse_unseen_models

            self._interception = ExitStack()
            self._interception.enter_context(_variables(_CLIENT_VARIABLES))
            self._interception.enter_context(catch_clients(self))
            self._interception.enter_context(catch_standard_client(self))
            self._interception.enter_context(block_network(self))
            self._interception.enter_context(refuse_unseen_models(self))


@contextmanager
def _variables(values: dict[str, str]) -> Iterator[None]:
    """Those of them that nobody has set, for as long as it lasts."""
    ours = [name for name in values if name not in os.environ]
    os.environ.update({name: values[name] for name in ours})
    try:
        yield
    finally:
        for name in ours:
            os.environ.pop(name, None)


def _one_spelling(url: str) -> str:
    """The address with one name for this machine."""
    scheme, mark, rest = url.partition("://")
    place = rest.partition("/")[0].partition("?")[0]
    host, colon, _ = place.rpartition(":") if not place.endswith("]") else (place, "", "")
    host = host if colon else place
    return f"{scheme}{mark}localhost{colon}{rest[len(host) + len(colon) :]}" if is_loopback(host) else url


def _allowed(text: str) -> str:
    """A host or host:port of the configuration, with one name for this machine."""
    if is_loopback(text):
        return "localhost"
    host, colon, port = text.rpartition(":")
    return place_of(host, port) if colon and port.isdigit() else text


@dataclass(kw_only=True)
class OpenRecording:
    """A test gets this object. `reported`: its problems have failed the test already."""

    recorder: Recorder
    recording: ScenarioRecording
    reported: bool = False

    def environment(self) -> dict[str, str]:
        """Variables for the process of an agent in any language."""
        return self.recorder.environment(self.recording.scenario_id)

    def base_url(self, upstream: str) -> str:
        """The address of one upstream at the endpoint: `openai`, `anthropic`, `gemini`, or one that is configured."""
        return f"{self.environment()['RATIBA_RECORDING_URL']}/{upstream}"
