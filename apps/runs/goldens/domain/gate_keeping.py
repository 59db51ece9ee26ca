"""Keeps a replay in step: the next turn is sent when the reply shows what the golden one did (brief 004).

match → go on at once; else wait passively (golden latency − elapsed + 5 s), looking again where the agent keeps a
transcript; else ask the judge once, where there is one, whether the reply does the same step in other words; else say
"Please continue." up to three times; then the replay has lost its step (desync). A soft gate (it was sensed, and hangs
on one word) is waited for and then passed shut, twice in a row at most.
No clock, network or database of its own: all of it comes in.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from enum import StrEnum

NUDGE = "Please continue."
MAX_NUDGES = 3
BUFFER_S = 5.0
MAX_SHUT = 2  # soft gates passed shut one after the other: the next one is kept like any other
LOOK_EVERY_S = 2.0  # brief 004: a transcript view is about two seconds behind the reply


class GateState(StrEnum):
    """Result of a turn's gate.

    `judged`: it stayed shut, and a model found that the reply does what the golden one did.
    """

    MATCHED = "matched"
    WAITED = "waited"
    JUDGED = "judged"
    NUDGED = "nudged"
    DESYNC = "desync"


@dataclass(frozen=True, slots=True, kw_only=True)
class GateResult:
    """Passing of one gate.

    `waited_s` is the time waited behind the first reply; `shut`: the gate was soft and never opened.
    """

    state: GateState
    shut: bool = False
    nudges: int = 0
    waited_s: float = 0.0


def in_words(pattern: str) -> str:
    """A sensed pattern as people read it: "approve these facts", "Submit / Cancel" or "audience" with "approval".
    Patterns of another make stay as they are written."""
    plain = pattern.replace(r"[\W_]{1,6}", " ").replace(r"\s?/\s?", " / ").replace("['’]", "’").replace(r"\-", "-")
    plain = re.sub(r"\)\(\?=\.\*\?", '" with "', plain.replace(r"\A(?=.*?", ""))
    plain = re.sub(r"\(\?[is]*[:)]|\\b|\)", "", plain)
    if re.search(r"[\\\[\](){}*+?^$]", plain):
        return repr(pattern)
    ways = list(dict.fromkeys(tuple(part.strip() for part in way.split('" with "')) for way in plain.split("|")))
    alone = {way for way in ways if len(way) == 1}
    shown_ways = (way for way in ways if len(way) == 1 or not any((word,) in alone for word in way))
    return " or ".join(" with ".join(f'"{word}"' for word in way) for way in shown_ways)


@dataclass(slots=True, kw_only=True)
class GateKeeper:
    """One gate.

    `is_open(text)` runs the pattern. `look_again()` gives everything the agent said since this turn was sent, or None
    where its transport keeps no transcript. `nudge(words)` sends them and gives the reply. `sleep(seconds)` waits; what
    it was asked for is what counts as waited, so that a test's clock may stand still. `judge()` says whether what came
    does the same step; False where nobody can tell.
    """

    is_open: Callable[[str], bool]
    nudge: Callable[[str], Awaitable[str]]
    look_again: Callable[[], Awaitable[str | None]]
    sleep: Callable[[float], Awaitable[object]]
    judge: Callable[[], Awaitable[bool]] | None = None
    waited_s: float = 0.0

    async def keep(
        self, reply: str, *, reply_s: float, golden_s: float | None, nudged: int = 0, soft: bool = False
    ) -> GateResult:
        """Wait until the gate opens, or give up. `reply_s` is how long the reply took, `golden_s` the golden one (None:
        unknown); `nudged` is how often this turn was nudged before. Sends at most MAX_NUDGES, those included, and none
        where it is `soft` and something was said."""
        if self.is_open(reply):
            return GateResult(state=GateState.NUDGED if nudged else GateState.MATCHED, nudges=nudged)
        if await self._opens_within(max(0.0, (golden_s or 0.0) - reply_s) + BUFFER_S):
            state = GateState.NUDGED if nudged else GateState.WAITED
            return GateResult(state=state, nudges=nudged, waited_s=self.waited_s)
        if soft and reply.strip():
            return GateResult(state=GateState.WAITED, shut=True, nudges=nudged, waited_s=self.waited_s)
        if self.judge is not None and not nudged and await self.judge():
            return GateResult(state=GateState.JUDGED, waited_s=self.waited_s)
        shown = reply
        for number in range(nudged + 1, MAX_NUDGES + 1):
            shown = f"{shown}\n{await self.nudge(NUDGE)}"
            if self.is_open(shown) or await self._opens_within(BUFFER_S):
                return GateResult(state=GateState.NUDGED, nudges=number, waited_s=self.waited_s)
        return GateResult(state=GateState.DESYNC, nudges=MAX_NUDGES, waited_s=self.waited_s)

    async def _opens_within(self, seconds: float) -> bool:
        left = seconds
        while left > 0:
            step = min(left, LOOK_EVERY_S)
            await self._wait(step)
            left -= step
            shown = await self.look_again()
            if shown is None:  # nothing to look at: the agent gets its time, and then a nudge
                await self._wait(left)
                return False
            if self.is_open(shown):
                return True
        return False

    async def _wait(self, seconds: float) -> None:
        if seconds > 0:
            await self.sleep(seconds)
            self.waited_s += seconds
