"""What was said before an upgrade and is not said after it."""

from typing import Any


def differences(before: Any, now: Any, at: str = "") -> list[str]:
    """One line a difference, with its place; [] for none. What is said besides is no difference: a field, a line of a
    text, a sentence of a list of sentences, a figure on a page."""
    match before, now:
        case dict(), dict():
            gone = [f"{at}/{key} is not said" for key in before if key not in now]
            return gone + [
                one for key in before if key in now for one in differences(before[key], now[key], f"{at}/{key}")
            ]
        case list(), list() if all(isinstance(one, str) for one in [*before, *now]):
            return _gone(before, now, at)
        case list(), list() if len(before) == len(now):
            pairs = enumerate(zip(before, now, strict=True))
            return [one for place, (old, new) in pairs for one in differences(old, new, f"{at}/{place}")]
        case str(), str() if "\n" in before:
            return _gone(before.splitlines(), now.splitlines(), at)
    return [] if before == now else [f"{at}: {_short(before)} is now {_short(now)}"]


def _gone(before: list[str], now: list[str], at: str) -> list[str]:
    return [f"{at}: {_short(one)} is gone" for one in before if one not in now]


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= 120 else f"{text[:120]}…"
