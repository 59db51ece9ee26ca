"""The summary of a run of replays, in one sentence."""

from apps.checks.queries.check_results import results_in_force
from apps.reports.run_reports.domain.replay_page import NO_JUDGE, kept_words
from apps.runs.domain.states import RUN_TERMINAL, Kind
from apps.runs.goldens.queries.replayed import replayed_conversations
from apps.runs.models import Conversation, TestRun

MOST = 60  # replays whose turns are read for a sentence; the report holds all of a larger run


def replay_summary(run: TestRun) -> str:
    """Sum a replay up: `12 of 12 turns kept step; 4 checks need a model`.

    "" for a run that replays nothing, is not over or is large. Four queries, none of another kind of run.
    """
    if run.kind != Kind.REPLAY or run.status not in RUN_TERMINAL:
        return ""
    rows = list(Conversation.objects.filter(run=run).order_by("position")[: MOST + 1])
    if len(rows) > MOST:
        return ""
    for row in rows:
        row.run = run
    turns = [turn for conversation in replayed_conversations(rows).values() for turn in conversation.turns]
    if not turns:
        return ""
    missing = results_in_force(run_id=run.pk).filter(error_code=NO_JUDGE).order_by()
    need = missing.values("check_name").distinct().count()
    return kept_words(sum(turn.reached for turn in turns), len(turns), need=need)
