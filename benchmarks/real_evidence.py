"""Are quotes told from inventions? 12 quotes and 80 lists of cited turns of real judges, 195 quotes made on purpose.

    python -m benchmarks.real_evidence [--data ../shared/data] [--json]

The files say of each quote whether it stands in the conversation. Counted by kind of quote is what `verify` answers:
once for the bare words with the role beside them, once as judges write them: `[7] assistant: "…"`. Exit 0 when no quote
is called exact that is not (precision 1.0) and at least 98 % of those that stand there are found, or when the files are
missing (that is said); else 1. No database, no model; a second.
"""

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from apps.evaluations.domain.evidence import EvidenceKind, missing_turns, verify

DATA = Path(__file__).parents[1].parent / "shared" / "data"
JUDGES = "judge/llm_judges_vs_outcome.jsonl"
RECALL = 0.98
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


def table(title: str, found: Confusion) -> list[str]:
    lines = [title, f"  {'kind of quote':<24}{'stands there':<14}{'exact':>6}{'pattern':>9}{'unverified':>12}"]
    for kind, stands in sorted({(kind, stands) for kind, stands, _ in found.counts}, key=lambda one: (not one[1], one)):
        answers = [found.counts[kind, stands, answer.value] for answer in EvidenceKind]
        lines.append(f"  {kind:<24}{'yes' if stands else 'no':<14}{answers[0]:>6}{answers[1]:>9}{answers[2]:>12}")
    return [*lines, f"  precision of exact {found.precision:.3f}, recall {found.recall:.3f}", ""]


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args(arguments)
    if not (options.data / JUDGES).exists():
        print(f"skipped, nothing was measured: {options.data / JUDGES} is not there")
        return 0
    judges, lists, right = real(options.data)
    found = {
        "quotes of real judges": judges,
        "made on purpose, bare": synthetic(options.data, labelled=False),
        "made on purpose, as judges write them": synthetic(options.data, labelled=True),
    }
    if options.json:
        told = {
            name: {
                "precision": one.precision,
                "recall": one.recall,
                "counts": [[*key, n] for key, n in sorted(one.counts.items())],
            }
            for name, one in found.items()
        }
        print(json.dumps({**told, "lists of cited turns": {"lists": lists, "right": right}}, indent=2))
    else:
        print("\n".join(line for name, one in found.items() for line in table(name, one)))
        print(f"{lists} lists of cited turns: {right} read as they are")
    good = all(one.precision == 1 and one.recall >= RECALL for one in found.values()) and right == lists
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
