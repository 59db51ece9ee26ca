"""A voice is a package of wordings, read only when somebody speaks in it."""

import subprocess
import sys
from pathlib import Path

import pytest

from examples.booking_agent.wordings.voices import VOICES, Voice

ROOT = Path(__file__).parents[2]


def test_only_the_voice_asked_for_is_imported() -> None:
    program = (
        "import sys; from examples.booking_agent.wordings.voices import VOICES, Voice; VOICES[Voice.THIRD];"
        "print(*sorted({name.split('.')[3] for name in sys.modules if name.count('.') == 4 and '.wordings.' in name}))"
    )
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=ROOT, check=True)
    assert run.stdout.split() == ["third"]


def test_a_voice_is_loaded_once() -> None:
    assert all(VOICES[voice] is VOICES[voice] for voice in Voice)
    assert [*VOICES] == [*Voice]
    assert len(VOICES) == len(Voice)


def test_an_unknown_voice_is_an_error() -> None:
    with pytest.raises(ValueError, match="nobody"):
        Voice("nobody")


def test_every_package_of_wordings_is_a_voice() -> None:
    wordings = ROOT / "examples" / "booking_agent" / "wordings"
    assert {package.parent.name for package in wordings.glob("*/__init__.py")} == {voice.value for voice in Voice}
