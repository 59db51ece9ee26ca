"""The parts of a saved view: an address of this site and a name. Pure."""

from dataclasses import dataclass
from urllib.parse import parse_qsl, urlencode, urlsplit

from apps.core.errors import BadInput

MAX_NAME = 80
MAX_PATH = 300
MAX_QUERY = 4_000  # characters; proxies and chats cut longer addresses
MAX_VIEWS = 200  # of one person
_NOT_PART_OF_A_VIEW = frozenset(
    {"p", "page", "_popup", "_to_field", "e"}
)  # which page of the rows, and the admin's own


@dataclass(frozen=True, slots=True)
class ViewAddress:
    """A path of this site and its query, without the page number."""

    path: str
    query: str


def read_view_address(text: str) -> ViewAddress:
    """The address a person is at. Raises BadInput for one of another site, and for one that is too long."""
    pointer = "/address"
    if not text.startswith("/") or text.startswith(("//", "/\\")) or not text.isprintable():
        raise BadInput("a view is an address of this site, such as /admin/runs/testrun/?status=failed", pointer=pointer)
    parts = urlsplit(text)
    pairs = [(name, value) for name, value in parse_qsl(parts.query) if name not in _NOT_PART_OF_A_VIEW]
    query = urlencode(pairs)
    if len(parts.path) > MAX_PATH or len(query) > MAX_QUERY:
        raise BadInput(f"this address is longer than {MAX_QUERY} characters: filter for less", pointer=pointer)
    return ViewAddress(parts.path, query)


def read_view_name(text: str) -> str:
    """Return a view's name in one line. Raises BadInput for none, and for one that is too long."""
    name = " ".join(text.split())
    if not name or len(name) > MAX_NAME or not name.isprintable():
        raise BadInput(f"a view needs a name of 1 to {MAX_NAME} characters", pointer="/name")
    return name
