"""What masking left is seen by other code: numbers in pieces, in words, names in other letters."""

import time

import pytest

from apps.core.redaction import redact
from apps.production.privacy.domain.residue_removal import without_quotes, without_residues
from apps.production.privacy.domain.second_check import MAX_HITS, ResidueKind, name_forms, residues


def kinds(*texts: str, speakers=(), names=()):
    masked = [redact(text, names=names) for text in texts]
    return [one.kind for one in residues(masked, speakers=speakers, names=names)]


@pytest.mark.parametrize(
    "text", ["0 7 1 2 , 3 4 5 , 6 7 8", "0712, 345, 678", "0712 - - 345 - - 678", "+39 347 , 879 , 8641"]
)
def test_digits_in_pieces_that_the_floor_leaves_are_joined_and_found(text: str):
    assert redact(text) == text
    assert kinds(text) == [ResidueKind.DIGITS]


@pytest.mark.parametrize(
    "text",
    [
        "my number is zero seven one two three four five six seven eight",
        "oh seven double two, triple four, five six seven",
        "ni sifuri saba moja mbili tatu nne tano sita saba nane",
        "zero sette uno due tre quattro cinque sei sette otto",
        "sifuri 7 moja 2 tatu 4 tano 6 saba 8",
        "zero seven hundred and twelve, three hundred forty five, six hundred seventy eight",
        "sifuri mia saba kumi na mbili, mia tatu arobaini na tano, mia sita sabini na nane",
        "seven hundred twelve thousand three hundred forty five six seven eight",
        "zerosetteunoduetrequattrocinqueseisetteotto",
        "zero settecentododici trecentoquarantacinque seicentosettantotto",
        "zero settantuno ventitré quarantacinque sessantasette otto",
        "zero then um seven, eh one and two like three so four, five um six seven eight",
        "zero banana seven apple one two pear three four five kiwi six seven eight",
        "zer0 s3ven 0ne tw0 thr33 f0ur f1ve s1x sev3n eight",
        "sifuri s@ba m0ja mbi1i tatu nne tan0 sita saba nane",
        "mynumberiszerosevenonetwothreefourfivesixseveneight",
        "hi 0 7 one 2 three 4 5 6 7 8",
        "hi thirty-four million one hundred and two thousand",
    ],
)
def test_numbers_said_in_words_are_found(text: str):
    assert kinds(text) == [ResidueKind.SPELLED]


def test_a_number_in_pieces_over_several_messages_is_found():
    pieces = ("0712", "ok", "345", "go on", "678")
    speakers = ("user", "assistant", "user", "assistant", "user")
    assert kinds(*pieces, speakers=speakers) == [ResidueKind.ACROSS_TURNS]


@pytest.mark.parametrize("pieces", ["zero seven/one two/three four five/six seven/eight", "0/7/1/2/3/4/5/6/7/8",
                                    "sifuri/saba/moja/mbili/tatu/nne/tano/sita/saba/nane"])  # fmt: skip
