"""What of a customer is left after masking, and is what people need to find a payment still there?

    python -m benchmarks.masking_recall [--conversations 1000] [--seed 1]

Conversations in English, Swahili and Italian are made up from seeded parts and masked as they are before they become
tests (apps.production.promote_to_scenario.mask_for_eval). Planted in each: phones in the ways people write them,
e-mail addresses, names of the customer (listed with the conversation) and of staff (listed with the tenant); and what
must stay: amounts of money and M-Pesa receipts. A phone counts as found where its nine digits cannot be read off the
turn any more, an address and each part of a name where it does not stand there, in any case. Printed: recall by kind,
language and way of writing, with what was missed. Exit 0 where phones and addresses reach .99, names .95, and all that
must stay does.
"""

import argparse
import asyncio
import json
import random
import re
import string
import sys
import time
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from apps.production.promote_to_scenario import mask_for_eval

LEAST = {"phone": 0.99, "e-mail": 0.99, "name": 0.95, "money": 1.0, "receipt": 1.0}
FIRST = (
    "Amina",
    "Brian",
    "Wanjiru",
    "Otieno",
    "Giulia",
    "Njeri",
    "Kiprono",
    "Fatuma",
    "Lorenzo",
    "Achieng",
    "Mutua",
    "Zuhura",
    "D'Angelo",
    "Ng'ang'a",
    "Chiara",
    "Baraka",
)
LAST = (
    "Wanjiku",
    "Odhiambo",
    "Kamau",
    "Rossi",
    "Hassan",
    "Wambui-Njoroge",
    "Bianchi",
    "Mwangi",
    "Cheruiyot",
    "Esposito",
)
STAFF = ("Grace Muthoni", "Salim Juma", "Paola Ricci")
SENTENCES = {
    "en": (
        "My name is {name}.",
        "You can call me on {phone}.",
        "Write to {email} please.",
        "I paid {money}, code {receipt}.",
        "{staff} knows me.",
        "Is {money} the whole price?",
        "{phone} is my WhatsApp, ask for {name}.",
        "Confirmed {receipt}, sent to {staff}.",
    ),
    "sw": (
        "Jina langu ni {name}.",
        "Nipigie kwa {phone}.",
        "Niandikie {email} tafadhali.",
        "Nimelipa {money}, namba {receipt}.",
        "{staff} ananijua.",
        "Je, {money} ndiyo bei yote?",
        "{phone} ni WhatsApp yangu, uliza {name}.",
        "Imethibitishwa {receipt}, imetumwa kwa {staff}.",
    ),
    "it": (
        "Mi chiamo {name}.",
        "Mi chiami al {phone}.",
        "Scriva a {email}, per favore.",
        "Ho pagato {money}, ricevuta {receipt}.",
        "{staff} mi conosce.",
        "{money} è il prezzo completo?",
        "{phone} è il mio WhatsApp, chieda di {name}.",
        "Confermato {receipt}, inviato a {staff}.",
    ),
}
PHONES = {
    "international": "+254 {a} {b} {c}",
    "without blanks": "+254{a}{b}{c}",
    "local": "0{a}{b}{c}",
    "local with blanks": "0{a} {b} {c}",
    "with hyphens": "0{a}-{b}-{c}",
    "with dots": "+254.{a}.{b}.{c}",
    "without plus": "254{a}{b}{c}",
    "00 before": "00254 {a} {b} {c}",
    "in brackets": "(+254) {a} {b} {c}",
    "in pairs": "0{p[0]} {p[1]} {p[2]} {p[3]} {p[4]}",
    "with a middot": "0{a}·{b}·{c}",
    "in wide digits": "{w}",
    "of Italy": "+39 3{a2} {b} {d}",
}
MONEY = (
    *("KES {n}", "KSh {n}", "Ksh. {n}", "KES {k}", "{k} shillings", "{n}/=", "€ {n}", "{k} bob", "KES{k}"),
    *("Kshs {n}/-", "KES {n}.00", "{k} shilingi", "shilingi {k}", "{n} euro", "EUR {k}"),
)


@dataclass(slots=True)
class Plant:
    """One thing that was written into a turn: `left` is what must not, or must, be there afterwards."""

    kind: str
    written: str
    form: str = ""
    left: Sequence[str] = ()


@dataclass(slots=True)
class PlantedConversation:
    """A document as it comes in, and what stands in each of its turns."""

    document: dict[str, object]
    language: str
    plants: list[list[Plant]] = field(default_factory=list)


