"""`ratiba-ci baseline`."""

import argparse

from pytest_ratiba.errors import ProjectError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Options of this subcommand."""


def run(options: argparse.Namespace) -> int:
    """Not there yet."""
    raise ProjectError("`ratiba-ci baseline` is not part of this version")
