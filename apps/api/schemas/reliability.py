"""The shape of how reliable an agent is, and for whom (see apps.reports.queries.reliability)."""

from apps.api.schema_building import COUNT, ID, INTERVAL, NUMBER, TEXT, Schema, known, listed, made

_MAP = listed(known("HeatRow"))
COMPONENTS: dict[str, Schema] = {
    "PassShare": made(
        {
            "k": COUNT,
            "mean": {**NUMBER, "description": "Over scenarios; null where no case has k trials."},
            "interval": {**INTERVAL, "description": "95 % over scenarios; null below least_scenarios."},
            "scenarios": COUNT,
        }
    ),
    "GroupReliability": made(
        {
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
        }
    ),
    "Reliability": made(
        {
            "evaluation_id": ID,
            "k": listed(COUNT),
            "usual_k": {**COUNT, "description": "The commonest number of trials of a case; 0 without any."},
            "least_scenarios": COUNT,
            "undecided": {**COUNT, "description": "Conversations that neither pass nor fail: no trials."},
            "not_measured": {**COUNT, "description": "No trials: invalid battles, failures outside the agent."},
            "overall": known("GroupReliability"),
            "personas": listed(known("GroupReliability"), description="The least reliable first."),
            "languages": listed(known("GroupReliability")),
            "heat_map": made({"least_in_cell": COUNT, "by_persona": _MAP, "by_language": _MAP}),
        }
    ),
}
