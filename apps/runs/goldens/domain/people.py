"""The people of a golden session, and the variables in place of words that masking takes out. Pure."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.core.redaction import MASKED, normalised, redact

NAME, FIRST_NAME, LAST_NAME = (
    "name",
    "first_name",
    "last_name",
)  # the last two are of the name
_NAMED = r"\s+([A-Z][^\W\d_]+(?:\s+[A-Z][^\W\d_]+){0,2})"
_INTRODUCED = re.compile(
    r"\b(?:[Mm]y name is|[Nn]ame is|[Nn]ame's|I am|I'm|[Tt]his is|[Nn]aitwa|[Jj]ina langu ni|[Mm]i chiamo)" + _NAMED
)
_PART = {
    FIRST_NAME: re.compile(r"\b(?:[Ff]irst|[Gg]iven) name(?: is|'s|:)?" + _NAMED),
    LAST_NAME: re.compile(r"\b(?:(?:[Ll]ast|[Ff]amily|[Ss]econd) name|[Ss]urname)(?: is|'s|:)?" + _NAMED),
}
# A word that stands behind one of these in small letters is no name: "find a doctor".
_ARTICLES = r"\b(?:a|an|the|my|your|our|any|another|un|uno|una|il)\s+"


@dataclass(slots=True)
class People:
    """Variables and their values, in the order in which they were met.

    `taken` are the document's own variables, `parts` the names that were told as a first or a last one, `words` how
    each value was written first.
    """

    taken: frozenset[str] = frozenset()
    parts: Mapping[str, str] = field(default_factory=dict)
    names: dict[tuple[str, str], str] = field(default_factory=dict)
    words: dict[str, str] = field(default_factory=dict)

    def variable(self, kind: str, value: str) -> str:
        key, part = (kind, _key(kind, value)), ""
        if kind == NAME and key not in self.names:
            whole = next((one for one in self.names if one[0] == NAME and _is_part(key[1], one[1])), None)
            part = self.parts.get(key[1], "") if whole is None else _part_of(key[1], whole[1])
            if whole is not None:
                name = self.names[whole].replace("customer.name", f"customer.{part}", 1)
                self.words.setdefault(name, value)
                return name
            key = (part or kind, key[1])
        if key not in self.names:
            used = self.taken | frozenset(self.names.values())
            numbered = (f"customer.{key[0]}" + (f"_{number}" if number > 1 else "") for number in range(1, 1000))
            self.names[key] = next(one for one in numbered if one not in used)
        self.words.setdefault(self.names[key], value)
        return self.names[key]


def introduced(said: Sequence[str], texts: Sequence[str]) -> tuple[tuple[str, ...], dict[str, str]]:
    """Return the names by which people introduce themselves, and which of them are first or last names.

    The second is {a name: first_name or last_name}. A word that is also used as an ordinary word anywhere in the
    conversation is no name.
    """
    lines = [normalised(text) for text in said]
    parts = {
        name.casefold(): kind for kind, pattern in _PART.items() for text in lines for name in pattern.findall(text)
    }
    introduced_names = [name for text in lines for name in _INTRODUCED.findall(text)] + [
        name for pattern in _PART.values() for text in lines for name in pattern.findall(text)
    ]
    everything = "\n".join(normalised(text) for text in texts)
    names = (" ".join(word for word in name.split() if not _is_ordinary(word, everything)) for name in introduced_names)
    return tuple(dict.fromkeys(name for name in names if name)), parts


def _is_ordinary(word: str, text: str) -> bool:
    return re.search(rf"{_ARTICLES}{re.escape(word.lower())}s?\b", text) is not None


def _is_part(word: str, name: str) -> bool:
    return word != name and word in name.split()


def _part_of(word: str, name: str) -> str:
    words = name.split()
    return FIRST_NAME if word == words[0] else LAST_NAME if word == words[-1] else NAME


def whole_names(turns: Sequence[Mapping[str, Any]], people: Sequence[str], persons: People) -> None:
    """Meet the whole names of the customer's turns first: "Wanjiru" is the same person as "Wanjiru Kamau" later."""
    met = People()
    for turn in turns:
        if turn.get("role") == "user":
            personal(str(turn.get("content") or ""), people, met)
    for (kind, key), name in met.names.items():
        if kind == NAME and " " in key:
            persons.variable(NAME, met.words[name])


def personal(text: str, names: Sequence[str], persons: People) -> str:
    """The text with a variable for everything that masking would take out of it."""
    plain, masked = normalised(text), redact(text, names=names)
    tokens = list(MASKED.finditer(masked))
    if plain == masked or not tokens:
        return text
    pieces = MASKED.split(masked)
    between = re.match("(.+?)".join(re.escape(piece) for piece in pieces) + r"\Z", plain, re.DOTALL)
    if between is None:
        return masked
    first_piece = pieces[0]
    for number, token in enumerate(tokens):
        original = between[number + 1]
        written_name = original if original == token[0] else f"{{{{ {persons.variable(_kind(token[0]), original)} }}}}"
        first_piece += written_name + pieces[number + 1]
    return first_piece


def _kind(token: str) -> str:
    return token[1:-1] if token.startswith("<") else "phone"


def _key(kind: str, value: str) -> str:
    if kind in ("phone", "number"):
        return re.sub(r"\D", "", value)[-9:]
    return value.casefold()


def spellings(persons: People) -> list[tuple[re.Pattern[str], str]]:
    """Return the patterns by which each value may occur in a reply.

    The figures of a phone may have any signs between them.
    """
    patterns = []
    for (kind, key), name in persons.names.items():
        figures = r"[\s.()-]{0,2}".join(key)
        pattern = rf"(?<!\w){re.escape(key)}(?!\w)"
        if kind == "phone":
            pattern = rf"(?<!\d)(?:\+?254|0)?[\s.()-]{{0,2}}{figures}(?!\d)"
        elif kind == "number":  # "#W7181492": letters may stand before it
            pattern = rf"(?<!\d)\d{{0,11}}{key}(?!\d)"
        patterns.append((re.compile(pattern, re.IGNORECASE), f"{{{{ {name} }}}}"))
    for (kind, key), name in persons.names.items():
        if kind == NAME and " " in key:  # "Wanjiru" or "Kamau" alone, behind every whole name
            for part, word in ((FIRST_NAME, key.split()[0]), (LAST_NAME, key.split()[-1])):
                variable = name.replace("customer.name", f"customer.{part}", 1)
                plain = re.escape(word.capitalize())
                patterns.append((re.compile(rf"(?<!\w){plain}(?!\w)"), f"{{{{ {variable} }}}}"))
    return patterns
