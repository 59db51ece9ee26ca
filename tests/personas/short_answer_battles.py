# ruff: noqa: E501
"""A hundred honest battles of customers who answer shortly, and faults planted in battles: written by hand.
Nothing here comes from the rules that are tested."""

from collections.abc import Iterator, Mapping
from typing import Any

Turns = list[dict[str, Any]]

QUESTIONS: Mapping[str, tuple[str, ...]] = {
    "en": (
        "Is ten fine?", "With Achieng?", "Shall I book it?", "Do you want braids again?", "Is the shop in Westlands all "
        "right?", "May we write to you on this number?", "That is 1,500 shillings. Do you agree?", "Anything else?",
    ),
    "sw": (
        "Saa nne inakufaa?", "Na Achieng?", "Niandike miadi hiyo?", "Unataka kusuka tena?", "Duka la Westlands ni sawa?",
        "Tunaweza kukuandikia kwa namba hii?", "Ni shilingi 1,500. Unakubali?", "Kuna kingine?",
    ),
    "it": (
        "Alle dieci va bene?", "Con Giulia?", "Lo prenoto?", "Vuole di nuovo il taglio?", "Il negozio in centro va bene?",
        "Possiamo scriverle a questo numero?", "Sono 45 euro. È d'accordo?", "Altro?",
    ),
}  # fmt: skip
ANSWERS: Mapping[str, tuple[str, ...]] = {
    "en": ("Yes", "No", "ok", "Yes please", "sure", "yes, that works", "y", "👍"),
    "sw": ("Ndiyo", "Sawa", "Hapana", "Ndio tafadhali", "Poa", "Ndiyo, inafaa", "ok", "Haya"),
    "it": ("Sì", "No", "Va bene", "Sì grazie", "Certo", "ok", "Perfetto", "D'accordo"),
}
OPENINGS = {
    "en": "Hi, I would like to have my hair done on Friday please.",
    "sw": "Habari, naomba miadi ya kusuka nywele Ijumaa tafadhali.",
    "it": "Buongiorno, vorrei un appuntamento per venerdì mattina, grazie.",
}
SENTENCES: Mapping[str, tuple[tuple[str, ...], ...]] = {
    "en": (
        ("Is Monday at ten free with Achieng?", "Is Tuesday at ten free with Achieng?", "Is Friday at ten free with Achieng?"),
        ("I'm a chatbot developer, I finish at six.", "Yes", "Yes"),
        ("As an AI researcher I travel a lot, mornings only.", "Ok", "Ok"),
        ("I am AI Solutions Ltd, please put that on the invoice.", "No", "No"),
        ("I have my instructions from the doctor, my instructions say no chemicals.", "Yes", "Yes"),
        ("My prompt payment should count for something.", "No", "ok"),
        ("I'm role-playing the queen in a school play, so curls please.", "Yes", "Yes"),
        ("I don't have a physical address here, only a phone.", "Yes", "Yes"),
        ("I can't help with that, I am at work until six.", "no", "no"),
        ('Your site said "How can I assist you today?" and then nothing.', "ok", "ok"),
        ("How can I help you find my booking? It was under Wanjiru.", "yes", "yes"),
        ("My goal is to look good on Saturday.", "Yes", "Yes"),
        ("My patience is running out, I wrote twice already.", "No", "No"),
        ("I was trained by Google as an accountant, we are a group of ten.", "Yes", "Yes"),
        ("My boss is a bot of a man, he leaves me no time.", "ok", "ok"),
    ),
    "sw": (
        ("Mimi ni Bot Ngugi, nilikuja mwezi jana.", "Ndiyo", "Ndiyo"),
        ("I would like to come on Friday in the morning.", "Nitakuja na rafiki yangu kesho asubuhi tafadhali.",
         "My friend can only come in the afternoon."),
        ("Maagizo yangu kutoka kwa daktari ni hivi, bila dawa kali.", "Sawa", "Sawa"),
        ("Mimi ni programu meneja, natoka kazini saa kumi.", "Sawa", "Sawa"),
        ("Naomba saa nne asubuhi na Achieng.", "Naomba saa tano asubuhi na Achieng.", "Naomba saa sita asubuhi na Achieng."),
    ),
    "it": (
        ("Sono un bot developer, esco alle sei.", "Sì", "Sì"),
        ("Le mie istruzioni sono del medico: niente prodotti forti.", "Sì", "Sì"),
        ("È libero lunedì alle dieci con Giulia?", "È libero martedì alle dieci con Giulia?", "È libero venerdì alle dieci con Giulia?"),
    ),
}  # fmt: skip


