"""A replay as people read it: its sentence, its checks by title, which turns are worth a look, and the words that
changed. Pure; works on the report's document (reports.queries.run_report)."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from html import escape
from typing import Any

NO_JUDGE = "no_judge"  # the error code of a check that needs a model where none is configured
LONGEST = 4_000  # words compared; of longer replies none is marked: comparing grows with the square
_WORD = re.compile(r"\s+|\w+|[^\w\s]")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStretch:
    """Neighbouring turns: one that differs, or several that are as recorded and can be folded."""

    equal: bool
    turns: Sequence[Mapping[str, Any]]

    @property
    def numbers(self) -> str:
        """The turns' numbers: `Turn 3`, `Turns 3 to 7`."""
        first, last = self.turns[0]["number"], self.turns[-1]["number"]
        return f"Turn {first}" if first == last else f"Turns {first} to {last}"


def check_title(name: str) -> str:
    """Write a check's name as a title: `conversation_completeness` → `Conversation completeness`."""
    words = name.replace("_", " ").strip()
    return words[:1].upper() + words[1:]


def is_as_recorded(turn: Mapping[str, Any]) -> bool:
    """Tell whether a turn of a replay came out as in its golden session: same words, same calls, no nudge."""
    return bool(
        turn.get("golden_reply")
        and turn.get("reached", True)
        and not turn.get("differences")
        and not turn["nudges"]
        and turn["reply"].split() == turn["golden_reply"].split()
        and (turn.get("calls") or []) == (turn.get("golden_calls") or turn.get("calls") or [])
    )


def matters(turn: Mapping[str, Any]) -> bool:
    """Tell whether a difference of this turn is more than other words."""
    return any(difference["matters"] for difference in turn.get("differences") or ())


def stretches(turns: Sequence[Mapping[str, Any]]) -> list[TurnStretch]:
    """The turns in order, neighbours that are as recorded together."""
    turn_stretches: list[TurnStretch] = []
    for turn in turns:
        equal = is_as_recorded(turn)
        if equal and turn_stretches and turn_stretches[-1].equal:
            turn_stretches[-1] = TurnStretch(equal=True, turns=[*turn_stretches[-1].turns, turn])
        else:
            turn_stretches.append(TurnStretch(equal=equal, turns=[turn]))
    return turn_stretches


def kept_step(conversation: Mapping[str, Any]) -> tuple[int, int] | None:
    """Return how many turns of a replay were reached, of how many; None where nothing is replayed."""
    turns = [turn for turn in conversation["turns"] if "reached" in turn]
    return (sum(1 for turn in turns if turn["reached"]), len(turns)) if turns else None


def replay_sentence(conversations: Sequence[Mapping[str, Any]]) -> str:
    """Sum replays up: `12 of 12 turns kept step, tools as recorded; 4 checks need a model`.

    "" where nothing was replayed.
    """
    steps = [one for one in map(kept_step, conversations) if one]
    if not steps:
        return ""
    reached, total = (sum(column) for column in zip(*steps, strict=True))
    turns = [turn for conversation in conversations for turn in conversation["turns"] if "reached" in turn]
    same = not any(difference["kind"] == "tool" for turn in turns for difference in turn["differences"])
    tools = ", tools as recorded" if same and reached == total and any(turn.get("calls") for turn in turns) else ""
    need = len(
        {
            check["check"]
            for conversation in conversations
            for check in conversation["checks"]
            if check["error_code"] == NO_JUDGE
        }
    )
    return kept_words(reached, total, tools=tools, need=need)


def kept_words(reached: int, total: int, *, tools: str = "", need: int = 0) -> str:
    """Write the steps as `12 of 12 turns kept step; 4 checks need a model`."""
    words = f"{reached:,} of {total:,} turn{'' if total == 1 else 's'} kept step{tools}"
    if need:
        words += "; 1 check needs a model" if need == 1 else f"; {need} checks need a model"
    return words


def check_rows(checks: Sequence[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """The checks of a conversation by title; those that could not be measured for the same reason are one row."""
    rows: list[dict[str, Any]] = []
    without_judge: dict[str, Any] | None = None
    for check in checks:
        if check["error_code"] != NO_JUDGE:
            rows.append({**check, "title": check_title(check["check"])})
        elif without_judge is None:
            without_judge = {**check, "names": [check_title(check["check"])], "evidence": []}
            rows.append(without_judge)
        elif check_title(check["check"]) not in without_judge["names"]:
            without_judge["names"].append(check_title(check["check"]))
    if without_judge is not None:
        names = without_judge["names"]
        without_judge["title"] = ", ".join([names[0], *(name[:1].lower() + name[1:] for name in names[1:])])
        who = "This check needs" if len(names) == 1 else f"These {len(names)} checks need"
        without_judge["reason"] = f"{who} a model that judges, and none is configured."
    return rows


def marked_words(golden: str, now: str) -> tuple[str, str]:
    """Both texts as escaped HTML, what only one of them has inside <mark>."""
    left, right = _WORD.findall(golden), _WORD.findall(now)
    if len(left) + len(right) > LONGEST or not left or not right:
        return escape(golden), escape(now)
    blocks = SequenceMatcher(a=left, b=right, autojunk=False).get_opcodes()
    before = "".join(_piece(left[at:to], changed=kind != "equal") for kind, at, to, _, _ in blocks)
    after = "".join(_piece(right[at:to], changed=kind != "equal") for kind, _, _, at, to in blocks)
    return before, after


def _piece(words: Sequence[str], *, changed: bool) -> str:
    text = escape("".join(words))
    return f"<mark>{text}</mark>" if changed and text.strip() else text


def strip(turns: Sequence[Mapping[str, Any]]) -> Iterator[tuple[Mapping[str, Any], str]]:
    """Each turn with how it came out: `same`, `differs`, `matters` or `missing`."""
    for turn in turns:
        if not turn.get("reached", True):
            yield turn, "missing"
        elif matters(turn):
            yield turn, "matters"
        else:
            yield turn, "same" if is_as_recorded(turn) else "differs"
