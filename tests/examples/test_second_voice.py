"""The later voices say the same things in other words, and their faults show as the first voice's do."""

import re
import subprocess
import sys
from pathlib import Path
from string import Formatter

import pytest

from examples.booking_agent.dialogue import BookingAgent
from examples.booking_agent.memory import Answer, Memory
from examples.booking_agent.weaknesses import Weakness
from examples.booking_agent.wordings import Bank
from examples.booking_agent.wordings.voices import VOICES, Voice, Wordings
from tests.examples.conversations import CUSTOMERS, ENGLISH, TODAY, chat, questions, texts, words

ROOT = Path(__file__).parents[2]
LANGUAGES = pytest.mark.parametrize("language", sorted(CUSTOMERS))
LATER = pytest.mark.parametrize("voice", [voice for voice in Voice if voice is not Voice.FIRST])
SEEDS = pytest.mark.parametrize("seed", range(5))


def spoken(voice: Voice, language: str, *weaknesses: str, seed: int = 0) -> list[Answer]:
    agent = BookingAgent(today=TODAY, seed=seed, weaknesses=frozenset(map(Weakness, weaknesses)), voice=voice)
    memory = Memory()
    return [agent.reply(memory, line) for line in CUSTOMERS[language]]


def banks(voice: Wordings) -> list[Bank]:
    return [bank for group in (voice.natural, voice.stiff, voice.faults) for bank in group.values()]


def filled(wording: str) -> set[str]:
    """The facts a wording states; verbs that agree with a service's name are no facts."""
    return {name.lower() for _, name, _, _ in Formatter().parse(wording) if name} - {"be", "go", "will", "take"}


@LATER
def test_every_voice_has_words_for_the_same_purposes(voice: Voice) -> None:
    pairs = zip(banks(VOICES[Voice.FIRST]), banks(VOICES[voice]), strict=True)
    assert all(first.keys() == other.keys() for first, other in pairs)


@LATER
def test_a_later_voice_states_no_fact_the_first_has_not_got(voice: Voice) -> None:
    for first, other in zip(banks(VOICES[Voice.FIRST]), banks(VOICES[voice]), strict=True):
        for purpose, wordings in other.items():
            known = set().union(*(filled(wording) for wording in first[purpose])) | {"service", "day", "weekday"}
            assert all(filled(wording) <= known for wording in wordings), purpose


@LATER
def test_no_sentence_is_shared_with_the_first_voice(voice: Voice) -> None:
    for first, other in zip(banks(VOICES[Voice.FIRST]), banks(VOICES[voice]), strict=True):
        for purpose in first.keys() - {"ack"}:
            assert not set(first[purpose]) & set(other[purpose]), purpose


@LATER
@LANGUAGES
@SEEDS
def test_the_booking_itself_is_the_same(voice: Voice, language: str, seed: int) -> None:
    first, other = chat(CUSTOMERS[language], seed=seed), spoken(voice, language, seed=seed)
    assert [answer.tools for answer in other] == [answer.tools for answer in first]
    assert [answer.ended for answer in other] == [answer.ended for answer in first]
    assert all(questions(answer.text) <= 1 and words(answer.text) <= 65 for answer in other)
    assert "{" not in texts(other)
    assert "KES" in texts(other)


@LATER
@LANGUAGES
@pytest.mark.parametrize("name", [weakness.value for weakness in Weakness])
def test_every_weakness_changes_what_a_later_voice_says(voice: Voice, language: str, name: str) -> None:
    plain, weak = texts(spoken(voice, language)), texts(spoken(voice, language, name))
    if name == "robotic_swahili" and language == "en":
        assert weak == plain
    else:
        assert weak != plain
        assert weak != texts(chat(CUSTOMERS[language], name))


def test_the_default_is_the_first_voice() -> None:
    assert texts(chat(ENGLISH)) != texts(spoken(Voice.SECOND, "en"))
    assert BookingAgent(today=TODAY).voice is Voice.FIRST


@pytest.mark.parametrize("voice", list(Voice))
def test_the_command_line_takes_a_voice(voice: Voice) -> None:
    from apps.connectors.agents.base import AgentSpec  # noqa: PLC0415 - only the wire tests need the connector
    from tests.connectors.agents.conftest import talk  # noqa: PLC0415

    command = [sys.executable, "-m", "examples.booking_agent", "--today", TODAY.isoformat(), "--port", "0"]
    process = subprocess.Popen([*command, "--voice", voice], stdout=subprocess.PIPE, text=True, cwd=ROOT)
    try:
        line = process.stdout.readline() if process.stdout else ""
        address = re.search(r"http://[\d.:]+", line)
        assert address, line
        reply = talk(AgentSpec(kind="a2a", address=address[0], timeout_s=10), ENGLISH[0])[0]
    finally:
        process.terminate()
        process.communicate(timeout=10)
    expected = spoken(voice, "en")
    assert reply.text == expected[0].text


def test_an_unknown_voice_is_wrong_use() -> None:
    command = [sys.executable, "-m", "examples.booking_agent", "--port", "0", "--voice", "nobody"]
    run = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=False)
    assert run.returncode == 2
    assert all(voice in run.stderr for voice in Voice)
