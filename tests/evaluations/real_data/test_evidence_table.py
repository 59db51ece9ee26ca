"""Are quotes told from inventions? 12 quotes and 80 lists of cited turns of real judges, 195 quotes made on purpose: no
invention is called exact, hardly a true quote is missed. The files say of each quote whether it stands there."""

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from apps.evaluations.domain.evidence import EvidenceKind, missing_turns, verify
from tests.shared_data import SHARED

DATA = SHARED / "data"
JUDGES = "judge/llm_judges_vs_outcome.jsonl"
Row = Mapping[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Confusion:
    """Quotes by (kind of quote, whether it stands there, answer)."""

    counts: Counter[tuple[str, bool, str]]

    def of(self, *, stands: bool | None = None, exact: bool | None = None) -> int:
        return sum(
            n
            for (_, there, answer), n in self.counts.items()
            if stands in (None, there) and exact in (None, answer == EvidenceKind.EXACT)
        )

    @property
    def precision(self) -> float:
        """Of those called exact, the share that stands there."""
        return self.of(stands=True, exact=True) / self.of(exact=True) if self.of(exact=True) else 1.0

    @property
    def recall(self) -> float:
        """Of those that stand there, the share called exact."""
        return self.of(stands=True, exact=True) / self.of(stands=True) if self.of(stands=True) else 1.0


def rows_of(path: Path) -> list[Row]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def synthetic(data: Path, *, labelled: bool) -> Confusion:
    """Quotes made from real conversations; `labelled` puts turn and speaker into the quote."""
    rows = rows_of(data / "judge" / "evidence_synthetic.jsonl")
    texts = {row["id"]: row["turns"] for name in sorted({row["file"] for row in rows}) for row in rows_of(data / name)}
    counts: Counter[tuple[str, bool, str]] = Counter()
    for row in rows:
        quote = f'[{row["turn"] or 0}] {row["role"]}: "{row["quote"]}"' if labelled else row["quote"]
        found = verify(quote, texts[row["conversation_id"]], role=None if labelled else row["role"])
        counts[row["kind"], row["expected"] == "supported", found.kind.value] += 1
    return Confusion(counts=counts)


def real(data: Path) -> tuple[Confusion, int, int]:
    """Quotes of real judges; of how many lists of cited turns, and how many were read as the file says.

    These judges saw turns numbered from 1.
    """
    texts = {row["id"]: row["turns"] for row in rows_of(data / JUDGES)}
    counts: Counter[tuple[str, bool, str]] = Counter()
    lists = right = 0
    for row in rows_of(data / "judge" / "evidence_real.jsonl"):
        turns = texts[row["conversation_id"]]
        if "quote" in row:
            found = verify(row["quote"], turns)
            counts[
                "in the policy" if row.get("in_policy") else "of the transcript",
                row["verdict"] == "verbatim",
                found.kind.value,
            ] += 1
        else:
            lists += 1
            lost = [number + 1 for number in missing_turns([number - 1 for number in row["cited_turns"]], turns)]
            right += lost == row["missing_turns"]
    return Confusion(counts=counts), lists, right


@pytest.mark.shared
def test_no_invention_is_exact_and_true_quotes_are_found():
    judges, lists, right = real(DATA)
    found = [judges, synthetic(DATA, labelled=False), synthetic(DATA, labelled=True)]
    assert (lists, right) == (80, 80)
    assert [one.counts.total() for one in found] == [12, 195, 195]
    assert {one.precision for one in found} == {1.0}
    assert min(one.recall for one in found) >= 0.98
