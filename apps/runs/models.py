"""The tables of runs, for the other rooms: each stands in the folder of its subject."""

from apps.runs.agents.models import AgentThrottle
from apps.runs.conversations.models import Conversation, TestRun, Turn, TurnQuerySet, TurnWords
from apps.runs.playing.models import SimulatorReview
from apps.runs.pulled.models import PulledTurn

__all__ = [
    "AgentThrottle",
    "Conversation",
    "PulledTurn",
    "SimulatorReview",
    "TestRun",
    "Turn",
    "TurnQuerySet",
    "TurnWords",
]
