"""Find faults of a simulated customer that need no model.

It gives itself away, refuses like a model, speaks the part of the business, recites its own, goes round, or writes
another language.

Every rule accuses by the customer's own messages. A finding that is `critical` decides alone (`.decides`): no customer
says so of themselves. All others are told beside the battle and leave the verdict to a model. How often each is wrong
about real simulated users is measured by benchmarks/simulator_rules.py; the figures stand in docs/battles.md.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from apps.personas.domain.handed_back import handed_back
from apps.personas.domain.other_language import KNOWN, MIXING, allowed_languages, message_language
from apps.personas.domain.prompt_leakage import leaked_prompt_in
from apps.personas.domain.role_breaks import (
    Said,
    refuses_like_a_model,
    role_break_in,
    speaks_as_the_business,
)
from apps.personas.domain.simulator_findings import FaultKind, FaultRule, SimulatorFinding
from apps.runs.domain.simulator import RULES
from apps.runs.playing.domain.loops import COMPARED_CHARS, normal, repeated_by_customer, stammers

SWITCH_MESSAGES = 2  # one may be a quotation, a name, a courtesy
VERBATIM_WORDS = 8  # of our own instructions in a row
ECHO_WORDS = 6  # a sentence of the agent's, said again: fewer may be an option that was chosen
QUOTE_CHARS = 300
_SENTENCE = re.compile(r"[^.!?…\n]+[.!?…]?")
_LEAK = "The customer gives away that it is a program, or what it was told."
_REFUSAL = "The customer refuses as a model does, where a customer would have answered."
_AGENT_LINES = "The customer speaks the part of the business."
_STAMMER = "The customer says the same words on and on in one message, as a model does that finds no end."
_RECITED = "The customer recites its description instead of playing it."

Own = Sequence[tuple[int, str]]


def rule_findings(turns: Sequence[Mapping[str, Any]], spec: Mapping[str, Any]) -> list[SimulatorFinding]:
    """The rules' findings in one battle, at most one of each rule. `turns` are those of the conversation document,
    numbered from 0; `spec` is the battle's. The scenario's opening is nobody's fault. Pure; some 0.2 ms a turn of the
    customer."""
    own = [
        (at, str(turn.get("content") or ""))
        for at, turn in enumerate(turns)
        if turn.get("role") == "user" and turn.get("content")
    ]
    opening = str(spec.get("opening") or "")
    played = own[1:] if own and opening and own[0][1] == opening else own
    findings = (
        _sentence(played, _leak_in, kind=FaultKind.LEAKED, rule=FaultRule.LEAK, why=_LEAK),
        _sentence(played, refuses_like_a_model, kind=FaultKind.BROKE, rule=FaultRule.REFUSAL, why=_REFUSAL),
        _agent_lines(turns, played),
        _recited(played, spec),
        _stammer(played) or _loop(turns),
        _language_switch(played, spec),
    )
    return [finding for finding in findings if finding is not None]


def _sentence(
    own: Own, said_in: Callable[[str], Said | None], *, kind: FaultKind, rule: FaultRule, why: str
) -> SimulatorFinding | None:
    """The first message that holds such a sentence; one that decides before one that does not."""
    leaks = [(at, said) for at, text in own if (said := said_in(text[:COMPARED_CHARS]))]
    if not leaks:
        return None
    at, said = next((leak for leak in leaks if leak[1].certain), leaks[0])
    return SimulatorFinding(
        kind=kind, rule=rule, turn=at, quote=said.words[:QUOTE_CHARS], why=why, critical=said.certain
    )


def _leak_in(text: str) -> Said | None:
    words = _instruction_in(text)
    return Said(words, True) if words else role_break_in(text)


def _instruction_in(text: str) -> str:
    """Words of our own instructions that stand in the message, "" for none."""
    words = normal(text).split()
    for at in range(len(words) - VERBATIM_WORDS + 1):
        run = " ".join(words[at : at + VERBATIM_WORDS])
        if run in _INSTRUCTIONS:
            return run
    return ""


def _agent_lines(turns: Sequence[Mapping[str, Any]], own: Own) -> SimulatorFinding | None:
    """A sentence of the business's part. One that a customer might say decides only where two messages hold one."""
    lines_found = [
        (at, role_break)
        for at, text in own
        if (role_break := speaks_as_the_business(text[:COMPARED_CHARS]) or handed_back(text, *_before(turns[:at])))
    ]
    if lines_found:
        certain = next((one for one in lines_found if one[1].certain), None)
        at, role_break = certain or lines_found[0]
        return _as_business(at, role_break.words, critical=certain is not None or len(lines_found) > 1)
    for at, text in own:
        before = {sentence for turn in turns[:at] if turn.get("role") == "assistant" for sentence in _sentences(turn)}
        echo = next((one for one in _SENTENCE.findall(text[:COMPARED_CHARS]) if _asked(one) in before), "")
        if echo:
            return _as_business(at, echo.strip(), critical=False)
    return None