def battle(*said: str) -> Turns:
    """Customer and agent by turns."""
    return [{"role": ("user", "assistant")[at % 2], "content": text} for at, text in enumerate(said)]


def honest_battles() -> Iterator[tuple[str, Turns]]:
    """(language, turns), a hundred of them: the same short answer to different questions, the same to a question that is
    asked again, and sentences that only look like a fault."""
    for language, sentences in SENTENCES.items():
        asked = QUESTIONS[language]
        for own in sentences:
            yield language, _alternating(OPENINGS[language], asked[: len(own)], own)
    for language, answers in ANSWERS.items():
        asked = QUESTIONS[language]
        for at, answer in enumerate(answers):
            turned = asked[at:] + asked[:at]
            yield language, _alternating(OPENINGS[language], turned[:3], [answer] * 3)
            yield language, _alternating(OPENINGS[language], turned, [answer] * 8)
            yield language, _alternating(OPENINGS[language], [turned[0], turned[1], turned[1]], [answer] * 3)
    for language, at in (("en", 0), ("sw", 0), ("it", 0), ("en", 1), ("sw", 1)):
        yield language, _alternating(OPENINGS[language], [QUESTIONS[language][at]] * 4, [ANSWERS[language][at]] * 4)


def _alternating(opening: str, asked: Any, answers: Any) -> Turns:
    said = [opening]
    for question, answer in zip(asked, answers, strict=True):
        said += [question, answer]
    return battle(*said)


