"""The shape of how reliable an agent is, and for whom (see apps.reports.queries.reliability)."""

from apps.api.schema_building import COUNT, ID, INTERVAL, NUMBER, TEXT, Schema, known, listed, made, words
from apps.reports.domain.heat_map import HeatLevel
from apps.reports.domain.slices import SliceState

_MAP = listed(known("HeatRow"))
COMPONENTS: dict[str, Schema] = {
    "PassShare": made({
        "k": COUNT,
        "mean": {**NUMBER, "description": "Over scenarios; null where no case has k trials."},
        "interval": {**INTERVAL, "description": "95 % over scenarios; null below least_scenarios."},
        "scenarios": COUNT,
    }),
    "GroupReliability": made({
        "name": TEXT,
        "scenarios": COUNT,
        "cases": {**COUNT, "description": "A scenario played by a persona."},
        "trials": COUNT,
        "passed": COUNT,
        "repeated": {**COUNT, "description": "Cases with two trials or more."},
        "consistent": {**COUNT, "description": "Repeated cases whose trials all came out alike."},
        "consistency": NUMBER,
        "pass_hat_k": listed(known("PassShare"), description="The chance that k trials of a case all pass."),
        "pass_at_k": listed(known("PassShare"), description="The chance that one of k trials passes at least."),
    }),
    "HeatRow": made({
        "name": TEXT,
        "criteria": listed(made({
            "criterion": TEXT,
            "failing": {**COUNT, "description": "Scored below the pass mark."},
            "scored": COUNT,
            "level": words(HeatLevel),
            "more_than_others": {"type": "boolean"},
        })),
    }),
    "SliceClaim": made({
        "name": TEXT,
        "state": {
            **words(SliceState),
            "description": "worse: it scores lower than the others of this evaluation (one-sided, 5 % over all). "
            "too_few: it shares too few scenarios with them.",
        },
        "conversations": COUNT,
        "scenarios": {**COUNT, "description": "Over how many it is compared."},
        "mean": NUMBER,
        "difference": {**NUMBER, "description": "From the others, in points, within scenarios."},
        "p": {**NUMBER, "description": "One-sided, before it is adjusted for how many slices there are."},
    }),
    "Reliability": made({
        "evaluation_id": ID,
        "k": listed(COUNT),
        "usual_k": {**COUNT, "description": "The commonest number of trials of a case; 0 without any."},
        "least_scenarios": COUNT,
        "undecided": {**COUNT, "description": "Conversations that neither pass nor fail: no trials."},
        "not_measured": {**COUNT, "description": "No trials: invalid battles, failures outside the agent."},
        "overall": known("GroupReliability"),
        "personas": listed(known("GroupReliability"), description="The least reliable first."),
        "languages": listed(known("GroupReliability")),
        "slices": made({"by_persona": listed(known("SliceClaim")), "by_language": listed(known("SliceClaim"))}),
        "heat_map": made({"least_in_cell": COUNT, "by_persona": _MAP, "by_language": _MAP}),
    }),
}  # fmt: skip
