"""A conversation is over when both have taken leave, though nobody says that it is done."""

import pytest

from apps.runs.playing.domain.leave_taking import took_leave

BOOKING = ("A haircut please.", "Which day?", "Friday.", "At ten?", "Yes, ten.", "Booked for Friday at ten.")


def spoken(*texts: str) -> list[tuple[str, str]]:
    return [(("user", "assistant")[n % 2], text) for n, text in enumerate((*BOOKING, *texts))]


@pytest.mark.parametrize(
    "texts",
    [
        ("Thank you, bye!", "Goodbye!"),
        ("Book it then, see you.", "It is booked. Have a lovely day!"),
        ("Asante sana, kwaheri!", "Karibu tena, kwaheri!"),
        ("Sawa, tutaonana Ijumaa.", "Kwaheri!"),
        ("Grazie mille, arrivederci!", "Arrivederci!"),
        ("Perfetto, grazie. Ciao!", "Prego, a presto. Ciao!"),
        ("Merci, au revoir !", "Au revoir !"),
        ("Danke, tschüss!", "Auf Wiedersehen!"),
        ("Bye!", "Before you go: may I have your number?", "No, bye!", "Then I cannot hold it."),
        ("Thanks!", "You're welcome!", "Thank you so much.", "My pleasure!", "Thanks again, Amina.", "Anytime!"),
        ("Asante!", "Karibu!", "Asante sana.", "Karibu tena!", "Nashukuru sana.", "Hakuna shida!"),
        ("Grazie!", "Prego!", "Grazie mille.", "Figurati!", "Va bene, grazie.", "Piacere mio!"),
    ],
)
def test_it_is_over(texts: tuple[str, ...]) -> None:
    assert took_leave(spoken(*texts))


@pytest.mark.parametrize(
    "texts",
    [
        (),
        ("Thank you!", "You're welcome!"),
        ("Thank you, bye!", "Before you go: may I have your number?"),
        ("Bye? I asked for Saturday!", "Goodbye!"),
        ("Is the goodbye party room free?", "Yes. Take care!"),
        ("Thanks!", "You're welcome!", "And the price?", "800.", "Thanks!", "You're welcome!"),
        ("Ok.", "At ten?", "Ok.", "For two people?", "Ok.", "And your name?"),
        ("Yes.", "Your name?", "Amina Wanjiru Otieno", "Thank you!", "Yes.", "Booked: 0712."),
    ],
)
def test_it_goes_on(texts: tuple[str, ...]) -> None:
    assert not took_leave(spoken(*texts))


def test_an_opening_takes_no_leave() -> None:
    assert not took_leave([("user", "Good night cream, bye"), ("assistant", "Goodbye!")])
    assert not took_leave([])
