"""What masking left is seen by the second check, and what it left of nobody is let through?

    python -m benchmarks.second_check [--conversations 600] [--seed 1]

Planted: what the floor cannot see, one in a conversation: digits in pieces, a number of another country in pieces, a
number in words of three languages (digits, hundreds, glued, with fillers between, with digits for letters), a number
over several messages in digits and in words, a listed name without its accents or letter by letter, an address in
words. Clean: the conversations of `benchmarks.masking_recall`, masked, with prices, times, receipts and
counts beside. Printed: the share that is caught, by kind and language, and the share of clean ones that is blocked.
Exit 0 where at least .95 are caught and at most .05 are blocked.
"""

import argparse
import random
import sys
from collections import Counter

from apps.core.redaction import redact
from apps.production.privacy.domain.second_check import residues
from benchmarks.masking_recall import planted

UNITS = {
    "en": ["zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine"],
    "sw": ["sifuri", "moja", "mbili", "tatu", "nne", "tano", "sita", "saba", "nane", "tisa"],
    "it": ["zero", "uno", "due", "tre", "quattro", "cinque", "sei", "sette", "otto", "nove"],
}
FRAMES = {
    "en": ("my number is {}", "you can reach me on {} after six", "ask for {} please"),
    "sw": ("namba yangu ni {}", "nipigie {} baada ya saa kumi", "uliza {} tafadhali"),
    "it": ("il mio numero è {}", "mi trova al {} dopo le sei", "chieda di {} per favore"),
}
NAMES = (("Ngũgĩ", "Ngugi"), ("Nyambura", "N y a m b u r a"), ("Niccolò", "Niccolo"), ("Wambũi", "wambui"))
FILLERS = {"en": ("um", "then", "and", "so"), "sw": ("na", "halafu", "yaani"), "it": ("e", "poi", "ehm")}
TENS = {
    "en": ["", "", "twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"],
    "sw": ["", "", "ishirini", "thelathini", "arobaini", "hamsini", "sitini", "sabini", "themanini", "tisini"],
    "it": ["", "", "venti", "trenta", "quaranta", "cinquanta", "sessanta", "settanta", "ottanta", "novanta"],
}
EVERYDAY = {
    "en": (
        "Two thousand five hundred for braids, three hundred fifty for the wash.",
        "One, two or three of us.",
        "It takes two to three hours, four if it is long; we close at seven.",
        "Braids are KES 2,500, the wash is KES 300.",
        "We open at 8:30 and close at 19:00.",
        "Two people, at four?",
        "Room 12, table 7, on 3/12/2026.",
        "One or two hours, three at most.",
        "Prices: 500, 700, 900 and 1200.",
    ),
    "sw": (
        "Ni elfu mbili na mia tano hadi elfu tatu, au mia saba.",
        "Saa mbili au saa tatu au saa nne, saa tano.",
        "Kusuka ni KES 2,500 na kuosha ni 300.",
        "Tunafungua saa mbili na nusu asubuhi.",
        "Watu wawili, saa kumi?",
        "Chumba 12, meza 7, tarehe 3/12/2026.",
        "Moja au mbili, tatu hivi.",
        "Bei: 500, 700, 900 na 1200.",
    ),
    "it": (
        "Duecentocinquanta euro in tutto, o due rate da centoventicinque.",
        "Siamo in due o tre, alle quattro.",
        "La piega costa 25 euro, il taglio 30.",
        "Apriamo alle 8:30 e chiudiamo alle 19:00.",
        "Due persone, alle 4?",
        "Stanza 12, tavolo 7, il 3/12/2026.",
        "Una o due ore, tre al massimo.",
        "Prezzi: 50, 70, 90 e 120 euro.",
    ),
}


def residue(kind: str, language: str, chance: random.Random) -> tuple[list[str], list[str]]:
    """(texts of the customer, names that are listed)."""
    digits = f"0{chance.choice('71')}{chance.randint(0, 99_999_999):08d}"
    frame = chance.choice(FRAMES[language][:2])
    if kind == "digits in pieces":
        joint = chance.choice((", ", " - - ", " , ", " . . "))
        return [frame.format(joint.join((digits[:4], digits[4:7], digits[7:])))], []
    if kind == "abroad in pieces":
        whole = f"3{chance.randint(20, 99)}{chance.randint(100, 999)}{chance.randint(1111, 9999)}"
        joint = chance.choice((" , ", " ; ", " . . "))
        return [frame.format(joint.join((f"+39 {whole[:3]}", whole[3:6], whole[6:])))], []
    if kind == "in words":
        return [frame.format(" ".join(UNITS[language][int(one)] for one in digits))], []
    if kind in ("hundreds", "glued", "fillers", "leet", "words over messages"):
        return spelled(kind, language, digits, frame, chance), []
    if kind == "over messages":
        return [digits[:4], digits[4:7], digits[7:]], []
    if kind == "name":
        listed, written = chance.choice(NAMES)
        return [FRAMES[language][2].format(written)], [listed]
    dot, at = {"en": ("dot", "at"), "sw": ("nukta", "at"), "it": ("punto", "chiocciola")}[language]
    return [frame.format(f"joy{chance.randint(1, 99)} {at} gmail {dot} com")], []


