"""ASGI entry point."""

import os

from django.core.asgi import get_asgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
_django = get_asgi_application()

from apps.api.body_limit import BodyLimit  # noqa: E402 - the rooms can be imported once Django is set up

application = BodyLimit(_django)
