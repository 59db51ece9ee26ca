"""The words of empty lists in the admin: one sentence for each list, and the way to its first row."""

_ADD = "The first one appears here once it is added."

SENTENCES = {
    "api.apikey": "No API key yet. A program that asks this tenant for results needs one.",
    "api.callback": "No callback has been sent. One is sent when a run that names a callback_url ends.",
    "api.webhookkey": "No webhook key yet. A program that signs what it posts here needs one.",
    "audit.entry": "Nothing has been changed yet. Changes of the catalog, of people and of keys are listed here.",
    "auth.group": "No roles yet: owner, curator, viewer and auditor are made with the tenant.",
    "auth.user": "No people yet.",
    "budgets.modelcall": "No model has been called yet. Each call stands here with its cost, failed ones too.",
    "catalog.agent": "No agent yet. Add the one you want to test: its name, and the address it answers at.",
    "catalog.criterion": "No criterion yet. It is one thing to be judged: what it means and how it is scored.",
    "catalog.evaluatorconfig": "No evaluator config yet. It says what is judged, by which model, and how "
    "much each criterion counts.",
    "catalog.evaluatorconfigversion": "No version yet. A config judges once it has a published version.",
    "catalog.goldensession": "No golden session yet. Import conversations as golden sessions, or capture one "
    "from a live system.",
    "catalog.modelprovider": "No model provider yet. Without one the offline rules judge, and every page says so.",
    "catalog.persona": "No persona yet. Personas are the simulated customers who talk to your agent.",
    "catalog.promptversion": "No prompt yet. Prompts come in when an agent's repository sends them, or with a "
    "catalog; each version is named after its commit.",
    "catalog.scenario": "No scenario yet. A scenario says what one customer wants and how it begins.",
    "evaluations.evaluation": "Nothing has been judged yet. Open a run and choose what to judge it with.",
    "gates.gatefloor": "No floor yet. It is the least that the gates of an agent ask, whatever a repository says.",
    "gates.pullrequestgate": "No gate yet. Ask one on the page of a run; a pull request gets one by ratiba-ci gate.",
    "runs.conversation": "No conversation yet. Start a run, or import conversations you have.",
    "runs.testrun": "No run has been started. Personas talk to your agent, or golden sessions are played again.",
    "tenants.tenant": "No tenant yet. Add the first one: its name and the host name it is reached at.",
    "tenants.domain": "No host name yet.",
}


def empty_sentence(model: str, name: str, names: str, *, narrowed: bool) -> str:
    """Return the sentence of the empty list of `model` (`catalog.persona`).

    With search or filters it says that nothing is like that. Pure.
    """
    if narrowed:
        return f"None of the {names} is like that."
    return SENTENCES.get(model) or f"No {name} yet. {_ADD}"
