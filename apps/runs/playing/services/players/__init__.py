"""One player for each kind of conversation that is played. A new kind is one module here and one line below.

An imported conversation brings its turns with it: nothing is left to play, and no worker ever claims one.
"""

from collections.abc import Mapping

from apps.runs.domain.states import Kind
from apps.runs.playing.services.players.battle import BattlePlayer
from apps.runs.playing.services.players.probe import ProbePlayer
from apps.runs.playing.services.players.replay import ReplayPlayer
from apps.runs.services.conversation_player import ConversationPlayer

PLAYERS: Mapping[Kind, type[ConversationPlayer]] = {
    Kind.BATTLE: BattlePlayer,
    Kind.REPLAY: ReplayPlayer,
    Kind.PROBE: ProbePlayer,
}


def player_of(kind: str) -> type[ConversationPlayer]:
    """The player for a conversation of this kind. Raises ValueError where there is none."""
    player = PLAYERS.get(Kind(kind))
    if player is None:
        raise ValueError(f"conversations of kind {kind!r} are not played")
    return player
