"""The one settings file. Deployments differ by environment variables (.env.example), never by files."""

import os
import warnings
from pathlib import Path

from apps.connectors.llms.registry import key_variables
from ratiba_eval import env, local_stack, logs
from ratiba_eval.stack.places import installed, project_dir
from ratiba_eval.ticks import beat_schedule

BASE_DIR = Path(__file__).resolve().parent.parent
STATE_DIR = local_stack.state_dir()
PROJECT_DIR = project_dir()  # .deepeval-cache/ stands in it, where its users expect it

# deepeval phones home, writes into the working directory and loads .env files when imported: switched off before it
# can be.
for _name, _value in {
    "DEEPEVAL_TELEMETRY_OPT_OUT": "1",
    "DEEPEVAL_FILE_SYSTEM": "READ_ONLY",
    "DEEPEVAL_DISABLE_DOTENV": "1",
}.items():
    os.environ.setdefault(_name, _value)

# --- Services: real ones by address, else the embedded pair under var/ ------------------------------------------------
EMBEDDED = not env.text("DATABASE_URL")
_embedded = local_stack.urls()  # only addresses: nothing is started here
DATABASE_URL = env.text("DATABASE_URL") or _embedded.database_url
REDIS_URL = env.text("REDIS_URL") or _embedded.redis_url

DEBUG = env.flag("DEBUG")
_may_invent_secrets = EMBEDDED or DEBUG
SECRET_KEY = env.check_secret_key(
    env.secret("SECRET_KEY", keep_in=STATE_DIR / "secret_key" if _may_invent_secrets else None)
)
FIELD_KEY = env.check_field_key(
    env.secret("RATIBA_FIELD_KEY", keep_in=STATE_DIR / "field_key" if _may_invent_secrets else None, make=env.field_key)
)

# --- Rooms ------------------------------------------------------------------------------------------------------------
# auth, contenttypes, sessions, admin and messages stand in both lists: each tenant has its own users, and the public
# host has its own admin. django_tenants comes before whatever else replaces `migrate`, apps.tenants after pgtrigger
# (its AppConfig mends the two together), unfold before the admin whose templates it replaces.
_IN_EVERY_SCHEMA = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.admin.apps.SimpleAdminConfig",  # admin modules are loaded with the addresses, by who serves pages
]
SHARED_APPS = [
    "django_tenants",
    "pgtrigger",
    "apps.tenants",
    "apps.audit",
    "ratiba_eval",
    "unfold",
    "unfold.contrib.filters",
    *_IN_EVERY_SCHEMA,
    "django.contrib.staticfiles",
    "rest_framework",
    "drf_spectacular",
    "drf_spectacular_sidecar",
]
TENANT_APPS = [
    *_IN_EVERY_SCHEMA,
    *(f"allauth{app}" for app in ("", ".account", ".socialaccount", ".socialaccount.providers.openid_connect")),
    "apps.jobs",
    "apps.audit",
    "apps.budgets",
    "apps.catalog",
    "apps.runs",
    "apps.evaluations",
    "apps.calibration",
    "apps.checks",
    "apps.personas",
    "apps.reports",
    "apps.gates",
    "apps.improvement",
    "apps.production",
    "apps.erasure",
    "apps.alerts",
    "apps.identity",
    "apps.api",
    "apps.dashboard",
]
INSTALLED_APPS = [*SHARED_APPS, *(app for app in TENANT_APPS if app not in SHARED_APPS)]
TENANT_MODEL = "tenants.Tenant"
TENANT_DOMAIN_MODEL = "tenants.Domain"
DATABASE_ROUTERS = ["django_tenants.routers.TenantSyncRouter"]
PUBLIC_SCHEMA_URLCONF = "ratiba_eval.urls_public"
ROOT_URLCONF = "ratiba_eval.urls"
WSGI_APPLICATION = "ratiba_eval.wsgi.application"
# Being on the browsers' preload list is the owner of the whole domain's decision, and takes months to undo.
SILENCED_SYSTEM_CHECKS = ["security.W021"]

