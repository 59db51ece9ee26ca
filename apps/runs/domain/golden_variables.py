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
from apps.runs.domain.golden_dates import WrittenDate, dates_in, write_date

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
NEAR_DAYS = 14  # the same where it has no year: "closed on 25 December" is a fact of every year
VARIABLE = re.compile(r"\{\{ (customer\.[a-z_]+(?:_\d{1,3})?|day[+-]\d{1,5}(?: [a-z]+){0,2}) \}\}")
_INTRODUCED = re.compile(
    r"\b(?:[Mm]y name is|[Nn]ame is|[Nn]ame's|I am|I'm|[Tt]his is|[Nn]aitwa|[Jj]ina langu ni|[Mm]i chiamo)\s+"
    r"([A-Z][^\W\d_]+(?:\s+[A-Z][^\W\d_]+){0,2})"
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
    named = sorted(one.day for text in said for one in dates_in(text, near=base))
    before = dict(document.get("variables") or {})
    persons = _People(taken=frozenset(before))
    for turn in turns:
        if turn.get("role") == "user":
            turn["content"] = _personal(str(turn.get("content") or ""), people, persons)
    values = _spellings(persons)
    variables: dict[str, dict[str, Any]] = before | {
        name: {"fill": "identity", "kind": kind} for (kind, _), name in persons.names.items()
    }

    for turn in turns:
        role = str(turn.get("role"))

        def text_of(text: str, role: str = role) -> str:
            known = text if role == "user" else _known(text, values)
            return _dated(known, base, variables, lambda one: _moves(one, role, named))

        turn["content"] = text_of(str(turn.get("content") or ""))
        for key in ("tool_calls", "expected_tools", "description"):
            if turn.get(key):
                turn[key] = _mapped(turn[key], text_of)
    variables |= _first_names(turns)
    found = {**document, "turns": turns}
    return (found | {"variables": variables} if variables else found), people


def _moves(one: WrittenDate, role: str, named: Sequence[date]) -> bool:
    """Whether a date moves with the day of the replay: what the customer says does, and what is close to it (`named`,
    in order)."""
    if role == "user" or not named:
        return role == "user"
    if one.has_year:
        return 0 <= (one.day - named[0]).days <= MAX_SHIFT_DAYS
    return any(abs((one.day - day).days) <= NEAR_DAYS for day in named)


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


def _dated(text: str, base: date, variables: dict[str, dict[str, Any]], wanted: Callable[[WrittenDate], bool]) -> str:
    for one in reversed(dates_in(text, near=base)):
        if wanted(one):
            name = f"day{(one.day - base).days:+d}" + (f" {one.shape}" if one.shape else "")
            variables[name] = {"fill": "now", "kind": "date"}
            start, end = one.span
            text = f"{text[:start]}{{{{ {name} }}}}{text[end:]}"
    return text


def _day(name: str, now: datetime) -> str:
    shift, _, shape = name.removeprefix("day").partition(" ")
    return write_date((now.astimezone(UTC) + timedelta(days=int(shift))).date(), shape)


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
