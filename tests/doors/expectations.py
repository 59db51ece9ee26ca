"""Who may open which address. A new address without a line here fails the test: decide, then write it down.

A model's pages need one line in MODELS; an address that is no page of a model needs one in PAGES or API.
"""

import re
from dataclasses import dataclass

from tests.doors.addresses import Address

NOBODY: frozenset[str] = frozenset()
OWNER, AUDITOR = frozenset({"owner"}), frozenset({"auditor"})
WRITERS = OWNER | {"curator"}
READERS = WRITERS | AUDITOR | {"viewer"}
RATERS = WRITERS | {"rater"}
STAFF = READERS | RATERS | {"staff without a role"}
PLATFORM = frozenset({"platform admin"})
PLATFORM_STAFF = PLATFORM | {"platform staff"}
OWNERS_KEYS = frozenset({"key"})
CURATING_KEYS = OWNERS_KEYS | {"curator's key"}
WRITING_KEYS = CURATING_KEYS | {"CI key"}
READING_KEYS = WRITING_KEYS | {"read-only key"}
EVERYBODY = frozenset({"*"})
_TRAIL = OWNER | AUDITOR | PLATFORM
SIGN_IN = 0  # a redirect to the sign-in page, which tells nothing of what is behind it


@dataclass(frozen=True, slots=True)
class Expected:
    """Who is let in, and what they are then answered; everybody else gets what strangers and staff get at this door."""

    get: frozenset[str]
    get_is: tuple[int, ...] = (200,)
    post: frozenset[str] = NOBODY
    post_is: tuple[int, ...] = (200, 302)
    stranger_is: tuple[int, ...] = (SIGN_IN,)
    staff_is: tuple[int, ...] = (403,)


@dataclass(frozen=True, slots=True)
class Model:
    """Who may do what with a model's rows in the admin. `more` is its own addresses, by the end of their name."""

    view: frozenset[str]
    add: frozenset[str] = NOBODY
    change: frozenset[str] = NOBODY
    delete: frozenset[str] = NOBODY
    opens: str = ""  # the page of the dashboard that a row leads to
    more: tuple[tuple[str, Expected], ...] = ()


_SWITCH = Expected(PLATFORM, (405,), PLATFORM, (302,))
_BEGIN = Expected(PLATFORM, post=PLATFORM)
MODELS = {
    "auth.group": Model(OWNER | AUDITOR),
    "auth.user": Model(OWNER | AUDITOR, OWNER, OWNER, more=(("password_change", Expected(OWNER, post=OWNER)),)),
    "audit.entry": Model(_TRAIL, more=(("export", Expected(_TRAIL, post=_TRAIL)),)),
    "catalog.criterion": Model(READERS, WRITERS, WRITERS),  # the row at hand is in use: it cannot be deleted
    "catalog.evaluatorconfig": Model(READERS, WRITERS, WRITERS, opens="config_version"),  # it has a published version
    "catalog.evaluatorconfigversion": Model(READERS, change=WRITERS, opens="config_version"),
    "catalog.agent": Model(READERS, OWNER, OWNER, OWNER),
    "catalog.agentconnection": Model(READERS, OWNER, OWNER, OWNER),
    "catalog.modelprovider": Model(READERS, OWNER, OWNER, OWNER),
    "catalog.persona": Model(READERS, WRITERS, WRITERS),  # a scenario plays the row at hand
    "catalog.scenario": Model(READERS, WRITERS, WRITERS, WRITERS),
    "catalog.promptversion": Model(READERS, WRITERS, opens="prompt"),
    "catalog.goldensession": Model(READERS, NOBODY, WRITERS),  # it has a version
    "api.apikey": Model(OWNER | AUDITOR, OWNER, OWNER),
    "api.webhookkey": Model(OWNER | AUDITOR, OWNER, OWNER),
    "api.callback": Model(OWNER | AUDITOR),
    "budgets.modelcall": Model(READERS),
    "evaluations.evaluation": Model(READERS, opens="evaluation"),
    "gates.gatefloor": Model(READERS, WRITERS, WRITERS, OWNER),
    "production.samplingrule": Model(READERS, WRITERS, WRITERS, OWNER),
    "gates.pullrequestgate": Model(READERS, opens="gate"),
    "identity.identityprovider": Model(OWNER | AUDITOR, NOBODY, OWNER, OWNER),  # a tenant has one
    "production.langfusesource": Model(READERS, OWNER, OWNER, OWNER),
    "production.otlpreceiver": Model(READERS, OWNER, OWNER, OWNER),
    "improvement.prompttemplate": Model(READERS, WRITERS),
    "production.listedperson": Model(READERS, WRITERS, WRITERS, OWNER),
    "production.whatsappaccount": Model(READERS, OWNER, OWNER, OWNER),
    "runs.testrun": Model(READERS, opens="run"),
    "runs.conversation": Model(READERS, opens="conversation"),
    "tenants.tenant": Model(
        PLATFORM, PLATFORM, PLATFORM, PLATFORM, more=(("switch", _SWITCH), ("hosts", _BEGIN), ("owner", _BEGIN))
    ),
}

