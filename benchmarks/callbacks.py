"""Callbacks to receivers that are down, slow, broken or sly: what reaches them, when, how often, and how it ends.

    python -m benchmarks.callbacks [--receiver NAME …]

A real machine: web server, beat, workers and services of its own. An evaluation a receiver is posted to the webhook,
signed with the `standardwebhooks` library; each receiver is a real server on loopback that verifies what it gets with
the same library, keeps the webhook-ids it has accepted, and misbehaves. Beat and the worker `control` deliver. Waits of
5 s are waited for; an attempt that is due in minutes or hours is made due at once, and its wait added to what is shown.

Exit 1 where a receiver ends otherwise than promised, gets an event under two ids or accepts it more than once.
"""

import argparse
import json
import os
import re
import secrets
import socket
import sys
import time
import uuid
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import django
import httpx
from standardwebhooks.webhooks import Webhook

from tests.loopback.http_server import Answer, LoopbackServer, Request

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
LONGER_S = 10.0  # waits beyond it are not waited for
METADATA = "http://169.254.169.254/latest/meta-data"


@dataclass(slots=True)
class Receiver:
    """One receiver and what became of its event. `answers` come first, then `then` for ever; `up_after_s`: nobody
    listens before. `host` is the name it is called by; `private` whether the operator allows private addresses."""

    name: str
    ends: str
    attempts: int
    answers: Sequence[Answer] = ()
    then: Answer = field(default_factory=lambda: Answer(status=204))
    up_after_s: float | None = None
    host: str = "127.0.0.1"
    private: bool = True
    sent_again: bool = False
    server: LoopbackServer | None = None
    evaluation: uuid.UUID | None = None
    secret: str = ""
    ids: list[str] = field(default_factory=list)
    accepted: list[str] = field(default_factory=list)
    clock_s: float = 0.0
    moments: list[float] = field(default_factory=list)
    is_open: bool = False
    meanwhile: str = ""
    shown: str = ""
    ended: str = ""

    def __call__(self, request: Request) -> Answer:
        event = Webhook(self.secret).verify(request.body, request.headers)  # raises, and so nothing is accepted
        assert event["data"]["id"] == str(self.evaluation)
        answer = self.answers[len(self.ids)] if len(self.ids) < len(self.answers) else self.then
        self.ids.append(request.headers["webhook-id"])
        if 200 <= answer.status < 300 and self.ids[-1] not in self.accepted:
            self.accepted.append(self.ids[-1])
        return answer

    def open(self) -> None:
        """From now on somebody listens."""
        if self.server is not None and not self.is_open:
            self.is_open = True
            self.server.__enter__()

    @property
    def as_promised(self) -> bool:
        accepted = 1 if self.ends == "delivered" else 0
        once = len(set(self.ids)) <= 1 and len(self.accepted) == accepted
        return self.ended == self.ends and len(self.moments) == self.attempts and once


def receivers(inner: str) -> list[Receiver]:
    """`inner` is a server that nobody may be led to. Fifteen attempts are the whole schedule."""
    down, slow = Answer(status=500), Answer(status=200, delay_s=20)
    cut = Answer(status=200, body=b'{"taken": true}' * 40, fault="cut")
    return [
        Receiver("up", "delivered", 1),
        Receiver("down for an hour", "delivered", 9, up_after_s=3600),
        Receiver("slower than the 15 s it has, then quick", "delivered", 2, [slow]),
        Receiver("answers 500 twice, then 204", "delivered", 3, [down] * 2),
        Receiver(
            "redirects to cloud metadata, then mended", "delivered", 2, [Answer(307, headers={"location": METADATA})]
        ),
        Receiver(
            "redirects to another private server, then mended",
            "delivered",
            2,
            [Answer(302, headers={"location": inner})],
        ),
        Receiver("accepts (200), closes halfway through the answer, then 204", "delivered", 2, [cut]),
        Receiver("closes without a byte, then 204", "delivered", 2, [Answer(status=500, fault="reset")]),
        Receiver("asks for ten minutes (429), then 204", "delivered", 2, [Answer(429, headers={"retry-after": "600"})]),
        Receiver("is gone (410)", "gone", 1, then=Answer(status=410)),
        Receiver("answers 404 for ever", "failed", 15, then=Answer(status=404)),
        Receiver(
            "answers 404 for ever, mended, sent again in the admin",
            "delivered",
            16,
            [Answer(status=404)] * 15,
            sent_again=True,
        ),
        Receiver("its name leads to a private address", "refused", 1, host=private_name(), private=False),
    ]