def _before(turns: Sequence[Mapping[str, Any]]) -> tuple[list[str], list[str]]:
    """The agent's last two messages, and the customer's two before them."""
    spoken_lines = [(str(turn.get("role")), str(turn["content"])) for turn in turns if turn.get("content")]
    agents = [at for at, (role, _) in enumerate(spoken_lines) if role == "assistant"][-2:]
    customers = [text for role, text in spoken_lines[: agents[0] if agents else 0] if role == "user"]
    return [spoken_lines[at][1] for at in agents], customers[-2:]


def _as_business(at: int, words: str, *, critical: bool) -> SimulatorFinding:
    return SimulatorFinding(
        kind=FaultKind.BROKE,
        rule=FaultRule.AGENT_LINES,
        turn=at,
        quote=words[:QUOTE_CHARS],
        why=_AGENT_LINES,
        critical=critical,
    )


def _sentences(turn: Mapping[str, Any]) -> list[tuple[str, bool]]:
    """The sentences of a turn that are long enough to be told again by nobody."""
    questions = (_asked(one) for one in _SENTENCE.findall(str(turn.get("content") or "")[:COMPARED_CHARS]))
    return [question for question in questions if len(question[0].split()) >= ECHO_WORDS]


def _asked(sentence: str) -> tuple[str, bool]:
    """The words, and whether they ask: "Booked for the 5th at ten?" is a customer who makes sure."""
    return normal(sentence), sentence.rstrip().endswith("?")


def _recited(own: Own, spec: Mapping[str, Any]) -> SimulatorFinding | None:
    return _sentence(
        own, lambda text: leaked_prompt_in(text, spec), kind=FaultKind.LEAKED, rule=FaultRule.RECITED, why=_RECITED
    )


def _stammer(own: Own) -> SimulatorFinding | None:
    stammer = next(((at, text) for at, text in own if stammers(text)), None)
    if stammer is None:
        return None
    return SimulatorFinding(
        kind=FaultKind.BROKE,
        rule=FaultRule.LOOP,
        turn=stammer[0],
        quote=stammer[1][:QUOTE_CHARS],
        why=_STAMMER,
        critical=True,
    )


def _loop(turns: Sequence[Mapping[str, Any]]) -> SimulatorFinding | None:
    """Find a customer who repeats itself.

    The finding never decides: a customer who is put off again and again insists in the same words, too.
    """
    numbers = [at for at, turn in enumerate(turns) if turn.get("role") in ("user", "assistant") and turn.get("content")]
    third = repeated_by_customer([(str(turns[at]["role"]), str(turns[at]["content"])) for at in numbers])
    if third is None:
        return None
    at = numbers[third]
    why = "The customer says the same three times in a row, and the agent had not asked the same again."
    quote = str(turns[at]["content"])[:QUOTE_CHARS]
    return SimulatorFinding(kind=FaultKind.BROKE, rule=FaultRule.LOOP, turn=at, quote=quote, why=why, critical=False)


def _language_switch(own: Own, spec: Mapping[str, Any]) -> SimulatorFinding | None:
    """Messages in a language the persona does not write in: two, or half of what can be told. It decides where both
    hold and the language is none that people of the place mix in. English and Swahili together are nobody's switch, and
    who writes Swahili may write whole sentences of English, as long as there is Swahili too."""
    language = str(spec.get("language") or "en")
    if language not in KNOWN:
        return None
    mixes = bool((spec.get("persona_spec") or {}).get("code_mixing"))
    allowed = allowed_languages(language, mixes=mixes)
    switches = [(at, text, said) for at, text in own if (said := message_language(text[:COMPARED_CHARS], allowed))]
    others = [switch for switch in switches if not switch[2].own]
    foreign = [switch for switch in others if language not in MIXING or switch[2].name not in MIXING]
    if not foreign and language == "sw" and len(others) < len(switches):
        return None
    chosen = foreign or others
    most = 2 * len(chosen) >= len(switches)
    one_is_enough = any(said.alone or (most and said.long) for _, _, said in foreign)
    if not chosen or not (len(chosen) >= SWITCH_MESSAGES or one_is_enough):
        return None
    at, text, _ = chosen[0]
    count = f"{len(chosen)} messages are" if len(chosen) > 1 else "A message is"
    return SimulatorFinding(
        kind=FaultKind.BROKE,
        rule=FaultRule.LANGUAGE_SWITCH,
        turn=at,
        quote=text[:QUOTE_CHARS],
        why=f"{count} not in the persona's language ({language}).",
        critical=bool(foreign) and most and len(chosen) >= SWITCH_MESSAGES,
    )


_INSTRUCTIONS = normal(RULES)