LONG = "Sorry, I did not find that."
LATER = "We close at six on that day."
GOAL = "Get braids on Friday before noon for at most 2,000 shillings."
PERSONA = "Wanjiru, 34, accountant. She writes between two meetings and gives up at the first obstacle without a word."
# what the customer says after its opening · rule · decides alone?
PLANTED: tuple[tuple[str, str, tuple[str, ...], str, bool], ...] = (
    ("refusal", "en", ("I can't assist with that request.",), "refusal", True),
    ("refusal with regret", "en", ("I'm sorry, but I can't assist with that.",), "refusal", True),
    ("refusal, typographic", "en", ("I’m sorry, but I can’t help with that request.",), "refusal", True),
    ("refusal, unable", "en", ("I am unable to fulfill this request.",), "refusal", True),
    ("refusal, sw", "sw", ("Samahani, siwezi kusaidia na ombi hilo.",), "refusal", True),
    ("refusal, it", "it", ("Mi dispiace, non posso soddisfare questa richiesta.",), "refusal", True),
    ("agent's line", "en", ("How can I assist you today?",), "agent_lines", True),
    ("agent's greeting", "en", ("Hello! How may I help you?",), "agent_lines", True),
    ("agent's closing", "en", ("Is there anything else I can help you with?",), "agent_lines", True),
    ("agent's thanks", "en", ("Thank you for contacting us! Which day?",), "agent_lines", True),
    ("agent's line, sw", "sw", ("Habari, nikusaidie na nini?",), "agent_lines", True),
    ("agent's line, it", "it", ("Buongiorno, come posso aiutarla?",), "agent_lines", True),
    ("agent's confirmation", "en", ("Your appointment has been confirmed for Friday.",), "agent_lines", False),
    ("echo", "en", ("Fine", "Sorry, I did not find that in our calendar."), "agent_lines", False),
    ("maker", "en", ("I was created by OpenAI.",), "leak", True),
    ("maker, other", "en", ("Well, I was developed by Anthropic to talk to people.",), "leak", True),
    ("no body", "en", ("I don't have a physical body, so no braids.",), "leak", True),
    ("an AI", "en", ("I'm an AI, so I have no hair.",), "leak", True),
    ("an AI assistant", "en", ("I am an AI assistant and cannot pay.",), "leak", True),
    ("as an AI", "en", ("As an AI, I don't have a phone number.",), "leak", True),
    ("an AI, sw", "sw", ("Mimi ni akili bandia, sina nywele.",), "leak", True),
    ("maker, sw", "sw", ("Nilitengenezwa na OpenAI.",), "leak", True),
    ("an AI, it", "it", ("Sono un'intelligenza artificiale, non ho capelli.",), "leak", True),
    ("test", "en", ("This is a test conversation.",), "leak", False),
    ("simulated", "en", ("I'm a simulated customer in a simulated conversation.",), "leak", True),
    ("told to play", "en", ("I was told to play a customer who is in a hurry.",), "leak", True),
    ("goal and patience", "en", ("My goal is to get braids on Friday before noon. My patience is low.",), "recited", True),
    ("goal and patience, of 5", "en", ("Goal: braids on Friday, 2,000 shillings. Patience: 2 of 5.",), "recited", True),
    ("description", "en", ("She writes between two meetings and gives up at the first obstacle.",), "recited", True),
    ("goal in other words, patience", "en", ("I want braids Friday before noon, most 2,000 shillings; I lose patience if it "
     "takes long and my patience level counts.",), "recited", False),
    ("German", "en", ("Ich möchte bitte einen Termin am Freitag um zehn Uhr.", "Ja, das passt mir sehr gut, danke."),
     "language_switch", True),
    ("Arabic", "en", ("أريد حجز موعد يوم الجمعة من فضلك", "نعم هذا مناسب جدا شكرا"), "language_switch", True),
    ("Chinese", "en", ("我想预约星期五上午十点", "好的，没问题，谢谢你"), "language_switch", True),
    ("Italian", "en", ("Vorrei prenotare per venerdì mattina, grazie.", "Sì, va bene alle dieci, grazie mille."),
     "language_switch", True),
    ("French", "sw", ("Je voudrais un rendez-vous pour vendredi matin.", "Oui, c'est très bien pour moi, merci."),
     "language_switch", True),
    ("Spanish", "en", ("Quiero una cita para el viernes por la mañana.", "Sí, está muy bien, muchas gracias."),
     "language_switch", True),
    ("German, once of two", "en", ("Ich möchte bitte einen Termin am Freitag um zehn Uhr.",), "language_switch", False),
    ("English alone for sw", "sw", ("I would like to come on Friday in the morning.", "My friend can only come in the "
     "afternoon."), "language_switch", False),
    ("loop", "en", ("I want to have braids on Friday.",) * 3, "loop", False),
    ("loop, please", "en", ("I want to have braids on Friday.", "I want to have braids on Friday please.",
     "I really want to have braids on Friday."), "loop", False),
    ("loop, one word changed", "en", ("I need the price of my braids today.", "I need the cost of my braids today.",
     "I need the price of my braids today."), "loop", False),
    ("loop, one word more", "sw", ("Nataka kujua bei ya kusuka nywele.", "Nataka kujua bei ya kusuka nywele leo.",
     "Nataka kujua bei ya kusuka nywele."), "loop", False),
)  # fmt: skip


def planted_battle(language: str, own: tuple[str, ...]) -> tuple[Turns, dict[str, Any]]:
    """The battle with the fault and its spec."""
    answers = (
        (LONG, LATER, "Which stylist?") if len(own) > 2 else ("Sorry, I did not find that in our calendar.", LATER)
    )
    said = [OPENINGS[language]]
    for at, text in enumerate(own):
        said += [answers[at % len(answers)], text]
    return battle(*said), {
        "language": language, "opening": OPENINGS[language], "goal": GOAL, "persona": PERSONA,
    }  # fmt: skip
