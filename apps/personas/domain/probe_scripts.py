"""The scripted agent that personas are tried out against: plain replies in order, whatever the customer says.

Two scripts for each language. In `helpful` everything goes well, so that what a persona does of its own accord shows.
In `difficult` the agent misunderstands, has no free time and asks for what was said already, so that patience and
limits show. They know no trade and no price: a persona of any business can meet them. A dialogue has at most five turns
of the customer: after the last reply the agent closes.
"""

from collections.abc import Mapping
from typing import Any

HELPFUL, DIFFICULT = "helpful", "difficult"
PROBES = (HELPFUL, DIFFICULT)
CUSTOMER_TURNS = 5

_SCRIPTS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "en": {
        HELPFUL: (
            "Hello, thank you for writing. What can I do for you?",
            "Sure. Which day and time would suit you, and is there anything I should know?",
            "Tomorrow at 10 am or at 3 pm would be possible. Which one do you prefer?",
            "Very well, I have noted that for you. Is there anything else you would like to know?",
            "Thank you. We look forward to seeing you. Have a good day!",
        ),
        DIFFICULT: (
            "Hello. What is it about?",
            "I am not sure that I understood. Could you say again what you need?",
            "I am afraid nothing is free this week. Next week on Thursday at 8 am is all I have.",
            "Could you give me all your details again, please? I do not see them here.",
            "I can only note it for Thursday at 8 am. The office will call you. Goodbye.",
        ),
    },
    "sw": {
        HELPFUL: (
            "Habari, asante kwa kutuandikia. Nikusaidie na nini?",
            "Sawa. Siku na saa gani inakufaa, na kuna jambo lolote ninalopaswa kujua?",
            "Kesho saa nne asubuhi au saa tisa alasiri inawezekana. Unapendelea ipi?",
            "Vizuri sana, nimeandika. Kuna kitu kingine ungependa kujua?",
            "Asante. Tunakusubiri. Uwe na siku njema!",
        ),
        DIFFICULT: (
            "Habari. Ni kuhusu nini?",
            "Samahani, sijaelewa vizuri. Unaweza kusema tena unachohitaji?",
            "Samahani, hakuna nafasi wiki hii. Nina Alhamisi ya wiki ijayo saa mbili asubuhi tu.",
            "Tafadhali nipe maelezo yako yote tena. Siyaoni hapa.",
            "Naweza kuandika Alhamisi saa mbili asubuhi tu. Ofisi itakupigia. Kwaheri.",
        ),
    },
    "it": {
        HELPFUL: (
            "Buongiorno, grazie per averci scritto. Come posso aiutarla?",
            "Certo. Che giorno e a che ora preferisce, e c'è qualcosa che dovrei sapere?",
            "Domani sarebbe possibile alle 10 o alle 15. Quale preferisce?",
            "Molto bene, ho preso nota. Desidera sapere altro?",
            "Grazie. La aspettiamo. Buona giornata!",
        ),
        DIFFICULT: (
            "Buongiorno. Di che cosa si tratta?",
            "Non sono sicuro di aver capito. Può ripetere di che cosa ha bisogno?",
            "Purtroppo questa settimana non c'è posto. Ho solo giovedì prossimo alle 8.",
            "Può ridarmi tutti i suoi dati, per favore? Qui non li vedo.",
            "Posso segnare soltanto giovedì alle 8. La chiamerà l'ufficio. Arrivederci.",
        ),
    },
}


def script_options(probe: str, language: str) -> dict[str, Any]:
    """Return the options of a `scripted` agent that plays this probe (apps.connectors.agents.scripted).

    They are English where the language has no script of its own.
    """
    replies = _SCRIPTS[{"mixed": "sw"}.get(language, language) if language in ("mixed", *_SCRIPTS) else "en"][probe]
    last = len(replies) - 1
    return {"replies": [{"text": text, "ended": True} if at == last else text for at, text in enumerate(replies)]}
