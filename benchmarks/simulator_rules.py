"""How often do the rules about simulated customers accuse one that did nothing wrong?

    python -m benchmarks.simulator_rules [--data ../shared/data]

Reads real simulated users (three benchmarks of others: tau-bench and tau2), and people talking to people, and counts
what the rules find (apps/personas/domain/simulator_rules.py) and where a conversation would have been ended as a loop
(apps/runs/playing/domain/loops.py). Nothing of a conversation is printed but its id. No database, no network; seconds.
"""

import argparse
import json
import sys
from collections import Counter
from pathlib import Path

from apps.personas.domain.simulator_rules import rule_findings
from apps.runs.playing.domain.loops import goes_round

SIMULATED = ("tau2_gpt41", "tau2_other_agents", "tau_bench_airline")
FILES = {
    **{f"agent_trajectories/{name}.jsonl": "simulated" for name in SIMULATED},
    "service_dialogues/star.jsonl": "people",
    "service_dialogues/sgd_services.jsonl": "people",
    "multilingual/xpersona_it.jsonl": "people",
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=Path(__file__).resolve().parents[2] / "shared" / "data")
    data = parser.parse_args().data
    if not data.is_dir():
        sys.stderr.write(f"{data} is not there: name the folder with --data\n")
        return 2
    alarms = 0
    for name, who in FILES.items():
        found: Counter[str] = Counter()
        messages = conversations = 0
        for line in (data / name).read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            turns = record["turns"]
            conversations += 1
            messages += sum(turn["role"] == "user" for turn in turns)
            rules = [str(one.rule) for one in rule_findings(turns, {"language": record.get("lang") or "en"})]
            spoken = [(turn["role"], turn["content"]) for turn in turns if turn["role"] in ("user", "assistant")]
            spoken = [(role, text) for role, text in spoken if text]
            if any(goes_round(spoken[:end]) for end in range(1, len(spoken) + 1)):
                rules.append("ended as a loop")
            for rule in rules:
                found[rule] += 1
                print(f"  {record['id']}: {rule}")
        alarms += sum(found.values()) if who == "simulated" else 0
        print(
            f"{name:<44}{who:<10}{conversations:>4} conversations {messages:>5} messages   {dict(found) or 'nothing'}"
        )
    print(f"{alarms} alarms about simulated users")
    return 0


if __name__ == "__main__":
    sys.exit(main())
