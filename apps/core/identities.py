"""Tell which of some texts are ids."""

import uuid
from collections.abc import Iterable


def uuids_among(texts: Iterable[str]) -> list[uuid.UUID]:
    """Return the texts that are UUIDs in any spelling that a lookup would take, each once, in their order."""
    ids_read = (uuid_in(text) for text in texts)
    return list(dict.fromkeys(one for one in ids_read if one is not None))


def uuid_in(text: str) -> uuid.UUID | None:
    """The id that a text is; None where it is none."""
    try:
        return uuid.UUID(text)
    except ValueError:
        return None
