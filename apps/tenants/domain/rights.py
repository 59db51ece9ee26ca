"""What people do on a tenant's pages, the permissions it takes, and which roles have them: one table.

`roles.py` gives roles their permissions by rule; this is what it comes to, in a reader's words. Tests hold every page,
button and document to it.
"""

from dataclasses import dataclass

from apps.tenants.domain.roles import Role, roles_with

_OWNER = frozenset({Role.OWNER})
_WRITERS = _OWNER | {Role.CURATOR}
_CONTROL = _OWNER | {Role.AUDITOR}
_READERS = frozenset(Role) - {Role.RATER}  # who rates sees no score before


@dataclass(frozen=True, slots=True)
class Right:
    """One thing somebody may do. `permissions` are Django's (`app.verb_model`); all of them are needed."""

    what: str
    permissions: tuple[str, ...]
    roles: frozenset[Role]


def _catalog(verb: str, *models: str) -> tuple[str, ...]:
    return tuple(f"catalog.{verb}_{model}" for model in models)


RIGHTS = (
    Right(
        "read runs, conversations and evaluations",
        ("runs.view_testrun", "runs.view_conversation", "evaluations.view_evaluation"),
        _READERS,
    ),
    Right("read certificates and calibration", ("calibration.view_certificate",), _READERS),
    Right("read usage and model calls", ("budgets.view_modelcall",), _READERS),
    Right(
        "read agents, model providers, personas, scenarios, criteria, configs, golden sessions and prompts",
        _catalog(
            "view", "agent", "modelprovider", "persona", "scenario", "criterion", "evaluatorconfig",
            "evaluatorconfigversion", "goldensession", "promptversion",
        ),
        _READERS,
    ),
    Right("start runs, import conversations, test an agent", ("runs.add_testrun",), _WRITERS),
    Right("pause, resume, cancel and repair runs", ("runs.change_testrun",), _WRITERS),
    Right("judge, judge again, analyse, dry-run, check a judge", ("evaluations.add_evaluation",), _WRITERS),
    Right("read gates of pull requests", ("gates.view_pullrequestgate",), _READERS),
    Right("ask whether a pull request may pass", ("gates.add_pullrequestgate",), _WRITERS),
    Right("read the floors of gates", ("gates.view_gatefloor",), _READERS),
    Right("set the floor of an agent's gates", ("gates.add_gatefloor", "gates.change_gatefloor"), _WRITERS),
    Right("accept what a pull request alters of what decides", ("gates.add_gateacceptance",), _WRITERS),
    Right("read changed golden conversations", ("gates.view_snapshotreview",), _READERS),
    Right("post a changed golden conversation", ("gates.add_snapshotreview",), _WRITERS),
    Right("accept or refuse a changed golden conversation", ("gates.change_snapshotreview",), _WRITERS),
    Right("open a labelling round and label conversations", ("calibration.add_humanlabel",), _WRITERS | {Role.RATER}),
    Right("put conversations into a labelling round", ("calibration.add_labellinground",), _WRITERS),
    Right("calibrate a judge", ("calibration.add_calibration",), _WRITERS),
    Right(
        "write personas, scenarios, criteria, golden sessions and prompts; load starter packs; import a catalog",
        (
            *_catalog("add", "persona", "scenario", "criterion", "promptversion", "evaluatorconfig", "goldensession"),
            *_catalog("change", "persona", "scenario", "criterion", "evaluatorconfig", "goldensession"),
        ),
        _WRITERS,
    ),
    Right(
        "read what real customers said, how they rated it, and which conversations wait to become tests",
        ("production.view_productionconversation", "production.view_feedback", "production.view_promotion"),
        _READERS,
    ),
    Right(
        "bring in real conversations, and rate them",
        ("production.add_productionconversation", "production.add_feedback"),
        _WRITERS,
    ),
    Right(
        "make a conversation a test, decide about candidates",
        ("production.add_promotion", "production.change_promotion"),
        _WRITERS,
    ),
    Right("see whose names are masked everywhere", ("production.view_listedperson",), _READERS),
    Right(
        "write the list of names that are masked everywhere",
        ("production.add_listedperson", "production.change_listedperson"),
        _WRITERS,
    ),
    Right("read which real conversations are judged, and by whom", ("production.view_samplingrule",), _READERS),
    Right(
        "decide which real conversations are judged, and by whom",
        ("production.add_samplingrule", "production.change_samplingrule"),
        _WRITERS,
    ),
    Right("read how the judge does on its anchors", ("production.view_anchorset",), _READERS),
    Right("freeze anchors, retire them", ("production.add_anchorset", "production.change_anchorset"), _WRITERS),
    Right("read rollouts of prompts", ("production.view_rollout",), _READERS),
    Right(
        "start, raise, promote and roll back a rollout",
        ("production.add_rollout", "production.change_rollout"),
        _WRITERS,
    ),
    Right("read drafts of prompts and what became of them", ("improvement.view_promptdraft",), _READERS),
    Right("write a draft of a prompt", ("improvement.add_promptdraft",), _WRITERS),
    Right("read trials of drafts and the hold-out sets", ("improvement.view_trial",), _READERS),
    Right("try a draft, draw new hold-out families", ("improvement.add_trial",), _WRITERS),
    Right("stop a trial, let a criterion pass that blocks a draft", ("improvement.change_trial",), _WRITERS),
    Right("read fixes that a model proposed", ("improvement.view_fixproposal",), _READERS),
    Right("have a model propose a fix", ("improvement.add_fixproposal",), _WRITERS),
    Right("read the texts that ask the workshop's models", ("improvement.view_prompttemplate",), _READERS),
    Right("write a new version of them, say which is in force",
          ("improvement.add_prompttemplate", "improvement.change_prompttemplate"), _WRITERS),
    Right("read failure modes and how often they happen", ("improvement.view_failuremode",), _READERS),
    Right("name failure modes, put notes into them, have a model propose groups",
          ("improvement.add_failuremode", "improvement.change_failuremode"), _WRITERS),
    Right("read optimizations", ("improvement.view_optimization",), _READERS),
    Right("improve a prompt: start and stop an optimization, put winning fixes together",
          ("improvement.add_optimization", "improvement.change_optimization"), _WRITERS),
    Right("read what prompts answered in the playground", ("improvement.view_playground",), _READERS),
    Right("try prompts on a kept conversation in the playground", ("improvement.add_playground",), _WRITERS),
    Right("release or reject a draft of a prompt", ("improvement.change_promptdraft",), _WRITERS),
    Right("make a prompt version live", ("catalog.change_promptline",), _WRITERS),
    Right(
        "edit, publish, retire and delete config versions",
        _catalog("add", "evaluatorconfigversion")
        + _catalog("change", "evaluatorconfigversion")
        + _catalog("delete", "evaluatorconfigversion"),
        _WRITERS,
    ),
    Right(
        "write agents and model providers, with their secrets",
        _catalog("add", "agent", "modelprovider") + _catalog("change", "agent", "modelprovider"),
        _OWNER,
    ),
    Right(
        "write WhatsApp accounts and Langfuse sources, with their secrets",
        (
            "production.add_whatsappaccount",
            "production.change_whatsappaccount",
            "production.add_langfusesource",
            "production.change_langfusesource",
        ),
        _OWNER,
    ),
    Right("change settings and budgets", ("budgets.change_budget",), _OWNER),
    Right(
        "see who has a key, and callbacks", ("api.view_apikey", "api.view_webhookkey", "api.view_callback"), _CONTROL
    ),
    Right(
        "make and revoke keys, send callbacks again",
        ("api.add_apikey", "api.change_apikey", "api.add_webhookkey", "api.change_webhookkey", "api.change_callback"),
        _OWNER,
    ),
    Right("read alerts, and the receipts of erasures", ("alerts.view_alert", "erasure.view_erasure"), _CONTROL),
    Right("choose where alerts go and which, erase a person's words",
          ("alerts.add_alertchannel", "alerts.change_alertchannel", "erasure.add_erasure"), _OWNER),
    Right("see by which provider people sign in", ("identity.view_identityprovider",), _CONTROL),
    Right("choose the sign-in provider and which groups have which roles",
          ("identity.add_identityprovider", "identity.change_identityprovider"), _OWNER),
    Right("see people and roles", ("auth.view_user", "auth.view_group"), _CONTROL),
    Right("add people and give them roles", ("auth.add_user", "auth.change_user"), _OWNER),
    Right("read the audit trail", ("audit.view_entry",), _CONTROL),
)  # fmt: skip


def roles_of(permission: str) -> frozenset[Role]:
    """The roles that have `app.verb_model`, by the rule."""
    app, _, codename = permission.partition(".")
    verb, _, model = codename.partition("_")
    return roles_with(app=app, verb=verb, model=model)


def as_markdown() -> str:
    """The table as the documents show it."""
    heads = [role.value for role in Role]
    rows = [f"| | {' | '.join(heads)} |", f"|---|{'---|' * len(heads)}"]
    for right in RIGHTS:
        marks = " | ".join("yes" if role in right.roles else "–" for role in Role)
        rows.append(f"| {right.what} | {marks} |")
    return "\n".join(rows)
