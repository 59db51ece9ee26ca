"""`python -m examples.pega --port N [--fault NAME …] [--variant NAME …]`."""

import argparse
import re
import sys

from examples.pega.node import AGENT_ID, ALIAS, CLIENT_ID, CLIENT_SECRET, Node, NodeSettings
from examples.pega.switches import NodeFault, Variant


def main(argv: list[str] | None = None) -> int:
    """Start the server. Exit 0 when stopped, 2 on wrong use or a taken port."""
    options = parser().parse_args(argv)
    from examples.pega.server import bind, serve  # noqa: PLC0415 - `--help` answers without it

    node = Node(settings=settings_of(options))
    try:
        server = bind(node, options.host, options.port)
    except (OSError, OverflowError) as error:
        print(f"port {options.port} on {options.host} cannot be used ({error}): give another --port", file=sys.stderr)
        return 2
    serve(server, node)
    return 0


def settings_of(options: argparse.Namespace) -> NodeSettings:
    """What the command line chose."""
    return NodeSettings(
        faults=frozenset(options.fault),
        variants=frozenset(options.variant),
        client_id=options.client_id,
        client_secret=options.client_secret,
        token_s=options.token_s,
        lag_s=options.lag_s,
        delay_s=options.delay_s,
        pace=options.pace,
        time_scale=options.time_scale,
        session_pace=options.session_pace,
        seed=options.seed,
    )


def parser() -> argparse.ArgumentParser:
    """The command line, with all names of faults and variants in its help."""
    names = [f"  {fault.value:<24}{fault.what}" for fault in NodeFault]
    forms = [f"  {variant.value:<24}{variant.what}" for variant in Variant]
    lines = ["faults:", *names, "", "variants:", *forms, "", f"agent {AGENT_ID}, application alias {ALIAS}"]
    found = argparse.ArgumentParser(
        prog="python -m examples.pega",
        description="A campaign agent behind Pega's AgentX, DX API and A2A, on this machine.",
        epilog="\n".join(lines),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    found.add_argument("--port", type=int, required=True, help="TCP port; 0 takes a free one")
    found.add_argument("--host", default="127.0.0.1", help="address to listen on (default 127.0.0.1)")
    for name, kind in (("fault", NodeFault), ("variant", Variant)):
        found.add_argument(
            f"--{name}", action="append", type=kind, default=[], metavar="NAME", help="see below; may be repeated"
        )
    found.add_argument("--client-id", default=CLIENT_ID, help=f"OAuth2 client (default {CLIENT_ID})")
    found.add_argument("--client-secret", default=CLIENT_SECRET, help=f"its secret (default {CLIENT_SECRET})")
    found.add_argument("--token-s", type=_seconds, default=3600.0, help="how long a token lives (default 3600)")
    found.add_argument("--lag-s", type=_seconds, default=1.5, help="how far the transcript is behind (default 1.5)")
    found.add_argument(
        "--delay-s", type=_span, default=(0.0, 0.0), metavar="LOW-HIGH", help="each reply takes that long, at random"
    )
    found.add_argument(
        "--pace", type=_seconds, default=0.0, help="each reply takes that many times its time in the session"
    )
    found.add_argument(
        "--time-scale", type=_scale, default=1.0, help="seconds of the node in one real second (default 1)"
    )
    found.add_argument(
        "--session-pace", type=_seconds, default=1.0, help="the finished session, that many times as slow (default 1)"
    )
    found.add_argument("--seed", type=int, default=0, help="seed of delays and headings (default 0)")
    return found


def _seconds(text: str) -> float:
    value = float(text)
    if not 0 <= value <= 1e6:
        raise argparse.ArgumentTypeError("from 0 to a million")
    return value


def _scale(text: str) -> float:
    value = float(text)
    if not 0.01 <= value <= 1e4:
        raise argparse.ArgumentTypeError("from 0.01 to 10000")
    return value


def _span(text: str) -> tuple[float, float]:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)-(\d+(?:\.\d+)?)", text)
    if not found or float(found[1]) > float(found[2]):
        raise argparse.ArgumentTypeError("LOW-HIGH, for instance 10-60")
    return float(found[1]), float(found[2])


if __name__ == "__main__":
    raise SystemExit(main())