_STAFF_PAGE = Expected(STAFF | PLATFORM_STAFF, post=STAFF | PLATFORM_STAFF)
_READ_PAGE = Expected(READERS, post=READERS)
_DOWNLOAD = Expected(READERS, (200,), READERS, (405,))
_OPEN = Expected(EVERYBODY, (200,), EVERYBODY, (405,))
PAGES = {  # by host and route
    r"\w+ admin/(search/)?": _STAFF_PAGE,
    r"\w+ admin/login/": Expected(EVERYBODY, (200, 302), EVERYBODY, (200,)),
    r"\w+ admin/logout/": Expected(STAFF | PLATFORM_STAFF, (405,), STAFF | PLATFORM_STAFF, (200,), (302,)),
    r"\w+ admin/password_change/": _STAFF_PAGE,
    r"\w+ admin/(password_change/done|jsi18n)/": Expected(_STAFF_PAGE.get, (200,), _STAFF_PAGE.get, (405,)),
    r"tenant admin/autocomplete/": Expected(READERS, (200,), STAFF, (405,)),
    r"public admin/autocomplete/": Expected(PLATFORM_STAFF, (403,), PLATFORM_STAFF, (405,)),
    r"\w+ admin/r/.*": Expected(STAFF | PLATFORM_STAFF, (404,), STAFF | PLATFORM_STAFF, (404,)),
    r"\w+ admin/\(\?P<url>\.\*\)\$": Expected(STAFF | PLATFORM_STAFF, (404,), STAFF | PLATFORM_STAFF, (404,)),
    r"tenant admin/(auth|api|audit|identity)/": Expected(OWNER | AUDITOR, post=OWNER | AUDITOR, staff_is=(404,)),
    r"tenant admin/(catalog|budgets|evaluations|gates|improvement|production|runs)/": Expected(
        READERS, post=READERS, staff_is=(404,)
    ),
    r"public admin/(tenants|audit)/": Expected(PLATFORM, post=PLATFORM, staff_is=(404,)),
    r"tenant labelling/queues/": _DOWNLOAD,
    r"tenant labelling/queues/new/": Expected(WRITERS, (200,), WRITERS, (422,)),
    r"tenant labelling/queues/<uuid:round_id>/(export/)?": Expected(READERS, (404,), READERS, (404, 405)),
    r"tenant labelling/queues/<uuid:round_id>/(change|resolve)/": Expected(WRITERS, (405,), WRITERS, (404,)),
    r"tenant failure-modes/(<uuid:mode_id>/)?": _DOWNLOAD,
    r"tenant failure-modes/(new|<uuid:mode_id>/change)/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant sign-in/<slug:provider_id>/": Expected(EVERYBODY, (SIGN_IN,), EVERYBODY, (404,)),
    r"tenant sign-in/<slug:provider_id>/callback/": Expected(EVERYBODY, (404,), EVERYBODY, (405,)),
    r"tenant ": Expected(EVERYBODY, (302,), EVERYBODY, (302,)),
    r"tenant (runs/<uuid:run_id>|evaluations/<uuid:evaluation_id>|conversations/<uuid:conversation_id>|usage)/":
        _READ_PAGE,
    r"tenant (runs/<uuid:run_id>|evaluations/<uuid:evaluation_id>)/export/<slug:format>/": _DOWNLOAD,
    r"tenant runs/<uuid:run_id>/checks/export/<slug:format>/": _DOWNLOAD,
    r"tenant catalog/export/": _DOWNLOAD,
    r"tenant ((catalog|conversations)/import|catalog/import-from|runs/start)/": Expected(WRITERS, post=WRITERS),
    r"tenant runs/start/forecast/": Expected(WRITERS, (405,), WRITERS),
    r"tenant configs/<uuid:version_id>/": Expected(READERS, (200,), WRITERS, (302, 409, 422)),
    r"tenant configs/<uuid:version_id>/(dry-runs|judge-check|retire)/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant configs/<uuid:version_id>/publish/": Expected(WRITERS, (200, 302), WRITERS, (302, 422)),
    r"tenant configs/<uuid:config_id>/first-version/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant packs/": Expected(WRITERS, post=WRITERS),
    r"tenant settings/list/": Expected(STAFF, (200,), STAFF, (405,)),  # those of its lines that they may open
    r"tenant settings/": Expected(OWNER, (200,), OWNER, (302, 422)),
    r"tenant configs/<uuid:version_id>/try/": Expected(WRITERS, post=WRITERS),
    r"tenant configs/<uuid:version_id>/compare/": Expected(READERS, (200,), READERS, (405,)),
    r"tenant (configs/<uuid:version_id>/new-version|runs/<uuid:run_id>/evaluate)/":
        Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant (agents/<uuid:agent_id>|providers/<uuid:provider_id>)/check/": Expected(READERS, (200,), WRITERS, (302,)),
    r"tenant langfuse/<uuid:source_id>/check/": Expected(OWNER, (200,), OWNER, (302,)),
    r"tenant otlp/<uuid:receiver_id>/check/": Expected(OWNER, (200,), OWNER, (302,)),
    r"tenant try/": Expected(OWNER, (200,), OWNER, (200, 302)),
    r"tenant try/<uuid:try_id>/": Expected(OWNER, (404,), OWNER, (405,)),
    r"tenant prompts/<uuid:prompt_id>/": _DOWNLOAD,
    r"tenant prompts/<uuid:prompt_id>/live/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant workshop/compare/": _DOWNLOAD,
    r"tenant workshop/combine/": Expected(WRITERS, (302,), WRITERS, (302,)),
    r"tenant workshop/compare/pairs/": Expected(READERS, (302,), READERS, (405,)),
    r"tenant personas/(<uuid:persona_id>|generations/<uuid:generation_id>)/": _DOWNLOAD,
    r"tenant personas/generate/": Expected(WRITERS, (200,), WRITERS, (200, 302)),
    r"tenant personas/<uuid:persona_id>/(score|validate|override|release|resubmit|archive)/":
        Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant gates/<uuid:gate_id>/": _DOWNLOAD,
    r"tenant gates/<uuid:gate_id>/(accept|again)/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant runs/<uuid:run_id>/gate/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant production/people/import/": Expected(WRITERS, post=WRITERS),
    r"tenant production/(candidates/(<uuid:promotion_id>/)?)?": _DOWNLOAD,
    r"tenant production/candidates/<uuid:promotion_id>/(forbid|allow|clear|release|archive)/":
        Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant production/rollouts/(<uuid:rollout_id>/)?": _DOWNLOAD,
    r"tenant production/rollouts/start/": Expected(WRITERS, (200,), WRITERS, (200, 302)),
    r"tenant production/rollouts/forecast/": Expected(WRITERS, (405,), WRITERS, (200,)),
    r"tenant production/rollouts/<uuid:rollout_id>/(change|try|rollback|stop|promote)/":
        Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant production/anchors/": _DOWNLOAD,
    r"tenant production/anchors/(freeze|<uuid:set_id>/retire)/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant conversations/<uuid:conversation_id>/(test|from-turn)/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant conversations/<uuid:conversation_id>/pick/": Expected(WRITERS, (405,), WRITERS, (302, 404)),
    r"tenant conversations/<uuid:conversation_id>/rate/": Expected(WRITERS, (405,), WRITERS, (302, 404)),
    r"tenant workshop/trials/<uuid:trial_id>/": _DOWNLOAD,
    r"tenant runs/<uuid:run_id>/evaluators/": Expected(READERS, (302, 404), READERS, (405,)),
    r"tenant workshop/optimizations/<uuid:optimization_id>/": _DOWNLOAD,
    r"tenant workshop/optimizations/<uuid:optimization_id>/(cancel|combine|prove)/":
        Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant evaluations/<uuid:evaluation_id>/improve/": Expected(WRITERS, (200,), WRITERS, (200, 302)),
    r"tenant evaluations/<uuid:evaluation_id>/improve/forecast/": Expected(WRITERS, (405,), WRITERS, (200,)),
    r"tenant workshop/playground/<uuid:playground_id>/": _DOWNLOAD,
    r"tenant workshop/playground/new/": Expected(WRITERS, (200,), WRITERS, (302, 422)),
    r"tenant workshop/open/": Expected(READERS, (302,), WRITERS, (302,)),
    r"tenant workshop/trials/<uuid:trial_id>/(cancel|lift)/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant workshop/drafts/<uuid:draft_id>/trials/new/": Expected(WRITERS, (200,), WRITERS, (200, 302)),
    r"tenant workshop/drafts/<uuid:draft_id>/trials/forecast/": Expected(WRITERS, (405,), WRITERS, (200,)),
    r"tenant workshop/drafts/<uuid:draft_id>/hold-out/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant alerts/": Expected(OWNER | AUDITOR, (200,), OWNER | AUDITOR, (405,)),
    r"tenant alerts/channels/": Expected(OWNER, (405,), OWNER, (422,)),
    r"tenant alerts/(channels/<uuid:channel_id>|rules)/": Expected(OWNER, (405,), OWNER, (302,)),
    r"tenant erasures/": Expected(OWNER | AUDITOR, (200,), OWNER | AUDITOR, (200, 302, 422)),
    r"tenant erasures/<uuid:erasure_id>/": Expected(OWNER | AUDITOR, (200,), OWNER | AUDITOR, (405,)),
    r"tenant erasures/<uuid:erasure_id>/erase/": Expected(OWNER, (405,), OWNER, (302,)),
    r"tenant snapshots/(<uuid:review_id>/)?": _DOWNLOAD,
    r"tenant workshop/(drafts/<uuid:draft_id>/(patch/)?)?": _DOWNLOAD,
    r"tenant analyses/<uuid:analysis_id>/propose/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant workshop/new/": Expected(WRITERS, (200,), WRITERS, (404,)),  # of no prompt
    r"tenant workshop/drafts/<uuid:draft_id>/(release|reject)/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant snapshots/<uuid:review_id>/(accept|refuse)/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant goldens/<uuid:session_id>/": _DOWNLOAD,
    r"tenant goldens/(<uuid:session_id>/confirm|versions/<uuid:golden_version_id>/(edit|approve|retire))/":
        Expected(WRITERS, (405,), WRITERS, (302, 404, 422)),
    r"tenant (conversations/<uuid:conversation_id>/accept-wording|runs/<uuid:run_id>/accept-wordings)/":
        Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant conversations/<uuid:conversation_id>/(golden-was-wrong|new-golden)/":
        Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant home/dismiss/": Expected(READERS, (405,), READERS, (302,)),
    r"tenant views/": _DOWNLOAD,
    r"tenant search/(quick/)?": Expected(STAFF, (200,), STAFF, (405,)),  # each finds what their pages show
    r"tenant views/save/": Expected(READERS, (405,), READERS, (302,)),
    r"tenant views/<uuid:view_id>/(share|remove)/": Expected(READERS, (405,), READERS, (302, 404)),
    r"tenant home/show-again/": Expected(READERS, (405,), READERS, (302,)),
    r"tenant home/judge-again/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant usage/budget/": Expected(OWNER, (405,), OWNER, (302,)),
    r"tenant evaluations/<uuid:evaluation_id>/analysis/": Expected(READERS, (200, 302), WRITERS, (200, 302)),
    r"tenant comparisons/": _READ_PAGE,
    r"tenant trends/": _DOWNLOAD,
    r"tenant comparisons/pair/": Expected(READERS, (200, 302, 404), READERS, (405,)),
    r"tenant comparisons/columns/": Expected(READERS, (302,), READERS, (405,)),
    r"tenant evaluations/<uuid:evaluation_id>/(slices|who-suffers)/": _DOWNLOAD,
    r"tenant evaluations/<uuid:evaluation_id>/matrix/(filters/|<uuid:conversation_id>/)?": _DOWNLOAD,
    r"tenant runs/<uuid:run_id>/report/(<str:name>)?": _DOWNLOAD,
    r"tenant runs/<uuid:run_id>/report/summary/": Expected(READERS, (200,), WRITERS, (302,)),
    r"tenant conversations/<uuid:conversation_id>/calls/": _DOWNLOAD,
    r"tenant conversations/<uuid:conversation_id>/(disagree|note|label|judge-again)/":
        Expected(WRITERS, (405,), WRITERS, (302, 404, 422)),
    r"tenant agents/<uuid:agent_id>/capture/": Expected(READERS, (200,), WRITERS, (200, 302, 422)),
    r"tenant calibration/": _DOWNLOAD,
    r"tenant calibration/human_labelled\.yaml": _DOWNLOAD,
    r"tenant calibration/start/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant calibration/rounds/open/": Expected(RATERS, (405,), RATERS, (302,)),
    r"tenant calibration/languages/": Expected(RATERS, (405,), RATERS, (302,)),
    r"tenant calibration/rounds/<uuid:round_id>/models-reviewed/": Expected(WRITERS, (405,), WRITERS, (404,)),
    r"tenant calibration/<uuid:certificate_id>/": Expected(READERS, (404,), READERS, (405,)),
    r"tenant labelling/language/": Expected(STAFF, (405,), STAFF, (302,)),
    r"tenant labelling/": Expected(RATERS, (200,), RATERS, (405,)),
    r"tenant labelling/<int:item_id>/": Expected(RATERS, (404,), RATERS, (405,)),
    r"tenant labelling/<int:item_id>/save/": Expected(RATERS, (405,), RATERS, (404,)),
    r"public admin/health/": Expected(PLATFORM, post=PLATFORM),
    r"tenant runs/<uuid:run_id>/rename/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant runs/<uuid:run_id>/again/": Expected(WRITERS, (405,), WRITERS, (302,)),
    r"tenant runs/<uuid:run_id>/<slug:verb>/": Expected(WRITERS, (405,), WRITERS, (302,)),
}  # fmt: skip

