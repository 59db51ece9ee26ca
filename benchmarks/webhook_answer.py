"""How fast Meta's presses are answered while no worker runs.

    make demo                                                    # once; `make up` must not run
    python -m ratiba_eval.local_stack run -- python -m benchmarks.webhook_answer [--posts 300] [--without-broker]

Starts a web server of its own, without workers, and posts signed presses to it one after the other. Printed: median,
95 % and slowest of the 200s, the share within 100 ms, the same of a bare Django view on this machine at this hour, and
the ratio of the medians. Exit 0 where every answer is 200, every row is stored, and 95 % are within 100 ms; on a
machine with other work the ratio says more than the milliseconds. Without the broker too, two answers a second wait
for its refusal (some 140 ms), and all are 200 all the same.
"""

import argparse
import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import django

from benchmarks.posts import BARE
from benchmarks.small_client import SmallClient

LIMIT_S = 0.1
SECRET = "benchmark-app-secret"  # noqa: S105 - of a row that is deleted again
NOBODY = "redis://127.0.0.1:1/0"


def press(number: int) -> dict[str, object]:
    """What Meta posts for one button."""
    reply = {"type": "button_reply", "button_reply": {"id": f"rb:chat-{number}:down", "title": "👎"}}
    message = {
        "from": "254712345678",
        "id": f"wamid.{uuid.uuid4().hex}",
        "timestamp": str(int(time.time())),
        "type": "interactive",
        "interactive": reply,
    }
    value = {"messaging_product": "whatsapp", "metadata": {"phone_number_id": "1"}, "messages": [message]}
    return {
        "object": "whatsapp_business_account",
        "entry": [{"id": "1", "changes": [{"field": "messages", "value": value}]}],
    }


async def times(port: int, path: str, posts: int, *, tenant: str, signed: bool) -> tuple[list[float], list[int]]:
    from apps.production.whatsapp.domain.signature import meta_signature  # noqa: PLC0415 - Django is set up by then

    client = SmallClient("127.0.0.1", port, headers={"host": f"{tenant}.localhost"}, connections=1)
    took, statuses = list[float](), list[int]()
    for number in range(posts + 20):
        body = press(number)
        header = meta_signature(SECRET, json.dumps(body).encode()) if signed else ""
        began = time.perf_counter()
        reply = await client.post(path, body, x_hub_signature_256=header)
        if number >= 20:  # the first ones load modules
            took.append(time.perf_counter() - began)
            statuses.append(reply.status)
    return sorted(took), statuses


@contextmanager
def server(argv: list[str], env: Mapping[str, str], pattern: str) -> Iterator[int]:
    process = subprocess.Popen(
        argv, env={**os.environ, **env}, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    assert process.stdout is not None
    try:
        yield next(int(found[1]) for line in process.stdout if (found := re.search(pattern, line)))
    finally:
        process.terminate()
        process.wait()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--posts", type=int, default=300)
    parser.add_argument("--tenant", default="demo")
    parser.add_argument("--without-broker", action="store_true", help="nobody answers for the broker either")
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    django.setup()
    from apps.production.models import WhatsAppAccount, WhatsAppPost  # noqa: PLC0415 - as above
    from apps.tenants.context import in_tenant  # noqa: PLC0415 - as above

    with in_tenant(options.tenant):
        WhatsAppAccount.objects.update_or_create(name="benchmark", defaults={"app_secret": SECRET, "asks": False})
        before = WhatsAppPost.objects.count()
    ours = [sys.executable, "-m", "ratiba_eval.web", "--port", "0"]
    with server(ours, {"REDIS_URL": NOBODY} if options.without_broker else {}, r"http://127\.0\.0\.1:(\d+)") as port:
        took, statuses = asyncio.run(
            times(port, "/api/v1/feedback/whatsapp/", options.posts, tenant=options.tenant, signed=True)
        )
    with in_tenant(options.tenant):
        stored = WhatsAppPost.objects.count() - before - 20
        WhatsAppAccount.objects.filter(name="benchmark").delete()
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "bare.py").write_text(BARE)
        bare = [sys.executable, "-m", "waitress", "--listen=127.0.0.1:8791", "bare:application"]
        with server(bare, {"PYTHONPATH": folder}, r"http://127\.0\.0\.1:(\d+)") as port:
            plain, _ = asyncio.run(
                times(port, "/api/v1/evaluations/", options.posts, tenant=options.tenant, signed=False)
            )
    within = sum(one <= LIMIT_S for one in took) / len(took)
    for name, each in (("webhook", took), ("bare view", plain)):
        middle, late, last = each[len(each) // 2], each[int(len(each) * 0.95)], each[-1]
        print(f"{name}: median {middle * 1000:.1f} ms, 95 % {late * 1000:.1f} ms, slowest {last * 1000:.1f} ms")
    ratio = took[len(took) // 2] / plain[len(plain) // 2]
    print(
        f"{statuses.count(200)} of {options.posts} answered 200, {stored} rows stored, {within:.3f} within 100 ms, "
        f"{ratio:.1f} times the bare view"
    )
    return 0 if statuses.count(200) == stored == options.posts and within >= 0.95 else 1


if __name__ == "__main__":
    sys.exit(main())
