"""What a key may do."""

from enum import StrEnum


class KeyScope(StrEnum):
    """What an API key may do. A key that writes does not read unless it has both."""

    READ = "read"
    WRITE = "write"
