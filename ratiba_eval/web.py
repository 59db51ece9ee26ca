"""The web server: waitress with Django's WSGI application and a fixed number of threads.

A body is taken in before a thread is, so a slow sender holds none.

    python -m ratiba_eval.web [--host 127.0.0.1] [--port 8000]

Prints one line with its address when it listens. SIGTERM lets the requests in hand end, five seconds at most.
"""

import argparse
import logging
import signal
import sys
from typing import Any

from django.urls import get_resolver
from waitress.server import create_server

from ratiba_eval.node_rounds import start_node_rounds
from ratiba_eval.start_checks import stop_where_sessions_mix
from ratiba_eval.wsgi import application  # sets Django up, or says in one line why it cannot

# The largest form takes a file of 25 MiB; the API's own, smaller limit answers in its own words (api.views.base).
MAX_BODY_BYTES = 32 * 1024 * 1024
IDLE_S = 75  # a connection without a request; longer than proxies keep theirs


def server_on(host: str, port: int, *, threads: int) -> Any:
    """A waitress server that listens already; `.run()` serves. Port 0 takes a free one. Raises OSError."""
    return create_server(
        application,
        host=host,
        port=port,
        threads=threads,
        max_request_body_size=MAX_BODY_BYTES,
        channel_timeout=IDLE_S,
        # X-Forwarded-Proto is for Django to believe or not (SECURE_PROXY_SSL_HEADER).
        clear_untrusted_proxy_headers=False,
        ident=None,
    )


def main(argv: list[str] | None = None) -> int:
    """Serve until SIGTERM or Ctrl-C. Exit 0, or 2 for wrong use, a port that is taken, a pooler that mixes tenants."""
    from django.conf import settings  # noqa: PLC0415 - set up by the import of `application`

    parser = argparse.ArgumentParser(prog="python -m ratiba_eval.web", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="TCP port; 0 takes a free one (default 8000)")
    options = parser.parse_args(argv)
    stop_where_sessions_mix()
    logging.getLogger("waitress.queue").setLevel(logging.ERROR)  # requests that wait for a thread are no news
    try:
        server = server_on(options.host, options.port, threads=settings.WEB_THREADS)
    except OSError as error:
        print(f"ratiba: port {options.port} on {options.host} cannot be used ({error})", file=sys.stderr)
        return 2
    _ = get_resolver().url_patterns  # every room's views are loaded now, not while the first request waits
    signal.signal(signal.SIGTERM, _stop)
    start_node_rounds()
    print(f"listening on http://{options.host}:{server.effective_port}", flush=True)
    server.run()
    return 0


def _stop(signum: int, frame: Any) -> None:
    raise SystemExit(0)  # waitress ends its threads on it


if __name__ == "__main__":
    raise SystemExit(main())
