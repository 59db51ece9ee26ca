"""Command `rollout start|status|promote|rollback --role R --tenant T`: roll a version out by hand."""

from typing import Any

from django.contrib.auth import get_user_model
from django.core.management.base import CommandParser
from django.utils import timezone

from apps.core.actor import os_user
from apps.core.documents import as_json
from apps.core.errors import BadInput, Conflict
from apps.production.rollouts.domain.request import RolloutRequest
from apps.production.rollouts.domain.rules import MetricVerdict
from apps.production.rollouts.domain.states import RolloutStatus
from apps.production.rollouts.queries.documents import find_rollout, newest_rollout, rollout_document
from apps.production.rollouts.services.steering import plan_rollout, promote_rollout, roll_back, start_rollout
from apps.tenants.commands import Exit, TenantCommand

_RIGHT = "production.change_rollout"


class Command(TenantCommand):
    help = (
        "start: send some of a hundred conversations of a role to a canary (--forecast: say what it would see). "
        "status: exit code 0 where it may be promoted or was, 1 where it is worse, was rolled back or is not shown to "
        "be no worse, 3 where too little is known. promote: needs --by, a user who may; exit code 1 where something "
        "stands in its way. rollback: everybody gets what is live again."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("action", choices=["start", "status", "promote", "rollback"])
        parser.add_argument("--role", required=True, help="the name of its prompt")
        parser.add_argument("--canary", default="", metavar="VERSION", help="start: which version")
        parser.add_argument("--percentage", type=int, default=5, help="start: of a hundred conversations (5)")
        parser.add_argument("--hours", type=int, default=24, help="start: for how long (24)")
        parser.add_argument(
            "--config", default="", help="start: who judges (that of the sampling rules, or the only one)"
        )
        parser.add_argument("--beside-others", action="store_true", help="start: another role's rollout may run")
        parser.add_argument("--forecast", action="store_true", help="start: say what it would see, and start nothing")
        parser.add_argument("--by", default="", metavar="USER", help="promote: who signs")
        parser.add_argument("--acknowledge", action="store_true", help="promote: what was not shown is known")
        parser.add_argument("--reason", default="", help="promote, rollback: why")

    def answer(self, *, action: str, role: str, **options: Any) -> Any:
        if action == "start":
            return self._start(role, options)
        now = timezone.now()
        row = newest_rollout(role)
        if action == "rollback":
            roll_back(row.pk, by=f"command by {os_user()}", now=now, reason=options["reason"])
        elif action == "promote":
            by = _signer(options["by"])
            try:
                promote_rollout(row.pk, by=by, now=now, acknowledged=options["acknowledge"], reason=options["reason"])
            except Conflict as error:
                if error.code != "not_promotable":
                    raise
                self.note(error.message)
                return rollout_document(find_rollout(row.pk), now=now), Exit.NO
        document = as_json(rollout_document(find_rollout(row.pk), now=now))
        return document, _exit_of(document) if action == "status" else Exit.DONE

    def _start(self, role: str, options: dict[str, Any]) -> Any:
        if not options["canary"]:
            raise BadInput("--canary is missing: which version?", code="required", pointer="/canary")
        request = RolloutRequest(
            role=role,
            canary=options["canary"],
            percentage=options["percentage"],
            hours=options["hours"],
            evaluator_config=options["config"],
            beside_others=options["beside_others"],
        )
        now = timezone.now()
        if options["forecast"]:
            return {"forecast": as_json(plan_rollout(request, now=now).forecast.document())}, Exit.DONE
        made = start_rollout(request, by=f"command by {os_user()}", now=now)
        return rollout_document(find_rollout(made), now=now), Exit.DONE

    def show(self, answer: Any) -> None:
        if "status" not in answer:
            self.stdout.write(answer["forecast"]["sentence"])
            return
        judge = answer["evaluator_config"] or "nobody"
        share = f"{answer['percentage']} %, judged by {judge}"
        self.stdout.write(f"{answer['canary']} of {answer['role']}: {answer['status']}, {share}")
        if answer["reason"]:
            self.stdout.write(answer["reason"])
        for metric in answer["figures"].get("metrics", ()):
            verdict, of = (
                metric["verdict"].replace("_", " "),
                f"stable n {metric['stable_n']}, canary n {metric['canary_n']}",
            )
            self.stdout.write(f"  {metric['title']}: {verdict} ({of})")
        for refusal in answer["refusals"]:
            self.stdout.write(f"  not promoted yet: {refusal['sentence']}")
        if not answer["figures"]:
            self.stdout.write(f"  {answer['forecast']['sentence']}")


def _signer(name: str) -> str:
    """The user who signs, who must be one that may. Raises BadInput."""
    user = get_user_model().objects.filter(username=name, is_active=True).first()
    if user is None or not user.has_perm(_RIGHT):
        raise BadInput(
            "A canary is promoted by a person: --by names a user of this tenant who may promote.",
            code="person_required",
            pointer="/by",
        )
    return str(user.get_username())


def _exit_of(document: dict[str, Any]) -> Exit:
    if document["status"] == RolloutStatus.RUNNING:
        if document["may_be_promoted"]:
            return Exit.DONE
        if document["worse"]:
            return Exit.NO
        codes = {refusal["code"] for refusal in document["refusals"]}
        return Exit.UNMEASURABLE if "too_few" in codes else Exit.NO
    if document["status"] == RolloutStatus.PROMOTED:
        return Exit.DONE
    metrics = document["figures"].get("metrics", ())
    score = next((metric["verdict"] for metric in metrics if metric["metric"] == "score"), MetricVerdict.NO_DATA.value)
    unknown = document["status"] == RolloutStatus.INCONCLUSIVE and score == MetricVerdict.NO_DATA
    return Exit.UNMEASURABLE if unknown else Exit.NO
