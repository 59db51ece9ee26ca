"""One place of a conversation that speaks for something, and how plainly."""

from dataclasses import dataclass

from apps.core.dialogue.transcript import SpokenTurn

EXPLICIT, STRONG, WEAK = 2.0, 1.0, 0.5
"""Weights. Explicit is what may not be waited with until it happens twice: a request for a PIN."""


@dataclass(frozen=True, slots=True)
class Sign:
    """One place that speaks for a fault: the character `place` of `turn`, and how much it says."""

    turn: SpokenTurn
    place: int
    weight: float

    @property
    def words(self) -> frozenset[str]:
        """The words of its sentence, without numbers: "You'd pay KES 600" is the sentence it is with 900."""
        turn = self.turn
        around = next((s for s in turn.sentences if s.start <= self.place < s.end), None)
        words = turn.words[around.first : around.last] if around else turn.words
        return frozenset(word for word in words if not word[0].isdigit())
