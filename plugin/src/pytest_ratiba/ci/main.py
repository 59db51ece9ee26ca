"""`ratiba-ci SUBCOMMAND …`. A subcommand is a module here with `add_arguments(parser)` and `run(options) -> int`.

Exit codes: 0 done or pass, 1 the answer is no, 2 wrong use or configuration, 3 unmeasurable.
"""

import argparse
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module

from pytest_ratiba.ci.runner_lines import say
from pytest_ratiba.errors import ProjectError
from pytest_ratiba.processes import hide_from_neighbours

SUBCOMMANDS = {
    "init": "write a configuration and an example scenario",
    "gate": "may this pull request pass",
    "baseline": "play and store the baseline of a commit",
    "snapshots": "review changed snapshots",
    "goldens": "bring ConversationalGoldens of DeepEval in, or write the scenarios as such",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs one subcommand; only its module is imported. Its variables may hold the server's key: others of the same
    user cannot read them."""
    hide_from_neighbours()
    words = list(sys.argv[1:] if arguments is None else arguments)
    parser = argparse.ArgumentParser(prog="ratiba-ci", description="Ratiba Eval beside your agent: git and the API.")
    subparsers = parser.add_subparsers(dest="subcommand", required=True, metavar="|".join(SUBCOMMANDS))
    for name, sentence in SUBCOMMANDS.items():
        subparser = subparsers.add_parser(name, help=sentence, description=sentence.capitalize() + ".")
        if words[:1] == [name]:
            module = import_module(f"pytest_ratiba.ci.{name}")
            module.add_arguments(subparser)
            subparser.set_defaults(run=module.run)
    options = parser.parse_args(words)
    try:
        return int(options.run(options))
    except KeyboardInterrupt:
        print("ratiba-ci: interrupted", file=sys.stderr)
        return 130
    except ProjectError as error:
        say(f"ratiba-ci: {error}", to=sys.stderr)
        return 2
    except OSError as error:
        print(f"ratiba-ci: {error.filename or 'a file'}: {error.strerror or error}", file=sys.stderr)
        return 2
    except Exception:  # Python would end with 1, which says that the agent is worse
        traceback.print_exc()
        return 3


if __name__ == "__main__":
    sys.exit(main())
