"""The time for which the words of each kind of conversation are kept. Pure."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Protocol

from apps.erasure.domain.blanking import BY_REFERENCE
from apps.runs.domain.states import Kind

# `keep_days` of real customers has its own rule: see apps.production.retention.services.deleting.
# Anchors are frozen copies that the judge is asked about for months, and stay while their set does.
PLAYED = (Kind.BATTLE, Kind.REPLAY, Kind.PROBE, Kind.TRIAL)


class KeepingSettings(Protocol):
    """The tenant's settings that say so; None: for ever."""

    @property
    def keep_imported_days(self) -> int | None: ...
    @property
    def keep_played_days(self) -> int | None: ...


def days_of_kinds(settings: KeepingSettings) -> dict[Kind, int | None]:
    """Every kind that has a rule here, in the order of the page."""
    return {Kind.IMPORTED: settings.keep_imported_days, **dict.fromkeys(PLAYED, settings.keep_played_days)}


def kept_since(settings: KeepingSettings, *, now: datetime) -> Mapping[Kind, datetime]:
    """kind -> what was over by then is due; kinds that are kept for ever are left out."""
    return {kind: now - timedelta(days=days) for kind, days in days_of_kinds(settings).items() if days is not None}


# What goes of a conversation's own row, besides all that hangs on it. What was played stays comparable: by what, with
# which persona, against which prompt. What was brought in keeps nothing by which it could be found elsewhere.
_OF_PLAYED = {"extra": "dict", "session": "dict", "error_message": "text"}
_OF_IMPORTED = {**_OF_PLAYED, "external_id": "identifier", "source": "text", "labels": "quotes"}

_TESTS = ("catalog_scenario", "production_promotion")  # what became a test is masked, and stays


def emptied_of(kind: Kind) -> Mapping[str, tuple[str, Mapping[str, str]]]:
    """Return the columns of `BY_REFERENCE` to empty in a conversation that was kept long enough."""
    where, _ = BY_REFERENCE["runs_conversation"]
    own = _OF_IMPORTED if kind is Kind.IMPORTED else _OF_PLAYED
    stays = {name: how for name, how in BY_REFERENCE.items() if name not in _TESTS}
    return {**stays, "runs_conversation": (where, own)}
