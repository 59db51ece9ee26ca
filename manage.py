#!/usr/bin/env python
"""Django's command line."""

import sys

from ratiba_eval.command_line import run


def main() -> None:
    """Run one command."""
    run(sys.argv)


if __name__ == "__main__":
    main()
