"""docs/battles.md shows what models are really told."""

from pathlib import Path

from apps.personas.domain.simulator_question import SYSTEM
from apps.personas.domain.simulator_rules import VERBATIM_WORDS
from apps.runs.domain.simulator import RULES, SEED_STEP
from apps.runs.domain.states import INVALID, SimulatorVerdict
from apps.runs.playing.domain.loops import BLOCKS, TIMES

TEXT = (Path(__file__).parents[2] / "docs" / "battles.md").read_text(encoding="utf-8")


def test_the_prompts_stand_there_word_for_word():
    for prompt in (RULES, SYSTEM):
        assert f"```text\n{prompt}\n```" in TEXT


def test_states_and_rules_are_those_of_the_code():
    for verdict in SimulatorVerdict:
        assert not verdict or f"`{verdict}`" in TEXT
    assert len(INVALID) == 4
    assert (BLOCKS[0] * TIMES, BLOCKS[1] * TIMES) == (6, 12)
    assert "last 6 messages" in TEXT
    assert "last 12" in TEXT
    assert f"seed + {SEED_STEP}" in TEXT
    assert VERBATIM_WORDS == 8
    assert "eight words" in TEXT
