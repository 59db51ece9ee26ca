"""One player for each kind of conversation. A new kind is one module here and one line below."""

from collections.abc import Mapping

from apps.runs.domain.states import Kind
from apps.runs.services.conversation_player import ConversationPlayer
from apps.runs.services.players.battle import BattlePlayer
from apps.runs.services.players.imported import ImportPlayer
from apps.runs.services.players.probe import ProbePlayer
from apps.runs.services.players.replay import ReplayPlayer

PLAYERS: Mapping[Kind, type[ConversationPlayer]] = {
    Kind.BATTLE: BattlePlayer,
    Kind.REPLAY: ReplayPlayer,
    Kind.IMPORTED: ImportPlayer,
    Kind.PROBE: ProbePlayer,
}


def player_of(kind: str) -> type[ConversationPlayer]:
    """Who plays a conversation of this kind. Raises ValueError where no such kind is."""
    return PLAYERS[Kind(kind)]
