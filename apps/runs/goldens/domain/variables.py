"""Variables of a golden session: what masking takes out of a customer's words, and dates, which would grow old.

In a document they stand as `{{ customer.phone }}` and `{{ day+3 }}` (days after the run's), each listed in
`variables`. When the session is played they are filled from a test identity of the agent and from the run's time, in
every text and argument of it, so that gates, facts and arguments compare filled values.
"""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from typing import Any

from apps.core.errors import BadInput
from apps.core.timestamps import parse_timestamp
from apps.runs.goldens.domain.dates import WrittenDate, dates_in, write_date
from apps.runs.goldens.domain.people import FIRST_NAME, LAST_NAME, People, introduced, personal, spellings, whole_names

# A person of the agent's tests where its profile has none (`test_identities`). Nobody's: 0700 000 001 is not in use.
DEFAULT_IDENTITY: Mapping[str, str] = {
    "name": "Amina Test",
    "phone": "+254700000001",
    "email": "amina.test@example.com",
    "kra_pin": "A000000001Z",
    "wa_user": "KE.TESTUSER00000001",
    "wamid": "wamid.TEST0001",
    "secret": "test-secret",
}
# Further people who are nobody. A number is one of the agent's own orders or cases: nobody can be shipped who has it.
_OTHERS = {f"name_{number}": name for number, name in enumerate(("Juma Test", "Zawadi Test", "Baraka Test"), start=2)}
NUMBER = "number"
PROOF_IDENTITY: Mapping[str, str] = {**DEFAULT_IDENTITY, **_OTHERS, NUMBER: "100000001"}  # to prove gates with
MAX_SHIFT_DAYS = 366  # further from the customer's first date than this, a date in a reply is a fact and no appointment
NEAR_DAYS = 14  # the same where it has no year: "closed on 25 December" is a fact of every year
VARIABLE = re.compile(r"\{\{ (customer\.[a-z_]+(?:_\d{1,3})?|day[+-]\d{1,5}(?: with[+-]\d{1,5})?(?: [a-z]+){0,2}) \}\}")


def with_variables(
    document: Mapping[str, Any], *, captured: datetime, names: Sequence[str] = ()
) -> tuple[dict[str, Any], tuple[str, ...]]:
    """Return the document with variables in place of personal values and of dates, and the people's names.

    The values are those that masking takes out of user turns. Replies and arguments get a variable only for values of a
    user turn, and for dates near one. `captured` is the day that dates are counted from where the turns have no time.
    Pure; masking comes after it.
    """
    turns = [dict(turn) for turn in document.get("turns") or ()]
    customer_lines = [str(turn.get("content") or "") for turn in turns if turn.get("role") == "user"]
    introduced_names, parts = introduced(customer_lines, [str(turn.get("content") or "") for turn in turns])
    people = (*names, *introduced_names)
    base = own_day(document) or captured.astimezone(UTC).date()
    named = sorted(written_date.day for text in customer_lines for written_date in dates_in(text, near=base))
    before = dict(document.get("variables") or {})
    persons = People(taken=frozenset(before), parts=parts)
    whole_names(turns, people, persons)
    for turn in turns:
        if turn.get("role") == "user":
            turn["content"] = personal(str(turn.get("content") or ""), people, persons)
    values = spellings(persons)
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
    variables |= _name_parts(turns)
    with_turns = {**document, "turns": turns}
    return (with_turns | {"variables": variables} if variables else with_turns), people


def _moves(written_date: WrittenDate, role: str, named: Sequence[date]) -> bool:
    """Tell whether a date moves with the day of the replay.

    What the customer says does, and what is close to it (`named`, in order).
    """
    if role == "user" or not named:
        return role == "user"
    if written_date.has_year:
        return 0 <= (written_date.day - named[0]).days <= MAX_SHIFT_DAYS
    return any(abs((written_date.day - day).days) <= NEAR_DAYS for day in named)


def _name_parts(turns: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, Any]]:
    """Variables of first and last names, which stand for no value of their own."""
    shown = {name for turn in turns for name in VARIABLE.findall(json.dumps(turn, ensure_ascii=False))}
    kinds = {name: re.sub(r"_\d+$", "", name.removeprefix("customer.")) for name in sorted(shown)}
    return {name: {"fill": "identity", "kind": kind} for name, kind in kinds.items() if kind in (FIRST_NAME, LAST_NAME)}


