"""What a run's plan keeps of the agent's prompt: its version, and its text where the catalog has it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from apps.catalog.domain.states import AgentKind
from apps.catalog.queries import newest_prompt, prompt_text
from apps.connectors.agents.base import AgentSpec
from apps.core.errors import BadInput
from apps.core.subject import UNNAMED, Subject


def prompt_of(subject: Subject) -> dict[str, Any]:
    """`prompt_version` and `prompt_text` for a plan; empty where nobody names a version. At most one query."""
    if not subject.prompt_version:
        return {}
    text = prompt_text(subject.prompt_version)
    return {"prompt_version": subject.prompt_version, **({"prompt_text": text} if text else {})}


def with_newest_prompt(subject: Subject, *, agent: str) -> Subject:
    """The subject of a run against one of our agents: the agent's name, and the newest prompt recorded under it, where
    the caller names none. At most one query."""
    version = subject.prompt_version or newest_prompt(agent)
    return replace(subject, agent=subject.agent or agent, prompt_version=version)


def subject_of(subject: Subject, *, agent: str, kind: str, options: Mapping[str, Any]) -> Subject:
    """Who is tested: the agent, and its prompt. Where the agent is a prompt, that is the version which will be played:
    the caller's, else the one its settings name, else the newest of that name. At most two queries.

    Raises BadInput (`unknown_prompt`) where nothing with a text is there to be played.
    """
    if kind != AgentKind.PROMPTED:
        return with_newest_prompt(subject, agent=agent)
    named = str(options.get("prompt") or "")
    version = subject.prompt_version or (named if "@" in named else newest_prompt(named) if named else "")
    if not version and options.get("prompt_text"):
        return replace(subject, agent=subject.agent or agent)
    if not prompt_text(version):
        who = f"Agent {agent!r}" if agent else "This agent"
        raise BadInput(
            f"{who} is a prompt, and no prompt {version or named!r} is recorded: record it, or name another.",
            code="unknown_prompt",
            pointer="/prompt_version" if subject.prompt_version else "/agent",
        )
    return replace(subject, agent=subject.agent or agent, prompt_version=version)


def with_prompt_text(spec: AgentSpec) -> AgentSpec:
    """How to reach an agent now; one that is a prompt with the text it would play. At most two queries.

    Raises BadInput (`unknown_prompt`)."""
    if spec.kind != AgentKind.PROMPTED:
        return spec
    subject = subject_of(UNNAMED, agent="", kind=spec.kind, options=spec.options)
    text = prompt_text(subject.prompt_version) if subject.prompt_version else spec.options["prompt_text"]
    return replace(spec, options={**spec.options, "prompt_text": text})