def test_a_number_in_words_over_messages_of_one_speaker_is_found(pieces: str):
    said = pieces.split("/")
    assert ResidueKind.ACROSS_TURNS in kinds(*said, speakers=["user"] * len(said))
    assert kinds(*said, speakers=["user", "assistant"] * (len(said) // 2) + ["user"] * (len(said) % 2)) == []


def test_answers_to_a_menu_are_no_number():
    assert kinds(*"1211321412711", speakers=["user"] * 13) == []


def test_listed_names_are_found_without_accents_and_letter_by_letter():
    assert [one.kind for one in residues(["ask for Ngugi"], names=["Ngũgĩ wa Thiong'o"])] == [ResidueKind.NAME]
    assert kinds("ask for Ngugi", names=["Ngũgĩ wa Thiong'o"]) == []  # the floor has masked it
    assert kinds("I am A c h i e n g", names=["Achieng"]) == [ResidueKind.NAME]
    assert kinds("ask for <name>", names=["Ngũgĩ"]) == []


def test_an_address_said_in_words_is_found():
    assert kinds("write to joy dot k (at) gmail dot com") == [ResidueKind.EMAIL]


@pytest.mark.parametrize(
    "text",
    [
        "KES 1,500 at 10:30 on 12/11/2026, receipt QFT4X7Y2ZK",
        "Saa tatu au saa nne na nusu, watu watano, 500 bob",
        "prices: 500, 700, 900, 1200 or 700, 800, 900",
        "3, 4, 5, 6, 7, 8, 9, 10, 11, 12",
        "mbili au tatu, nne, tano; one, two or three people",
        "call me on +254 7** *** 678 or <email>, order 7e6b62d9-883e-440f-a63e-e1105bbfadc3",
        "OTP 12345, PIN 1234",
        "7 to 8, 10 to 11, 14 to 15",
        "two thousand five hundred for braids, three hundred fifty for the wash and one thousand for colour",
        "Elfu mbili na mia tano hadi elfu tatu, au mia saba, mia nane",
        "Duecentocinquanta euro in tutto, o due rate da centoventicinque",
        "saa mbili au saa tatu au saa nne, saa tano au saa sita, sijui",
        "one two three four five six seven eight",
        "two million five hundred thousand shillings, milioni tatu na elfu mbili mia tano",
        "nineteen ninety nine was twenty seven years ago, two thousand and one",
    ],
)
def test_prices_times_and_lists_are_nobodys_number(text: str):
    assert kinds(text) == []


def test_a_message_of_a_hundred_kilobytes_is_read_in_a_few_seconds_and_hits_are_bounded():
    began = time.perf_counter()
    for text in ("5 " * 50_000, "seven " * 20_000, "a b " * 25_000, "aa.aa" * 20_000, "x@" * 50_000, "0712, " * 16_000):
        residues([text], names=["abab"])
    assert time.perf_counter() - began < 60
    many = ["zero seven one two three four five six seven eight " + word for word in map(str, range(100))]
    assert len(residues(many)) == MAX_HITS


@pytest.mark.parametrize(
    "text, found",
    [
        ("write to t.me/aminawanjiku", "aminawanjiku"),
        ("mimi ni W@njiku", "W@njiku"),
        ("меня зовут Амина", "Амина"),
        ("kwa Wanjikuni", "Wanjikuni"),
        ("the Wanjikus", "Wanjikus"),
        ("amina1988 is my login", "amina1988"),
        ("?tel=0712%20345%20678", "0712%20345%20678"),
        ("it is 07I2 345 67B", "07I2 345 67B"),
        ("codice fiscale RSSMRA85T10A562S", "RSSMRA85T10A562S"),
    ],
)
def test_names_and_numbers_in_odd_shapes_are_found_word_for_word(text: str, found: str) -> None:
    assert [one.quote for one in residues([text], names=["Amina Wanjiku"])] == [found]


@pytest.mark.parametrize("text", ["an examination of graceful hands", "Book M1, B2 or 20I", "85% off, code SAVE20"])
def test_longer_words_and_codes_are_no_names_and_no_numbers(text: str) -> None:
    assert residues([text], names=["Amina Wanjiku", "Grace"]) == ()


def test_where_nobody_looked_every_piece_of_a_number_over_messages_goes_and_no_end_of_a_long_one_stays() -> None:
    texts, speakers = ["zero seven", "ok", "12", "345", "thanks", "six seven eight"], ["user", "assistant"] * 3
    speakers = ["user", "assistant", "user", "user", "assistant", "user"]
    found = residues(texts, speakers=speakers)
    assert without_residues(texts, found, speakers=speakers) == [
        "<number>", "ok", "<number>", "<number>", "thanks", "<number>",
    ]  # fmt: skip
    said = f"Call zero {'um ' * 80} seven one two three four five six seven eight"
    assert without_quotes(said, residues([said])) == "<number>"
    words = "zero seven hundred and twelve, three hundred forty five, six hundred seventy eight"
    assert without_quotes(f"Call me on {words}!", residues([f"Call me on {words}!"])) == "Call me on <number>!"


@pytest.mark.parametrize("digits, hit", [(9, False), (10, True), (15, True), (16, False)])
def test_a_number_from_abroad_has_ten_to_fifteen_digits(digits: int, hit: bool) -> None:
    number = "99999999999999999"[:digits]
    text = f"+{number[:2]}/{number[2:5]}/{number[5:]}"
    assert bool(residues([text])) is hit


@pytest.mark.parametrize("letters, joined", [(30, True), (31, False)])
def test_a_message_of_many_words_parts_the_pieces_of_a_number(letters: int, joined: bool) -> None:
    texts = ["0712", f"{'a' * letters} 345", "678"]
    assert (ResidueKind.ACROSS_TURNS in [one.kind for one in residues(texts, speakers=["user"] * 3)]) is joined


@pytest.mark.parametrize("length, joined", [(200, True), (201, False)])
def test_a_long_message_parts_the_pieces_of_a_number(length: int, joined: bool) -> None:
    texts = ["0712", "345".ljust(length, "."), "678"]
    assert (ResidueKind.ACROSS_TURNS in [one.kind for one in residues(texts, speakers=["user"] * 3)]) is joined


def test_twenty_hits_are_named_in_the_order_of_the_messages() -> None:
    found = residues(["zero seven one two three four five six seven eight"] * 30)
    assert [one.turn for one in found] == list(range(20))


def test_the_forms_of_a_name_are_read_from_what_was_written() -> None:
    forms = name_forms("Ngũgĩ Амина W@njiku A c h i e n g")
    assert forms >= {"ngugi", "amina", "wanjiku", "achieng"}
    assert name_forms("") == frozenset()


@pytest.mark.parametrize(
    "pieces, joined",
    [
        ("07/12/34/56/78", True),
        ("2547/12/34/56/78", True),
        ("25/47/12/34/56/78", True),  # six pieces of two and more
        ("2/5/4/7/1/2/3/4/5/6/7/8", True),  # single digits, as numbers are dialled
        ("0/7/1/2/3/4/5/6/7/8", True),
        ("7/1/2/3/4/5/6/7/8", False),  # answers to a menu
    ],
)
def test_pieces_over_messages_make_a_number_by_their_length(pieces: str, joined: bool) -> None:
    texts = [one for one in pieces.split("/") if one]
    kinds_of = [one.kind for one in residues(texts, speakers=["user"] * len(texts))]
    assert (ResidueKind.ACROSS_TURNS in kinds_of) is joined


def test_names_of_two_letters_are_not_looked_for_and_of_three_are() -> None:
    assert residues(["ask Li or Joy"], names=["Li"]) == ()
    assert [one.quote for one in residues(["ask Li or Joy"], names=["Li Joy"])] == ["Joy"]
