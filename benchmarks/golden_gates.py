"""Do gates hold? Sensed from real conversations, and before an agent that is slow, late and worded otherwise.

    python -m benchmarks.golden_gates [--part sensed|replayed] [--data ../shared/data] [--replays 100] [--json]

sensed     a gate for each reply of 435 conversations (STAR and SGD): how many are unique, weak, none; whether one that
           is called unique opens at an earlier reply; the longest time that one look took.
replayed   the finished session of the loopback Pega, its gates sensed from it, replayed against the campaign agent on a
           clock that is not waited for: replies after 0 to 60 s at random, replies late by one message, headings
           reworded, and an agent that really refuses. Counted: gates that opened at another stage, gates that stayed
           shut though the right reply was there, desync found where it is real and where it is not, nudges, and the
           time against a replay that waits a fixed time after each turn.

Exit 0 when no unique gate opens too early, no gate opens at another stage and no desync is called that is none; 1 else.
No database, no network, no model; two minutes.
"""

import argparse
import json
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from apps.core.patterns import compile_pattern
from apps.runs.domain.gates import Strength, sense
from benchmarks.campaign_replays import SLOWEST_S, CampaignTalk, fixed_delay, golden_turns, replay_once
from examples.pega.switches import NodeFault

DATA = Path(__file__).parents[1].parent / "shared" / "data"
FILES = ("service_dialogues/star.jsonl", "service_dialogues/sgd_services.jsonl")


def sensed(data: Path) -> dict[str, Any] | None:
    """The gates of all conversations in the files; None where the files are missing."""
    if not all((data / name).exists() for name in FILES):
        return None
    strengths: Counter[str] = Counter()
    own_missed = earlier = looks = conversations = 0
    longest_s = 0.0
    for name in FILES:
        for line in (data / name).read_text(encoding="utf-8").splitlines():
            turns, conversations = json.loads(line)["turns"], conversations + 1
            for gate in sense(turns):
                if not (turns[gate.position].get("content") or "").strip():
                    continue  # a tool call without words: nothing is waited for
                strengths[gate.strength.value] += 1
                if gate.pattern is None:
                    continue
                pattern = compile_pattern(gate.pattern)
                for position in range(gate.position + 1):
                    if turns[position]["role"] != "assistant":
                        continue
                    began = time.perf_counter()
                    found = pattern.found_in(turns[position].get("content") or "")
                    longest_s, looks = max(longest_s, time.perf_counter() - began), looks + 1
                    own_missed += position == gate.position and not found
                    earlier += position < gate.position and found and gate.strength is Strength.UNIQUE
    total = sum(strengths.values())
    return {
        "conversations": conversations,
        "replies": total,
        "strengths": dict(strengths),
        "shares": {name: round(count / total, 4) for name, count in strengths.items()},
        "own_reply_missed": own_missed,
        "unique_that_open_earlier": earlier,
        "looks": looks,
        "longest_look_ms": round(longest_s * 1000, 1),
    }


ALL_REWORDED = "sentences+headings"
"""Beyond the goal: where sentences are reworded as well, nothing of a reply may be left that its gate could know."""
CONDITIONS: dict[str, frozenset[NodeFault]] = {
    "slow": frozenset(),
    "late": frozenset({NodeFault.LATE_BY_ONE}),
    "headings": frozenset({NodeFault.HEADINGS_REWORDED}),
    "late+headings": frozenset({NodeFault.LATE_BY_ONE, NodeFault.HEADINGS_REWORDED}),
    ALL_REWORDED: frozenset({NodeFault.REWORDED, NodeFault.HEADINGS_REWORDED}),
    "refuses": frozenset({NodeFault.REFUSES}),
}
FIXED_S = (2.0, SLOWEST_S)
"""A replay without gates: the seed's first pause, and one that is never too short."""


def replayed(replays: int) -> list[dict[str, Any]]:
    """One row for each condition, with and without a transcript to look at."""
    turns, rows = golden_turns(), []
    for name, faults in CONDITIONS.items():
        for transcript in (True, False):
            found = [replay_once(turns, faults=faults, seed=seed, transcript=transcript) for seed in range(replays)]
            ended = [one for one in found if one.desync_at is not None]
            row: dict[str, Any] = {
                "agent": name,
                "transcript": transcript,
                "replays": replays,
                "gates": sum(one.desync_at or len(turns) for one in found),
                "opened_at_another_stage": sum(len(one.wrong) for one in found),
                "stayed_shut": sum(len(one.shut) for one in found),
                "desync_real": sum(one.real for one in ended),
                "desync_not_real": sum(not one.real for one in ended),
                "waited": sum(one.waited for one in found),
                "nudges": sum(one.nudges for one in found),
                "minutes": round(sum(one.seconds for one in found) / 60, 1),
            }
            for delay_s in FIXED_S:
                talks = [
                    CampaignTalk(faults=faults, seed=seed, delays=True, transcript=transcript)
                    for seed in range(replays)
                ]
                fixed = [fixed_delay(turns, talk, delay_s=delay_s) for talk in talks]
                row[f"fixed_{delay_s:g}s"] = {
                    "wrong_turns": sum(len(one.wrong) for one in fixed),
                    "minutes": round(sum(one.seconds for one in fixed) / 60, 1),
                }
            rows.append(row)
    return rows


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--part", choices=("sensed", "replayed"), help="only this part (default both)")
    parser.add_argument("--data", type=Path, default=DATA, help="the folder of the real conversations")
    parser.add_argument("--replays", type=int, default=100, help="replays for each condition (default 100)")
    parser.add_argument("--json", action="store_true", help="the figures as one JSON document")
    options = parser.parse_args()
    found: dict[str, Any] = {}
    if options.part != "replayed":
        found["sensed"] = sensed(options.data)
    if options.part != "sensed":
        found["replayed"] = replayed(options.replays)
    if options.json:
        json.dump(found, sys.stdout, indent=2)
        print()
    else:
        show(found)
    return 0 if good(found) else 1


def good(found: dict[str, Any]) -> bool:
    """Whether gates hold: see the module."""
    gates, rows = found.get("sensed"), found.get("replayed") or []
    early = gates and (gates["unique_that_open_earlier"] or gates["own_reply_missed"])
    held = [row for row in rows if row["agent"] != ALL_REWORDED]
    return not early and not any(row["opened_at_another_stage"] or row["desync_not_real"] for row in held)


def show(found: dict[str, Any]) -> None:
    """The figures for people."""
    if "sensed" in found:
        gates = found["sensed"]
        print(f"sensed: {json.dumps(gates) if gates else 'the real conversations are not there'}\n")
    if rows := found.get("replayed"):
        fixed = [f"fixed_{delay:g}s" for delay in FIXED_S]
        names = [name for name in rows[0] if name not in fixed]
        print("  ".join(names + [f"{name}: wrong turns, minutes" for name in fixed]))
        for row in rows:
            cells = [f"{row[name]!s:>{len(name)}}" for name in names]
            print("  ".join(cells + [f"{row[name]['wrong_turns']:>14}, {row[name]['minutes']}" for name in fixed]))


if __name__ == "__main__":
    raise SystemExit(main())
