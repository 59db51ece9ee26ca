"""The cases that come from another tool's file, and the parts of it that cannot be taken.

They are a table with a row for each test case.

A reader hands every case to `Collected` with its place in the file; whatever is wrong with one case refuses that case
alone, with the reason.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from apps.catalog.configs.domain.criteria import parse_criterion
from apps.catalog.personas.domain.document import read_persona
from apps.catalog.scenarios.domain.document import read_scenario
from apps.core.digest import sha256_hex
from apps.core.document_parsing import parse_document
from apps.core.errors import BadInput
from apps.core.plurals import many
from apps.core.redaction import redact, redact_value

PASS_BELOW = 7  # the mark of a criterion that another tool only passes or fails: its guide says what 7 is
MAX_CRITERIA = 20
_GUIDE = {
    "0": "It does not hold at all.",
    "3": "It mostly does not hold.",
    "5": "It holds in half of what was said.",
    "7": "It holds, with a slip that does no harm.",
    "10": "It holds wholly.",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ImportRow:
    """One test case of an import: its place, its result and its reason.

    It became a "scenario", "golden", "criterion" or "refused", under a name. `left_out` is the part of a taken case
    that could not be taken, and the part that was masked.
    """

    place: str
    became: str
    name: str = ""
    why: str = ""
    left_out: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        return {
            "place": self.place,
            "became": self.became,
            "name": self.name,
            "why": self.why,
            "left_out": [*self.left_out],
        }


@dataclass(slots=True, kw_only=True)
class ImportedCase:
    """A case from a file: a golden session if it has `turns`, else a scenario.
    `key` names it within its file ("": its content does); a judge decides `criteria`, the customer says `lines`."""

    key: str = ""
    goal: str = ""
    opening: str = ""
    persona: str = ""
    language: str = ""
    lines: list[str] = field(default_factory=list)
    assertions: list[dict[str, Any]] = field(default_factory=list)
    criteria: list[str] = field(default_factory=list)
    turns: list[dict[str, Any]] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


@dataclass(slots=True)
class Collected:
    """The items of a file by section, golden sessions as conversation documents by name, and the table. `masked` says
    whether its texts are of real people: those are masked, and the row says where."""

    source: str
    file: str
    masked: bool = True
    sections: dict[str, dict[str, dict[str, Any]]] = field(
        default_factory=lambda: {"criteria": {}, "personas": {}, "scenarios": {}}
    )
    goldens: dict[str, dict[str, Any]] = field(default_factory=dict)
    rows: list[ImportRow] = field(default_factory=list)

    def refuse(self, place: str, why: str, name: str = "") -> None:
        self.rows.append(ImportRow(place=place, became="refused", name=redact(name)[:100], why=redact(why)[:500]))

    def take(self, place: str, case: ImportedCase) -> None:
        """Keep a case, or refuse it with what is wrong in it."""
        try:
            self._take(place, case)
        except BadInput as error:
            self.refuse(place, error.message, case.key)

    def criterion(self, place: str, text: str) -> None:
        """Add a criterion from a file that holds nothing else."""
        notes: list[str] = []
        try:
            name = self._criterion(self._mask(text, "/criterion", notes))
        except BadInput as error:
            self.refuse(place, error.message)
        else:
            self.rows.append(ImportRow(place=place, became="criterion", name=name, left_out=tuple(notes)))

    def _take(self, place: str, case: ImportedCase) -> None:
        name = self._name(case)
        if name in self.sections["scenarios"] or name in self.goldens:
            raise BadInput("the same case stands earlier in this file")
        notes: list[str] = []
        if case.turns:
            self._golden(name, case, notes)
        else:
            self._scenario(name, place, case, notes)
        became = "golden" if case.turns else "scenario"
        left_out = tuple(note[:500] for note in (*case.left_out, *notes))
        self.rows.append(ImportRow(place=place, became=became, name=name, left_out=left_out))

    def _golden(self, name: str, case: ImportedCase, notes: list[str]) -> None:
        document = {"id": name, "source": self.source, "turns": self._mask(case.turns, "/turns", notes)}
        document |= {"language": case.language} if case.language else {}
        parse_document(document)
        if not any(turn.get("role") == "assistant" for turn in case.turns):
            raise BadInput("no reply of the agent is known, so there is nothing that a replay could be held against")
        self.goldens[name] = document

    def _scenario(self, name: str, place: str, case: ImportedCase, notes: list[str]) -> None:
        if not (case.goal.strip() or case.opening.strip() or case.lines):
            raise BadInput("nothing says what the customer wants or says first")
        raw: dict[str, Any] = {
            "goal": self._mask(case.goal, "/goal", notes),
            "opening": self._mask(case.opening, "/opening", notes),
            "language": case.language,
            "assertions": self._assertions(case.assertions, notes),
            "status": "draft",
            "origin": self.source,
            "provenance": {"file": self.file, "place": place},
        }
        if case.lines:
            raw["turns"] = [*self._mask(case.lines, "/turns", notes), {"end": True}]
        if case.persona.strip():
            persona = {"language": case.language, "text": self._mask(case.persona, "/persona", notes)}
            read_persona(persona)
            raw["persona"] = name
        texts = list(
            dict.fromkeys(self._mask(criterion, f"/criteria/{n}", notes) for n, criterion in enumerate(case.criteria))
        )
        if len(texts) > MAX_CRITERIA:
            notes.append(f"{len(texts) - MAX_CRITERIA} criteria: a scenario has {MAX_CRITERIA} at most")
        read_scenario(raw)
        raw["must_not"] = [{"criterion": self._criterion(text), "below": PASS_BELOW} for text in texts[:MAX_CRITERIA]]
        if case.persona.strip():
            self.sections["personas"][name] = persona
        self.sections["scenarios"][name] = raw

    def _assertions(self, assertions: Sequence[dict[str, Any]], notes: list[str]) -> list[dict[str, Any]]:
        """Leave out assertions about personal data: no reply could hold their masked text.

        A pattern is read as the text it was escaped from, else a phone in it is no phone.
        """
        if not self.masked:
            return [*assertions]
        plain = [assertion for assertion in assertions if redact_value(read := _unescaped(assertion)) == read]
        if len(plain) < len(assertions):
            left_out = many(len(assertions) - len(plain), "assertion")
            notes.append(f"personal data in /assertions: {left_out} left out, since no reply could hold it masked")
        return plain

    def _criterion(self, text: str) -> str:
        name = f"{self.source.replace('-', '_')}_{_slug(text, 40)}_{sha256_hex(text)[:6]}"
        content = {
            "domain": self.source,
            "texts": {"en": {"description": text, "scoring_guide": _GUIDE}},
        }
        parse_criterion(content)
        self.sections["criteria"][name] = content
        return name

    def _name(self, case: ImportedCase) -> str:
        content = [case.goal, case.opening, case.persona, case.turns, case.assertions, case.criteria]
        content += [case.lines] if case.lines else []  # names of what had none stay
        if case.key and _slug(case.key, 60, "-") == case.key.lower():
            return f"{self.source}-{case.key.lower()}"
        label = _slug(redact(case.key or case.opening or case.goal), 40, "-")
        return f"{self.source}-{label}-{sha256_hex([case.key, content])[:8]}"

    def _mask(self, value: Any, where: str, notes: list[str]) -> Any:
        if not self.masked:
            return value
        masked = redact(value) if isinstance(value, str) else redact_value(value)
        if masked != value and (not isinstance(value, str) or _differs(masked, value)):
            notes.append(f"personal data in {where}: masked")
        return masked


def section_counts(created: Mapping[str, int]) -> list[str]:
    """Write {section: how many} as `1 criterion`, `2 golden sessions`."""
    one = {"criteria": "criterion"}
    return [
        many(count, one.get(name, name.removesuffix("s")).replace("_", " "), name.replace("_", " "))
        for name, count in created.items()
    ]


def texts_of(value: Any) -> list[str]:
    """A text, or a list of texts and numbers, as texts; anything else gives none."""
    listed = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    if any(isinstance(one, bool | Mapping | list) or one is None for one in listed):
        return []
    return [text for one in listed if (text := scalar_text(one)).strip()]


def scalar_text(value: Any) -> str:
    """A value as a template of JavaScript writes it: `true`, 5 for 5.0, nothing for null."""
    if value is None or isinstance(value, bool):
        return "" if value is None else str(value).lower()
    return str(int(value)) if isinstance(value, float) and value.is_integer() else str(value)


def _unescaped(assertion: Mapping[str, Any]) -> dict[str, Any]:
    if assertion.get("match") != "regex":
        return dict(assertion)
    return {**assertion, "said": [re.sub(r"\\([^\w])", r"\1", one) for one in assertion["said"]]}


def _differs(masked: str, text: str) -> bool:
    return "".join(masked.split()) != "".join(text.split())


def _slug(text: str, most: int, sign: str = "_") -> str:
    plain = re.sub(r"[^a-z0-9]+", sign, text.lower()).strip(sign)
    return plain[:most].strip(sign) or "case"