# --- Database ---------------------------------------------------------------------------------------------------------
# 0 closes the connection with the request or the task (a task keeps one for as long as it runs). The web server may
# keep them longer; workers stay at 0. A pooler that would mix tenants is refused: apps.tenants.session_probe.
DATABASES = {
    "default": {
        **env.database(DATABASE_URL),
        "ENGINE": "django_tenants.postgresql_backend",
        "CONN_MAX_AGE": env.integer("RATIBA_DB_CONN_MAX_AGE", 0, low=0),
        "CONN_HEALTH_CHECKS": True,
    }
}
PG_DUMP = env.text("PG_DUMP") or local_stack.pg_binary  # a path, or what finds one when it is needed
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Cache: keys carry the tenant; `shared` is for what belongs to nobody. Never the broker's instance (it must not
# evict) ---
_cache_url = env.text("RATIBA_CACHE_URL")
_cache = (
    {"BACKEND": "django.core.cache.backends.redis.RedisCache", "LOCATION": _cache_url}
    if _cache_url
    else {"BACKEND": "django.core.cache.backends.locmem.LocMemCache", "LOCATION": "ratiba"}
)
CACHES = {
    "default": {**_cache, "KEY_FUNCTION": "django_tenants.cache.make_key", "KEY_PREFIX": "ratiba"},
    "shared": {**_cache, "KEY_PREFIX": "ratiba-shared"},
}

# --- Web --------------------------------------------------------------------------------------------------------------
ALLOWED_HOSTS = list(env.listing("ALLOWED_HOSTS", (".localhost", "127.0.0.1", "[::1]")))
BASE_DOMAIN = env.text("RATIBA_BASE_DOMAIN", "localhost")
MIDDLEWARE = [
    "ratiba_eval.security.headers.PolicyMiddleware",  # first: whatever is answered has its policy
    "ratiba_eval.health.HealthMiddleware",  # answers on any host, before a tenant is looked for
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    # BREACH reads a secret beside reflected text from sizes: Django masks its tokens anew each time, and this one pads.
    "django.middleware.gzip.GZipMiddleware",
    "apps.tenants.middleware.TenantMiddleware",
    "ratiba_eval.security.sign_in.SignInMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "apps.audit.middleware.ActorMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "apps.identity.middleware.FreshGroupsMiddleware",
    "apps.dashboard.unknown_filters.UnknownFilterMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "apps.dashboard.visible_text.VisibleTextMiddleware",  # last: every page of every room, before it is compressed
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [Path(__file__).parent / "site_templates" if installed() else BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
            ]
        },
    }
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": f"django.contrib.auth.password_validation.{name}"}
    for name in (
        "UserAttributeSimilarityValidator",
        "MinimumLengthValidator",
        "CommonPasswordValidator",
        "NumericPasswordValidator",
    )
]
LOGIN_URL = "/admin/login/"
LOGIN_REDIRECT_URL = "/admin/"  # where a sign-in leads whose ?next= was refused
# Sign-in by OpenID Connect (apps.identity): accounts by provider and `sub`, never by an address; tokens stand encrypted
# in a table of ours.
SOCIALACCOUNT_ONLY, ACCOUNT_EMAIL_VERIFICATION = True, "none"
SOCIALACCOUNT_EMAIL_AUTHENTICATION = SOCIALACCOUNT_EMAIL_AUTHENTICATION_AUTO_CONNECT = False
SOCIALACCOUNT_STORE_TOKENS = SOCIALACCOUNT_LOGIN_ON_GET = False
SOCIALACCOUNT_ADAPTER = "apps.identity.services.oidc.ProviderSignIn"
ACCOUNT_ADAPTER = "apps.identity.services.oidc.LocalAccounts"
METRICS_TOKEN = env.text("RATIBA_METRICS_TOKEN")  # what /metrics wants; without one only this machine is answered
# Seconds a web process believes what it read about a host: as long may a tenant that was just suspended be answered.
TENANT_LOOKUP_S = env.number("RATIBA_TENANT_LOOKUP_S", 1.0)
WEB_THREADS = env.integer("RATIBA_WEB_THREADS", 4, low=1, high=200)  # requests at a time in the web process
CSRF_FAILURE_VIEW = "apps.api.problems.csrf_failure"
X_FRAME_OPTIONS = "DENY"
CSRF_TRUSTED_ORIGINS = list(env.listing("CSRF_TRUSTED_ORIGINS"))
SECURE_REFERRER_POLICY = "same-origin"
SECURE_CROSS_ORIGIN_OPENER_POLICY = "same-origin"
SESSION_COOKIE_AGE = 12 * 60 * 60  # a working day
SESSION_COOKIE_SAMESITE = CSRF_COOKIE_SAMESITE = "Lax"
SECURE_PROXY_SSL_HEADER = None
if env.flag("RATIBA_HTTPS"):  # behind a proxy that ends TLS
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")
    SECURE_SSL_REDIRECT = SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = True
    SECURE_HSTS_SECONDS, SECURE_HSTS_INCLUDE_SUBDOMAINS = 31_536_000, True
