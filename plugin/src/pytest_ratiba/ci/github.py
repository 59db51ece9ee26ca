"""One comment on a pull request, updated in place, and what a runner shows besides.

Text of models and of the pull request comes here escaped already (the server renders it); nothing of it is ever part of
a command, a header or an address.
"""

import os
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

MARKER = "<!-- ratiba-gate:{name} -->"
MAX_CHARS = 60_000  # GitHub refuses a comment of more than 65,536 characters
MAX_SUMMARY = 1_000_000  # a step's summary over 1 MiB is dropped whole
MAX_PAGES = 50
ATTEMPTS = 4
MAX_WAIT_S = 60.0
ACTIONS_BOT = "github-actions[bot]"


class CommentRefused(Exception):
    """GitHub takes no comment from here; the sentence says why."""


class CommentUncertain(CommentRefused):
    """The answer was lost: the comment may stand there, or may not."""


@dataclass(frozen=True, kw_only=True)
class PullRequestComments:
    """The comments of one pull request. `repository` is owner/name; `login` is who we are there, "" for whoever the
    token belongs to."""

    api: str
    token: str
    repository: str
    number: int
    login: str = ""
    sleep: Callable[[float], None] = time.sleep

    def put(self, body: str, *, name: str, head: str = "") -> str:
        """Write our one comment of this name, or bring it up to date; its address.

        `head` is the commit that was judged: where the pull request has moved on, nothing is written. Raises
        `CommentRefused`. May be repeated: the same text writes nothing.
        """
        marker = MARKER.format(name=name)
        text = shortened(f"{marker}\n{body}", MAX_CHARS)
        if head and self._head() not in ("", head):
            raise CommentRefused(f"the pull request has moved on from {head[:12]}: a newer result will come")
        for attempt in range(ATTEMPTS):
            if address := self._brought_up_to_date(marker, text):
                return address
            try:
                made = self._send("POST", f"/issues/{self.number}/comments", {"body": text}, once=True)
            except CommentUncertain:
                if attempt == ATTEMPTS - 1:
                    raise
                self.sleep(2.0**attempt)  # then look first whether it stands there
            else:
                return str((made or {}).get("html_url", ""))
        raise AssertionError("unreachable")

    def _brought_up_to_date(self, marker: str, text: str) -> str:
        """The address of our newest comment, which says this now; "" where there is none. Older ones of ours go."""
        own = self._own(marker)
        for double in own[:-1]:
            self._send("DELETE", f"/issues/comments/{double['id']}", gone=True)
        for one in own[-1:]:
            if one.get("body") == text:
                return str(one["html_url"])
            changed = self._send("PATCH", f"/issues/comments/{one['id']}", {"body": text}, gone=True)
            if changed is not None:
                return str(changed["html_url"])
        return ""

    def _head(self) -> str:
        found = self._send("GET", f"/pulls/{self.number}")
        return str(((found or {}).get("head") or {}).get("sha") or "")

    def _own(self, marker: str) -> list[Mapping[str, Any]]:
        """Our comments with this mark, the oldest first: somebody else's with the same mark are left alone."""
        login = self.login or self._login()
        return [
            comment
            for comment in self._comments()
            if str((comment.get("user") or {}).get("login") or "") == login
            and str(comment.get("body") or "").startswith(marker)
        ]

    def _login(self) -> str:
        try:
            answer = self._send("GET", "/user", root=True)
        except CommentRefused:  # the token of a workflow may not ask who it is
            return ACTIONS_BOT
        return str((answer or {}).get("login") or ACTIONS_BOT)

    def _comments(self) -> Iterator[Mapping[str, Any]]:
        for page in range(1, MAX_PAGES + 1):
            found = self._send("GET", f"/issues/{self.number}/comments?per_page=100&page={page}")
            if not isinstance(found, list):
                return
            yield from found
            if len(found) < 100:
                return

    def _send(
        self, method: str, path: str, body: Any = None, *, gone: bool = False, root: bool = False, once: bool = False
    ) -> Any:
        """The answer; None for a 404 where `gone` allows it. Waits, bounded, where GitHub limits us. `once`: what may
        have been done already is not sent again, and raises `CommentUncertain`."""
        import httpx

        address = f"{self.api.rstrip('/')}{path if root else f'/repos/{self.repository}{path}'}"
        headers = {
            "authorization": f"Bearer {self.token}",
            "accept": "application/vnd.github+json",
            "x-github-api-version": "2022-11-28",
        }
        for attempt in range(ATTEMPTS):
            try:
                more = {} if body is None else {"json": body}
                answer = httpx.request(method, address, headers=headers, timeout=30, **more)
            except httpx.HTTPError as error:
                problem = f"GitHub does not answer: {type(error).__name__}"
                wait: float | None = 2.0**attempt
                done = True
            else:
                if answer.is_success:
                    return _content(answer)
                if gone and answer.status_code in (404, 410):
                    return None
                problem, wait = _problem(answer), _wait(answer, attempt)
                done = answer.status_code >= 500
            if once and done:
                raise CommentUncertain(problem)
            if wait is None or wait > MAX_WAIT_S or attempt == ATTEMPTS - 1:
                raise CommentRefused(problem)
            self.sleep(wait)
        raise AssertionError("unreachable")


