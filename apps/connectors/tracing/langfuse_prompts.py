"""Prompts of a Langfuse: ours are published there once each, and one can be read by its label."""

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, urlencode

import httpx

from apps.connectors.agents.http_exchange import HttpAsk, delivered_once, fetch, refuse_bad_status
from apps.connectors.callbacks import CallbackOutcome
from apps.connectors.errors import AddressRefused, BadReply, ConnectorError, RateLimited, Unreachable
from apps.connectors.tracing.langfuse import LangfuseAddress

LIVE = "live"  # the label that the version has which is played where nobody names one
_PATH = "/api/public/v2/prompts"
_MOST_VERSION = 10**6


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedPrompt:
    """A version as it is published; `label` is one that no other version of this name has."""

    name: str
    version: str
    label: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class LangfusePrompt:
    """A text prompt as a Langfuse has it."""

    name: str
    version: int
    text: str


class LangfusePrompts:
    """The prompts of one project."""

    def __init__(self, address: LangfuseAddress) -> None:
        self._address = address
        self.who = f"the Langfuse at {address.base_url.rstrip('/')}"

    async def labelled(
        self, client: httpx.AsyncClient, name: str, label: str, *, within_s: float
    ) -> LangfusePrompt | None:
        """The version of this name that has this label; None where there is none. One GET. Raises a ConnectorError:
        BadReply for one that is no text prompt."""
        path = f"{_PATH}/{quote(name, safe='')}?{urlencode({'label': label})}"
        response = await self._ask(client, "GET", path, None, within_s)
        if response.status_code == 404 and _is_langfuse(response.content):
            return None
        refuse_bad_status(response, self.who)
        found = _json(response.content)
        version, text = found.get("version"), found.get("prompt")
        if type(version) is not int or not 0 < version < _MOST_VERSION or found.get("type", "text") != "text":
            raise BadReply(f"{self.who}: {name!r} is no text prompt with a version", raw=response.text)
        if not isinstance(text, str):
            raise BadReply(f"{self.who}: {name!r} has no text", raw=response.text)
        return LangfusePrompt(name=name, version=version, text=text)

    async def publish(self, client: httpx.AsyncClient, prompt: PublishedPrompt, *, within_s: float) -> CallbackOutcome:
        """Make it a version there, unless its label says that it is one. Two requests at most; safe to repeat, since a
        Langfuse makes a new version of every POST. Never raises for what the network does."""
        try:
            there = await self.labelled(client, prompt.name, prompt.label, within_s=within_s)
            if there is not None:
                same = there.text == prompt.text
                why = "" if same else f"{prompt.name} has another text there under the label {prompt.label}"
                return CallbackOutcome(delivered=same, status=200, refused=not same, error=why)
            body = {
                "type": "text", "name": prompt.name, "prompt": prompt.text, "labels": [prompt.label],
                "tags": ["ratiba-eval"], "commitMessage": prompt.version, "config": {"version": prompt.version},
            }  # fmt: skip
            return self._outcome(await self._ask(client, "POST", _PATH, body, within_s))
        except ConnectorError as error:
            return failed(error)

    async def make_live(
        self, client: httpx.AsyncClient, prompt: PublishedPrompt, *, within_s: float
    ) -> CallbackOutcome:
        """Move the label `live` to it. Two requests; safe to repeat. One that is not there yet is tried again."""
        try:
            there = await self.labelled(client, prompt.name, prompt.label, within_s=within_s)
            if there is None:
                return CallbackOutcome(delivered=False, status=404, error=f"{prompt.version} is not there yet")
            path = f"{_PATH}/{quote(prompt.name, safe='')}/versions/{there.version}"
            labels = {"newLabels": [LIVE]}
            return self._outcome(await self._ask(client, "PATCH", path, labels, within_s))
        except ConnectorError as error:
            return failed(error)

    async def _ask(
        self, client: httpx.AsyncClient, method: str, path: str, body: Mapping[str, Any] | None, within_s: float
    ) -> httpx.Response:
        headers = {"accept": "application/json", "authorization": self._address.authorization}
        content = None
        if body is not None:
            content = json.dumps(body, ensure_ascii=False).encode("utf-8", "replace")
            headers["content-type"] = "application/json"
        ask = HttpAsk(
            who=self.who, method=method, url=self._address.url(path), headers=headers, content=content,
            timeout_s=within_s,
        )  # fmt: skip
        return await delivered_once(lambda: fetch(client, ask), pauses=())

    def _outcome(self, response: httpx.Response) -> CallbackOutcome:
        refuse_bad_status(response, self.who)
        return CallbackOutcome(delivered=True, status=response.status_code)


def failed(error: ConnectorError) -> CallbackOutcome:
    """What became of an attempt that ended so: what the guard refuses and what is malformed (400, 413, 422) is not
    tried again; a key, an address and an outage may be mended."""
    return CallbackOutcome(
        delivered=False,
        status=error.status,
        error=error.message[:200],
        refused=isinstance(error, AddressRefused) or error.status in (400, 413, 422),
        retry_after_s=error.retry_after if isinstance(error, RateLimited) else None,
        timed_out=isinstance(error, Unreachable) and error.timed_out,
    )


def _json(content: bytes) -> Mapping[str, Any]:
    try:
        found = json.loads(content)
    except (ValueError, RecursionError):
        found = None
    return found if isinstance(found, Mapping) else {}


def _is_langfuse(content: bytes) -> bool:
    """A proxy's 404 is no word about a prompt."""
    return "error" in _json(content) or "message" in _json(content)
