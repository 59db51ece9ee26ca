"""Does the heat map find who suffers from which? Five weaknesses of the example agent × a grid of personas.

    python -m benchmarks.who_suffers [--battles 12] [--seed 0]

Starts `examples.booking_agent` once for each weakness and once without, and plays customers of three languages ×
`--battles` seeds (offline simulator, six tempers) against each over A2A, as benchmarks.weaknesses does. The offline
rules judge; the heat maps (language × criterion, temper × criterion) are made as the page of slices makes them.
Exit 1 unless each weakness shows on its own criterion in all languages that it hits and in no other, and puts no other
criterion below its mark in half of anybody's conversations. No model, no database; about two minutes.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Sequence

from apps.reports.domain.heat_map import HeatCell, HeatLevel, HeatMap, heat_map
from benchmarks.weaknesses import LANGUAGES, ONLY_IN, OWN, TEMPERS, Customer, Scores, play, scores

WEAKNESSES = ("two_questions", "long_winded", "robotic_swahili", "ignores_persona", "ignores_price")
PERSONAS = ("ordinary", "in a hurry", "suspicious", "indecisive", "student", "let down")  # TEMPERS in a word
MARK = 6.0


def language(customer: Customer) -> str:
    return customer.language


def persona(customer: Customer) -> str:
    return PERSONAS[customer.seed % len(TEMPERS)]


def mapped(found: Scores, group: Callable[[Customer], str]) -> HeatMap:
    """Group × criterion, from scores of 0-10 by customer."""
    counts: dict[tuple[str, str], tuple[int, int]] = {}
    for customer, given in found.items():
        for criterion, score in given.items():
            if score is not None:
                failing, n = counts.get((group(customer), criterion), (0, 0))
                counts[group(customer), criterion] = (failing + (score < MARK), n + 1)
    return heat_map(counts)


def cells_of(found: HeatMap, criterion: str) -> dict[str, HeatCell]:
    return {row.group: one for row in found.rows for one in row.cells if one.criterion == criterion}


def most(found: HeatMap) -> set[tuple[str, str]]:
    return {(row.group, one.criterion) for row in found.rows for one in row.cells if one.level is HeatLevel.MOST}


def line(found: HeatMap, criterion: str, groups: Sequence[str]) -> str:
    cells = cells_of(found, criterion)
    return " | ".join(f"{one.failing} of {one.n}" if (one := cells.get(group)) else "–" for group in groups)


async def measure(battles: int, seed: int) -> bool:
    plain = await scores(await play(None, battles, seed, "baseline"))
    met, columns = True, (*LANGUAGES, *PERSONAS)
    print(f"| weakness | criterion | {' | '.join(columns)} | other criteria |")
    print("|---" * (len(columns) + 3) + "|")
    for weakness in WEAKNESSES:
        found, own = await scores(await play(weakness, battles, seed, "baseline")), OWN[weakness]
        maps = [mapped(found, one) for one in (language, persona)]
        others = {
            one
            for now, group in zip(maps, (language, persona), strict=True)
            for one in most(now) - most(mapped(plain, group))
            if one[1] != own
        }
        shown = {
            group for group, one in cells_of(maps[0], own).items() if one.level in (HeatLevel.SOME, HeatLevel.MOST)
        }
        met &= shown == set(ONLY_IN.get(weakness, LANGUAGES)) and not others
        text = ", ".join(sorted(" × ".join(one) for one in others)) or "–"
        print(f"| {weakness} | {own} | {line(maps[0], own, LANGUAGES)} | {line(maps[1], own, PERSONAS)} | {text} |")
    return met


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--battles", type=int, default=12, help="customers a language")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    return 0 if asyncio.run(measure(options.battles, options.seed)) else 1


if __name__ == "__main__":
    sys.exit(main())
