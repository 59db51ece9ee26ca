"""The printed confusion by kind of quote: no invention is called exact, hardly a true quote is missed."""

import json

import pytest

from benchmarks.real_evidence import main


@pytest.mark.shared
def test_no_invention_is_exact_and_true_quotes_are_found(capsys):
    assert main(["--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found.pop("lists of cited turns") == {"lists": 80, "right": 80}
    totals = {name: sum(count[-1] for count in one["counts"]) for name, one in found.items()}
    assert sorted(totals.values()) == [12, 195, 195]
    assert {one["precision"] for one in found.values()} == {1.0}
    assert min(one["recall"] for one in found.values()) >= 0.98


def test_missing_files_are_said(capsys, tmp_path):
    assert main(["--data", str(tmp_path)]) == 0
    assert "skipped, nothing was measured" in capsys.readouterr().out
