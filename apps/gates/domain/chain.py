"""The links between a simulated customer and the gate: a score is worth its weakest link."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.core.plurals import many
from apps.core.portable.first_names import listed
from apps.gates.domain.gate_states import ChainLink
from apps.gates.domain.metric_titles import criterion_title
from apps.gates.domain.side import GateSide, JudgedAs
from apps.runs.domain.states import SimulatorVerdict
from apps.statistics.decision import CANNOT_TELL, Decision


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkStanding:
    """One step: whether it holds, and why."""

    link: ChainLink
    holds: bool
    why: str


def chain(candidate: GateSide, decision: Decision) -> list[LinkStanding]:
    """All six steps of the candidate, in order. Pure."""
    steps = [_personas(candidate), _battles(candidate), _judge(candidate), _quotes(candidate), _scores(candidate)]
    made = decision not in CANNOT_TELL
    why = f"the gate says {decision.value}"
    return [*steps, LinkStanding(link=ChainLink.GATE, holds=made, why=why)]


def first_missing(links: Sequence[LinkStanding]) -> LinkStanding | None:
    """The step that everything after it hangs on."""
    return next((link for link in links if not link.holds), None)


def _personas(side: GateSide) -> LinkStanding:
    may, may_not = side.personas.get(True, 0), side.personas.get(False, 0)
    if not side.battles:
        return LinkStanding(link=ChainLink.PERSONA_VALID, holds=True, why="no customer was simulated")
    if may_not:
        why = f"{may_not} of {may + may_not} personas may not play today"
        return LinkStanding(link=ChainLink.PERSONA_VALID, holds=False, why=why)
    return LinkStanding(link=ChainLink.PERSONA_VALID, holds=bool(may), why=f"{many(may, 'persona')} valid")


def _battles(side: GateSide) -> LinkStanding:
    if not side.battles:
        return LinkStanding(link=ChainLink.BATTLE_KEPT, holds=True, why="no customer was simulated")
    played_their_part = side.simulator.get(SimulatorVerdict.KEPT, 0)
    unknown = sum(side.simulator.get(one, 0) for one in (SimulatorVerdict.UNMEASURED, SimulatorVerdict.NONE))
    why = f"the customer kept to its part in {played_their_part} of {many(side.battles, 'battle')}"
    if unknown:
        why += f"; {unknown} were not reviewed"
    return LinkStanding(link=ChainLink.BATTLE_KEPT, holds=played_their_part > 0 and not unknown, why=why)


def _judge(side: GateSide) -> LinkStanding:
    without = sorted(name for name, certified in side.certified.items() if not certified)
    if not side.certified:
        return LinkStanding(link=ChainLink.JUDGE_CERTIFIED, holds=False, why="nothing is scored")
    if without:
        names = listed((criterion_title(name, side.titles) for name in without), 3)
        why = f"nobody compared the judge with people on {names}"
        return LinkStanding(link=ChainLink.JUDGE_CERTIFIED, holds=False, why=why)
    return LinkStanding(link=ChainLink.JUDGE_CERTIFIED, holds=True, why="certified on every criterion")


def _quotes(side: GateSide) -> LinkStanding:
    quoted, unverified = sum(side.quotes.values()), side.quotes.get("unverified", 0)
    why = f"{quoted - unverified} of {quoted} quotes stand in their conversations" if quoted else "no score has a quote"
    return LinkStanding(link=ChainLink.QUOTE_EXACT, holds=bool(quoted) and not unverified, why=why)


def _scores(side: GateSide) -> LinkStanding:
    scored = sum(trial.judged is JudgedAs.SCORED for trial in side.counted)
    why = f"{scored} of {len(side.counted)} conversations are scored"
    return LinkStanding(link=ChainLink.SCORE, holds=bool(scored), why=why)
