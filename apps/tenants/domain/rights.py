"""The rights in a tenant: one table for persons, who have roles, and for keys, which have scopes.

`roles.py` gives roles their permissions by rule; this is what it comes to, in a reader's words. Every door asks `may`.
Tests hold every page, button, address of the API and document to it.
"""

from enum import Enum
from typing import Protocol

from apps.tenants.domain.roles import KeyScope, Role, roles_with

_OWNER = frozenset({Role.OWNER})
_WRITERS = _OWNER | {Role.CURATOR}
_CONTROL = _OWNER | {Role.AUDITOR}
_READERS = frozenset(Role) - {Role.RATER}  # who rates sees no score before
_READ, _WRITE = frozenset({KeyScope.READ}), frozenset({KeyScope.WRITE})
_CURATE, _ADMIN = frozenset({KeyScope.CURATE}), frozenset({KeyScope.ADMIN})
PEOPLE: frozenset[KeyScope] = frozenset()  # no key does it


class Person(Protocol):
    """A signed-in person: Django's user."""

    def has_perm(self, perm: str) -> bool: ...


def _catalog(verb: str, *models: str) -> tuple[str, ...]:
    return tuple(f"catalog.{verb}_{model}" for model in models)


class Right(Enum):
    """One thing that somebody may do.

    `what` it is; the Django `permissions` (`app.verb_model`) of which a person needs all; the `roles` that have them;
    the `scopes` of which a key needs one.
    """

    def __init__(
        self, what: str, permissions: tuple[str, ...], roles: frozenset[Role], scopes: frozenset[KeyScope] = PEOPLE
    ) -> None:
        self.what = what
        self.permissions = permissions
        self.roles = roles
        self.scopes = scopes

    READ_RUNS = (
        "read runs, conversations and evaluations",
        ("runs.view_testrun", "runs.view_conversation", "evaluations.view_evaluation"),
        _READERS,
        _READ,
    )
    READ_CALIBRATION = "read certificates and calibration", ("calibration.view_certificate",), _READERS, _READ
    READ_USAGE = "read usage and model calls", ("budgets.view_modelcall",), _READERS
    READ_CATALOG = (
        "read agents, model providers, personas, scenarios, criteria, configs, golden sessions and prompts",
        _catalog(
            "view",
            "agent",
            "modelprovider",
            "persona",
            "scenario",
            "criterion",
            "evaluatorconfig",
            "evaluatorconfigversion",
            "goldensession",
            "promptversion",
        ),
        _READERS,
        _READ,
    )
    START_RUNS = "start runs, import conversations, test an agent", ("runs.add_testrun",), _WRITERS, _WRITE
    STEER_RUNS = "pause, resume, cancel and repair runs", ("runs.change_testrun",), _WRITERS, _WRITE
    JUDGE = ("judge, judge again, analyse, dry-run, check a judge", ("evaluations.add_evaluation",), _WRITERS, _WRITE)
    READ_GATES = "read gates of pull requests", ("gates.view_pullrequestgate",), _READERS, _READ
    ASK_GATES = "ask whether a pull request may pass", ("gates.add_pullrequestgate",), _WRITERS, _WRITE
    READ_FLOORS = "read the floors of gates", ("gates.view_gatefloor",), _READERS, _READ
    SET_FLOORS = "set the floor of an agent's gates", ("gates.add_gatefloor", "gates.change_gatefloor"), _WRITERS
    ACCEPT_CHANGES = "accept what a pull request alters of what decides", ("gates.add_gateacceptance",), _WRITERS
    READ_SNAPSHOTS = "read changed golden conversations", ("gates.view_snapshotreview",), _READERS, _READ
    POST_SNAPSHOTS = "post a changed golden conversation", ("gates.add_snapshotreview",), _WRITERS, _WRITE
    DECIDE_SNAPSHOTS = "accept or refuse a changed golden conversation", ("gates.change_snapshotreview",), _WRITERS
    LABEL = ("open a labelling round and label conversations", ("calibration.add_humanlabel",), _WRITERS | {Role.RATER})
    FILL_ROUNDS = ("put conversations into a labelling round", ("calibration.add_labellinground",), _WRITERS, _CURATE)
    CALIBRATE = "calibrate a judge", ("calibration.add_calibration",), _WRITERS
    WRITE_CATALOG = (
        "write personas, scenarios, criteria, golden sessions and prompts; load starter packs; import a catalog",
        (
            *_catalog("add", "persona", "scenario", "criterion", "promptversion", "evaluatorconfig", "goldensession"),
            *_catalog("change", "persona", "scenario", "criterion", "evaluatorconfig", "goldensession"),
        ),
        _WRITERS,
        _CURATE,
    )
    READ_PRODUCTION = (
        "read what real customers said, how they rated it, and which conversations wait to become tests",
        ("production.view_productionconversation", "production.view_feedback", "production.view_promotion"),
        _READERS,
        _READ,
    )
    BRING_PRODUCTION = (
        "bring in real conversations, and rate them",
        ("production.add_productionconversation", "production.add_feedback"),
        _WRITERS,
        _WRITE,
    )
    PROMOTE_CONVERSATIONS = (
        "make a conversation a test, decide about candidates",
        ("production.add_promotion", "production.change_promotion"),
        _WRITERS,
        _WRITE,
    )
    READ_NAMES = "see whose names are masked everywhere", ("production.view_listedperson",), _READERS
    WRITE_NAMES = (
        "write the list of names that are masked everywhere",
        ("production.add_listedperson", "production.change_listedperson"),
        _WRITERS,
    )
    READ_SAMPLING = "read which real conversations are judged, and by whom", ("production.view_samplingrule",), _READERS
    SET_SAMPLING = (
        "decide which real conversations are judged, and by whom",
        ("production.add_samplingrule", "production.change_samplingrule"),
        _WRITERS,
    )
    READ_ANCHORS = "read how the judge does on its anchors", ("production.view_anchorset",), _READERS, _READ
    FREEZE_ANCHORS = (
        "freeze anchors, retire them",
        ("production.add_anchorset", "production.change_anchorset"),
        _WRITERS,
        _WRITE,
    )
    READ_ROLLOUTS = "read rollouts of prompts", ("production.view_rollout",), _READERS, _READ
    STEER_ROLLOUTS = (
        "start, raise and stop a rollout",
        ("production.add_rollout", "production.change_rollout"),
        _WRITERS,
        _CURATE,
    )
    ROLL_BACK = "roll a rollout back", ("production.change_rollout",), _WRITERS, _WRITE  # the way to safety
    PROMOTE_ROLLOUTS = "promote a rollout", ("production.change_rollout",), _WRITERS
    READ_DRAFTS = ("read drafts of prompts and what became of them", ("improvement.view_promptdraft",), _READERS, _READ)
    WRITE_DRAFTS = "write a draft of a prompt", ("improvement.add_promptdraft",), _WRITERS, _WRITE
    READ_TRIALS = "read trials of drafts and the hold-out sets", ("improvement.view_trial",), _READERS, _READ
    START_TRIALS = "try a draft, draw new hold-out families", ("improvement.add_trial",), _WRITERS, _CURATE
    STOP_TRIALS = "stop a trial", ("improvement.change_trial",), _WRITERS, _CURATE
    LIFT_BLOCKS = "let a criterion pass that blocks a draft", ("improvement.change_trial",), _WRITERS
    READ_FIXES = "read fixes that a model proposed", ("improvement.view_fixproposal",), _READERS, _READ
    PROPOSE_FIXES = "have a model propose a fix", ("improvement.add_fixproposal",), _WRITERS, _WRITE
    READ_TEMPLATES = (
        "read the texts that ask the workshop's models",
        ("improvement.view_prompttemplate",),
        _READERS,
        _READ,
    )
    WRITE_TEMPLATES = (
        "write a new version of the texts that ask, say which is in force",
        ("improvement.add_prompttemplate", "improvement.change_prompttemplate"),
        _WRITERS,
    )
    READ_FAILURE_MODES = (
        "read failure modes and how often they happen",
        ("improvement.view_failuremode",),
        _READERS,
        _READ,
    )
    NAME_FAILURE_MODES = (
        "name failure modes, put notes into them, have a model propose groups",
        ("improvement.add_failuremode", "improvement.change_failuremode"),
        _WRITERS,
        _CURATE,
    )
    WRITE_NOTES = "write a note on a conversation", ("improvement.change_failuremode",), _WRITERS, _WRITE
    READ_OPTIMIZATIONS = "read optimizations", ("improvement.view_optimization",), _READERS, _READ
    OPTIMIZE = (
        "improve a prompt: start and stop an optimization, put winning fixes together",
        ("improvement.add_optimization", "improvement.change_optimization"),
        _WRITERS,
        _CURATE,
    )
    READ_PLAYGROUND = (
        "read what prompts answered in the playground",
        ("improvement.view_playground",),
        _READERS,
        _READ,
    )
    TRY_PROMPTS = (
        "try prompts on a kept conversation in the playground",
        ("improvement.add_playground",),
        _WRITERS,
        _WRITE,
    )
    REJECT_DRAFTS = "reject a draft of a prompt", ("improvement.change_promptdraft",), _WRITERS, _WRITE
    RELEASE_DRAFTS = "release a draft of a prompt", ("improvement.change_promptdraft",), _WRITERS
    MAKE_LIVE = "make a prompt version live", ("catalog.change_promptline",), _WRITERS
    EDIT_CONFIGS = (
        "edit, publish, retire and delete config versions",
        _catalog("add", "evaluatorconfigversion")
        + _catalog("change", "evaluatorconfigversion")
        + _catalog("delete", "evaluatorconfigversion"),
        _WRITERS,
        _CURATE,
    )
    KEEP_VIEWS = "keep a view of a list, and share it", ("runs.view_testrun",), _READERS
    WRITE_CONNECTIONS = (
        "write agents and model providers, with their secrets",
        _catalog("add", "agent", "modelprovider") + _catalog("change", "agent", "modelprovider"),
        _OWNER,
        _ADMIN,
    )
    WRITE_SOURCES = (
        "write WhatsApp accounts, Langfuse sources and OTLP receivers, with their secrets",
        (
            "production.add_whatsappaccount",
            "production.change_whatsappaccount",
            "production.add_langfusesource",
            "production.change_langfusesource",
            "production.add_otlpreceiver",
            "production.change_otlpreceiver",
        ),
        _OWNER,
    )
    CHANGE_SETTINGS = "change settings and budgets", ("budgets.change_budget",), _OWNER
    READ_KEYS = (
        "see who has a key, and callbacks",
        ("api.view_apikey", "api.view_webhookkey", "api.view_callback"),
        _CONTROL,
    )
    MAKE_KEYS = (
        "make and revoke keys, send callbacks again",
        ("api.add_apikey", "api.change_apikey", "api.add_webhookkey", "api.change_webhookkey", "api.change_callback"),
        _OWNER,
    )
    READ_ALERTS = "read alerts", ("alerts.view_alert",), _CONTROL
    CHOOSE_ALERTS = (
        "choose where alerts go and which",
        ("alerts.add_alertchannel", "alerts.change_alertchannel"),
        _OWNER,
    )
    READ_ERASURES = "read the receipts of erasures", ("erasure.view_erasure",), _CONTROL, _ADMIN
    ERASE = "erase a person's words", ("erasure.add_erasure",), _OWNER, _ADMIN
    READ_SIGN_IN = "see by which provider people sign in", ("identity.view_identityprovider",), _CONTROL
    CHOOSE_SIGN_IN = (
        "choose the sign-in provider and which groups have which roles",
        ("identity.add_identityprovider", "identity.change_identityprovider"),
        _OWNER,
    )
    READ_PEOPLE = "see people and roles", ("auth.view_user", "auth.view_group"), _CONTROL
    ADD_PEOPLE = "add people and give them roles", ("auth.add_user", "auth.change_user"), _OWNER
    READ_TRAIL = "read the audit trail", ("audit.view_entry",), _CONTROL


def may(who: Person | frozenset[KeyScope], right: Right) -> bool:
    """Tell whether this person, or a key with these scopes, has the right. The one place where that is asked."""
    if isinstance(who, frozenset):
        return bool(who & right.scopes)
    return all(who.has_perm(permission) for permission in right.permissions)


def roles_of(permission: str) -> frozenset[Role]:
    """The roles that have `app.verb_model`, by the rule."""
    app, _, codename = permission.partition(".")
    verb, _, model = codename.partition("_")
    return roles_with(app=app, verb=verb, model=model)


def as_markdown() -> str:
    """The table as the documents show it: a row for each group of people and keys, with all that it may."""
    groups: dict[tuple[str, str], list[str]] = {}
    for right in Right:
        people = ", ".join(role.value for role in Role if role in right.roles)
        scopes = ", ".join(f"`{scope}`" for scope in KeyScope if scope in right.scopes) or "–"
        groups.setdefault((people, scopes), []).append(right.what)
    rows = [f"| {people} | {scopes} | {' · '.join(rights)} |" for (people, scopes), rights in groups.items()]
    return "\n".join(["| people | a key with | may |", "|---|---|---|", *rows])
