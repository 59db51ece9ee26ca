"""One thing that needs somebody, as Home shows it, and who may act on it. Pure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from apps.core.digest import sha256_hex
from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import LOOKS

URGENCY = ("bad", "failed", "fails", "worse", "near", "idle")
LONGEST_KEY = 200
STEER_RUNS, JUDGE, START = "runs.change_testrun", "evaluations.add_evaluation", "runs.add_testrun"


@dataclass(frozen=True, slots=True, kw_only=True)
class Need:
    """To-do of Home: its badge, title and address, and the permission of those who can mend it (`right`).

    `short` is its part of the page's first sentence, "" for one that is only counted. Dismissed it stays away while
    `key` is about the same (`about`, else its title) and `count` has not grown.
    `concerns` is the number of its conversations, by which the equally urgent are ordered. With `judge_again` it has a
    button that mends it.
    """

    look: Badge
    title: str
    note: str
    url: str
    key: str
    right: str
    verb: str = "Open"
    short: str = ""
    about: str = ""
    count: int = 0
    concerns: int = 0
    judge_again: bool = False

    @property
    def state(self) -> str:
        """A digest of the need's present subject: it changes when the need is about something else."""
        return sha256_hex(self.about or self.title)


def need(
    tone: str,
    title: str,
    note: str,
    url: str,
    *,
    key: str,
    right: str,
    verb: str = "Open",
    short: str = "",
    about: str = "",
    count: int = 0,
    concerns: int = 0,
    judge_again: bool = False,
) -> Need:
    return Need(
        look=LOOKS["need"][tone],
        title=title,
        note=note,
        url=url,
        key=key[:LONGEST_KEY],
        right=right,
        verb=verb,
        short=short,
        about=about,
        count=count,
        concerns=concerns,
        judge_again=judge_again,
    )


def ranked(needs: Sequence[Need]) -> list[Need]:
    """The needs in order of urgency: those that stop work come first, and of these the one that concerns most
    conversations."""
    return sorted(needs, key=lambda one: (URGENCY.index(one.look.value), -one.concerns))


def of_reader(needs: Sequence[Need], may: Callable[[str], bool]) -> tuple[list[Need], list[Need]]:
    """Split the needs into those that this reader can do something about and those that wait for others."""
    mine = [one for one in needs if may(one.right)]
    return mine, [one for one in needs if not may(one.right)]
