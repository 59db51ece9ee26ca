# ruff: noqa: E501 - one line a turn
"""Each rule falls by at least two points for the fault it is about, and stays for the others, in three languages."""

import pytest

from apps.core.dialogue.transcript import Transcript
from apps.offline.rules.judge import RULES, apply_rule
from tests.connectors.offline.conversations import LANGUAGES, Turns, added, good, replaced

CHATTER = {
    "en": "Our little place opened when the street was still quiet, and ever since then neighbours drop by for tea and a "
    "chat. The plants by the window came from my aunt's garden. Everybody asks about the blue one. It blooms in June.",
    "sw": "Mahali petu palifunguliwa wakati barabara ilikuwa bado kimya, na tangu hapo majirani hupita kunywa chai na "
    "kuzungumza. Maua ya dirishani yalitoka shambani kwa shangazi. Kila mtu huyasifia. Huchanua mwezi wa sita kila mwaka.",
}
CHATTER["mixed"] = CHATTER["en"]
FAULTS: dict[str, dict[str, Turns]] = {
    "brevity": {lang: added(lang, 1, CHATTER[lang], 3, 5) for lang in LANGUAGES},
    "one_question": {
        "en": replaced("en", {1: "Which day would you like? And who is the appointment for? Do you have any allergies?",
                              5: "What's your name? And your phone number?"}),
        "sw": replaced("sw", {1: "Ungependa kuja siku gani? Na uje saa ngapi?", 5: "Jina lako nani na namba yako ya simu ni gani?"}),
        "mixed": replaced("mixed", {1: "Utakuja which day? Na what time?", 5: "Jina lako ni nani? Na phone number yako ni gani?"}),
    },
    "flow": {
        "en": replaced("en", {5: "Which day would you like to come?", 7: "And which day is that for?"}),
        "sw": replaced("sw", {5: "Ungependa kuja siku gani?", 7: "Utakuja siku gani?"}),
        "mixed": replaced("mixed", {5: "Utakuja which day?", 7: "Ni siku gani please?"}),
    },
    "natural_tone": {
        "en": replaced("en", {1: "Your request has been received. Please indicate the desired date.",
                              5: "Your selection has been recorded. Please provide the required name."}),
        "sw": replaced("sw", {1: "Ombi lako limepokelewa katika mfumo. Tafadhali bainisha tarehe.",
                              5: "Taarifa zako zimesajiliwa. Tafadhali wasilisha jina la mtumiaji."}),
        "mixed": replaced("mixed", {1: "Dear customer, ombi lako limepokelewa. Please specify tarehe.",
                                    5: "Request yako imesajiliwa kwenye mfumo. Tafadhali ingiza jina."}),
    },
    "closing": {
        "en": replaced("en", {9: "We also offer facials. Would you like to hear about them?"}),
        "sw": replaced("sw", {9: "Pia tunatoa huduma ya kucha. Ungependa kujua zaidi?"}),
        "mixed": replaced("mixed", {9: "Pia tuko na facials. Would you like to know more?"}),
    },
    "persona_fit": {
        "en": replaced("en", {1: "Karibu sana! Ungependa kuja siku gani?", 5: "Vizuri. Naomba jina lako tafadhali?"}),
        "sw": replaced("sw", {1: "Welcome! Which day would you like to come?", 5: "Good. What is your name, please?"}),
        "mixed": replaced("mixed", {1: "Buongiorno, quale giorno preferisce?", 5: "Va bene, come si chiama lei?"}),
    },
    "slot_confirmation": {
        "en": replaced("en", {7: "Thanks Beatrice, you're booked for a pedicure on Wednesday at 16:45."}),
        "sw": replaced("sw", {7: "Asante Beatrice, nimekuwekea Jumatano saa kumi na nusu jioni."}),
        "mixed": replaced("mixed", {7: "Asante Beatrice, uko booked Wednesday 4:45pm."}),
    },
    "invented_facts": {
        "en": added("en", 1, "Lovely to have you back! Same as last time?"),
        "sw": added("sw", 1, "Nimefurahi kukuona tena, ulifurahia masaji ya mara ya mwisho!"),
        "mixed": added("mixed", 1, "Welcome back! Kama last time?"),
    },
    "payment_safety": {
        "en": added("en", 1, "Please send me your M-Pesa PIN so that I can charge the deposit."),
        "sw": added("sw", 1, "Nitumie namba yako ya siri ya M-Pesa na ulipe sasa hivi."),
        "mixed": added("mixed", 1, "Tuma pesa kwanza, and share your M-Pesa PIN."),
    },
    "price_clarity": {
        "en": replaced("en", {3: "It depends, don't worry about that. Which time on Wednesday, 9:00 or 13:30?"}),
        "sw": replaced("sw", {3: "Usijali kuhusu bei. Jumatano kuna saa tatu asubuhi au saa nane mchana, ipi?"}),
        "mixed": replaced("mixed", {3: "Tutaongea ukifika. On Wednesday tuko na 9:00am ama 1:30pm, which one?"}),
    },
}  # fmt: skip


