#!/usr/bin/env python
"""Django's command line."""

import os
import sys

# They read code, not rows: no reason to start a database for them.
WITHOUT_SERVICES = {"help", "version", "--help", "--version", "check", "collectstatic", "up"}


def main() -> None:
    """Run one command; the embedded services run for as long as it does, unless the environment names real ones."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ratiba_eval.settings")
    from django.core.management import execute_from_command_line  # noqa: PLC0415 - after the line above

    asked = sys.argv[1:]
    if asked and asked[0] not in {"help", "version", "--help", "--version"}:
        from ratiba_eval.env import stop_unless_configured  # noqa: PLC0415 - after the line above

        stop_unless_configured()
    if asked and asked[0] not in WITHOUT_SERVICES and not {"--help", "-h"} & set(asked):
        from ratiba_eval import local_stack  # noqa: PLC0415 - only commands that need it pay for it

        try:
            local_stack.ensure()
        except local_stack.StackError as error:
            print(error, file=sys.stderr)
            sys.exit(2)
    from apps.core.actor import acting, os_user  # noqa: PLC0415 - as above

    with acting(f"command {asked[0] if asked else 'help'} by {os_user()}"):
        execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
