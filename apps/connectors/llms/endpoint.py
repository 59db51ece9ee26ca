"""A model's address from what people paste as its base URL. Pure."""

from urllib.parse import urlsplit, urlunsplit

OPENAI_URL = "https://api.openai.com/v1"


def endpoint(base: str, path: str) -> str:
    """Return the address of `path` under a base URL.

    A part of the path that the base ends with already (a whole endpoint that was pasted, its `/v1`) is not said twice,
    and the base's query string stays at the end.
    """
    parts = urlsplit(base.strip())
    have, wanted = [part for part in parts.path.split("/") if part], path.strip("/").split("/")
    most = min(len(have), len(wanted))
    shared = next((count for count in range(most, 0, -1) if have[-count:] == wanted[:count]), 0)
    return urlunsplit(parts._replace(path="/" + "/".join([*have, *wanted[shared:]]), fragment=""))


def is_openais_own(base: str | None) -> bool:
    """Tell whether OpenAI's own models answer there: at its own address (also where none is said), or at Azure."""
    return not base or endpoint(base, "/x") == endpoint(OPENAI_URL, "/x") or is_azure(base)


def is_azure(base: str) -> bool:
    """Tell whether the address is Azure's: its key goes in a header of its own."""
    parts = urlsplit(base)
    return (parts.hostname or "").endswith((".openai.azure.com", ".cognitiveservices.azure.com")) or (
        "/openai/deployments/" in parts.path
    )
