"""The roles of a tenant, by name: five roles, each a group of Django's permissions, and the scopes of keys.

owner     everything in the tenant, its people, keys, agents and model providers
curator   writes what is tested with and judged by, starts and steers runs; sees no key and changes no address
viewer    reads the catalog and results
auditor   reads everything, the history, people and keys' names too; changes nothing
rater     opens a labelling round and rates its conversations; sees no score, no result and nothing else
"""

from enum import StrEnum


class Role(StrEnum):
    OWNER = "owner"
    CURATOR = "curator"
    VIEWER = "viewer"
    AUDITOR = "auditor"
    RATER = "rater"


class KeyScope(StrEnum):
    """The scope of an API key. No scope holds another: a key that writes does not read unless it has both.

    READ and WRITE start and steer what is a run's own: continuous integration has these two, so that no pull request
    changes what it is judged by. CURATE changes what the whole team tests and judges with. ADMIN does what only an
    owner may: where agents and model providers are, and erasing a person's words.
    """

    READ = "read"
    WRITE = "write"
    CURATE = "curate"
    ADMIN = "admin"


CI_SCOPES = frozenset({KeyScope.READ, KeyScope.WRITE})  # of a new key, where nobody says otherwise

WORK = frozenset(
    {"budgets", "catalog", "runs", "evaluations", "calibration", "checks", "gates", "improvement", "production"}
)
_CONNECTIONS = frozenset(
    {"agent", "agentconnection", "modelprovider", "whatsappaccount", "langfusesource", "otlpreceiver"}
)  # addresses and keys: who writes them decides where secrets go
_STEERED = frozenset({"runs", "evaluations", "calibration", "gates", "improvement", "production"})
_OWNED = frozenset({"api", "alerts", "erasure", "identity"})  # an owner's affair; auditors read it
_PEOPLE = frozenset({"user", "group"})


def roles_with(*, app: str, verb: str, model: str) -> frozenset[Role]:
    """The roles that have the permission `<app>.<verb>_<model>`; verb is view, add, change or delete."""
    return frozenset(role for role in Role if _has(role, app, verb, model))


def _has(role: Role, app: str, verb: str, model: str) -> bool:
    reading = verb == "view"
    match role:
        case Role.RATER:
            return (app, verb, model) == ("calibration", "add", "humanlabel")
        case Role.VIEWER:
            return reading and app in WORK
        case Role.AUDITOR:
            return reading and (app in WORK | _OWNED | {"admin", "audit"} or (app == "auth" and model in _PEOPLE))
        case Role.CURATOR:
            if app == "catalog" and model not in _CONNECTIONS:
                return True
            steers = app in _STEERED and model not in _CONNECTIONS and verb in {"add", "change"}
            return app in WORK and (reading or steers)
        case Role.OWNER:
            if app == "auth":  # people are made inactive, never deleted: history names them
                return (model == "user" and verb != "delete") or (model == "group" and reading)
            return app in WORK | _OWNED or (app in {"admin", "audit"} and reading)