def private_name() -> str:
    """A name that this machine's resolver leads to loopback, other than localhost, which is known without asking."""
    for name in (socket.gethostname(), "ip6-localhost", "ip6-loopback"):
        try:
            if socket.getaddrinfo(name, None)[0][4][0]:
                return name
        except OSError:
            continue
    return "localhost"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def machine(*, private: bool) -> Iterator[str]:
    """Web, beat and workers; the web server's address."""
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()
    from ratiba_eval import local_stack, programs  # noqa: PLC0415

    os.environ["RATIBA_ALLOW_PRIVATE_CALLBACKS"] = "true" if private else "false"
    port = programs.web_port()
    programs.check_free(port, variable="RATIBA_PORT", what="the pages")
    with rig.workers(local_stack.state_dir(), count=1) as supervisor:
        supervisor.start(programs.web(port))
        supervisor.wait_for("web", lambda: programs.web_answers(port))
        yield f"http://127.0.0.1:{port}"


def ask(receiver: Receiver, web: httpx.Client) -> None:
    """Post an evaluation, signed by the library, that asks to be told."""
    assert receiver.server is not None
    turns = [{"role": "user", "content": receiver.name}, {"role": "assistant", "content": "Karibu."}]
    body = json.dumps(
        {
            "evaluator_config": "bench",
            "conversations": [{"id": "c-1", "turns": turns}],
            "callback_url": f"http://{receiver.host}:{receiver.server.port}/done",
        }
    )
    id, now = f"msg_{uuid.uuid4().hex}", datetime.now(UTC)
    signed = {"webhook-id": id, "webhook-timestamp": str(int(now.timestamp())), "content-type": "application/json"}
    signed["webhook-signature"] = Webhook(receiver.secret).sign(id, now, body)
    answer = web.post("/api/v1/evaluations/", content=body, headers=signed)
    assert answer.status_code == 202, answer.text
    receiver.evaluation = uuid.UUID(answer.json()["id"])


def follow(slug: str, some: Sequence[Receiver], admin: httpx.Client, *, timeout_s: float = 400) -> None:
    """Look at the rows until each has come to its end; make due at once what is due in hours."""
    from apps.api.models import Callback  # noqa: PLC0415 - after django.setup()
    from apps.tenants.context import in_tenant  # noqa: PLC0415

    until = time.monotonic() + timeout_s
    while left := [one for one in some if not one.ended]:
        if time.monotonic() > until:
            raise TimeoutError(f"no end after {timeout_s} s: {', '.join(one.name for one in left)}")
        with in_tenant(slug):
            for one in left:
                row = Callback.objects.filter(subject_id=str(one.evaluation)).first()
                if row is not None:
                    _look(one, row, admin)
        time.sleep(0.2)


def _look(one: Receiver, row: Any, admin: httpx.Client) -> None:
    from django.utils import timezone  # noqa: PLC0415 - after django.setup()

    if row.attempts and row.last_attempt_at and row.attempts != _since_sent(one):
        one.moments.append(one.clock_s)
        if row.status != "pending":
            if one.sent_again and len(one.moments) == one.attempts - 1:
                send_again(row, admin)
            else:
                one.ended, one.shown = row.status, shown(admin, row)
            return
        one.meanwhile = one.meanwhile or f"{row.last_error}; "
        wait = (row.not_before - row.last_attempt_at).total_seconds()
        one.clock_s += wait
        if one.up_after_s is not None and one.clock_s >= one.up_after_s:
            one.open()
        if wait > LONGER_S:
            type(row).objects.filter(pk=row.pk, status="pending").update(not_before=timezone.now())


def _since_sent(one: Receiver) -> int:
    """Attempts seen, as the row counts them: anew where a person has sent it again."""
    return len(one.moments) % (one.attempts - 1) if one.sent_again else len(one.moments)


