"""The five layers: marks `layer1` … `layer5`, their order, and what starts only when the layers below are green.

Layers run in ascending order; tests without a layer run before them, in their own order. An item of a layer is skipped
once something of a lower layer has failed, unless `--all-layers`. With xdist every worker tells the others by a file.
"""

import os
import tempfile
from pathlib import Path

import pytest

from pytest_ratiba.options import flag, layers_wanted

MEANINGS = {
    1: "the state machine and the prompts alone; no model, no network",
    2: "full turns on real Postgres; model replies recorded",
    3: "transcripts replayed end to end; recorded, or --live",
    4: "golden conversations from scenarios; recorded, or --live",
    5: "the same on conversations from production",
}


def register_marks(config: pytest.Config) -> None:
    """Make the marks known, so that --strict-markers accepts them."""
    for number, meaning in MEANINGS.items():
        config.addinivalue_line("markers", f"layer{number}: {meaning}")


def layer_of(item: pytest.Item) -> int:
    """The layer of a test; 0 where it has none. The nearest mark counts."""
    for mark in item.iter_markers():
        if mark.name.startswith("layer") and mark.name[5:].isdigit() and int(mark.name[5:]) in MEANINGS:
            return int(mark.name[5:])
    return 0


def order_and_select(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Sort by layer, and leave out the layers that were not asked for; with `--layer`, tests of no layer too."""
    wanted = layers_wanted(config)
    if len(wanted) < len(MEANINGS):
        left_out = [item for item in items if layer_of(item) not in wanted]
        if left_out:
            config.hook.pytest_deselected(items=left_out)
            items[:] = [item for item in items if layer_of(item) in wanted]
    items.sort(key=layer_of)


class LayerRecord:
    """A layer record remembers the layers that have failed so far.
    It covers this session and, by a file, the sessions that run beside it (xdist)."""

    def __init__(self, config: pytest.Config) -> None:
        self._all = flag(config, "--all-layers")
        self._failed: set[int] = set()
        session = getattr(config, "workerinput", {}).get("testrunuid", "")
        self._file = Path(tempfile.gettempdir()) / f"ratiba-layers-{session}" if session else None

    def note_failure(self, layer: int) -> None:
        """Something of this layer failed."""
        if layer and layer not in self._failed:
            self._failed.add(layer)
            if self._file is not None:
                with self._file.open("a") as handle:
                    handle.write(f"{layer}\n")

    def red_below(self, layer: int) -> int:
        """The lowest failed layer below this one; 0 where there is none, or where nobody minds."""
        if self._all or not layer:
            return 0
        failed = set(self._failed)
        if self._file is not None and self._file.exists():
            failed |= {int(line) for line in self._file.read_text().split()}
        return min((one for one in failed if one < layer), default=0)


def forget(config: pytest.Config) -> None:
    """Remove what workers of this session shared; the controller calls it at the end."""
    session = getattr(config, "workerinput", {}).get("testrunuid", "") or os.environ.get("PYTEST_XDIST_TESTRUNUID", "")
    if session and not hasattr(config, "workerinput"):
        (Path(tempfile.gettempdir()) / f"ratiba-layers-{session}").unlink(missing_ok=True)
