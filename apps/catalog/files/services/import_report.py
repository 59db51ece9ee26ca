"""The report of an import."""

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class ImportReport:
    """The results of an import, by section; `notes` are for the person who started it.

    `what` says of each updated item which of its fields (of a config: which versions) differ.
    """

    created: dict[str, list[str]] = field(default_factory=dict)
    updated: dict[str, list[str]] = field(default_factory=dict)
    unchanged: int = 0
    notes: list[str] = field(default_factory=list)
    what: dict[tuple[str, str], list[str]] = field(default_factory=dict)

    def count(self, section: str, name: str, done: str, fields: Sequence[str] = ()) -> None:
        if done == "updated":
            self.what[section, name] = list(fields)
        if done == "unchanged":
            self.unchanged += 1
        else:
            (self.created if done == "created" else self.updated).setdefault(section, []).append(name)

    @property
    def new_items(self) -> list[tuple[str, str]]:
        return [(section, name) for section, names in self.created.items() for name in names]

    @property
    def changed_items(self) -> list[tuple[str, str, list[str]]]:
        return [(at[0], at[1], fields) for at, fields in self.what.items()]

    @property
    def changed(self) -> bool:
        return bool(self.created or self.updated)
