"""Prompts of a Langfuse: ours are published there once each, and one can be read by its label."""

from dataclasses import dataclass
from urllib.parse import quote, urlencode

import httpx

from apps.connectors.agents.http_exchange import refuse_bad_status
from apps.connectors.callbacks import CallbackOutcome
from apps.connectors.errors import BadReply, ConnectorError
from apps.connectors.tracing.langfuse_api import LangfuseApi, failed, json_of

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


class LangfusePrompts(LangfuseApi):
    """The prompts of one project."""

    async def labelled(
        self, client: httpx.AsyncClient, name: str, label: str, *, within_s: float
    ) -> LangfusePrompt | None:
        """The version of this name that has this label; None where there is none. One GET. Raises a ConnectorError:
        BadReply for one that is no text prompt."""
        path = f"{_PATH}/{quote(name, safe='')}?{urlencode({'label': label})}"
        response = await self.ask(client, "GET", path, within_s=within_s)
        if response.status_code == 404 and _is_langfuse(response):
            return None
        refuse_bad_status(response, self.who)
        found = json_of(response)
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
            return self._outcome(await self.ask(client, "POST", _PATH, body, within_s=within_s))
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
            return self._outcome(await self.ask(client, "PATCH", path, labels, within_s=within_s))
        except ConnectorError as error:
            return failed(error)

    def _outcome(self, response: httpx.Response) -> CallbackOutcome:
        refuse_bad_status(response, self.who)
        return CallbackOutcome(delivered=True, status=response.status_code)


def _is_langfuse(response: httpx.Response) -> bool:
    """A proxy's 404 is no word about a prompt."""
    found = json_of(response)
    return "error" in found or "message" in found
