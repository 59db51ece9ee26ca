"""The number words of English, Swahili and Italian, and the words that stand between them. Plain tables."""

from enum import StrEnum


class NumberKind(StrEnum):
    """What a number word is: a digit, 10 to 19, 20 to 90, and hundred and thousand after their count (seven hundred)
    or before it (mia saba)."""

    UNIT = "unit"
    TEEN = "teen"
    TEN = "ten"
    HUNDRED = "hundred"
    THOUSAND = "thousand"
    MILLION = "million"
    HUNDRED_FIRST = "hundred_first"
    THOUSAND_FIRST = "thousand_first"


NumberWord = tuple[NumberKind, int]


def _words() -> dict[str, NumberWord]:
    units = (
        "zero oh nought sifuri/one moja uno una/two mbili due/three tatu tre/four nne quattro/five tano cinque/"
        "six sita sei/seven saba sette/eight nane otto/nine tisa nove"
    )
    teens = (
        "ten kumi dieci/eleven undici/twelve dodici/thirteen tredici/fourteen quattordici/fifteen quindici/"
        "sixteen sedici/seventeen diciassette/eighteen diciotto/nineteen diciannove"
    )
    tens = (
        "twenty ishirini venti/thirty thelathini trenta/forty arobaini quaranta/fifty hamsini cinquanta/"
        "sixty sitini sessanta/seventy sabini settanta/eighty themanini ottanta/ninety tisini novanta"
    )
    found = dict[str, NumberWord]()
    for kind, text, first, step in (
        (NumberKind.UNIT, units, 0, 1),
        (NumberKind.TEEN, teens, 10, 1),
        (NumberKind.TEN, tens, 20, 10),
    ):
        for place, words in enumerate(text.split("/")):
            found |= dict.fromkeys(words.split(), (kind, first + place * step))
    found |= dict.fromkeys(("hundred", "cento"), (NumberKind.HUNDRED, 100))
    found |= dict.fromkeys(("thousand", "mila", "mille"), (NumberKind.THOUSAND, 1000))
    found |= dict.fromkeys(("million", "millions", "milione", "milioni"), (NumberKind.MILLION, 1_000_000))
    return found | {"mia": (NumberKind.HUNDRED_FIRST, 100), "elfu": (NumberKind.THOUSAND_FIRST, 1000)}


NUMBER_WORDS = _words()
# Italian joins tens and units, and drops a letter between two vowels: ventuno, settantotto.
ELIDED = {
    word[:-1] + unit: (value, int(unit == "uno") or 8)
    for word, (kind, value) in NUMBER_WORDS.items() if kind is NumberKind.TEN and word.endswith(("a", "i"))
    for unit in ("uno", "otto")
}  # fmt: skip
REPEATS = {"double": 2, "doppio": 2, "mara": 2, "triple": 3, "triplo": 3}
JOINS = frozenset({"na", "and", "e"})
_PAUSES = """
    then kisha poi halafu alafu um uh er eh ehm ah hmm mmm mm uhm uhh like ok okay sawa ni yaani cioe allora quindi so
    well plus dash hyphen space trattino spazio comma virgola followed by next again yes ndiyo
"""
FILLERS = JOINS | frozenset(_PAUSES.split())
