"""No regular expression of ours takes more than linear time on what agents, models and people may write."""

import contextlib
import importlib
import inspect
import pkgutil
import re
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import apps
from apps.offline.rules.customer_goal import read_goal

LENGTH = 2_500
LIMIT_S = 0.1  # the square of 2,500 takes longer, a hundred times 3,000 does not
UNITS = (
    *" \n\taA0.-_\"'([{<*,/\\@+:=?!`#|~^&%$;é…",
    "a ", "A ", "0 ", "a.", "0.", "a-", "0-", " \n", "a,", "a'", "a0", "_a", "a@", "a: ", "- ", "! ", "1,000 ",
)  # fmt: skip
_METHODS = ("search", "findall", "finditer", "split", "sub", "match", "fullmatch")


def patterns() -> Iterator[tuple[str, re.Pattern[str], set[str]]]:
    """Each pattern a module of ours holds, where, and how that module runs it."""
    met: set[re.Pattern[str]] = set()
    for module in pkgutil.walk_packages(apps.__path__, "apps."):
        if ".migrations" in module.name or ".management" in module.name:
            continue
        loaded = importlib.import_module(module.name)
        for name, value in list(vars(loaded).items()):
            for pattern in _inside(value):
                if pattern not in met:
                    met.add(pattern)
                    yield f"{module.name}.{name}", pattern, _uses(loaded, name)


def _inside(value: Any, depth: int = 0) -> Iterator[re.Pattern[str]]:
    if isinstance(value, re.Pattern):
        if isinstance(value.pattern, str):
            yield value
    elif depth < 3 and isinstance(value, (list, tuple, set, frozenset)):
        for item in value:
            yield from _inside(item, depth + 1)
    elif depth < 3 and isinstance(value, dict):
        for item in value.values():
            yield from _inside(item, depth + 1)


def _uses(module: Any, name: str) -> set[str]:
    found = set(re.findall(rf"\b{re.escape(name)}\.(\w+)", inspect.getsource(module))) & set(_METHODS)
    return found or {"search", "match"}


def texts(pattern: re.Pattern[str]) -> list[str]:
    words = sorted(set(re.findall(r"[A-Za-z]{2,}", pattern.pattern)), key=len)[-6:]
    made = [unit * (LENGTH // len(unit)) for unit in UNITS]
    made += [word + " " * LENGTH + "§" for word in words] + [f"{word} " * (LENGTH // len(word)) for word in words]
    return made + [text + "\0" for text in made[: len(UNITS)]]


class _TooLong(Exception):
    pass


def _seconds(run: Callable[[str], Any], text: str) -> float:
    started = time.process_time()
    signal.setitimer(signal.ITIMER_VIRTUAL, 1.0)
    with contextlib.suppress(_TooLong):
        run(text)
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    return time.process_time() - started


def test_every_pattern_of_ours_is_linear():
    def stop(*_: Any) -> None:
        raise _TooLong

    before = signal.signal(signal.SIGVTALRM, stop)
    slow = []
    try:
        for where, pattern, uses in patterns():
            search = uses - {"match", "fullmatch"}
            run = (lambda text, p=pattern: list(p.finditer(text))) if search else pattern.match
            if "fullmatch" in uses and not search:
                run = pattern.fullmatch
            worst = next((t for t in texts(pattern) if _seconds(run, t) > LIMIT_S and _seconds(run, t) > LIMIT_S), None)
            if worst is not None:
                slow.append(f"{where} on {worst[:12]!r} × {len(worst)}")
    finally:
        signal.signal(signal.SIGVTALRM, before)
    assert not slow


@pytest.mark.parametrize("goal", [" " * 800, " " * 100_000, "a " * 50_000, "-" * 100_000, "time" + " " * 50_000])
def test_the_offline_customer_reads_any_goal_at_once(goal):

    started = time.process_time()
    read_goal(goal, goal, 1)
    assert time.process_time() - started < 2
