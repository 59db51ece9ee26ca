"""What a run's plan keeps of the agent's prompt: its version, and its text where the catalog has it."""

from typing import Any

from apps.catalog.queries import newest_prompt, prompt_text
from apps.core.subject import Subject


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
    return Subject(agent=subject.agent or agent, prompt_version=version, label=subject.label, metadata=subject.metadata)
