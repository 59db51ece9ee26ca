"""Prompts of a Langfuse: ours are published there once each, and one can be read by its label."""

from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

import httpx

from apps.connectors.callbacks import CallbackOutcome
from apps.connectors.errors import BadReply, ConnectorError, RemoteRefusal
from apps.connectors.tracing.langfuse.api import LangfuseApi, failed

LIVE = "live"  # the label that the version has which is played where nobody names one
_MAX_VERSION = 10**6


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
        try:
            answer = await self.ask(
                client, lambda api: api.prompts.get(quote(name, safe=""), label=label), within_s=within_s
            )
        except RemoteRefusal as error:
            if error.status == 404 and _is_langfuse(error):
                return None
            raise
        if answer.unreadable is not None:
            raise BadReply(f"prompt {name!r}: {answer.unreadable.message}")
        one = answer.data
        if one.type != "text" or not 0 < one.version < _MAX_VERSION:
            raise BadReply(f"{self.who}: {name!r} is no text prompt with a version")
        return LangfusePrompt(name=name, version=one.version, text=one.prompt)

    async def publish(self, client: httpx.AsyncClient, prompt: PublishedPrompt, *, within_s: float) -> CallbackOutcome:
        """Publish a prompt, unless a version with its label is there; refused if that has another text.
        Two requests at most; safe to repeat. Never raises for a network fault."""
        try:
            there = await self.labelled(client, prompt.name, prompt.label, within_s=within_s)
            if there is not None:
                same = there.text == prompt.text
                why = "" if same else f"{prompt.name} has another text there under the label {prompt.label}"
                return CallbackOutcome(delivered=same, status=200, refused=not same, error=why)
            made = await self.ask(client, lambda api: api.prompts.create(request=_request(prompt)), within_s=within_s)
            return CallbackOutcome(delivered=True, status=made.status)
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
            name, version = quote(prompt.name, safe=""), there.version
            moved = await self.ask(
                client, lambda api: api.prompt_version.update(name, version, new_labels=[LIVE]), within_s=within_s
            )
            return CallbackOutcome(delivered=True, status=moved.status)
        except ConnectorError as error:
            return failed(error)


def _request(prompt: PublishedPrompt) -> Any:
    from langfuse.api import CreateTextPromptRequest, CreateTextPromptType  # noqa: PLC0415 - as in LangfuseApi.ask

    return CreateTextPromptRequest(
        type=CreateTextPromptType("text"),
        name=prompt.name,
        prompt=prompt.text,
        labels=[prompt.label],
        tags=["ratiba-eval"],
        commit_message=prompt.version,
        config={"version": prompt.version},
    )


def _is_langfuse(error: RemoteRefusal) -> bool:
    """A proxy's 404 is no word about a prompt."""
    return '"error"' in error.raw or '"message"' in error.raw
