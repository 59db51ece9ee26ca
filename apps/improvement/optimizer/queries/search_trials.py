"""The trials by which a reflective search looked at its drafts on train families."""

from django.db.models import QuerySet

from apps.improvement.drafts.domain.trial_states import TRIAL_OPEN
from apps.improvement.drafts.models import Trial
from apps.improvement.optimizer.models import Optimization


def search_trials(row: Optimization) -> list[str]:
    """Return the ids of the trials of an optimization's search. No query."""
    return [trial for trial in row.search.get("trials", {}).values() if trial]


def open_search_trials(row: Optimization) -> QuerySet[Trial]:
    """Return the trials of an optimization's search that still go on."""
    return Trial.objects.filter(pk__in=search_trials(row), status__in=TRIAL_OPEN)
