"""A request to start a run, as a form sends it: read once, for the forecast and for the start. Pure."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any

from apps.core.errors import BadInput
from apps.core.whole_numbers import whole_number
from apps.dashboard.domain.figures import many
from apps.runs.domain.states import Kind

MAX_REPEATS = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class StartRequest:
    """A run of battles or replays; `resimulated`: battles for the goals of golden sessions. No scenario ticked: all
    that may play; no persona ticked: each scenario's own. `pattern` stands for the scenarios called like it. `prompt`
    is the version that is played, "" for what is live; `commit` that of the agent, as far as somebody says."""

    kind: Kind
    agent: str
    name: str
    config: str
    repeats: int
    max_turns: int | None
    scenarios: Sequence[str]
    personas: Sequence[str]
    goldens: Sequence[str]
    resimulated: bool = False
    pattern: str = ""
    prompt: str = ""
    commit: str = ""

    def matched(self, playable: Sequence[str]) -> "StartRequest":
        """Return the request with the scenarios that match its pattern.

        Raises BadInput (`/pattern`) where none does.
        """
        if not self.pattern:
            return self
        named = [slug for slug in playable if fnmatchcase(slug, self.pattern)]
        if not named:
            raise BadInput(f"No scenario that may play is called like {self.pattern!r}.", pointer="/pattern")
        return replace(self, scenarios=[*dict.fromkeys([*self.scenarios, *named])], pattern="")

    def product(self, *, playable: int, every: int) -> tuple[int, str]:
        """Return how many conversations that makes, and its factors: `6 scenarios × 2 personas × 3 repeats`.

        `playable` scenarios have a persona of their own that may play, of `every`.
        """
        repeats = f" × {many(self.repeats, 'repeat')}" if self.repeats > 1 else ""
        if self.resimulated:
            product_text = f"{many(len(self.goldens), 'golden session')} × {many(len(self.personas), 'persona')}"
            return len(self.goldens) * len(self.personas) * self.repeats, f"{product_text}{repeats}"
        if self.kind is Kind.REPLAY:
            return len(self.goldens) * self.repeats, f"{many(len(self.goldens), 'golden session')}{repeats}"
        scenarios = len(self.scenarios) or (every if self.personas else playable)
        count = scenarios * (len(self.personas) or 1) * self.repeats
        by = f" × {many(len(self.personas), 'persona')}" if self.personas else ", each with its own persona"
        product_text = f"{many(scenarios, 'scenario')}{by}"
        return (
            count,
            f"{product_text}{repeats}"
            if self.personas or not repeats
            else f"{product_text},{repeats.replace(' ×', '')} each",
        )

    def customers(self, own: Sequence[tuple[str, str]], every: int) -> dict[str, int]:
        """{persona: how many conversations it plays}, most first. `own` are the playable scenarios with their own
        persona, `every` is how many scenarios named personas would play; replays have none."""
        if self.kind is Kind.REPLAY:
            return {}
        if self.personas:
            scenarios = len(self.goldens) if self.resimulated else len(self.scenarios) or every
            return dict.fromkeys(self.personas, scenarios * self.repeats)
        played = Counter(persona for slug, persona in own if not self.scenarios or slug in self.scenarios)
        return {persona: count * self.repeats for persona, count in played.most_common()}


def read_start(post: Any, *, may_judge: bool) -> StartRequest:
    """Read a form's fields (a QueryDict). Raises BadInput naming the field."""
    return StartRequest(
        kind=Kind.REPLAY if post.get("kind") == "replay" else Kind.BATTLE,
        agent=post.get("agent", ""),
        name=post.get("name", ""),
        config=post.get("config", "") if may_judge else "",
        repeats=_repeats(post.get("repeats", "1")),
        max_turns=_most_turns(post.get("max_turns", "")),
        scenarios=post.getlist("scenario"),
        personas=post.getlist("persona"),
        goldens=post.getlist("golden"),
        resimulated=post.get("kind") == "resimulation",
        pattern=post.get("pattern", "").strip()[:200],
        prompt=post.get("prompt", "").strip(),
        commit=post.get("commit", "").strip()[:64],
    )


def _most_turns(text: str) -> int | None:
    refusal = "Most messages is a whole number, or empty."
    return whole_number(text, refusal, pointer="/max_turns", most=999_999_999) if text else None


def _repeats(text: str) -> int:
    refusal = f"Repeats is a number from 1 to {MAX_REPEATS}."
    return whole_number(text, refusal, pointer="/repeats", least=1, most=MAX_REPEATS)
