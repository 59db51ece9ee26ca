"""The fault drill: 300 conversations are judged by two workers while something is killed, taken away or goes mad.

    python -m benchmarks.faults [--conversations 300] [--fault NAME …] FILE.jsonl …

After each fault every conversation is judged exactly once with the right score, no more calls were paid twice than were
in flight, and the evaluation ended by itself. With `model-mad` (10 % 429, 10 % 500, 10 % prose, 5 % cut JSON) every
score that there is must be right, and every other conversation must have an error with a name.
"""

import argparse
import os
import signal
import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")

IN_FLIGHT = 32
RIGHT = 1e-9
MAD = ("--fault-429", "0.1", "--fault-500", "0.1", "--prose", "0.1", "--cut", "0.05", "--latency-ms", "50")


def kill_worker(supervisor: Any) -> None:
    """kill -9 of a worker and of the process of its pool; the supervisor starts another."""
    supervisor.kill("worker-1", signal.SIGKILL)


def flush_broker(supervisor: Any) -> None:
    """Every message, scheduled or reserved, is gone."""
    import redis  # noqa: PLC0415 - the drill alone talks to the broker directly

    from ratiba_eval import local_stack  # noqa: PLC0415

    socket = local_stack.urls().redis_url.removeprefix("redis+socket://").partition("?")[0]
    redis.Redis(unix_socket_path=socket).flushall()


def stop_broker(supervisor: Any) -> None:
    """The broker is away for 20 seconds, and comes back empty-handed or not."""
    _away("valkey", 20.0)


def stop_postgres(supervisor: Any) -> None:
    """The database is away for 5 seconds."""
    _away("postgres", 5.0)


def kill_web(supervisor: Any) -> None:
    """kill -9 of the web server."""
    supervisor.kill("web", signal.SIGKILL)


FAULTS: dict[str, Callable[[Any], None]] = {
    "none": lambda supervisor: None,
    "worker-killed": kill_worker,
    "broker-flushed": flush_broker,
    "broker-stopped-20s": stop_broker,
    "postgres-stopped-5s": stop_postgres,
    "web-killed": kill_web,
    "model-mad": lambda supervisor: None,
}


def drill(state: Path, name: str, files: list[Path], count: int, after_s: float) -> dict[str, Any]:
    """One line of the table."""
    from django.db import connections  # noqa: PLC0415 - after django.setup()
    from django.utils import timezone  # noqa: PLC0415

    from apps.evaluations.models import Evaluation, Judgement  # noqa: PLC0415
    from apps.evaluations.services.creating import request_evaluation  # noqa: PLC0415
    from apps.jobs.wakeups import wake_workers_on_commit  # noqa: PLC0415
    from apps.tenants.context import in_tenant  # noqa: PLC0415
    from benchmarks import rig  # noqa: PLC0415
    from ratiba_eval import programs  # noqa: PLC0415
    from tests.loopback.stub_model import right_score  # noqa: PLC0415

    with (
        rig.stub_model(*(MAD if name == "model-mad" else ("--latency-ms", "300"))) as stub,
        rig.tenant(stub) as slug,
        rig.workers(state) as supervisor,
    ):
        if name == "web-killed":
            port = programs.web_port()
            supervisor.start(programs.web(port))
            supervisor.wait_for("web", lambda: programs.web_answers(port))
        with in_tenant(slug):
            asked = request_evaluation(config=rig.CONFIG, documents=rig.conversations(files, count), now=timezone.now())
            start = time.perf_counter()
            wake_workers_on_commit(slug)
        rig.until(lambda: stub.stats()["by_outcome"].get("ok", 0) > count * after_s, timeout_s=60)
        connections.close_all()
        FAULTS[name](supervisor)

        def ended() -> bool:
            with in_tenant(slug):
                found = Evaluation.objects.filter(pk=asked.evaluation_id).exclude(status__in=["pending", "running"])
                return found.exists()

        rig.until(ended, timeout_s=300, every_s=0.2)
        seconds = time.perf_counter() - start
        calls = {key: counts["calls"] for key, counts in stub.stats()["per_key"].items()}
        with in_tenant(slug):
            judgements = list(
                Judgement.objects.filter(evaluation_id=asked.evaluation_id)
                .select_related("conversation")
                .prefetch_related("scores")
            )
            states = Counter(one.status for one in judgements)
            wrong = sum(
                1
                for one in judgements
                for score in one.scores.all()
                if _is_wrong(score.score, right_score(one.conversation.external_id, score.criterion))
            )
            missing = sum(1 for one in judgements if one.status == "scored" and len(one.scores.all()) != 11)
            status = Evaluation.objects.get(pk=asked.evaluation_id).status
            errors = Counter(one.error_code for one in judgements if one.status != "scored")
    return {
        "fault": name,
        "status": status,
        "judgements": len(judgements),
        "scored": states["scored"],
        "errors": dict(errors),
        "wrong": wrong + missing,
        "paid_twice": sum(number - 1 for number in calls.values()),
        "seconds": seconds,
    }


def _is_wrong(score: float | None, right: float) -> bool:
    return score is None or abs(score - right) > RIGHT


def _away(which: str, seconds: float) -> None:
    from ratiba_eval import local_stack  # noqa: PLC0415

    server = local_stack.valkey() if which == "valkey" else local_stack.postgres()
    server.stop()
    time.sleep(seconds)
    server.start()


def main() -> int:
    """Print the table; exit 1 when a promise is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path, default=[Path("examples/conversations/salon.jsonl")])
    parser.add_argument("--conversations", type=int, default=300)
    parser.add_argument("--after", type=float, default=0.2, help="share answered when the fault strikes; default 0.2")
    parser.add_argument("--fault", action="append", choices=list(FAULTS), dest="faults")
    options = parser.parse_args()
    django.setup()
    from benchmarks import rig  # noqa: PLC0415 - after django.setup()

    broken = 0
    with rig.services() as state:
        for name in options.faults or list(FAULTS):
            row = drill(state, name, options.files, options.conversations, options.after)
            mad = name == "model-mad"  # there a second call is the answer to a fault, and an error may remain
            named = row["scored"] + sum(number for code, number in row["errors"].items() if code)
            good = (
                row["status"] == "completed"
                and row["judgements"] == options.conversations
                and (named if mad else row["scored"]) == options.conversations
                and row["wrong"] == 0
                and (mad or row["paid_twice"] <= IN_FLIGHT)
            )
            broken += not good
            sys.stdout.write(
                f"{row['fault']:<22}{row['status']:<11}{row['scored']:>4} of {row['judgements']} scored, "
                f"{row['wrong']} wrong, errors {row['errors']}, {row['paid_twice']:>3} calls paid twice, "
                f"{row['seconds']:6.1f} s  "
                f"{'as promised' if good else 'BROKEN'}\n"
            )
            sys.stdout.flush()
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
