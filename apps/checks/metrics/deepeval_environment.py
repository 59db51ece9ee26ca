"""DeepEval is loaded here and nowhere else, late, and only as the version whose defects we know (docs/adr/0071).

Importing it takes about 2.5 s and 117 MB, reads .env files and writes into the working directory unless it is told not
to before; measuring sends telemetry. All of that is switched off first. A process that never measures never pays.
"""

import os
import sys
import warnings
from contextlib import redirect_stdout
from functools import cache
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from apps.checks.metrics.base import MetricError

PINNED = "4.3.1"
SWITCHES = {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_FILE_SYSTEM": "READ_ONLY",
    "DEEPEVAL_DISABLE_DOTENV": "1",
    "DEEPEVAL_NO_INSPECT_PROMPT": "1",
    "DEEPEVAL_DISABLE_TIMEOUTS": "1",  # ours are on every call
}


@cache
def _checked() -> None:
    try:
        installed = version("deepeval")
    except PackageNotFoundError:
        raise MetricError(
            f"DeepEval is not installed: pip install deepeval=={PINNED} (requirements/base.txt and the wheel bring it)",
            code="no_deepeval",
        ) from None
    if installed != PINNED:
        raise MetricError(
            f"DeepEval {installed} is installed; these metrics were checked with {PINNED}, and others score in another "
            "direction or on another scale",
            code="other_deepeval",
        )


def deepeval(module: str = "") -> Any:
    """Import a module of DeepEval, e.g. `metrics`. Raises MetricError if missing or of another version.

    The first call takes about 2.5 s; every call sets the switches again.
    """
    _checked()
    os.environ.update(SWITCHES)
    with warnings.catch_warnings(), redirect_stdout(sys.stderr):  # it prints a line, and stdout may be a JSON document
        warnings.simplefilter("ignore", DeprecationWarning)
        return import_module(f"deepeval.{module}" if module else "deepeval")
