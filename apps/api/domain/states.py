"""What a key may do."""

from enum import StrEnum


class KeyScope(StrEnum):
    """What an API key may do. None holds another: a key that writes does not read unless it has both.

    WRITE starts and steers what is a run's own. CURATE changes what the whole team tests and judges with: catalog,
    golden sessions, personas, prompts. Continuous integration has READ and WRITE, so that no pull request can.
    """

    READ = "read"
    WRITE = "write"
    CURATE = "curate"


CI_SCOPES = (KeyScope.READ, KeyScope.WRITE)  # of a new key, where nobody says otherwise
