"""A model provider on loopback that does as it is told: answers are scripted, requests are kept to be looked at."""

import json
import re
from collections import deque
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from tests.loopback import formats
from tests.loopback.http_server import Answer, LoopbackServer, Request

QUOTA = {
    "anthropic": lambda: formats.error("anthropic", 429, "spend limit", code="enforced_spend_limit_reached"),
    "openai": lambda: formats.error("openai", 429, "You exceeded your current quota", code="insufficient_quota"),
}
RATE_HEADERS = {
    "anthropic": {
        "anthropic-ratelimit-requests-remaining": "0",
        "anthropic-ratelimit-requests-reset": "2026-11-21T04:00:09Z",
        "date": "Sat, 21 Nov 2026 04:00:00 GMT",
    },
    "openai": {"x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s"},
}

THE_NONCE, THE_KEY = "<the nonce>", "<the key>"
_KEY = re.compile(r"(?:score|same_step)_[0-9a-z]{10}")
_FENCE = re.compile(r"<<<TRANSCRIPT (\w[\w-]*)>>>")


class ModelProvider:
    """Speaks all four wire formats at once. `script(...)` queues what the next requests get, by name or as an Answer;
    when the queue is empty the answer is `text`, with the question's nonce for THE_NONCE
    and its key of the number for THE_KEY. Names: see `_scripted`."""

    def __init__(self, text: str = '{"score": 7}') -> None:
        self.text = text
        self.requests: list[Request] = []
        self.tokens_given = 0
        self.headers: dict[str, str] = {}  # on every scripted answer
        self.faulty = Answer()  # the last that was sent badly
        self._script: deque[str | Answer] = deque()
        self.server = LoopbackServer(self._handle)

    def script(self, *steps: str | Answer) -> None:
        self._script.extend(steps)

    @property
    def url(self) -> str:
        return self.server.url

    def base_url(self, kind: str) -> str:
        """What a ModelSpec of this provider needs as `base_url`."""
        return self.url + {"anthropic": "", "openai": "/v1", "google": "/v1beta", "vertex": "/v1"}[kind]

    @property
    def last_body(self) -> dict[str, Any]:
        body = json.loads(self.requests[-1].body)
        assert isinstance(body, dict)
        return body

    def __enter__(self) -> "ModelProvider":
        self.server.__enter__()
        return self

    def __exit__(self, *exc: object) -> None:
        self.server.__exit__(*exc)

    def _handle(self, request: Request) -> Answer:
        if request.path == "/token":
            self.tokens_given += 1
            token = {"access_token": f"ya29.{self.tokens_given}", "expires_in": 3599, "token_type": "Bearer"}
            return Answer(body=json.dumps(token).encode())
        self.requests.append(request)
        kind = formats.kind_of(request.path)
        if kind is None:
            return Answer(status=404, body=b"no such door", content_type="text/plain")
        if kind in ("google", "vertex"):
            model = unquote(request.path.rpartition("/")[2].partition(":")[0])
        else:
            model = json.loads(request.body).get("model", "")
        step = self._script.popleft() if self._script else "ok"
        if isinstance(step, Answer):
            return step
        nonce = _FENCE.search(request.body.decode("utf-8", "replace"))
        text = self.text.replace(THE_NONCE, nonce[1]) if nonce else self.text
        key = _KEY.search(request.body.decode("utf-8", "replace"))
        text = text.replace(THE_KEY, key[0]) if key else text
        answer = self._scripted(step, kind, model, text)
        answer.headers = {**answer.headers, **self.headers}
        return answer

    def _scripted(self, step: str, kind: str, model: str, text: str) -> Answer:
        ok: Callable[..., Answer] = lambda text=text, **more: formats.answer(kind, text, model=model, **more)  # noqa: E731
        match step:
            case "ok":
                return ok()
            case "prose":
                return ok("I would say a seven, all things considered.")
            case "fences":
                return ok(f"```json\n{text}\n```")
            case "cut_json":
                return ok(text[: len(text) // 2])
            case "length" | "refusal" | "blocked" | "error":
                return ok(finish=step)
            case "blocked_prompt":
                return formats.blocked_prompt(model)
            case "hang" | "reset" | "cut" | "drip":
                self.faulty = ok()
                self.faulty.fault = step
                return self.faulty
            case "html":
                return Answer(body=b"<html>proxy</html>", content_type="text/html")
            case "list":
                return Answer(body=b"[]")
            case "hollow":
                return Answer(body=b"{}")
            case "redirect":
                return Answer(status=307, headers={"location": "http://127.0.0.1:1/elsewhere"})
            case "rate_limit":
                return formats.error(kind, 429, "slow down", headers={"retry-after": "7"})
            case "rate_limit_by_reset":
                info = [{"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "9s"}]
                return formats.error(kind, 429, "slow down", headers=RATE_HEADERS.get(kind), details=info)
            case "rate_limit_silent":
                return formats.error(kind, 429, "slow down")
            case "quota":
                daily = {"quotaId": "GenerateRequestsPerDayPerProjectPerModel-FreeTier"}
                google = [{"@type": "type.googleapis.com/google.rpc.QuotaFailure", "violations": [daily]}]
                return QUOTA[kind]() if kind in QUOTA else formats.error(kind, 429, "daily", details=google)
            case _:
                return formats.error(kind, int(step))
