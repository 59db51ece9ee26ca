"""A gate that stayed shut: did the agent leave something out, or say the same in other words? Pure."""

import re
from collections.abc import Collection, Sequence

from apps.core.extracted_values import ValueKind, not_in, values
from apps.runs.domain.states import ConversationStatus
from apps.runs.goldens.domain.gate_keeping import GateState
from apps.runs.goldens.domain.replay_script import ScriptLine
from apps.runs.goldens.domain.replayed import expected_tool

DESYNC = GateState.DESYNC.value  # the error code of a replay that lost its step
STEP_WORDS = 4  # of a golden reply: fewer are said at many steps
FACTS = frozenset({ValueKind.MONEY, ValueKind.DATE, ValueKind.TIME, ValueKind.PHONE, ValueKind.NUMBER})


def is_stuck(*, status: str, code: str, blame: str | None) -> bool:
    """Tell whether a replay lost its step where only the words differ, as far as rules can tell."""
    return status == ConversationStatus.FAILED and code == DESYNC and blame is None


def missing_facts(
    line: ScriptLine, came: str, called: Collection[str], *, script: Sequence[ScriptLine] = ()
) -> str | None:
    """Say by which sign this step was not done.

    The agent said nothing, or only what the golden session's said at other steps of the `script`; a figure of the
    golden reply is missing or another one; a tool was not called (where tools are shown). None where there is none:
    then only the words differ, and whether they do the same is for a person or a judge. Ids change from run to run and
    are no fact here.
    """
    if not came.strip():
        return "The agent said nothing."
    if other := _other_step(line, came, script):
        return f"It is the golden session's reply to turn {other}."
    facts = [value for value in values(line.golden_reply) if value.kind in FACTS]
    gone = list(dict.fromkeys(value.text for value in not_in(facts, values(came))))
    if gone:
        return f"It does not say {', '.join(gone[:5])}."
    tools = [tool.name for tool in map(expected_tool, line.expected_tools) if not tool.forbidden]
    absent = [name for name in dict.fromkeys(tools) if name not in called]
    if line.golden_calls and absent:
        return f"{', '.join(absent[:5])} was not called."
    return None


def _other_step(line: ScriptLine, came: str, script: Sequence[ScriptLine]) -> int | None:
    """The first turn whose golden reply was said here, where nothing else was; None otherwise."""
    steps = {
        _plain(script_line.golden_reply): script_line.number
        for script_line in script
        if script_line.number != line.number
    }
    steps = {reply: at for reply, at in steps.items() if len(reply.split()) >= STEP_WORDS}
    steps.pop(_plain(line.golden_reply), None)
    left, golden_steps = _plain(came), []
    for reply in sorted(steps, key=len, reverse=True):
        if f" {reply} " in f" {left} ":
            golden_steps.append(steps[reply])
            left = " ".join(re.sub(rf"(?<!\S){re.escape(reply)}(?!\S)", " ", left).split())
    return min(golden_steps) if golden_steps and not left else None


def _plain(text: str) -> str:
    return " ".join(re.findall(r"\w+", text.casefold()))