DATA_UPLOAD_MAX_MEMORY_SIZE = 6 * 1024 * 1024  # the API answers 413 itself above its own 5 MiB
DATA_UPLOAD_MAX_NUMBER_FIELDS, DATA_UPLOAD_MAX_NUMBER_FILES = 2_000, 5  # whole bodies: security.uploads

warnings.filterwarnings("ignore", message="No directory at", category=UserWarning)  # whitenoise, before collectstatic
STATIC_URL = "/static/"
STATIC_ROOT = STATE_DIR / "static"
STATICFILES_DIRS = [BASE_DIR / "static"] if (BASE_DIR / "static").is_dir() else []
WHITENOISE_USE_FINDERS = _may_invent_secrets  # no collectstatic on the embedded default
LANGUAGE_CODE = "en"
USE_I18N = True  # for the pages where people rate; no middleware turns another page from English
LANGUAGES = [("en", "English"), ("sw", "Kiswahili"), ("it", "Italiano")]
USE_TZ, TIME_ZONE = True, "UTC"
FORMAT_MODULE_PATH = "ratiba_eval.formats"  # one way to write dates

REST_FRAMEWORK = {
    "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
    "DEFAULT_RENDERER_CLASSES": ["apps.api.rendering.DocumentRenderer"],
    "DEFAULT_PARSER_CLASSES": ["rest_framework.parsers.JSONParser"],
    "EXCEPTION_HANDLER": "apps.api.problems.handle",
}
SPECTACULAR_SETTINGS = {
    "TITLE": "Ratiba Eval",
    "VERSION": "1",
    "OAS_VERSION": "3.1.1",
    "SCHEMA_PATH_PREFIX": r"/api/v[0-9]+",
    "POSTPROCESSING_HOOKS": ["apps.api.schema.add_components"],
    "SERVE_INCLUDE_SCHEMA": False,
    "SERVE_AUTHENTICATION": [],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "REDOC_DIST": "SIDECAR",
}
UNFOLD = {
    "SITE_TITLE": "Ratiba Eval",
    "SITE_HEADER": "Ratiba Eval",
    "SITE_SYMBOL": "forum",
    "SITE_FAVICONS": [{"rel": "icon", "type": "image/svg+xml", "href": f"{STATIC_URL}dashboard/icon.svg"}],
    "SITE_URL": "/admin/",
    "SHOW_VIEW_ON_SITE": False,
    "DASHBOARD_CALLBACK": "apps.dashboard.home.views.inbox.home",
    "SIDEBAR": {"show_search": False, "navigation": "apps.dashboard.navigation.navigation"},
    "STYLES": [f"{STATIC_URL}dashboard/dashboard.css"],
}

# --- Logs -------------------------------------------------------------------------------------------------------------
LOG_DIR = env.folder("RATIBA_LOG_DIR", STATE_DIR / "log")
LOGGING = logs.config(folder=LOG_DIR, level=env.text("RATIBA_LOG_LEVEL", "INFO"))

