"""What does the gate say of twelve kinds of planted pull requests?

    python -m benchmarks.gate_planted

The sides are those of tests/gates/planted.py: 40 cases, three repeats, an agent that samples. Printed: a table of kind
of gate, decision, reason, exit code. Exit 0 when each came out as planted.
"""

import argparse
import sys

from tests.gates.planted import PLANTED, kind_by_names


def main() -> int:
    argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter).parse_args()
    wrong = 0
    print(f"{'pull request':<50}{'gate':<10}{'decision':<14}{'why':<18}exit")
    for one in PLANTED:
        kind = kind_by_names(one.files)
        decision, why, exit_code, sentence = one.decided()
        wrong += (decision, why, exit_code, kind) != (one.decision, one.why, one.exit_code, one.kind)
        print(f"{one.name:<50}{kind:<10}{decision:<14}{why:<18}{exit_code}\n    {sentence[:150]}")
    print("as planted" if not wrong else f"{wrong} came out otherwise")
    return min(1, wrong)


if __name__ == "__main__":
    sys.exit(main())
