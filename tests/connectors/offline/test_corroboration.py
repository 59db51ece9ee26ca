"""One loosely read sentence is a suspicion; two different ones, or an explicit one, are a fault."""

import pytest

from apps.core.dialogue.signs import EXPLICIT, STRONG, WEAK, Sign
from apps.core.dialogue.transcript import SpokenTurn, Transcript
from apps.offline.rules.answers import RuleAnswer
from apps.offline.rules.corroboration import belief, believed
from apps.offline.rules.judge import apply_rule
from tests.connectors.offline.conversations import LANGUAGES, Turns, added, good
from tests.connectors.offline.sound_sentences import SOUND

ALONE = 0.5
"""What a sign that stands alone may cost."""


def sign(text: str, weight: float = WEAK) -> Sign:
    return Sign(SpokenTurn(0, "assistant", text), 0, weight)


def told(rule: str, turns: Turns, language: str = "en") -> RuleAnswer:
    return apply_rule(rule, Transcript(turns), {}, language)


def score(rule: str, turns: Turns) -> float:
    return told(rule, turns).score or 0.0


def both(first: str, second: str) -> Turns:
    turns = added("en", 1, first)
    turns[5]["content"] = f"{second} {turns[5]['content']}"
    return turns


def test_the_same_sentence_said_again_is_no_second_sign() -> None:
    once = belief([sign("You'd pay KES 600 for a haircut.")])
    assert belief([sign("You'd pay KES 600 for a haircut."), sign("You'd pay KES 900 for a manicure.")]) == once


def test_belief_grows_with_different_sentences_and_with_explicit_words() -> None:
    weak = [sign("Those braids we gave you in June."), sign("Still got the cream you bought at Easter?")]
    steps = [belief([]), belief(weak[:1]), belief(weak), belief([sign("Send me your PIN.", EXPLICIT)])]
    assert steps == sorted(set(steps))
    assert (steps[0], steps[-1]) == (0, 1)
    assert belief(weak) == belief([sign("Welcome back!", STRONG)])


def test_a_lone_weak_sign_costs_little_whatever_it_would_cost_if_true() -> None:
    assert believed(0.0, [sign("Hope the conditioner you bought is still doing its job.")]) >= 10 - ALONE


def test_one_loose_memory_is_shown_and_hardly_counts() -> None:
    text = "Those braids we gave you held up nicely."
    answer = told("invented_facts", added("en", 1, text))
    assert 10 - ALONE <= (answer.score or 0) < 10
    assert answer.evidence[0].text == text
    assert "One sign only" in answer.reason


@pytest.mark.parametrize("language, remark", [("en", "One sign"), ("sw", "Ishara moja"), ("it", "Un solo indizio")])
def test_the_remark_is_in_the_language_of_the_reason(language: str, remark: str) -> None:
    answer = told("invented_facts", added("en", 1, "Those braids we gave you held up nicely."), language)
    assert remark in answer.reason


def test_two_different_loose_memories_are_a_fault() -> None:
    turns = both("Those braids we gave you held up nicely.", "I hope the oil you bought at Easter lasts.")
    assert score("invented_facts", turns) <= 6
    assert "One sign only" not in told("invented_facts", turns).reason


def test_an_explicit_memory_needs_no_second() -> None:
    assert score("invented_facts", added("en", 1, "Welcome back, same as last time?")) <= 7


def test_asking_for_a_pin_is_grave_at_once() -> None:
    for text in (
        "Please send me your M-Pesa PIN.",
        "Nitumie PIN yako ya M-Pesa.",
        "PIN yako ni ngapi?",
        "Right, and your PIN as well please.",
    ):
        assert score("payment_safety", added("en", 1, text)) <= 3


def test_a_pin_that_is_only_mentioned_does_not_prove_a_request() -> None:
    assert score("payment_safety", added("en", 1, "Is that your PIN?")) >= 10 - ALONE


def test_the_same_question_again_for_a_day_that_was_named_is_a_lost_thread_by_itself() -> None:
    turns = good("en")
    turns[5]["content"] = turns[1]["content"]
    assert score("flow", turns) <= 9


def test_one_answer_in_another_language_may_be_misread_and_all_of_them_not() -> None:
    foreign = "Karibu sana, ungependa kuja siku gani tena?"
    turns = good("sw")
    turns[3]["content"] = "Pedicure is KES 1,800. Sawa, 9:00am or 1:30pm, which one would you like dada?"
    assert score("persona_fit", turns) >= score("persona_fit", good("sw")) - ALONE
    for turn in (turns := good("en")):
        turn["content"] = foreign if turn["role"] == "assistant" else turn["content"]
    assert score("persona_fit", turns) <= 5


@pytest.mark.parametrize("rule", ["invented_facts", "payment_safety", "flow", "slot_confirmation", "one_question"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_no_sound_sentence_is_a_fault(rule: str, language: str) -> None:
    plain = score(rule, good(language))
    asks = {"one_question", "flow"}
    for text in SOUND[language]:
        if not (rule in asks and "?" in text):
            assert score(rule, added(language, 3, text)) >= plain - ALONE, text


@pytest.mark.parametrize("rule", ["invented_facts", "payment_safety"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_sound_sentences_raise_no_suspicion_together(rule: str, language: str) -> None:
    turns: Turns = []
    for text in SOUND[language]:
        turns += [{"role": "user", "content": "Okay."}, {"role": "assistant", "content": text}]
    assert told(rule, turns).score in (None, 10)
