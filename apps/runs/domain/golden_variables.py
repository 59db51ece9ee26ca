"""Variables of a golden session: what masking takes out of a customer's words, and dates, which would grow old.

In a document they stand as `{{ customer.phone }}` and `{{ day+3 }}` (days after the run's), each listed in
`variables`. When the session is played they are filled from a test identity of the agent and from the run's time, in
every text and argument of it, so that gates, facts and arguments compare filled values.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, timedelta
from typing import Any

from apps.core.errors import BadInput
from apps.core.redaction import MASKED, normalised, redact
from apps.core.timestamps import parse_timestamp

# A person of the agent's tests where its profile has none (`test_identities`). Nobody's: 0700 000 001 is not in use.
DEFAULT_IDENTITY: Mapping[str, str] = {
    "name": "Amina Test",
    "phone": "+254700000001",
    "email": "amina.test@example.com",
    "kra_pin": "A000000001Z",
    "number": "100000001",
    "wa_user": "KE.TESTUSER00000001",
    "wamid": "wamid.TEST0001",
    "secret": "test-secret",
}
FIRST_NAME = "first_name"  # of the identity's name, where it has none of its own
MAX_SHIFT_DAYS = 366  # further from the customer's first date than this, a date in a reply is a fact and no appointment
VARIABLE = re.compile(r"\{\{ (customer\.[a-z_]+(?:_\d{1,3})?|day[+-]\d{1,5}(?: [a-z]+)?) \}\}")
_INTRODUCED = re.compile(
    r"\b(?:[Mm]y name is|[Nn]ame is|[Nn]ame's|I am|I'm|[Tt]his is|[Nn]aitwa|[Jj]ina langu ni|[Mm]i chiamo)\s+"
    r"([A-Z][^\W\d_]+(?:\s+[A-Z][^\W\d_]+){0,2})"
)
_MONTH = "January|February|March|April|May|June|July|August|September|October|November|December"
_DAY = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
_MONTHS, _DAYS = _MONTH.split("|"), _DAY.split("|")
_DATE = re.compile(
    rf"\b(?P<iso>(?:19|20)\d\d-[01]\d-[0-3]\d)\b(?!T)|\b(?:(?P<week>{_DAY}),? )?(?P<d>[0-3]?\d) (?P<m>{_MONTH}) "
    rf"(?P<y>(?:19|20)\d\d)\b|\b(?P<us>{_MONTH}) (?P<ud>[0-3]?\d), (?P<uy>(?:19|20)\d\d)\b"
    r"|\b(?P<sd>[0-3]?\d)/(?P<sm>[01]?\d)/(?P<sy>(?:19|20)\d\d)\b"
)


@dataclass(slots=True)
class _People:
    """Which variable stands for which value, in the order in which they were met; `taken` are the document's own."""

    taken: frozenset[str] = frozenset()
    names: dict[tuple[str, str], str] = field(default_factory=dict)

    def variable(self, kind: str, value: str) -> str:
        key = (kind, _key(kind, value))
        if kind == "name" and key not in self.names:  # "Wanjiru" after "Wanjiru Kamau" is the same person
            whole = (one for one in self.names if one[0] == kind and key[1] in one[1].split())
            key = next(whole, key)
        if key not in self.names:
            used = self.taken | frozenset(self.names.values())
            numbered = (f"customer.{kind}" + (f"_{number}" if number > 1 else "") for number in range(1, 1000))
            self.names[key] = next(one for one in numbered if one not in used)
        return self.names[key]


