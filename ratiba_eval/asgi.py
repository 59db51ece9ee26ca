"""ASGI entry point."""

import os

import django

from ratiba_eval.env import stop_unless_configured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
stop_unless_configured()
django.setup(set_prefix=False)

from django.conf import settings  # noqa: E402 - the rooms can be imported once Django is set up
from django.urls import get_resolver  # noqa: E402 - as above

from apps.api.body_limit import BodyLimit  # noqa: E402 - as above
from ratiba_eval.request_threads import OneThreadHandler, RequestThreads  # noqa: E402 - as above
from ratiba_eval.security.uploads import UploadLimit  # noqa: E402 - as above
from ratiba_eval.short_way import ShortWay  # noqa: E402 - as above

_threads = RequestThreads(OneThreadHandler(), threads=settings.WEB_THREADS)
application = ShortWay(BodyLimit(UploadLimit(_threads)), _threads)
_ = get_resolver().url_patterns  # every room's views are loaded now, not while the first request waits
