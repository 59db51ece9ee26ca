"""The part that every command shares: `--tenant`, `--json`, and exit codes that a script can trust.

0 done or pass · 1 the answer is no · 2 wrong use or configuration · 3 unmeasurable: judge or agent down, budget spent
"""

import json
import sys
import uuid
from collections.abc import Callable, Collection, Iterator, Mapping
from enum import IntEnum
from typing import Any, TextIO, cast

from django.core.management.base import BaseCommand, CommandError, CommandParser, OutputWrapper

from apps.core.actor import acting, os_user
from apps.core.documents import Document, as_json
from apps.core.errors import BadInput, Fault, RatibaError
from apps.core.identities import uuids_among
from apps.core.portable.hidden_characters import for_terminal, json_for_terminal
from apps.tenants.context import in_tenant
from apps.tenants.older_database import refuse_older_database
from apps.tenants.queries import known_slugs, usable_tenant

ReadGuard = Callable[[Collection[uuid.UUID]], None]
_READ_GUARDS: dict[str, ReadGuard] = {}


def register_read_guard(name: str, guard: ReadGuard) -> None:
    """Register a check that runs, in the tenant, before a command reads rows by id.
    It raises for rows that must not be read. The same name replaces it."""
    _READ_GUARDS[name] = guard


class Exit(IntEnum):
    """Exit codes of every command."""

    DONE = 0
    NO = 1
    WRONG_USE = 2
    UNMEASURABLE = 3


def exit_code(error: RatibaError) -> Exit:
    """Return the exit code of an error.

    The caller's error is 2, a state that forbids it is a no (1), all else could not be measured (3).
    """
    if isinstance(error, BadInput):
        return Exit.WRONG_USE
    return Exit.NO if error.fault is Fault.CALLER else Exit.UNMEASURABLE


class TerminalOutput(OutputWrapper):
    """Output for people: foreign texts in it cannot steer the terminal."""

    def write(self, msg: str = "", *args: Any, **kwargs: Any) -> None:  # type: ignore[override]
        super().write(for_terminal(msg), *args, **kwargs)


class RatibaCommand(BaseCommand):
    """A command with an answer. Write `answer(**options)`: it returns the answer, or (answer, exit code).

    With --json the answer is one document on stdout and everything else goes to stderr; without, `show` prints it for
    people. Errors of ours become one line on stderr and the exit code of `exit_code`.
    """

    requires_system_checks: Any = []  # a second per command, and `check` is run by itself

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.add_argument("--json", action="store_true", dest="as_json", help="the answer as one JSON document")
        return parser

    def handle(self, *args: Any, **options: Any) -> None:
        try:
            with acting(f"command {type(self).__module__.rpartition('.')[2]} by {os_user()}"):
                refuse_older_database()
                answered = self.run_answer(**options)
        except RatibaError as error:
            raise CommandError(for_terminal(self.explain(error)), returncode=int(exit_code(error))) from error
        answer, code = answered if isinstance(answered, tuple) else (answered, Exit.DONE)
        if isinstance(answer, Document):
            answer = as_json(answer)
        if options.get("as_json"):
            document = json.dumps(answer, ensure_ascii=False, indent=2, default=str)
            self.stdout.write(json_for_terminal(document))
        elif answer is not None:
            self.stdout = TerminalOutput(cast(TextIO, self.stdout._out))
            self.show(answer)
        if code:
            sys.exit(int(code))

    def run_answer(self, **options: Any) -> Any:
        """Run `answer`; a subclass overrides this to do something before or after it."""
        return self.answer(**options)

    def answer(self, *args: Any, **options: Any) -> Any:
        """Parse, call one service, give its answer as plain data."""
        raise NotImplementedError

    def show(self, answer: Any) -> None:
        """The answer for people: one line a field, unless a command has something better."""
        if isinstance(answer, Mapping):
            for name, value in answer.items():
                self.stdout.write(f"{name}: {value}")
        else:
            self.stdout.write(str(answer))

    def explain(self, error: RatibaError) -> str:
        """One line: what is wrong, and where."""
        pointer = getattr(error, "pointer", None)
        return f"{error.message} (at {pointer})" if pointer else error.message

    def note(self, text: str) -> None:
        """A line beside the answer: on stderr, so that stdout holds the answer alone."""
        self.stderr.write(for_terminal(text), style_func=lambda line: line)


class TenantCommand(RatibaCommand):
    """A command that works in a tenant: `--tenant` must be given; a wrong one is exit 2 with the names there are.

    Ids among its options go through the read guards first. One that only steers what they name, and shows nothing of
    it, says `reads_rows = False`.
    """

    reads_rows = True

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        parser = super().create_parser(prog_name, subcommand, **kwargs)
        parser.add_argument("--tenant", metavar="SLUG", help="which tenant; required")
        return parser

    def run_answer(self, **options: Any) -> Any:
        slug = options.get("tenant")
        if not slug:
            raise BadInput(f"--tenant is required{_known()}", code="tenant_required")
        try:
            tenant = usable_tenant(slug)
        except BadInput as error:
            raise BadInput(f"{error.message}{_known()}", code=error.code) from error
        with in_tenant(str(tenant.schema_name)):
            ids = uuids_among(_texts(options.values())) if self.reads_rows else []
            for guard in _READ_GUARDS.values() if ids else ():
                guard(ids)
            return self.answer(**{**options, "tenant": tenant.slug})


def _known() -> str:
    slugs = known_slugs()
    return f"; tenants: {', '.join(slugs)}" if slugs else "; there is none yet: add_tenant SLUG --vertical NAME"


def _texts(values: Any) -> Iterator[str]:
    """Ids and texts among values, in lists too."""
    for value in values:
        if isinstance(value, list | tuple):
            yield from _texts(value)
        elif isinstance(value, str | uuid.UUID):
            yield str(value)
