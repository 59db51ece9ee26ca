"""The part of the agent's prompt that a run's plan keeps: its version, and its text where the catalog has it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from apps.catalog.domain.states import AgentKind
from apps.catalog.prompts.queries.versions import live_prompt, prompt_text
from apps.connectors.agents.base import AgentSpec
from apps.core.errors import BadInput
from apps.core.subject import UNNAMED, Subject


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectPrompt:
    """The tested subject as the request names it, and the prompt.

    The prompt has the `version` that is played (where the agent is one; else the subject's), and its text, empty where
    the catalog has none.
    """

    subject: Subject
    version: str = ""
    text: str = ""

    def as_json(self) -> dict[str, Any]:
        """`prompt_version` and `prompt_text` as JSON for a plan; empty where nobody names a version."""
        version = self.version or self.subject.prompt_version
        parts = {"prompt_version": version, "prompt_text": self.text if version else ""}
        return {name: value for name, value in parts.items() if value}


def recorded_prompt(subject: Subject) -> SubjectPrompt:
    """The subject with the text of the version it names. At most one query."""
    return SubjectPrompt(subject=subject, text=prompt_text(subject.prompt_version) if subject.prompt_version else "")


def subject_prompt(
    subject: Subject, *, agent: str, kind: str, options: Mapping[str, Any], prompt: str = ""
) -> SubjectPrompt:
    """Return the tested subject, and the prompt that is played: the version that `prompt` names.

    It does not matter what the agent is (how the prompt gets there is `agent_of_run`'s). Where nobody names one, and
    the agent is a prompt: the subject's version, else the one its settings name, else the live one of that name, else
    the text in its settings. Of another agent the prompt is told, not played: the subject's version, else the live one
    of the agent's name. What the subject says is who is said to be tested. At most two queries.

    Raises BadInput (`unknown_prompt`) where nothing with a text is there to be played.
    """
    subject = replace(subject, agent=subject.agent or agent)
    if kind != AgentKind.PROMPTED and not prompt:
        return recorded_prompt(replace(subject, prompt_version=subject.prompt_version or live_prompt(agent)))
    named = str(options.get("prompt") or "")
    version = prompt or subject.prompt_version or (named if "@" in named else live_prompt(named) if named else "")
    if not version and options.get("prompt_text"):
        return SubjectPrompt(subject=subject, text=str(options["prompt_text"]))
    text = prompt_text(version) if version else ""
    if not text:
        who = f"Agent {agent!r}" if agent else "This agent"
        raise BadInput(
            f"{who} is a prompt, and no prompt {version or named!r} is recorded and live: record it, or name another.",
            code="unknown_prompt",
            pointer="/prompt" if prompt else "/prompt_version" if subject.prompt_version else "/agent",
        )
    named_subject = replace(subject, prompt_version=subject.prompt_version or version)
    return SubjectPrompt(subject=named_subject, version=version, text=text)


def with_prompt_text(spec: AgentSpec) -> AgentSpec:
    """Return how to reach an agent now; an agent that is a prompt gets the text it would play.

    At most two queries. Raises BadInput (`unknown_prompt`).
    """
    if spec.kind != AgentKind.PROMPTED:
        return spec
    prompt = subject_prompt(UNNAMED, agent="", kind=spec.kind, options=spec.options)
    return replace(spec, options={**spec.options, "prompt_text": prompt.text})
