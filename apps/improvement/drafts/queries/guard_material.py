"""The material that the guards of a draft look for: words of judges, tests and conversations, and the tools that the
agent has."""

import re
import uuid
from collections.abc import Iterator, Mapping
from typing import Any

from apps.catalog.models import Agent, Criterion, Persona, PromptLine, Scenario
from apps.improvement.analysis.models import Analysis
from apps.improvement.drafts.domain.guarded_text import GuardMaterial
from apps.runs.models import Conversation, Turn

MAX_CONVERSATIONS = 300  # the newest ones
_SEPARATORS = re.compile(r"[-_ ]")
_MIN_NAME = 4  # letters


def guard_material(line: PromptLine, analysis_id: uuid.UUID | None = None) -> GuardMaterial:
    """Collect every text that a draft of this line must not borrow.

    The newest conversations give the customers' words, those that the analysis read everybody's. Seven queries.
    """
    criteria = list(Criterion.objects.values_list("name", "texts"))
    personas = list(Persona.objects.values_list("name", "text"))
    scenarios = list(Scenario.objects.values_list("slug", "goal", "opening"))
    recent = list(Conversation.objects.order_by("-id").values_list("pk", flat=True)[:MAX_CONVERSATIONS])
    turns = list(Turn.objects.transcript().filter(conversation__in=recent).values_list("role", "content", "tool_calls"))
    first_names = frozenset(_first_names(personas))
    return GuardMaterial(
        criteria=[name for name, _ in criteria],
        criterion_texts=[text for _, texts in criteria for text in _texts(texts)],
        scenarios=[text for _, *both in scenarios for text in both if text] + [text for _, text in personas],
        names=[
            name
            for name in [*(name for name, _ in personas), *(slug for slug, *_ in scenarios)]
            if _is_given_name(name) or first_names & {part.capitalize() for part in _SEPARATORS.split(name)}
        ],
        first_names=first_names,
        transcripts=[content for role, content, _ in turns if role == "user"] + _analysed(analysis_id),
        tools=frozenset(_tools(line)) | {name for _, _, calls in turns for name in _called(calls)},
    )


def _texts(value: Any) -> Iterator[str]:
    """Every text of a criterion, in all its languages."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for one in value.values():
            yield from _texts(one)


def _is_given_name(slug: str) -> bool:
    """Tell whether nobody writes it by chance: `late-booking` is English, `sw-late-booking-3` is a scenario."""
    return len(_SEPARATORS.findall(slug)) > 1 or any(letter.isdigit() for letter in slug)


def _first_names(personas: list[tuple[str, str]]) -> Iterator[str]:
    """Parts of a persona's name that its text has with a capital: `fatuma-careful`, “Fatuma, 31, a nurse”."""
    for name, text in personas:
        for part in _SEPARATORS.split(name):
            if len(part) >= _MIN_NAME and re.search(rf"\b{re.escape(part.capitalize())}\b", text):
                yield part.capitalize()


def _analysed(analysis_id: uuid.UUID | None) -> list[str]:
    """The words of an analysis's conversations that its findings name."""
    row = Analysis.objects.select_related("evaluation").filter(pk=analysis_id).first() if analysis_id else None
    if row is None:
        return []
    named = {name for finding in row.findings for name in finding.get("conversations") or ()}
    rows = Turn.objects.transcript().filter(
        conversation__run_id=row.evaluation.run_id, conversation__external_id__in=named, role__in=("user", "assistant")
    )
    return list(rows.values_list("content", flat=True))


def _tools(line: PromptLine) -> Iterator[str]:
    """Return the tools that the settings or the profile of an agent with this prompt name."""
    agents = Agent.objects.filter(options__prompt=line.name) | Agent.objects.filter(name=line.name)
    if line.agent_id:
        agents |= Agent.objects.filter(pk=line.agent_id)
    for options, profile in agents.distinct().values_list("options", "profile"):
        yield from _called(options.get("tools"))
        yield from (
            str(tool_pattern["tool"]) for tool_pattern in profile.get("tool_patterns") or () if tool_pattern.get("tool")
        )


def _called(calls: Any) -> Iterator[str]:
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, Mapping) and call.get("name"):
            yield str(call["name"])