def _content(answer: Any) -> Any:
    try:
        return answer.json() if answer.content else {}
    except ValueError as error:
        raise CommentRefused("what answers at GITHUB_API_URL is not GitHub's API: its answer is no JSON") from error


def _problem(answer: Any) -> str:
    try:
        said = str(answer.json().get("message") or "")
    except (ValueError, AttributeError):
        said = ""
    return f"GitHub answered {answer.status_code}{f': {said[:200]}' if said else ''}"


def _wait(answer: Any, attempt: int) -> float | None:
    """Seconds until it is worth trying again; None where it never is."""
    limited = answer.status_code == 429 or (
        answer.status_code == 403
        and (answer.headers.get("retry-after") or answer.headers.get("x-ratelimit-remaining") == "0")
    )
    if limited:
        after = answer.headers.get("retry-after", "")
        if after.isdigit():
            return float(after)
        reset = answer.headers.get("x-ratelimit-reset", "")
        return max(1.0, float(reset) - time.time()) if reset.isdigit() else 2.0**attempt
    return 2.0**attempt if answer.status_code >= 500 else None


def shortened(text: str, most: int) -> str:
    """At most so many characters; what is cut is said."""
    note = "\n\n… cut here; the rest is in the report."
    return text if len(text) <= most else text[: most - len(note)] + note


def annotation(kind: str, message: str, *, title: str) -> str:
    """A workflow command of the runner (`error`, `warning` or `notice`), with everything escaped that could begin
    another one."""
    if kind not in ("error", "warning", "notice"):
        raise ValueError(f"no such annotation: {kind!r}")
    data = message.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")
    name = title.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A").replace(":", "%3A").replace(",", "%2C")
    return f"::{kind} title={name}::{data}"


def append_summary(text: str, path: Path) -> None:
    """Add to a step's summary; a text that would drop the whole summary is shortened."""
    room = MAX_SUMMARY - (path.stat().st_size if path.exists() else 0)
    data = text.encode("utf-8", "replace") + b"\n"
    if len(data) > room:
        data = shortened(text, max(200, room // 4)).encode("utf-8", "replace") + b"\n"
    with path.open("ab") as file:
        file.write(data)


def comments_of_environment(environment: Mapping[str, str] | None = None) -> PullRequestComments | None:
    """From what GitHub's runner sets; None outside a pull request and in a fork, which has no token."""
    env = os.environ if environment is None else environment
    token = env.get("GITHUB_TOKEN", "").strip()
    number = env.get("RATIBA_PULL_REQUEST", "").strip() or _number(env.get("GITHUB_REF", ""))
    repository = env.get("GITHUB_REPOSITORY", "").strip()
    if not (token and repository and number.isdigit()):
        return None
    return PullRequestComments(
        api=env.get("GITHUB_API_URL", "").strip() or "https://api.github.com",
        token=token,
        repository=repository,
        number=int(number),
        login=env.get("RATIBA_COMMENT_LOGIN", "").strip(),
    )


def _number(ref: str) -> str:
    parts = ref.split("/")
    return parts[2] if parts[:2] == ["refs", "pull"] and len(parts) > 2 else ""
