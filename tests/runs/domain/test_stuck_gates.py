"""What shows that a step was not done, and what is only said in other words."""

import pytest

from apps.runs.goldens.domain.replay_script import ScriptLine
from apps.runs.goldens.domain.stuck_gates import missing_facts

SCRIPT = tuple(
    ScriptLine(position=2 * at, number=at + 1, text="", golden_reply=reply)
    for at, reply in enumerate(
        ["Which city shall I look in?", "Shall I book the dentist there?", "The dentist is booked for you.", "Bye!"]
    )
)


@pytest.mark.parametrize(
    "came, told",
    [
        ("The dentist is booked for you.", "It is the golden session's reply to turn 3."),
        ("The dentist is booked, for you!\nBye!\nBye!", None),  # a word or two is said at many steps
        ("The dentist is booked for you.\nWhich city shall I look in?", "It is the golden session's reply to turn 1."),
        ("Do you want me to reserve the dentist?", None),
        ("Well, the dentist is booked for you. Or shall I wait?", None),
        (" ", "The agent said nothing."),
    ],
)
def test_another_steps_reply_is_no_rewording(came, told):
    assert missing_facts(SCRIPT[1], came, (), script=SCRIPT) == told


def test_the_own_reply_said_at_two_steps_is_no_other_step():
    twice = (*SCRIPT, ScriptLine(position=8, number=5, text="", golden_reply=SCRIPT[1].golden_reply))
    assert missing_facts(twice[1], "Shall I book the dentist there?", (), script=twice) is None
