"""Sample the conversations that settled in a window, by a hash of their ids and no other chance.

The same conversations give the same sample whoever draws and in whatever order they come: a share of all by hash, and
of each stratum (language × channel) the lowest hashes up to a floor. The floor is of a day; each window of the day may
fill it up to its own part, so that rare strata are not judged at night alone. Strata are weighted back by how many
settled in them (apps.statistics.stratified).
"""

import hashlib
import math
import uuid
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from apps.production.sampling.domain.states import SamplingBasis

HOURS = 6
WINDOW = timedelta(hours=HOURS)
A_DAY = timedelta(days=1)
LATE = timedelta(minutes=10)  # a window is drawn so long after its end: transactions that settle are over by then
MAX_STRATA = 12  # a channel is any word that is posted: the others are one stratum
OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class SettledConversation:
    """A conversation that may be drawn, with the fields that decide its stratum and its group of the trend."""

    id: uuid.UUID
    language: str
    channel: str
    group: Hashable = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class DrawnConversation:
    id: uuid.UUID
    stratum: str
    basis: SamplingBasis
    request: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A sample of a window: `strata` is the stratum of each of its conversations, `drawn` are those to be judged."""

    strata: Mapping[uuid.UUID, str]
    drawn: Sequence[DrawnConversation]


def place(conversation_id: uuid.UUID) -> float:
    """Return a number from 0 to 1, always the same for a conversation.

    It is a hash of our own id, which no client can choose, and of a fixed word, so it is independent of the hash that
    sends a conversation to a canary.
    """
    digest = hashlib.sha256(f"sample:{conversation_id}".encode()).digest()
    return int.from_bytes(digest[:8], "big") / 2**64


def draw_sample(
    settled: Iterable[SettledConversation], *, rate: float, floor: int, drawn_today: Mapping[str, int], part: float
) -> Sample:
    """Draw those of these conversations that are judged. Pure; some 3 µs each.

    `drawn_today` counts what earlier windows of the day drew of each stratum; `part` is which part of the day is over
    when this window ends (0.25 to 1).
    """
    rows = sorted(((place(conversation.id), conversation) for conversation in settled), key=lambda pair: pair[0])
    names = _names(one for _, one in rows)
    wanted = math.ceil(floor * part - 1e-9)
    drawn, counts = list[DrawnConversation](), Counter(drawn_today)
    strata = dict[uuid.UUID, str]()
    for at, one in rows:
        stratum = names.get(_own_name(one), OTHER)
        strata[one.id] = stratum
        basis = SamplingBasis.SHARE if at < rate else SamplingBasis.FLOOR
        if at < rate or counts[stratum] < wanted:
            counts[stratum] += 1
            drawn.append(DrawnConversation(id=one.id, stratum=stratum, basis=basis))
    return Sample(strata=strata, drawn=drawn)


def window_starting(at: datetime) -> datetime:
    """Return the start of the six hours in which `at` lies: 0, 6, 12 and 18 o'clock UTC."""
    at = at.astimezone(UTC)
    return at.replace(hour=at.hour - at.hour % HOURS, minute=0, second=0, microsecond=0)


def windows_due(*, since: datetime, now: datetime) -> list[datetime]:
    """Beginnings of the windows from `since` on that are over and may be drawn, the oldest first."""
    first, windows = window_starting(since), list[datetime]()
    while first + WINDOW + LATE <= now:
        windows.append(first)
        first += WINDOW
    return windows


def part_of_day(starts: datetime) -> float:
    """The part of the UTC day that is over when the window that begins then ends."""
    return (starts.astimezone(UTC).hour + HOURS) / 24


def _own_name(conversation: SettledConversation) -> str:
    language = conversation.language.split("-")[0].casefold()[:20] or "–"
    return f"{language} · {conversation.channel.casefold()[:40] or '–'}"


def _names(rows: Iterable[SettledConversation]) -> dict[str, str]:
    """The commonest strata by their own names; ties by name, so that everybody names the same."""
    counts = Counter(_own_name(row) for row in rows)
    most = sorted(counts, key=lambda name: (-counts[name], name))
    named_strata = most if len(most) <= MAX_STRATA else most[: MAX_STRATA - 1]
    return {name: name for name in named_strata}
