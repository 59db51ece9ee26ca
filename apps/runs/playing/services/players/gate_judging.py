"""Ask a model about a reply that does not open its gate: does it still do the golden session's step?"""

from dataclasses import dataclass, replace
from typing import Any

from apps.budgets.domain.purpose import Purpose
from apps.budgets.services.metered_model import Unfunded
from apps.connectors.errors import ConnectorError
from apps.runs.goldens.domain.gate_question import GateReplyError, gate_request, read_gate_answer
from apps.runs.goldens.domain.replay_script import ScriptLine
from apps.runs.services.conversation_player import ConversationPlayer


@dataclass(frozen=True, slots=True, kw_only=True)
class GateVerdict:
    """A model's verdict. `same` is None where the model could not be asked or read; `error` says why."""

    same: bool | None
    model: str
    error: str = ""

    def as_json(self) -> dict[str, Any]:
        return {"same": self.same, "model": self.model, **({"error": self.error} if self.error else {})}


async def same_step(
    player: ConversationPlayer, line: ScriptLine, came: str, *, next_text: str, salt: str
) -> GateVerdict | None:
    """Ask the model whether a reply is the expected step; None where the run has no such model.
    Never raises for a fault of model or budget: the player goes on as without a model."""
    judge = player.participants.gate_judge
    if judge is None:
        return None
    timeout_s = player.participants.simulator_timeout_s
    request = gate_request(line, came, next_text=next_text, salt=salt, timeout_s=timeout_s)
    model = judge.spec.model
    try:
        call_for = replace(player.call_for, purpose=Purpose.GATE)
        response = await player.ask_model(request, judge, player.participants.gate_fallback, call_for=call_for)
        model = response.model or model
        if not response.is_answer:
            return GateVerdict(same=None, model=model, error=response.finish.value)
        return GateVerdict(same=read_gate_answer(response.text, salt=salt), model=model)
    except Unfunded:
        return GateVerdict(same=None, model=model, error="budget")
    except (ConnectorError, GateReplyError) as error:
        return GateVerdict(same=None, model=model, error=error.code)
