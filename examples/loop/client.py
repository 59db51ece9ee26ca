"""A walker's view of the API: a host, a key, and answers that are waited for."""

import time
from collections.abc import Callable
from typing import Any

import httpx

ENDED = frozenset({"completed", "failed", "timeout", "cancelled"})


class WalkStopped(RuntimeError):
    """The server said no, or something ended otherwise than it should; the message says what and where."""


class LoopClient:
    """The API of one tenant. `host` is sent as the Host header, so that no name has to be known to this machine."""

    def __init__(self, *, url: str, key: str, host: str = "") -> None:
        headers = {"authorization": f"Bearer {key}", **({"host": host} if host else {})}
        self._http = httpx.Client(base_url=f"{url.rstrip('/')}/api/v1", headers=headers, timeout=60.0)

    def sign_in(self, *, user: str, password: str) -> None:
        """From now on it is this person who asks, in a session as a browser has it, and no key. Raises WalkStopped."""
        self._http.headers.pop("authorization", None)
        page = str(self._http.base_url.copy_with(path="/admin/login/"))
        self._http.get(page)
        form = {"username": user, "password": password, "csrfmiddlewaretoken": self._csrf_token()}
        answer = self._http.post(page, data=form, headers={"referer": page})
        if answer.status_code != httpx.codes.FOUND:
            raise WalkStopped(f"{user} may not sign in: {answer.status_code}")
        self._http.headers["x-csrftoken"] = self._csrf_token()

    def get(self, path: str, **query: Any) -> Any:
        """The answer's JSON. Raises WalkStopped with the server's own words."""
        return self._answer(self._http.get(path, params=query))

    def post(self, path: str, body: Any = None) -> Any:
        """As `get`."""
        return self._answer(self._http.post(path, json=body if body is not None else {}))

    def wait(
        self, path: str, *, ended: Callable[[Any], bool] | None = None, seconds: float = 300.0, every: float = 0.5
    ) -> Any:
        """Ask until it has ended: by `ended`, else by its `status`. Raises WalkStopped when it takes too long."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            answer = self.get(path)
            if ended(answer) if ended else answer["status"] in ENDED:
                return answer
            time.sleep(every)
        raise WalkStopped(f"{path} has not ended within {seconds:g} s: {answer}")

    def _csrf_token(self) -> str:
        return str(next((one.value for one in self._http.cookies.jar if "csrf" in one.name), ""))

    def _answer(self, response: httpx.Response) -> Any:
        if response.status_code >= 400:
            told = response.json() if "json" in response.headers.get("content-type", "") else {}
            words = f"{told.get('code')}: {told.get('title')} {told.get('detail')} {told.get('pointer', '')}".strip()
            asked = f"{response.request.method} {response.request.url.path}"
            raise WalkStopped(f"{asked} answered {response.status_code} {words if told else response.text[:300]}")
        return response.json()