def with_variables(
    document: Mapping[str, Any], *, captured: datetime, names: Sequence[str] = ()
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """(the document with variables in place of what masking takes out of user turns, and of dates; people's names).

    Replies and arguments get a variable only for values of a user turn, and for dates near one. `captured` is the day
    that dates are counted from where the turns have no time. Pure; masking comes after it.
    """
    turns = [dict(turn) for turn in document.get("turns") or ()]
    said = [str(turn.get("content") or "") for turn in turns if turn.get("role") == "user"]
    people = (*names, *(found for text in said for found in _INTRODUCED.findall(normalised(text))))
    base = _day_of(document, captured)
    asked = sorted(day for text in said for day, _, _ in _dates(text))
    before = dict(document.get("variables") or {})
    persons = _People(taken=frozenset(before))
    for turn in turns:
        if turn.get("role") == "user":
            turn["content"] = _personal(str(turn.get("content") or ""), people, persons)
    values = _spellings(persons)
    variables: dict[str, dict[str, Any]] = before | {
        name: {"fill": "identity", "kind": kind} for (kind, _), name in persons.names.items()
    }

    def shifted(day: date, role: str) -> bool:
        return role == "user" or (bool(asked) and 0 <= (day - asked[0]).days <= MAX_SHIFT_DAYS)

    for turn in turns:
        role = str(turn.get("role"))

        def text_of(text: str, role: str = role) -> str:
            known = text if role == "user" else _known(text, values)
            return _dated(known, base, variables, lambda day: shifted(day, role))

        turn["content"] = text_of(str(turn.get("content") or ""))
        for key in ("tool_calls", "expected_tools", "description"):
            if turn.get(key):
                turn[key] = _mapped(turn[key], text_of)
    variables |= _first_names(turns)
    found = {**document, "turns": turns}
    return (found | {"variables": variables} if variables else found), people


def _first_names(turns: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    shown = {name for turn in turns for name in VARIABLE.findall(str(turn["content"]))}
    return {name: {"fill": "identity", "kind": FIRST_NAME} for name in sorted(shown) if f".{FIRST_NAME}" in name}


def values_for(document: Mapping[str, Any], *, identity: Mapping[str, str], now: datetime) -> dict[str, str]:
    """{variable: its value} of a document's variables. Raises BadInput (`missing_identity`) naming the variable that
    the identity has nothing for."""
    found: dict[str, str] = {}
    for name in document.get("variables") or {}:
        found[name] = _day(name, now) if name.startswith("day") else _of_identity(name, identity)
    return found


def filled(value: Any, values: Mapping[str, str]) -> Any:
    """A JSON value with every variable in its texts filled in; what is no variable of ours stays as it is."""
    if not values:
        return value
    return _mapped(value, lambda text: VARIABLE.sub(lambda match: values.get(match[1], match[0]), text))


def _of_identity(name: str, identity: Mapping[str, str]) -> str:
    key = name.removeprefix("customer.")
    plain = re.sub(r"_\d+$", "", key)
    own = identity.get(key)
    if own:
        return own
    if plain == FIRST_NAME:
        return _of_identity(name.replace(FIRST_NAME, "name", 1), identity).split()[0]
    if key == plain or not identity.get(plain):
        raise BadInput(
            f"the test identity has no {key!r}, which this golden session asks for as {{{{ {name} }}}}: add it to "
            "test_identities of the agent's profile",
            code="missing_identity",
            pointer="/test_identities",
        )
    number = key.rsplit("_", 1)[1]
    return _another(identity[plain], int(number))


def _another(value: str, number: int) -> str:
    """A second value of the kind, told apart by its last figures."""
    return re.sub(r"\d(?=\D*$)", lambda match: str((int(match[0]) + number) % 10), value)


def _personal(text: str, names: Sequence[str], persons: _People) -> str:
    """The text with a variable for everything that masking would take out of it."""
    plain, masked = normalised(text), redact(text, names=names)
    tokens = list(MASKED.finditer(masked))
    if plain == masked or not tokens:
        return text
    pieces = MASKED.split(masked)
    between = re.match("(.+?)".join(re.escape(piece) for piece in pieces) + r"\Z", plain, re.DOTALL)
    if between is None:
        return masked
    found = pieces[0]
    for number, token in enumerate(tokens):
        original = between[number + 1]
        kept = original if original == token[0] else f"{{{{ {persons.variable(_kind(token[0]), original)} }}}}"
        found += kept + pieces[number + 1]
    return found


def _kind(token: str) -> str:
    return token[1:-1] if token.startswith("<") else "phone"


def _key(kind: str, value: str) -> str:
    if kind in ("phone", "number"):
        return re.sub(r"\D", "", value)[-9:]
    return value.casefold()


def _spellings(persons: _People) -> list[tuple[re.Pattern[str], str]]:
    """How each value may stand in a reply: figures of a phone with any signs between them."""
    found = []
    for (kind, key), name in persons.names.items():
        figures = r"[\s.()-]{0,2}".join(key)
        pattern = (
            rf"(?<!\d)(?:\+?254|0)?[\s.()-]{{0,2}}{figures}(?!\d)"
            if kind == "phone"
            else rf"(?<!\w){re.escape(key)}(?!\w)"
        )
        found.append((re.compile(pattern, re.IGNORECASE), f"{{{{ {name} }}}}"))
    for (kind, key), name in persons.names.items():
        if kind == "name" and " " in key:  # "Wanjiru" alone, behind every whole name
            first = name.replace("customer.name", f"customer.{FIRST_NAME}", 1)
            plain = re.escape(key.split()[0].capitalize())
            found.append((re.compile(rf"(?<!\w){plain}(?!\w)"), f"{{{{ {first} }}}}"))
    return found


def _known(text: str, values: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, name in values:
        text = pattern.sub(name, text)
    return text


def _dates(text: str) -> list[tuple[date, str, tuple[int, int]]]:
    """(day, format, span) of every date of a text; impossible ones are words."""
    found = []
    for match in _DATE.finditer(text):
        part = match.groupdict()
        try:
            if part["iso"]:
                day, shape = date.fromisoformat(part["iso"]), ""
            elif part["d"]:
                day = date(int(part["y"]), _MONTHS.index(part["m"]) + 1, int(part["d"]))
                comma = "comma" if part["week"] and f"{part['week']}," in match[0] else "week"
                shape = f"{comma}" if part["week"] else "long"
            elif part["us"]:
                day, shape = date(int(part["uy"]), _MONTHS.index(part["us"]) + 1, int(part["ud"])), "us"
            else:
                day, shape = date(int(part["sy"]), int(part["sm"]), int(part["sd"])), "slash"
        except ValueError:
            continue
        found.append((day, shape, match.span()))
    return found


def _dated(text: str, base: date, variables: dict[str, dict[str, Any]], wanted: Callable[[date], bool]) -> str:
    for day, shape, (start, end) in reversed(_dates(text)):
        if wanted(day):
            name = f"day{(day - base).days:+d}" + (f" {shape}" if shape else "")
            variables[name] = {"fill": "now", "kind": "date"}
            text = f"{text[:start]}{{{{ {name} }}}}{text[end:]}"
    return text


def _day(name: str, now: datetime) -> str:
    shift, _, shape = name.removeprefix("day").partition(" ")
    day = (now.astimezone(UTC) + timedelta(days=int(shift))).date()
    long = f"{day.day} {_MONTHS[day.month - 1]} {day.year}"
    shapes = {
        "long": long,
        "week": f"{_DAYS[day.weekday()]} {long}",
        "comma": f"{_DAYS[day.weekday()]}, {long}",
        "us": f"{_MONTHS[day.month - 1]} {day.day}, {day.year}",
        "slash": f"{day.day:02d}/{day.month:02d}/{day.year}",
    }
    return shapes.get(shape, day.isoformat())


def _day_of(document: Mapping[str, Any], captured: datetime) -> date:
    """The day of the conversation: of its first turn with a time, else the document's `captured_at`, else now."""
    for told in (*(turn.get("ts") for turn in document.get("turns") or ()), document.get("captured_at")):
        if isinstance(told, str):
            try:
                return date.fromisoformat(told) if len(told) == 10 else parse_timestamp(told).date()
            except ValueError:
                continue
    return captured.astimezone(UTC).date()


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return value
