"""The loop once round, over HTTP with an API key: what went wrong with a customer becomes a test and a better prompt.

    python -m examples.loop.walk http://127.0.0.1:8000 --host loop.localhost --person amina < secrets.txt

The first line of standard input is an API key with the scopes read, write and curate; the second is the password of the
person who releases the scenario and the prompt, which no key may do. `make loop` makes the tenant, the key and the
person, starts what it needs and calls this. Each stop is printed with its seconds.
"""

import argparse
import json
import sys
from datetime import UTC, datetime
from pathlib import Path

import httpx

from examples.loop.client import LoopClient, WalkStopped
from examples.loop.stops import STOPS, Walk


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("url", help="where the server is")
    parser.add_argument("--host", default="", help="the tenant's host name, where the address does not have it")
    parser.add_argument("--person", required=True, help="who releases; the password is the second line")
    parser.add_argument("--out", type=Path, help="write the stops as JSON here")
    options = parser.parse_args()
    api = LoopClient(url=options.url, key=sys.stdin.readline().strip(), host=options.host)
    person = LoopClient(url=options.url, key="", host=options.host)
    walk = Walk(api=api, person=person, clock=lambda: datetime.now(UTC).isoformat(timespec="milliseconds"))
    try:
        person.sign_in(user=options.person, password=sys.stdin.readline().strip())
        for name, work in STOPS:
            walk.stop(name, work)
    except (WalkStopped, httpx.HTTPError) as error:
        print(f"stopped: {error}", file=sys.stderr)
        return 1
    seconds = round(sum(one["seconds"] for one in walk.stops), 1)
    print(f"{seconds:6.1f} s  in all")
    if options.out:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        summary = {"stops": walk.stops, "found": walk.found, "seconds": seconds}
        options.out.write_text(json.dumps(summary, indent=2, ensure_ascii=False) + "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