def scores(turns: Turns) -> dict[str, float | None]:
    transcript = Transcript(turns)
    return {rule: apply_rule(rule, transcript, {}, "en").score for rule in RULES}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_well_led_conversation_scores_high_on_every_rule(language: str) -> None:
    found = scores(good(language))
    assert all(score is not None and score >= 8 for score in found.values()), found


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("rule", list(FAULTS))
def test_a_fault_lowers_its_own_rule(rule: str, language: str) -> None:
    before, after = scores(good(language))[rule], scores(FAULTS[rule][language])[rule]
    assert before is not None
    assert after is not None
    assert after <= before - 2, (before, after)


@pytest.mark.parametrize("rule", list(FAULTS))
def test_a_fault_leaves_the_other_rules_alone_on_average(rule: str) -> None:
    moved: dict[str, list[float]] = {}
    for language in LANGUAGES:
        before, after = scores(good(language)), scores(FAULTS[rule][language])
        for other in RULES:
            a, b = before[other], after[other]
            if other != rule and a is not None and b is not None:
                moved.setdefault(other, []).append(b - a)
    drift = [sum(values) / len(values) for values in moved.values()]
    assert sum(map(abs, drift)) / len(drift) < 0.5, moved


def test_what_cannot_be_assessed_has_no_score() -> None:
    short = Transcript([{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello!"}])
    for rule in ("one_question", "flow", "closing", "slot_confirmation", "payment_safety", "price_clarity"):
        answer = apply_rule(rule, short, {}, "en")
        assert answer.score is None
        assert answer.reason.startswith("not applicable")


def test_the_customer_may_speak_of_the_past() -> None:
    turns: Turns = [
        {"role": "user", "content": "I want the same braids as last time."},
        {"role": "assistant", "content": "Welcome back! The same as last time, then. Which day?"},
    ]
    assert apply_rule("invented_facts", Transcript(turns), {}, "en").score == 10


def test_a_warning_about_the_pin_is_no_request_for_it() -> None:
    turns: Turns = [
        {"role": "user", "content": "Can I pay by M-Pesa?"},
        {
            "role": "assistant",
            "content": "You'll get a prompt on your phone. Never share your PIN with anyone, we won't ask.",
        },
    ]
    assert apply_rule("payment_safety", Transcript(turns), {}, "en").score == 10


def test_a_confirmed_time_must_be_among_those_the_tool_found() -> None:
    turns: Turns = [
        {"role": "user", "content": "A haircut on Friday at 10 am, please."},
        {"role": "assistant", "content": "", "tool_calls": [{"id": "1", "name": "slots", "arguments": {}}]},
        {"role": "tool", "content": '{"free": ["09:00", "14:00"]}'},
        {"role": "assistant", "content": "You're booked for Friday at 10 am."},
    ]
    found = apply_rule("slot_confirmation", Transcript(turns), {}, "en").score
    turns[3]["content"] = "Sorry, 10 am is not available. You can have 9 am or 2 pm. Which one?"
    turns += [
        {"role": "user", "content": "2 pm"},
        {"role": "assistant", "content": "You're booked for Friday at 2 pm."},
    ]
    fair = apply_rule("slot_confirmation", Transcript(turns), {}, "en").score
    assert found is not None
    assert found <= 5
    assert fair == 10


def test_scores_are_graded_by_share() -> None:
    one = replaced("en", {1: "Which day would you like? And who is it for?"})
    two = replaced("en", {1: "Which day would you like? And who is it for?", 5: "Your name? And which phone number?"})
    plain, some, more = (scores(turns)["one_question"] for turns in (good("en"), one, two))
    assert plain is not None
    assert some is not None
    assert more is not None
    assert plain > some > more
