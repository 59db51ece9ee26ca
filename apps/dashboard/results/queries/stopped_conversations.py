"""Find the conversations that a blocking criterion stops.

Their score may be high, and no page may colour it as a pass.
"""

import uuid
from collections.abc import Iterable, Mapping, Sequence

from apps.evaluations.figures.queries.stopped import stopped_by
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.models import Evaluation, Judgement


def stopped_conversations(
    evaluation: Evaluation, conversations: Iterable[uuid.UUID]
) -> Mapping[uuid.UUID | None, Sequence[str]]:
    """{conversation: the criteria that fail it whatever its mean}, as its own page says. At most six queries; one where
    nothing stops any."""
    ours = Judgement.objects.filter(evaluation=evaluation, conversation__in=list(conversations)).defer("raw_reply")
    rows = list(ours.filter(stopped_by(evaluation.snapshot)).select_related("conversation").prefetch_related("scores"))
    stopped: dict[uuid.UUID | None, Sequence[str]] = {}
    if not rows:
        return stopped
    doubts = uncertainties_of(evaluation)
    for row in rows:
        scored = [score for score in row.scores.all() if score.score is not None]
        whole = doubts.of_judgement(scored, blame=row.conversation.blame)
        stopped[row.conversation_id] = whole.blockers if whole else ()
    return stopped
