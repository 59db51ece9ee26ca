"""WSGI entry point."""

import os

from django.core.wsgi import get_wsgi_application

from ratiba_eval.env import stop_unless_configured

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
stop_unless_configured()
application = get_wsgi_application()
