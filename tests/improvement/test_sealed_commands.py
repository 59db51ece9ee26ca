"""No command reads a side of a trial: its conversations may belong to a hold-out, which is worn by reading."""

import uuid
from argparse import Action
from collections.abc import Iterator

import pytest
from django.core.management import CommandError, call_command, get_commands, load_command_class

from apps.tenants.commands import TenantCommand
from tests.improvement.trial_rows import make_world, started

STEERING = {"cancel_run", "pause_run", "reconcile_runs", "resume_run", "set_budget"}  # they show no word of it


def reading() -> Iterator[tuple[str, Action, list[Action]]]:
    """Every command of ours with each of its options that take an id, and its other options that must be given."""
    for name, app in sorted(get_commands().items()):
        if not isinstance(app, str) or not app.startswith("apps."):
            continue
        command = load_command_class(app, name)
        if isinstance(command, TenantCommand) and name not in STEERING:
            assert command.reads_rows, name
            actions = command.create_parser("manage.py", name)._actions
            for action in actions:
                if action.type is uuid.UUID:
                    yield name, action, [one for one in actions if one.required and one is not action]


def test_every_command_that_takes_an_id_refuses_a_run_and_an_evaluation_of_a_trial(tenant: str) -> None:
    side = started(make_world()).sides.select_related("evaluation").first()
    ids = (side.test_run_id, side.evaluation_id)
    options = list(reading())
    assert len(options) > 10
    for name, action, others in options:
        for one in ids:
            given = [
                word
                for each in (action, *others)
                if each is action or each.option_strings
                for word in (*each.option_strings[-1:], str(one) if each.type is uuid.UUID else "x")
            ]
            if name in ("report", "export_results"):
                given += [] if "--out" in given else ["--out", "x"]
            given += ["x"] if name == "import_scores" else []  # its file, which nobody has read yet
            with pytest.raises(CommandError, match="hold-out"):
                call_command(name, *given, tenant=tenant)
