"""`python -m examples.booking_agent --port N [--weakness NAME …] [--phrase-set held_out]`."""

import argparse
import contextlib
import logging
import sys
from datetime import UTC, date, datetime, timedelta, timezone

from examples.booking_agent.dialogue import BookingAgent
from examples.booking_agent.phrase_sets import PhraseSet
from examples.booking_agent.weaknesses import Weakness

NAIROBI = timezone(timedelta(hours=3), "EAT")


def main(argv: list[str] | None = None) -> int:
    """Start the agent. Exit 0 when stopped, 2 on wrong use or a taken port."""
    options = _parser().parse_args(argv)
    from examples.booking_agent.server import bind, serve  # noqa: PLC0415 - `--help` answers without the SDK

    logging.getLogger("a2a").setLevel(logging.ERROR)
    agent = BookingAgent(
        today=options.today or datetime.now(UTC).astimezone(NAIROBI).date(),
        seed=options.seed,
        weaknesses=frozenset(options.weakness),
        phrase_set=options.phrase_set,
    )
    try:
        listener = bind(options.host, options.port)
    except OSError as error:
        print(f"port {options.port} on {options.host} cannot be used ({error}): give another --port", file=sys.stderr)
        return 2
    with contextlib.suppress(KeyboardInterrupt):
        serve(agent, listener=listener, delay_s=options.delay_ms / 1000)
    return 0


def _parser() -> argparse.ArgumentParser:
    names = "\n".join(f"  {weakness.value:<18}{weakness.what} ({weakness.damages})" for weakness in Weakness)
    parser = argparse.ArgumentParser(
        prog="python -m examples.booking_agent",
        description="A booking agent for a Nairobi salon, served over A2A 1.0 and 0.3.",
        epilog=f"weaknesses, and the criterion each is made to lower:\n{names}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--port", type=int, required=True, help="TCP port; 0 takes a free one")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    parser.add_argument(
        "--weakness",
        action="append",
        type=Weakness,
        default=[],
        metavar="NAME",
        help="build a fault in; may be repeated",
    )
    parser.add_argument(
        "--phrase-set",
        type=PhraseSet,
        choices=list(PhraseSet),
        default=PhraseSet.BASELINE,
        metavar=f"{{{','.join(PhraseSet)}}}",
        help="which phrases it speaks (default baseline); no rule of the offline judge was tuned on held_out",
    )
    parser.add_argument("--seed", type=int, default=0, help="seed of free slots and phrases (default 0)")
    parser.add_argument(
        "--today", type=date.fromisoformat, help="the day it is, YYYY-MM-DD (default: today in Nairobi)"
    )
    parser.add_argument("--delay-ms", type=int, default=0, help="think that long before each reply (default 0)")
    return parser


if __name__ == "__main__":
    raise SystemExit(main())