def spelled(kind: str, language: str, digits: str, frame: str, chance: random.Random) -> list[str]:
    """The number in words, taken apart in one of the ways."""
    words = [UNITS[language][int(one)] for one in digits]
    if kind == "hundreds":
        return [frame.format(f"{words[0]} " + ", ".join(hundreds(digits[at : at + 3], language) for at in (1, 4, 7)))]
    if kind == "glued":
        return [frame.format("".join(words))]
    if kind == "fillers":
        return [frame.format(" ".join(f"{one} {chance.choice(FILLERS[language])}" for one in words))]
    if kind == "leet":
        return [frame.format(" ".join(one.translate(str.maketrans("oeia", "0314")) for one in words))]
    return [" ".join(words[:4]), " ".join(words[4:7]), " ".join(words[7:])]


def hundreds(three: str, language: str) -> str:
    """Three digits as one number, where they are one."""
    first, second, third = map(int, three)
    if not first:
        return " ".join(UNITS[language][int(one)] for one in three)
    rest = [TENS[language][second] if second > 1 else "", UNITS[language][third] if third else ""]
    joint = " na " if language == "sw" else " "
    said = {
        "en": f"{UNITS['en'][first]} hundred",
        "sw": f"mia {UNITS['sw'][first]}",
        "it": f"{UNITS['it'][first]}cento",
    }
    return joint.join(filter(None, [said[language], *rest]))


KINDS = (
    "digits in pieces",
    "abroad in pieces",
    "in words",
    "hundreds",
    "glued",
    "fillers",
    "leet",
    "over messages",
    "words over messages",
    "name",
    "e-mail",
)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=600)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    caught, of, missed = Counter[tuple[str, str]](), Counter[tuple[str, str]](), list[str]()
    for number in range(options.conversations):
        kind, language = KINDS[number % len(KINDS)], ("en", "sw", "it")[number // len(KINDS) % 3]
        texts, names = residue(kind, language, chance)
        said = [one for text in texts for one in (text, chance.choice(EVERYDAY[language]))]
        speakers = ["user", "assistant"] * len(texts)
        masked = [redact(text, names=names) for text in said]
        if masked[::2] != texts and not any(text in masked for text in texts):
            continue  # the floor saw it
        of[kind, language] += 1
        found = bool(residues(masked, speakers=speakers, names=names))
        caught[kind, language] += found
        missed += [] if found else [f"{kind}, {language}: {texts}"]
    blocked, wrongly = 0, list[str]()
    for number in range(options.conversations):
        made = planted(number, chance)
        turns = made.document["turns"]
        names = made.document["customer"]["names"]  # type: ignore[index]
        masked = [
            redact(str(turn["content"]), names=[*names, "Grace Muthoni", "Salim Juma", "Paola Ricci"]) for turn in turns
        ]  # type: ignore[attr-defined]
        masked += chance.sample(EVERYDAY[made.language], 3)
        hits = residues(masked, speakers=[("user", "assistant")[n % 2] for n in range(len(masked))], names=names)
        blocked += bool(hits)
        wrongly += [f"{one.kind}: {one.quote}" for one in hits[:1]]
    for kind in KINDS:
        shares = ", ".join(f"{lang} {caught[kind, lang]}/{of[kind, lang]}" for lang in ("en", "sw", "it"))
        print(f"caught, {kind}: {shares}")
    share, wrong = sum(caught.values()) / max(1, sum(of.values())), blocked / options.conversations
    print(f"caught {share:.3f} of {sum(of.values())} that the floor left; clean ones blocked {wrong:.3f}")
    for one in [*missed[:8], *wrongly[:8]]:
        print(f"  {one}")
    return 0 if share >= 0.95 and wrong <= 0.05 else 1


if __name__ == "__main__":
    sys.exit(main())
