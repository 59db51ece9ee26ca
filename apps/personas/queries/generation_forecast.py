"""Forecast the cost of a set of personas: from the ledger's newest calls of the kind, else from typical sizes."""

from typing import Any

from django.db.models import Avg, Count

from apps.budgets.domain.purpose import Purpose
from apps.budgets.models import ModelCall
from apps.catalog.configs.domain.snapshots import RoleModel
from apps.catalog.configs.queries.judges import model_in_force
from apps.catalog.connections.queries.providers import model_spec
from apps.connectors.llms.pricing import call_cost
from apps.core.errors import RatibaError
from apps.core.usage import Usage
from apps.personas.domain.generation_forecast import (
    PLAYING,
    VALIDATING,
    WRITING,
    ForecastPart,
    GenerationForecast,
    calls_of,
    telling_apart,
)
from apps.personas.domain.grid import slots_of_grid

NEWEST = 200  # calls; prices and prompts change
_PARTS: tuple[tuple[str, str, Purpose, Usage | None], ...] = (
    ("writing", "persona_generator", Purpose.PERSONA_GENERATION, WRITING),
    ("telling apart", "persona_generator", Purpose.PERSONA_VARIETY, None),  # its size goes with the set's
    ("validating", "validator", Purpose.PERSONA_VALIDATION, VALIDATING),
    ("trial dialogues", "simulator", Purpose.SIMULATOR, PLAYING),
)


def generation_forecast(*, languages: Any, goals: Any, tempers: Any = (), count: Any = None) -> GenerationForecast:
    """Forecast the cost of the set that this grid describes.

    Asks no model and stores nothing; three queries and those of each model. Raises BadInput for a grid that cannot be.
    """
    personas = len(slots_of_grid(languages=languages, goals=goals, tempers=tempers, count=count))
    parts = [
        _part(name, model_in_force(role), purpose, typical or telling_apart(personas), calls, sampled=bool(typical))
        for (name, role, purpose, typical), calls in zip(_PARTS, calls_of(personas), strict=True)
        if calls
    ]
    return GenerationForecast(personas=personas, parts=parts)


def _part(name: str, role: RoleModel, purpose: Purpose, typical: Usage, calls: int, *, sampled: bool) -> ForecastPart:
    """One kind of calls. `sampled`: earlier calls say how large one is, else `typical` does."""
    label = f"{role.provider}/{role.model}"
    if role.provider == "offline":
        return ForecastPart(part=name, model=label, calls=calls, usd=None, why="no model is configured for it")
    try:
        spec = model_spec(role.provider, role.model, role.options)
    except RatibaError as error:
        return ForecastPart(part=name, model=label, calls=calls, usd=None, why=error.message)
    label = f"{spec.label}/{spec.model}"
    sample, usage = _earlier(purpose, typical) if sampled else (0, typical)
    each = call_cost(spec, usage)
    why = "" if sample else "by the usual size of such a call"
    if each is None:
        return ForecastPart(part=name, model=label, calls=calls, usd=None, why=f"no price is known for {label}")
    return ForecastPart(part=name, model=label, calls=calls, usd=float(each) * calls, sample=sample, why=why)


def _earlier(purpose: Purpose, typical: Usage) -> tuple[int, Usage]:
    """The mean size of the newest calls of this kind, and how many they are; the typical one where there are none."""
    rows = ModelCall.objects.filter(purpose=purpose, outcome="ok", cached=False).order_by("-id")
    newest = list(rows.values_list("pk", flat=True)[:NEWEST])
    if not newest:
        return 0, typical
    mean = ModelCall.objects.filter(pk__in=newest).aggregate(
        n=Count("pk"), i=Avg("input_tokens"), o=Avg("output_tokens")
    )
    return mean["n"], Usage(input_tokens=round(mean["i"]), output_tokens=round(mean["o"]))
