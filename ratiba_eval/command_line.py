"""The command line: `manage.py` in a checkout, `ratiba` of an installed wheel. The same commands in any folder."""

import gc
import os
import sys
from collections.abc import Sequence

from ratiba_eval.stack.places import CHECKOUT, state_dir

_ASKS = {"help", "version", "--help", "--version"}
# They read code, not rows: no reason to start a database for them.
WITHOUT_SERVICES = _ASKS | {"check", "collectstatic", "up"}


def ratiba() -> None:
    """The console script. It brings its settings itself and imports its own rooms: it may stand in a Django project
    that has `apps` and settings of its own. Prints where its state is."""
    os.environ["DJANGO_SETTINGS_MODULE"] = "ratiba_eval.settings"
    own = str(CHECKOUT)
    sys.path.insert(0, own)
    others = [path for path in os.environ.get("PYTHONPATH", "").split(os.pathsep) if path and path != own]
    os.environ["PYTHONPATH"] = os.pathsep.join([own, *others])
    os.environ["RATIBA_STATE_DIR"] = str(state_dir())  # its processes run elsewhere and mean the same folder
    arguments = sys.argv[1:2]
    if arguments and arguments[0] not in _ASKS and "--help" not in sys.argv:
        print(f"ratiba: state in {os.environ['RATIBA_STATE_DIR']}", file=sys.stderr)
    run(sys.argv)


def run(argv: Sequence[str]) -> None:
    """Run one command; the embedded services run for as long as it does, unless the environment names real ones."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    gc.set_threshold(50_000, 20, 20)  # what imports make stays: looking through it again and again is 7 % of a start
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - after the line above

    arguments = argv[1:]
    if arguments and arguments[0] not in _ASKS:
        from ratiba_eval.env import stop_unless_configured  # noqa: PLC0415 - after the line above

        stop_unless_configured()
    if arguments and arguments[0] not in WITHOUT_SERVICES and not {"--help", "-h"} & set(arguments):
        from ratiba_eval import local_stack  # noqa: PLC0415 - only commands that need it pay for it

        try:
            local_stack.ensure()
        except local_stack.StackError as error:
            print(error, file=sys.stderr)
            sys.exit(2)
    from apps.core.actor import acting, os_user  # noqa: PLC0415 - as above
    from apps.tenants.errors import SessionsMixed  # noqa: PLC0415 - as above

    try:
        with acting(f"command {arguments[0] if arguments else 'help'} by {os_user()}"):
            execute_from_command_line(list(argv))
    except SessionsMixed as error:
        print(f"ratiba: {error}", file=sys.stderr)
        sys.exit(2)
