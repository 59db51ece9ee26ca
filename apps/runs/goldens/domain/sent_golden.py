"""A golden session as somebody sends it. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class SentGoldenFiles:
    """A golden session that a client sent.

    `document` is the document's name, `files` the texts by name (the document, the profile that it names),
    `attachments` the uploads in it.
    """

    document: str
    files: Mapping[str, str]
    attachments: Mapping[str, bytes] = field(default_factory=dict, repr=False)
