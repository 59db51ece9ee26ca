"""What there is to start a run with."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.catalog.domain.states import ELIGIBLE
from apps.catalog.models import Agent, Scenario
from apps.catalog.queries.goldens import replayable_names


@dataclass(frozen=True, slots=True, kw_only=True)
class StartChoices:
    """`blocked` are scenarios whose persona may not play: they are named, not offered."""

    agents: Sequence[str]
    scenarios: Sequence[Scenario]
    blocked: Sequence[Scenario]
    golden: Sequence[str]


def start_choices() -> StartChoices:
    """Agents, scenarios and golden sessions by name. Three queries."""
    scenarios = list(Scenario.objects.select_related("persona").order_by("slug"))
    may_play = [row for row in scenarios if row.persona is not None and row.persona.status in ELIGIBLE]
    return StartChoices(
        agents=list(Agent.objects.order_by("name").values_list("name", flat=True)),
        scenarios=may_play,
        blocked=[row for row in scenarios if row not in may_play],
        golden=replayable_names(),
    )