_API = {"stranger_is": (401,), "staff_is": (403,)}
_READ = Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (405,), **_API)
_STEER = Expected(READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (200, 409), **_API)
API = {
    r"(evaluations|test-runs)/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"prompt-versions/compare/": Expected(READERS | READING_KEYS, (400,), WRITERS | WRITING_KEYS, (405,), **_API),
    r"prompts/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"test-runs/<uuid:id>/(evaluators|matrix)/": _READ,
    r"playground/": Expected(READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"playground/<uuid:id>/": _READ,
    r"saved-views/": Expected(READERS | READING_KEYS, (200,), READERS, (400,), **_API),  # no key keeps one
    r"saved-views/<uuid:id>/(remove|share)/": Expected(
        READERS | READING_KEYS, (405,), READERS, (200, 400, 404), **_API
    ),
    r"review-queues/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"review-queues/<uuid:id>/(ratings/)?": Expected(
        READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (405,), **_API
    ),
    r"review-queues/<uuid:id>/(close|reopen)/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (200,), **_API
    ),
    r"review-queues/<uuid:id>/(assign|resolve)/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (400,), **_API
    ),
    r"notes/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"failure-modes/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"failure-modes/(groupings/)?<uuid:id>/": Expected(
        READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (405,), **_API
    ),
    r"failure-modes/(groupings|<uuid:id>/(accept|criterion|fix|merge|notes|reject|rename))/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (200, 400, 409), **_API
    ),
    r"drafts/combine/": Expected(READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"(drafts|proposals)/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"(drafts|proposals)/<uuid:id>/": _READ,
    r"drafts/<uuid:id>/trials/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"drafts/<uuid:id>/release/": Expected(READERS | READING_KEYS, (200,), WRITERS, (409,), **_API),  # no key releases
    r"prompt-templates/": _READ,
    r"optimizations/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"optimizations/<uuid:id>/(matrix/)?": Expected(
        READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (405,), **_API
    ),
    r"optimizations/<uuid:id>/(combine|prove|cancel)/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (409,), **_API
    ),
    r"trials/hold-out/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (200, 409), **_API),
    r"trials/<uuid:id>/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (405,), **_API),
    r"trials/<uuid:id>/cancel/": Expected(READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (409,), **_API),
    r"trials/<uuid:id>/lift/": Expected(READERS | READING_KEYS, (405,), WRITERS, (400,), **_API),  # no key lifts
    r"drafts/<uuid:id>/reject/": Expected(READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"(evaluations|test-runs)/<uuid:id>/(status/|judgements/|reliability/|slices/|conversations/|report/)?": _READ,
    r"test-runs/<uuid:id>/report/summary/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (202, 400, 409, 422), **_API
    ),
    r"test-runs/<uuid:id>/checks/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"evaluations/<uuid:id>/comparison/<uuid:other>/": Expected(  # with itself: a bad question
        READERS | READING_KEYS, (400,), WRITERS | WRITING_KEYS, (405,), **_API
    ),
    r"evaluations/<uuid:id>/analyses/": Expected(
        READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (202, 400), **_API
    ),
    r"evaluations/<uuid:id>/cancel/": _STEER,
    r"test-runs/<uuid:id>/(pause|resume|cancel|requeue|reconcile)/": _STEER,
    r"test-runs/<uuid:id>/rerun/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (202, 400, 409), **_API
    ),
    r"test-runs/forecast/": Expected(READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"personas/(<uuid:id>/)?": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (405,), **_API),
    r"personas/generations/(<uuid:id>/)?": _READ,
    r"personas/generate/forecast/": Expected(READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"personas/generate/": Expected(READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"personas/<uuid:id>/(validate|override|release|resubmit|archive)/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (200, 202, 400, 409, 422), **_API
    ),
    r"catalog/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (405,), **_API),
    r"production/state/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (405,), **_API),
    r"catalog/import/": Expected(READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"pulled-turns/(lease|<uuid:id>/extend|<uuid:id>/reply)/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (400,), **_API
    ),
    # Meta's signature opens it, and nothing else: without one everybody is refused alike.
    r"feedback/whatsapp/": Expected(EVERYBODY, (403,), EVERYBODY, (401,)),
    r"otlp/v1/traces": Expected(READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (200,), **_API),
    r"(schema|docs)/": _OPEN,  # they describe the API and hold nothing of any tenant
    r"(feedback|production/conversations|promotions)/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (400,), **_API
    ),
    r"erasures/": Expected(OWNER | AUDITOR | OWNERS_KEYS, (405,), OWNER | OWNERS_KEYS, (400,), **_API),
    r"erasures/<uuid:id>/": Expected(OWNER | AUDITOR | OWNERS_KEYS, (200,), OWNER | OWNERS_KEYS, (405,), **_API),
    r"golden-sessions/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"gates/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"gates/(baselines|acceptances)/": Expected(READERS | READING_KEYS, (400,), WRITERS | WRITING_KEYS, (405,), **_API),
    r"production/anchors/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"search/": Expected(READERS | READING_KEYS, (400,), WRITERS | WRITING_KEYS, (405,), **_API),  # without words
    r"trends/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (405,), **_API),
    r"gates/floors/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (405,), **_API),
    r"gates/<uuid:id>/acceptance/": Expected(READERS | READING_KEYS, (405,), WRITERS, (400,), **_API),  # no key accepts
    r"gates/<uuid:id>/own-versions/": Expected(READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"gates/<uuid:id>/((junit|report)/)?": _READ,
    r"promotions/<uuid:id>/": _READ,
    r"scenarios/(<uuid:id>/)?": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (405,), **_API),
    r"scenarios/<uuid:id>/(release|archive)/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (200, 409), **_API
    ),
    r"prompts/routes/": _READ,
    r"prompts/<str:role>/resolve/": Expected(READERS | READING_KEYS, (400,), WRITERS | WRITING_KEYS, (405,), **_API),
    r"rollouts/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (400,), **_API),
    r"rollouts/<uuid:id>/": Expected(READERS | READING_KEYS, (200,), WRITERS | CURATING_KEYS, (405,), **_API),
    r"rollouts/<uuid:id>/(change|try|stop)/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | CURATING_KEYS, (200, 400, 409), **_API
    ),
    r"rollouts/<uuid:id>/rollback/": Expected(
        READERS | READING_KEYS, (405,), WRITERS | WRITING_KEYS, (200, 409), **_API
    ),
    r"rollouts/<uuid:id>/promote/": Expected(
        READERS | READING_KEYS, (405,), WRITERS, (409,), **_API
    ),  # no key promotes
    r"snapshots/": Expected(READERS | READING_KEYS, (200,), WRITERS | WRITING_KEYS, (400,), **_API),
    r"snapshots/<uuid:id>/": _READ,
    r"<path:rest>": Expected(EVERYBODY, (404,), EVERYBODY, (404,)),
}


def expected(address: Address) -> Expected | None:
    """None where nobody has decided."""
    if address.model:
        model = MODELS.get(address.model)
        return _of_model(model, address.page) if model else None
    if address.route.startswith("api/v1/"):
        return _found(API, address.route.removeprefix("api/v1/"))
    return _found(PAGES, f"{address.host} {address.route}")


def _found(rules: dict[str, Expected], text: str) -> Expected | None:
    return next((rule for pattern, rule in rules.items() if re.fullmatch(pattern, text)), None)


def _of_model(model: Model, page: str) -> Expected | None:
    everyone = STAFF | PLATFORM_STAFF
    if page in ("change", "short") and (model.opens or page == "short"):  # sent on to a door that looks again
        return Expected(everyone, (302,), everyone, (302,))
    standard = {
        "changelist": Expected(model.view, post=model.view),
        "history": Expected(model.view, post=model.view),
        "add": Expected(model.add, post=model.add),
        "change": Expected(model.view | model.change, post=model.change),
        "delete": Expected(model.delete, post=model.delete),
    }
    return standard.get(page) or dict(model.more).get(page)