def sign_in(slug: str, base: str) -> httpx.Client:
    """An owner's browser."""
    from django.contrib.auth.models import Group, User  # noqa: PLC0415 - after django.setup()

    from apps.tenants.context import in_tenant  # noqa: PLC0415

    word, name = secrets.token_urlsafe(20), f"owner-{secrets.token_hex(3)}"
    with in_tenant(slug):
        User.objects.create_user(name, password=word, is_staff=True).groups.set(Group.objects.filter(name="owner"))
    client = httpx.Client(base_url=base, headers={"host": f"{slug}.localhost"}, timeout=60)
    client.get("/admin/login/")
    form = {"username": name, "password": word, "csrfmiddlewaretoken": client.cookies["csrftoken"]}
    assert client.post("/admin/login/?next=/admin/", data=form).status_code == 302, "not signed in"
    return client


def shown(admin: httpx.Client, row: Any) -> str:
    """What the admin's list of callbacks says of it."""
    page = admin.get("/admin/api/callback/", params={"q": row.webhook_id}).text
    words = []
    for column in ("status", "attempts", "last_status", "last_error"):
        cell = re.search(rf"<td[^>]*field-{column}\b[^>]*>(.*?)</td>", page, re.DOTALL)
        text = re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", cell[1] if cell else "?")).strip()
        words.append(text.replace("&#x27;", "'"))
    state, attempts, *rest = ["" if word == "-" else word for word in words]
    return ", ".join(word for word in (f"{state}, attempts {attempts}", *rest) if word)


def send_again(row: Any, admin: httpx.Client) -> None:
    """What an owner does with a callback that was given up, in the admin's list."""
    form = {"action": "again", "_selected_action": str(row.pk), "csrfmiddlewaretoken": admin.cookies["csrftoken"]}
    assert admin.post("/admin/api/callback/", data=form).status_code == 302


def moments(seconds: Sequence[float]) -> str:
    """`0 s, 5 s, 10 s, 15 s, 1 min, 6 min … 3.1 days`, the middle left out where there are many."""
    words = [_words(one) for one in seconds]
    return ", ".join(words if len(words) <= 9 else [*words[:6], "…", *words[-2:]])


def _words(s: float) -> str:
    for unit, size in (("days", 86_400), ("h", 3600), ("min", 60)):
        if s >= size:
            return f"{s / size:.1f} {unit}"
    return f"{s:.0f} s"


def table(rows: Sequence[Receiver]) -> Iterator[str]:
    yield "| receiver | attempts, at | requests it got | webhook-ids | accepted | the admin's first and last word | |"
    yield "|---|---|---|---|---|---|---|"
    for one in rows:
        yield (
            f"| {one.name} | {len(one.moments)}: {moments(one.moments)} | {len(one.ids)} | {len(set(one.ids))} "
            f"| {len(one.accepted)} | {one.meanwhile}{one.shown} | {'as promised' if one.as_promised else 'BROKEN'} |"
        )


def measure(rows: Sequence[Receiver], stack: ExitStack) -> None:
    from apps.api.services.keys import add_webhook_key  # noqa: PLC0415 - after django.setup()
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415

    slug = stack.enter_context(rig.tenant(stack.enter_context(rig.stub_model("--latency-ms", "20"))))
    with in_tenant(slug):
        secret = add_webhook_key(name="callbacks").secret
    for one in rows:
        one.secret = secret
        if one.up_after_s is None:
            one.server = stack.enter_context(LoopbackServer(one))
        else:  # nobody listens there yet
            one.server = LoopbackServer(one, port=free_port())
    for private in (True, False):
        if some := [one for one in rows if one.private is private]:
            with machine(private=private) as base, closing(sign_in(slug, base)) as admin:
                for one in some:
                    ask(one, admin)
                follow(slug, some, admin)


def main() -> int:
    """Print the table; exit 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    names = [one.name for one in receivers("")]
    parser.add_argument("--receiver", action="append", choices=names, metavar="NAME", help="; ".join(names))
    asked = parser.parse_args()
    django.setup()
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    led: list[Request] = []

    def inner(request: Request) -> Answer:
        led.append(request)
        return Answer()

    began = time.monotonic()
    with rig.services(), ExitStack() as stack:
        within = stack.enter_context(LoopbackServer(inner))
        rows = [one for one in receivers(within.url) if not asked.receiver or one.name in asked.receiver]
        measure(rows, stack)
    print("\n".join(table(rows)))
    print(f"\nrequests that a redirect led to the private server: {len(led)}; {time.monotonic() - began:.0f} s")
    return 1 if led or not all(one.as_promised for one in rows) else 0


if __name__ == "__main__":
    sys.exit(main())