def values_for(document: Mapping[str, Any], *, identity: Mapping[str, str], now: datetime) -> dict[str, str]:
    """Return {variable: its value} of a document's variables.

    Raises BadInput (`missing_identity`) that names a variable for which the identity has nothing.
    """
    values: dict[str, str] = {}
    for name in document.get("variables") or {}:
        values[name] = _day(name, now) if name.startswith("day") else _of_identity(name, identity)
    return values


def shown_values(document: Mapping[str, Any], *, now: datetime) -> dict[str, str]:
    """The values of a replay of today where the shipped person has them: to show what it would say."""
    values: dict[str, str] = {}
    for name in document.get("variables") or {}:
        try:
            values |= values_for({"variables": {name: {}}}, identity=DEFAULT_IDENTITY, now=now)
        except BadInput:
            continue  # shown as it is written
    return values


def needed_of_an_identity(document: Mapping[str, Any]) -> tuple[str, ...]:
    """The values that the agent's test identity must have for this golden session, because the shipped person lacks
    them."""
    names = [name for name in document.get("variables") or {} if not name.startswith("day")]
    values = shown_values(document, now=datetime.min.replace(tzinfo=UTC, year=2000))
    return tuple(name.removeprefix("customer.") for name in names if name not in values)


def day_parts(name: str) -> tuple[int, int | None, str]:
    """Split a variable such as `day+3 with+1 th` into days, days of its partner, and shape.

    Days count from the run's. The partner is the date whose month it shares; None without one.
    """
    shift, _, rest = name.removeprefix("day").partition(" ")
    if not rest.startswith("with"):
        return int(shift), None, rest
    partner, _, shape = rest.removeprefix("with").partition(" ")
    return int(shift), int(partner), shape


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
    if plain in (FIRST_NAME, LAST_NAME):
        words = _of_identity(name.replace(plain, "name", 1), identity).split()
        return words[0] if plain == FIRST_NAME else words[-1]
    other = _OTHERS.get(key) if identity is DEFAULT_IDENTITY else None
    if other is not None:
        return other
    base, _, place = key.rpartition("_")
    second = _another(identity[plain], int(place)) if base == plain != NUMBER and identity.get(plain) else None
    if second is None or second == identity[plain]:  # two people would be one, or a number one that nobody has
        raise BadInput(
            f"the test identity has no {key!r}, which this golden session asks for as {{{{ {name} }}}}: add it to "
            "test_identities of the agent's profile",
            code="missing_identity",
            pointer="/test_identities",
        )
    return second


def _another(value: str, number: int) -> str:
    """A second value of the kind, told apart by its last figures."""
    return re.sub(r"\d(?=\D*$)", lambda match: str((int(match[0]) + number) % 10), value)


def _known(text: str, values: Sequence[tuple[re.Pattern[str], str]]) -> str:
    for pattern, name in values:
        text = pattern.sub(name, text)
    return text


def _dated(text: str, base: date, variables: dict[str, dict[str, Any]], wanted: Callable[[WrittenDate], bool]) -> str:
    for written_date in reversed(dates_in(text, near=base)):
        partner = written_date.partner
        if wanted(written_date) or (
            partner is not None and wanted(replace(written_date, day=partner))
        ):  # a range moves whole
            name = f"day{(written_date.day - base).days:+d}"
            name += f" with{(partner - base).days:+d}" if partner is not None and written_date.shares_month else ""
            name += f" {written_date.shape}" if written_date.shape else ""
            variables[name] = {"fill": "now", "kind": "date"}
            start, end = written_date.span
            text = f"{text[:start]}{{{{ {name} }}}}{text[end:]}"
    return text


def _day(name: str, now: datetime) -> str:
    shift, partner, shape = day_parts(name)
    today = now.astimezone(UTC).date()
    other = None if partner is None else today + timedelta(days=partner)
    return write_date(today + timedelta(days=shift), shape, partner=other)


def own_day(document: Mapping[str, Any]) -> date | None:
    """The day of the conversation as the document says it: of its first turn with a time, else its `captured_at`."""
    for stamp in (*(turn.get("ts") for turn in document.get("turns") or ()), document.get("captured_at")):
        if isinstance(stamp, str):
            try:
                return date.fromisoformat(stamp) if len(stamp) == 10 else parse_timestamp(stamp).date()
            except ValueError:
                continue
    return None


def _mapped(value: Any, change: Callable[[str], str]) -> Any:
    if isinstance(value, str):
        return change(value)
    if isinstance(value, Mapping):
        return {key: _mapped(item, change) for key, item in value.items()}
    if isinstance(value, list):
        return [_mapped(item, change) for item in value]
    return value