def planted(number: int, chance: random.Random) -> PlantedConversation:
    """One conversation of four to eight turns."""
    language = ("en", "sw", "it")[number % 3]
    customer = f"{chance.choice(FIRST)} {chance.choice(LAST)}"
    turns, plants = [], []
    for at in range(chance.randint(4, 8)):
        sentence = chance.choice(SENTENCES[language])
        made = {kind: make(kind, customer, chance) for kind in re.findall(r"{(\w+)}", sentence)}
        text = sentence.format(**{kind: plant.written for kind, plant in made.items()})
        turns.append({"role": ("user", "assistant")[at % 2], "content": text})
        plants.append(list(made.values()))
    document = {"id": f"c-{number}", "language": language, "turns": turns, "customer": {"names": [customer]}}
    return PlantedConversation(document, language, plants)


def make(kind: str, customer: str, chance: random.Random) -> Plant:
    """Something to plant."""
    if kind == "phone":
        form = chance.choice(list(PHONES))
        a, b, c, d = (f"{chance.randint(*ends)}" for ends in ((700, 799), (100, 999), (100, 999), (1000, 9999)))
        whole = f"0{a}{b}{c}"
        wide = whole.translate({48 + digit: 0xFF10 + digit for digit in range(10)})
        pairs = [whole[at : at + 2] for at in range(0, 10, 2)]
        written = PHONES[form].format(a=a, b=b, c=c, d=d, a2=a[1:], p=[pairs[0][1:], *pairs[1:]], w=wide)
        return Plant("phone", written, form, [re.sub(r"\D", "", unicodedata.normalize("NFKC", written))[-9:]])
    if kind == "email":
        local = customer.lower().replace(" ", chance.choice((".", "_", ""))).replace("'", "")
        written = (
            f"{local}{chance.choice(('', '7', '+spa'))}@{chance.choice(('gmail.com', 'salon.co.ke', 'libero.it'))}"
        )
        return Plant("e-mail", chance.choice((written, written.upper())), left=[written])
    if kind in ("name", "staff"):
        whole = customer if kind == "name" else chance.choice(STAFF)
        first = whole.split()[0]
        written = chance.choice(
            (whole, first, whole.upper(), whole.lower(), f"{first}!", ", ".join(reversed(whole.split())))
        )
        form = "of the customer" if kind == "name" else "of staff"
        return Plant("name", written, form, [part for part in re.findall(r"[^\s,!]+", written) if len(part) > 2])
    if kind == "money":
        amount = chance.choice((chance.randint(50, 999), chance.randint(1_000, 250_000)))
        return Plant("money", chance.choice(MONEY).format(n=f"{amount:,}", k=amount))
    digits = chance.sample(range(2, 10), 5)
    letters, both = string.ascii_uppercase, string.ascii_uppercase + string.digits
    code = [chance.choice(both if at in digits else letters) for at in range(10)]
    return Plant("receipt", "".join([*code[:2], str(chance.randint(0, 9)), *code[3:]]))


def missed(plant: Plant, masked: str) -> bool:
    """Whether it can still be read, or, of what must stay, whether it is gone."""
    if plant.kind in ("money", "receipt"):
        return plant.written not in masked
    if plant.kind == "phone":
        return plant.left[0] in re.sub(r"\D", "", unicodedata.normalize("NFKC", masked))
    return any(re.search(rf"(?<!\w){re.escape(part)}(?!\w)", masked, re.IGNORECASE) for part in plant.left)


class SalonTenant:
    """Whose conversations these are."""

    vertical = "salon"
    names = STAFF


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--conversations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    chance = random.Random(options.seed)
    conversations = [planted(number, chance) for number in range(options.conversations)]
    blob = "\n".join(json.dumps(one.document, ensure_ascii=False) for one in conversations)
    started = time.monotonic()
    masked = asyncio.run(mask_for_eval(blob, SalonTenant())).split("\n")
    seconds = time.monotonic() - started
    seen, gone = Counter[tuple[str, str]](), defaultdict[tuple[str, str], list[str]](list)
    for one, line in zip(conversations, masked, strict=True):
        turns = json.loads(line)["turns"]
        for plants, turn in zip(one.plants, turns, strict=True):
            for plant in plants:
                bad = missed(plant, turn["content"])
                for group in {"", one.language, plant.form}:
                    seen[plant.kind, group] += 1
                    if bad:
                        gone[plant.kind, group].append(f"{plant.written!r} in {turn['content']!r}")
    print(f"{options.conversations} conversations masked in {seconds:.1f} s, seed {options.seed}\n")
    good = True
    for kind, least in LEAST.items():
        for group in sorted(group for other, group in seen if other == kind):
            n, lost = seen[kind, group], gone[kind, group]
            good = good and (group != "" or n - len(lost) >= least * n)
            print(
                f"{kind if not group else '':<10}{group or 'all':<20}{1 - len(lost) / n:>9.2%} of {n:<6}"
                + (f" at least {least:.0%}" if not group else "")
            )
        for example in gone[kind, ""][:5]:
            print(f"{'':<10}missed: {example}")
    print("\nall as it must be" if good else "\nNOT AS IT MUST BE")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
