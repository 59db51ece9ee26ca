"""Released complaints of real customers, and whether they hold with a version of the prompt."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from django.db.models import Q

from apps.catalog.domain.states import PRODUCTION, ScenarioStatus
from apps.catalog.models import Scenario
from apps.evaluations.models import CriterionScore
from apps.improvement.drafts.models import TrialSide
from apps.improvement.failure_modes.domain.complaints import HeldComplaint
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.holdout.queries.parts import parts_of_families
from apps.runs.domain.kind_traits import BASELINE
from apps.runs.models import TestRun

MAX_RUNS = 50  # of a version, the newest
MAX_OPENING = 120


def complaints_with(version: str) -> Sequence[HeldComplaint]:
    """Each released complaint of this prompt with each thing that must not happen again, by the plays of this version.
    Five queries at most, one where there is no complaint."""
    return complaints_of({version})[version]


def complaints_of(versions: set[str]) -> Mapping[str, Sequence[HeldComplaint]]:
    """Return the complaints about several versions, in as many queries as about one.

    A complaint is of a prompt unless its conversation named another one. A trial's plays of a hold-out are not read:
    reading spends it.
    """
    rows = Scenario.objects.filter(origin=PRODUCTION, status=ScenarioStatus.RELEASED).exclude(must_not=[])
    scenarios = list(rows.order_by("slug").only("slug", "family", "opening", "must_not", "provenance"))
    parts = parts_of_families() if scenarios and versions else {}
    scores = _scores(versions, [scenario.slug for scenario in scenarios]) if scenarios and versions else {}
    return {
        version: [
            replace(
                _held(scenario, expected, scores.get((version, scenario.slug, expected["criterion"]), ())),
                sealed=parts.get(scenario.family_name) == Part.HOLD_OUT,
            )
            for scenario in scenarios
            if _is_of(scenario, version)
            for expected in scenario.must_not
        ]
        for version in versions
    }


def _is_of(scenario: Scenario, version: str) -> bool:
    named = str(scenario.provenance.get("prompt_version") or "")
    return not named or named.partition("@")[0] == version.partition("@")[0]


def _held(scenario: Scenario, expected: Mapping[str, object], scores: Sequence[float]) -> HeldComplaint:
    below = float(str(expected["below"]))
    opening = " ".join(scenario.opening.split())
    return HeldComplaint(
        scenario=scenario.slug,
        opening=opening if len(opening) <= MAX_OPENING else f"{opening[: MAX_OPENING - 1]}…",
        criterion=str(expected["criterion"]),
        below=below,
        passes=sum(score >= below for score in scores),
        plays=len(scores),
    )


def _scores(versions: set[str], slugs: Sequence[str]) -> Mapping[tuple[str, str, str], list[float]]:
    """{(version, scenario, criterion): the score of each conversation, by its newest judgement}. Three queries."""
    in_the_open = TrialSide.objects.exclude(trial__part=Part.HOLD_OUT).filter(prompt__version__in=versions)
    open_trials = list(in_the_open.exclude(test_run=None).values_list("test_run_id", flat=True))
    runs = TestRun.objects.filter(Q(kind__in=BASELINE) | Q(pk__in=open_trials), plan__prompt_version__in=list(versions))
    played = dict(runs.order_by("-created_at").values_list("pk", "plan__prompt_version")[: MAX_RUNS * len(versions)])
    rows = CriterionScore.objects.filter(
        judgement__evaluation__run__in=list(played),
        judgement__conversation__spec__scenario__in=list(slugs),
        score__isnull=False,
        scale="0-10",
    ).order_by("judgement__created_at")
    newest: dict[tuple[object, str], tuple[tuple[str, str, str], float]] = {}
    wanted = ("judgement__conversation_id", "judgement__evaluation__run_id", "judgement__conversation__spec__scenario")
    for conversation, run, scenario, criterion, score in rows.values_list(*wanted, "criterion", "score"):
        newest[conversation, criterion] = ((str(played[run]), str(scenario), criterion), float(score))
    scores: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for key, score in newest.values():
        scores[key].append(score)
    return scores
