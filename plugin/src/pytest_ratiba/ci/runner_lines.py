"""Lines on a runner's log. GitHub's and GitLab's runners take some of what a step prints for commands (`::add-mask::`,
`##[error]`, `##vso[…]`); names of a pull request and words of models must never become one."""

import re
import sys
from typing import TextIO

_COMMAND = re.compile(r"^(\s*):(?=:)|##(?=\[|vso\[)", re.MULTILINE)


def harmless(text: object) -> str:
    """The same text, in which no line is a command of a runner and nothing steers a terminal. Lines stay lines."""
    shown = "".join(one if one.isprintable() or one in "\n\t" else " " for one in str(text))
    return _COMMAND.sub(lambda found: f"{found[1]}\\:" if found[1] is not None else "#\\#", shown)


def say(text: object, *, to: TextIO | None = None) -> None:
    """Print text that holds words of others."""
    print(harmless(text), file=to or sys.stdout, flush=True)
