"""Registry of the modes by which an optimization makes drafts.

A new mode is a module with `propose`, and one entry here. Pure: the module is named by its dotted path and loaded where
it is called.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from apps.core.errors import BadInput


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizationMode:
    """One mode of an optimization.

    `most` drafts may be asked for; `usual` are where nobody says how many. It is called once, after the analysis and in
    the transaction of that step, and writes the OptimizationDraft rows: with a proposal that a worker asks about, or
    rows whose `draft` or `left_out` the mode's own work fills in later. `needs_analysis`: findings of the train
    conversations are read first. `combines`: winners may stand together in one draft. `search`: the dotted path of a
    function as `propose`, which decides what is asked and tried next until the row says that the search is over.
    """

    name: str
    label: str
    explanation: str
    most: int
    usual: int
    propose: str
    needs_analysis: bool = True
    combines: bool = False
    search: str = ""


_REGISTERED = (
    OptimizationMode(
        name="surgical",
        label="Surgical",
        most=8,
        usual=3,
        combines=True,
        explanation="One fix a draft, each for one finding: it shows which change helps.",
        propose="apps.improvement.optimizer.services.surgical_mode.propose",
    ),
    OptimizationMode(
        name="full",
        label="Full",
        most=1,
        usual=1,
        explanation="One draft that answers all findings.",
        propose="apps.improvement.optimizer.services.full_mode.propose",
    ),
    OptimizationMode(
        name="reflective",
        label="Reflective",
        most=8,
        usual=4,
        explanation="One draft after the other, each going on from the one before that helped, 60 plays at most.",
        propose="apps.improvement.optimizer.services.reflective_mode.propose",
        search="apps.improvement.optimizer.services.reflective_mode.search",
    ),
)
MODES: Mapping[str, OptimizationMode] = {one.name: one for one in _REGISTERED}
NAMES = tuple(MODES)


def mode_named(name: str) -> OptimizationMode:
    """Return the mode of this name. Raises BadInput (`unknown_mode`)."""
    mode = MODES.get(name)
    if mode is not None:
        return mode
    there = ", ".join(MODES)
    raise BadInput(f"There is no mode {name[:40]!r}: use one of {there}.", code="unknown_mode", pointer="/mode")
