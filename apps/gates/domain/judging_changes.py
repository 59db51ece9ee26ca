"""A change's alterations to its own judging: every output tells them, and a person decides about them. Pure.

A change does not choose its judge: the versions of the merge base decide, and this is the list of what the change has
otherwise. Where a curator accepted the list for this commit, the commit's own versions decide.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Annotated, Any

from annotated_types import MaxLen

from apps.core.digest import sha256_hex
from apps.core.portable.first_names import listed
from apps.core.shapes import Flag, Shape, Text, described

NAMES_SHOWN = 5


class ChangeKind(StrEnum):
    """`rule`: a field of the gate's rule. `scenario_added`: one that did not stand at the merge base: what fails in it
    counts, and it enters no mean. `file`: a file that takes part in deciding and cannot be taken from the merge base,
    since the agent's own process reads it. `tampered`: what was written to while the agents were played; nobody
    accepts that. `asserts_less`: fewer assertions than earlier gates held, and `drifted`: a lower score than the
    oldest of them compared with; the server says these."""

    RULE = "rule"
    CONFIG = "config"
    CHECKS = "checks"
    AGENT = "agent"
    CONFIGURATION = "configuration"
    SCENARIO = "scenario"
    SCENARIO_REMOVED = "scenario_removed"
    SCENARIO_ADDED = "scenario_added"
    CATALOG = "catalog"
    FILE = "file"
    TAMPERED = "tampered"
    ASSERTS_LESS = "asserts_less"
    DRIFTED = "drifted"


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgingChange(Shape):
    """One thing that decides and that a change alters. `less`: it asks less than before, as far as that can be read.
    `digest` is of both contents: an acceptance holds for exactly these."""

    kind: ChangeKind
    name: Annotated[Text, MaxLen(300)]
    what: Annotated[Text, MaxLen(1000), described("In words: what is otherwise.")] = ""
    before: Annotated[Text, MaxLen(300)] = ""
    after: Annotated[Text, MaxLen(300)] = ""
    less: Annotated[Flag, described("It asserts less than at the merge base.")] = False
    digest: Annotated[Text, MaxLen(64)] = ""

    def as_json(self) -> dict[str, Any]:
        """The change as JSON, as it is stored and shown."""
        return {**asdict(self), "kind": self.kind.value}

    @property
    def identity(self) -> tuple[str, str, str, str, str]:
        """The values by which an acceptance is compared with this change."""
        return (self.kind.value, self.name, self.before, self.after, self.digest)


def read_changes(stored: Iterable[Mapping[str, Any]]) -> list[JudgingChange]:
    """Read the changes from stored rows."""
    return [JudgingChange(**{**one, "kind": ChangeKind(one["kind"])}) for one in stored]


def changes_digest(changes: Iterable[JudgingChange]) -> str:
    """Return a digest of the changes that does not depend on their order."""
    return sha256_hex(sorted(list(change.identity) for change in changes))


def not_accepted(changes: Iterable[JudgingChange], accepted: Iterable[JudgingChange]) -> list[JudgingChange]:
    """Return the changes that the accepted list does not hold exactly as they are."""
    known = {change.identity for change in accepted}
    return [change for change in changes if change.identity not in known]


def tampered(changes: Iterable[JudgingChange]) -> list[str]:
    """The names of the things that were tampered with while the agents were played."""
    return [change.name for change in changes if change.kind is ChangeKind.TAMPERED]


def change_sentences(changes: Sequence[JudgingChange]) -> list[str]:
    """The list in words, what asks less first; names are text of others and are escaped by whoever shows them."""
    less = [change for change in changes if change.kind is ChangeKind.SCENARIO and change.less]
    same = [change for change in changes if change.kind is ChangeKind.SCENARIO and not change.less]
    sentences = [
        _counted(less, "scenario asserts less", "scenarios assert less", " than at the merge base"),
        _counted(_of(changes, ChangeKind.SCENARIO_REMOVED), "scenario is taken away", "scenarios are taken away"),
        _counted(
            _of(changes, ChangeKind.SCENARIO_ADDED),
            "scenario is new: a hard failure in it counts, and it enters no mean",
            "scenarios are new: a hard failure in them counts, and they enter no mean",
        ),
        _moved(_of(changes, ChangeKind.RULE), "The rule of the gate changes"),
        _moved(_of(changes, ChangeKind.CONFIG), "The evaluator config changes"),
        _moved(_of(changes, ChangeKind.CHECKS), "The checks that every scenario has change"),
        _moved(_of(changes, ChangeKind.AGENT), "How the agent is reached changes"),
        _moved(_of(changes, ChangeKind.CONFIGURATION), "The configuration"),
        _counted(same, "scenario changes", "scenarios change"),
        _counted(
            _of(changes, ChangeKind.CATALOG),
            "entry beside the scenarios changes",
            "entries beside the scenarios change",
        ),
        _counted(
            _of(changes, ChangeKind.FILE),
            "file that takes part in deciding changes, and is used as this commit has it",
            "files that take part in deciding change, and are used as this commit has them",
        ),
        _moved(_of(changes, ChangeKind.ASSERTS_LESS), "Assertions that gates before held"),
        _moved(_of(changes, ChangeKind.DRIFTED), "The score fell step by step"),
        _counted(_of(changes, ChangeKind.TAMPERED), "thing was tampered with", "things were tampered with"),
    ]
    return [sentence for sentence in sentences if sentence]


def standing_sentence(*, accepted_by: str, changes: Sequence[JudgingChange]) -> str:
    """Say in a sentence whose versions decided; "" where nothing that decides was altered."""
    if not changes:
        return ""
    if accepted_by:
        return f"{accepted_by} accepted what this change alters of what decides: this commit's own versions decided."
    if all(change.kind is ChangeKind.FILE for change in changes):
        return "This change alters files that take part in deciding about it."
    if all(change.kind in (ChangeKind.ASSERTS_LESS, ChangeKind.DRIFTED) for change in changes):
        return "This change alters nothing of what decides; gates before it held more. A curator may accept that."
    if all(change.kind is ChangeKind.SCENARIO_ADDED for change in changes):
        return "This change alters nothing that stood before it, and brings scenarios of its own."
    return (
        "This change also alters what it is judged by. The versions of the merge base judged it; if the new ones are "
        "wanted, a curator accepts them on the gate's page, and it is judged again."
    )


def new_cases(changes: Iterable[JudgingChange]) -> frozenset[str]:
    """The names of the cases that the change brought itself."""
    return frozenset(change.name for change in changes if change.kind is ChangeKind.SCENARIO_ADDED)


def change_notes(changes: Sequence[JudgingChange], *, accepted_by: str) -> list[str]:
    """Say whose versions decided, then list the changes in words; [] where none alters the decision."""
    return [standing_sentence(accepted_by=accepted_by, changes=changes), *change_sentences(changes)] if changes else []


def _of(changes: Sequence[JudgingChange], kind: ChangeKind) -> list[JudgingChange]:
    return [change for change in changes if change.kind is kind]


def _counted(changes: Sequence[JudgingChange], one: str, many: str, more: str = "") -> str:
    if not changes:
        return ""
    names = (f"{change.name} ({change.what})" if change.what else change.name for change in changes)
    return f"{len(changes)} {one if len(changes) == 1 else many}{more}: {listed(names, NAMES_SHOWN)}."


def _moved(changes: Sequence[JudgingChange], what: str) -> str:
    if not changes:
        return ""
    parts = [_move(change) for change in changes[:NAMES_SHOWN]]
    rest = f" and {len(changes) - NAMES_SHOWN} more" if len(changes) > NAMES_SHOWN else ""
    return f"{what}: {'; '.join(parts)}{rest}."


def _move(change: JudgingChange) -> str:
    if change.before or change.after:
        what = f" ({change.what})" if change.what else ""
        return f"{change.name} {change.before or 'unset'} → {change.after or 'unset'}{what}"
    return f"{change.name} {change.what}".strip()
