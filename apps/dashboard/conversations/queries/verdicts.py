"""An evaluation's verdicts on several conversations: the same decisions as on their own pages, read together."""

import uuid
from collections.abc import Collection, Mapping, Sequence

from apps.dashboard.domain.badge_shapes import Badge
from apps.dashboard.domain.badges import conversation_look, judged_conversation_look
from apps.dashboard.queries.criterion_titles import NAMES
from apps.evaluations.figures.queries.uncertainty import uncertainties_of
from apps.evaluations.models import CriterionScore, Evaluation, Judgement
from apps.reports.tables.queries.deciding_scores import deciding_scores
from apps.statistics.decision import mark_of


def conversation_looks(
    evaluation: Evaluation, conversations: Mapping[uuid.UUID, str], *, scored: int, titles: Mapping[str, str]
) -> dict[uuid.UUID, Badge]:
    """Return the badge of each conversation by its id: state and verdict in one word, shape and colour.

    At most five queries; about 40 µs for each conversation.
    """
    judged = Judgement.objects.filter(evaluation=evaluation, conversation__in=list(conversations))
    rows = list(judged.values_list("pk", "conversation_id", "status", "conversation__blame"))
    scores = deciding_scores([pk for pk, _, status, _ in rows if status == "scored"])
    doubts = uncertainties_of(evaluation, scored=scored)
    looks = {}
    for pk, conversation, status, blame in rows:
        whole = doubts.of_judgement(scores.get(pk, ()), blame=blame)
        blockers = [titles.get(name, name) for name in whole.blockers] if whole else []
        decision = whole.decision.value if whole else ""
        looks[conversation] = judged_conversation_look(conversations[conversation], status, decision, blockers)
    return looks


def judgement_looks(judgements: Collection[uuid.UUID], titles: Mapping[str, str] = NAMES) -> dict[uuid.UUID, Badge]:
    """Return the badge of each scored judgement by its id.

    It is judged against its own marks, and red where a blocking criterion stops the conversation. Three queries, two
    more for each evaluation whose judge was asked several times.
    """
    rows = Judgement.objects.filter(pk__in=list(judgements)).select_related("evaluation", "conversation")
    rows = rows.defer("raw_reply", "evaluation__sums", "conversation__session").prefetch_related("scores")
    looks = {}
    for row in rows:
        scored = [score for score in row.scores.all() if score.score is not None]
        whole = uncertainties_of(row.evaluation).of_judgement(list(row.scores.all()), blame=row.conversation.blame)
        stops = whole.blockers if whole else ()
        looks[row.pk] = conversation_look(row.weighted_score, mark_of_scores(scored), stops, titles)
    return looks


def mark_of_scores(scores: Sequence[CriterionScore]) -> float:
    """The pass mark for a conversation's weighted score: the mean mark of the scored criteria; 6 where none was
    scored."""
    scored = [score for score in scores if score.score is not None]
    mark = mark_of(
        {score.criterion: score.pass_mark for score in scored}, {score.criterion: score.weight for score in scored}
    )
    return 6.0 if mark is None else mark
