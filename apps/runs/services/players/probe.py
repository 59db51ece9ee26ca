"""A persona tried out before it may play."""

from dataclasses import dataclass

from apps.runs.services.players.battle import BattlePlayer


@dataclass(slots=True, kw_only=True)
class ProbePlayer(BattlePlayer):
    """A battle outside every score: judging leaves conversations of this kind out."""