# --- Workers: the measured shape; the database is the only truth, so no result backend --------------------------------
QUEUES = ("control", "battles", "judging", "improvement")  # control never waits behind work
CELERY_MODULE = "ratiba_eval.celery"  # what apps.tenants.tasks loads before the first task is declared
CELERY_BROKER_URL = REDIS_URL
CELERY_BROKER_TRANSPORT_OPTIONS = {
    "visibility_timeout": 3600,
    "health_check_interval": 30,
    "socket_keepalive": True,
    "global_keyprefix": "ratiba:",
}
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_TASK_PUBLISH_RETRY_POLICY = {"max_retries": 2, "interval_start": 0, "interval_step": 0.1, "interval_max": 0.2}
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True  # every task is safe to repeat
CELERY_TASK_ACKS_ON_FAILURE = True  # a failure is a row, not a redelivery
CELERY_TASK_ACKS_ON_TIMEOUT = True
CELERY_TASK_REJECT_ON_WORKER_LOST = False  # the tick rescues, with a cap on attempts
CELERY_TASK_SOFT_TIME_LIMIT, CELERY_TASK_TIME_LIMIT = 900, 960  # guard: TIME_LIMIT * 3 < visibility_timeout
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False  # docs/how-it-works.md: rows hold the claims
CELERY_WORKER_SOFT_SHUTDOWN_TIMEOUT = 30.0  # with REMAP_SIGTERM=SIGQUIT and a stop grace of 60 s
CELERY_WORKER_ENABLE_SOFT_SHUTDOWN_ON_IDLE = True
CELERY_WORKER_MAX_TASKS_PER_CHILD = 200
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TASK_CREATE_MISSING_QUEUES = False  # a typo must fail
CELERY_TASK_QUEUES = {name: {"exchange": name, "routing_key": name} for name in QUEUES}
CELERY_TASK_DEFAULT_QUEUE = "control"  # a kind of work names its own
CELERY_TIMEZONE = TIME_ZONE
CELERY_BEAT_SCHEDULE_FILENAME = str(STATE_DIR / "beat" / "schedule")
CELERY_BEAT_SCHEDULE = beat_schedule()

# --- Where we may connect, and with which keys ------------------------------------------------------------------------
PRIVATE_HOSTS = env.listing("RATIBA_PRIVATE_HOSTS", ("loopback",) if EMBEDDED else ())
ALLOW_PRIVATE_CALLBACKS = env.flag("RATIBA_ALLOW_PRIVATE_CALLBACKS")
SMTP_URL = env.text("RATIBA_SMTP_URL")
MAIL_FROM = env.text("RATIBA_MAIL_FROM", "ratiba-eval@localhost")
API_REQUESTS_PER_MINUTE = env.integer("RATIBA_API_REQUESTS_PER_MINUTE", 30_000, low=1)  # of one key
DEMO_AGENT_PORT = env.integer("RATIBA_DEMO_AGENT_PORT", 8123, low=1, high=65535)
DEMO_PEGA_PORT = env.integer("RATIBA_DEMO_PEGA_PORT", 8124, low=1, high=65535)
LOOP_MODEL_PORT = env.integer("RATIBA_LOOP_MODEL_PORT", 8125, low=1, high=65535)
EVAL_BUDGET_USD = env.decimal("RATIBA_EVAL_BUDGET_USD")  # None: the tenant's own allowance counts
MODEL_TIMEOUT_S = env.number("RATIBA_MODEL_TIMEOUT_S", 30.0)  # slower than that is a failure of the model
MODEL_BACKOFF_S = env.number("RATIBA_MODEL_BACKOFF_S", 5.0)  # after the quick first repeat, before what comes then
MODEL_LONGEST_WAIT_S = env.number("RATIBA_MODEL_LONGEST_WAIT_S", 10.0)  # for a rate limit; then the fallback is asked
ANSWER_CACHE_DAYS = env.integer("RATIBA_ANSWER_CACHE_DAYS", 90, low=1)  # what nobody used for so long is forgotten
ANSWER_CACHE_MB = env.integer("RATIBA_ANSWER_CACHE_MB", 512, low=1)  # of one tenant
JUDGING_LANES = env.integer("RATIBA_JUDGING_LANES", 2, low=1, high=64)  # tasks that judge one tenant at the same time
TENANTS_AT_ONCE = env.integer("RATIBA_TENANTS_AT_ONCE", 8, low=1, high=64)  # that one process of a worker serves
WORKER_NICE = env.integer("RATIBA_WORKER_NICE", 5, low=0, high=19)  # how far workers step aside for the web server
MODEL_KEYS = {name: env.text(name) for name in key_variables()}  # the platform's own, by the variable's name
OPENAI_BASE_URL = env.text("OPENAI_BASE_URL")
GOOGLE_APPLICATION_CREDENTIALS = env.text("GOOGLE_APPLICATION_CREDENTIALS")
