"""The hook that reads commit messages refuses what CONTRIBUTING forbids."""

import re

import pytest
import yaml

from tests.guards.source import ROOT


def _refused(message: str) -> bool:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    hook = next(one for one in hooks if one["id"] == "commit-subject")
    assert hook["stages"] == ["commit-msg"]
    return re.search(hook["entry"], message, re.MULTILINE | re.DOTALL) is not None


@pytest.mark.parametrize("subject", ["Adds a hook", "fixed the gate", f"Say {'x' * 69}"])
def test_a_long_or_narrating_subject_is_refused(subject):
    assert _refused(f"{subject}\n\nWhy it is so.\n")


@pytest.mark.parametrize("subject", ["Add a hook", "Address the gate", f"Say {'x' * 68}"])
def test_a_short_imperative_subject_may_have_a_long_body(subject):
    assert not _refused(f"{subject}\n\n{'A long line of the body. ' * 9}\nAdded later.\n")
