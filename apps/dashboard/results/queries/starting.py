"""The choices on the page that starts a run."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.catalog.configs.queries.judges import OFFLINE, model_in_force
from apps.catalog.goldens.queries.versions import replayable_names
from apps.catalog.models import Agent, Persona, PromptLine, PromptVersion, Scenario
from apps.catalog.scenarios.queries.default_personas import give_default_personas
from apps.improvement.drafts.domain.states import DraftStatus
from apps.improvement.models import PromptDraft
from apps.runs.playing.domain.simulator_sentence import OFFLINE_CUSTOMER

MAX_PROMPTS = 50
DRAFT_WORDS = {one.value: "released" if one is DraftStatus.RELEASED else "draft" for one in DraftStatus}


@dataclass(frozen=True, slots=True, kw_only=True)
class StartChoices:
    """The choices on the page that starts a run.

    `blocked` are scenarios whose persona may not play: the page names them and does not offer them. `customers` says
    what the customer in force does not do; it is "" where a model plays the customer.
    """

    agents: Sequence[str]
    scenarios: Sequence[Scenario]
    blocked: Sequence[Scenario]
    golden: Sequence[str]
    personas: Sequence[Persona] = ()
    prompts: Sequence[tuple[str, str]] = ()  # (version, what it is): the newest first
    customers: str = ""

    @property
    def kinds(self) -> dict[str, str]:
        """The kinds of run that the page offers, each with its word."""
        offered = {"battle": "Battles", "replay": "Replays"}
        return offered | {"resimulation": "Re-simulations"} if self.golden and self.personas else offered

    def shown_kind(self, asked_kind: str) -> str:
        """Return the kind whose form is shown: the one that was asked for, where it is offered."""
        return asked_kind if asked_kind in self.kinds else "battle"


def start_choices() -> StartChoices:
    """Agents, scenarios, golden sessions and personas that may play, by name, and prompts. Nine queries."""
    scenarios = list(Scenario.objects.playable().select_related("persona").order_by("slug"))
    give_default_personas(scenarios)
    may_play = [row for row in scenarios if row.persona is not None and row.persona.may_play]
    return StartChoices(
        agents=list(Agent.objects.order_by("name").values_list("name", flat=True)),
        scenarios=may_play,
        blocked=[row for row in scenarios if row not in may_play],
        golden=replayable_names(),
        personas=list(Persona.objects.filter(may_play=True).order_by("name").only("id", "name", "language")),
        prompts=_prompts(),
        customers=OFFLINE_CUSTOMER if model_in_force("simulator").provider == OFFLINE.provider else "",
    )


def _prompts() -> list[tuple[str, str]]:
    """Versions that a run may name: of what is recorded the newest, without drafts that somebody rejected. Three
    queries."""
    live = set(PromptLine.objects.values_list("live__version", flat=True))
    drafts = dict(PromptDraft.objects.filter(version__isnull=False).values_list("version__version", "status"))
    versions = PromptVersion.objects.order_by("-created_at", "-pk").values_list("version", flat=True)[:MAX_PROMPTS]
    usable = [version for version in versions if drafts.get(version) != DraftStatus.REJECTED]
    return [
        (version, "live" if version in live else DRAFT_WORDS.get(drafts.get(version, ""), "")) for version in usable
    ]
