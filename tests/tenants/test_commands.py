"""Commands say which tenant they mean, and their exit codes can be trusted."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.core.management.base import BaseCommand

from apps.core.errors import BadInput, Conflict, NotFound, RatibaError
from apps.tenants.commands import Exit, TenantCommand, exit_code
from apps.tenants.context import current_slug
from apps.tenants.models import Tenant


class Where(TenantCommand):
    """A command that answers where it is, or raises what it is told to."""

    def add_arguments(self, parser):
        parser.add_argument("--fail", default=None)

    def answer(self, *, tenant, fail, **options):
        self.note("beside the answer")
        if fail is not None:
            raise fail
        return {"tenant": tenant, "inside": current_slug()}


def run(capsys, *arguments, **options):
    try:
        call_command(Where(), *arguments, **options)
        code = 0
    except CommandError as error:
        code = error.returncode
        print(error)
    except SystemExit as left:
        code = left.code
    return code, capsys.readouterr()


@pytest.mark.parametrize(
    "arguments", [[], ["--tenant="], ["--tenant", "nobody"], ["--tenant", "public"], ["--tenant", "A B"]]
)
def test_a_wrong_or_missing_tenant_is_wrong_use_and_lists_the_names(db, capsys, arguments):
    code, output = run(capsys, *arguments)
    assert code == Exit.WRONG_USE
    assert "acme, beta" in output.out


def test_a_closed_tenant_is_a_no(db, capsys):
    Tenant.objects.filter(slug="acme").update(ready=False)
    code, output = run(capsys, "--tenant", "acme")
    assert code == Exit.NO
    assert "not ready" in output.out


def test_json_is_the_only_thing_on_stdout(db, capsys):
    code, output = run(capsys, "--tenant", "acme", "--json")
    assert code == 0
    assert json.loads(output.out) == {"tenant": "acme", "inside": "acme"}
    assert "beside the answer" in output.err


def test_without_json_people_can_read_it(db, capsys):
    _, output = run(capsys, "--tenant", "acme")
    assert "inside: acme" in output.out


@pytest.mark.parametrize(
    "error, code",
    [
        (BadInput("no", pointer="/x"), Exit.WRONG_USE),
        (NotFound("no"), Exit.WRONG_USE),
        (Conflict("no"), Exit.NO),
        (RatibaError("no"), Exit.UNMEASURABLE),
    ],
)
def test_each_error_has_its_code(db, capsys, error, code):
    assert exit_code(error) == code
    assert run(capsys, "--tenant", "acme", fail=error)[0] == code


def test_a_code_beside_the_answer_is_given_back(db, capsys, monkeypatch):
    monkeypatch.setattr(Where, "answer", lambda self, **options: ({"verdict": "fail"}, Exit.NO))
    code, output = run(capsys, "--tenant", "acme", "--json")
    assert code == Exit.NO
    assert json.loads(output.out) == {"verdict": "fail"}


def test_add_tenant_is_safe_to_repeat(committed_db, capsys):
    for added in (True, False):
        call_command("add_tenant", "gamma", "--vertical", "spa", "--json")
        answer = json.loads(capsys.readouterr().out)
        assert answer["added"] is added
        assert answer["domains"] == ["gamma.localhost"]
    with pytest.raises(CommandError) as refused:
        call_command("add_tenant", "gamma", "--vertical", "bank")
    assert refused.value.returncode == Exit.WRONG_USE


@pytest.mark.parametrize("slug", ["Ga mma", "public_x", "-"])
def test_add_tenant_refuses_a_bad_name(db, slug):
    with pytest.raises(CommandError) as refused:
        call_command("add_tenant", "--vertical", "spa", "--", slug)
    assert refused.value.returncode == Exit.WRONG_USE


def test_our_commands_are_django_commands():
    assert issubclass(TenantCommand, BaseCommand)


def test_suspend_tenant_closes_and_opens(db, capsys):
    for options, suspended in (([], True), ([], True), (["--open"], False)):
        call_command("suspend_tenant", "acme", "--json", *options)
        assert json.loads(capsys.readouterr().out) == {"tenant": "acme", "suspended": suspended}
        assert Tenant.objects.get(slug="acme").suspended is suspended
    for wrong in ("nobody", "public"):
        with pytest.raises(CommandError) as refused:
            call_command("suspend_tenant", wrong)
        assert refused.value.returncode == Exit.WRONG_USE
