"""Run by test_silence in a process of its own: every metric against a judge on loopback, every socket and file noted.

An audit hook sees what Python itself does, whoever asks for it, and cannot be taken off again.
"""

import asyncio
import json
import os
import socket
import sys

NOTED: dict[str, list[str]] = {"hosts": [], "written": [], "spawned": []}


def writes(mode: object, flags: object) -> bool:
    if isinstance(mode, str):
        return bool(set(mode) & set("wax+"))
    return bool(int(str(flags)) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT))


def note(event: str, args: tuple[object, ...]) -> None:
    if event in ("socket.connect", "socket.sendto"):
        address = args[1]
        NOTED["hosts"].append(str(address[0] if isinstance(address, tuple) else address))
    elif event in ("socket.getaddrinfo", "socket.gethostbyname"):
        NOTED["hosts"].append(str(args[0]))
    elif (event == "open" and writes(*args[1:])) or event in ("os.mkdir", "os.rename"):
        NOTED["written"].append(str(args[0]))
    elif event == "subprocess.Popen":
        NOTED["spawned"].append(str(args[0]))


sys.addaudithook(note)


async def measured(kind: str, base_url: str) -> dict[str, object]:
    from apps.checks.metrics.registry import METRICS  # noqa: PLC0415
    from apps.connectors.llms.base import ModelSpec  # noqa: PLC0415 - behind the hook
    from apps.connectors.llms.registry import llm_for  # noqa: PLC0415
    from apps.connectors.outbound import OutboundPolicy, outbound_client  # noqa: PLC0415
    from apps.connectors.retry import RetryPolicy, call_with_fallback  # noqa: PLC0415
    from tests.checks.metrics.bench import CASE  # noqa: PLC0415

    model = llm_for(ModelSpec(provider=kind, model="m-1", base_url=base_url, api_key="not-a-key"))
    policy = OutboundPolicy(private_hosts=("127.0.0.0/8",), purpose="model")
    scores: dict[str, object] = {}
    async with outbound_client(policy) as client:

        class Judge:
            name = f"{kind}/m-1"

            async def ask(self, request):
                asked = await call_with_fallback(
                    request, primary=model, fallback=None, client=client, policy=RetryPolicy(backoff_s=0)
                )
                return asked.response.text

        for name, metric in METRICS.items():
            try:
                scores[name] = (await metric.measure(CASE, Judge())).score
            except Exception as error:
                scores[name] = f"{type(error).__name__}: {error}"
    return scores


def control() -> dict[str, object]:
    """What must be noted."""
    os.close(os.open("by-os-open", os.O_CREAT | os.O_WRONLY))
    with open("by-open", "w"):
        pass
    socket.getaddrinfo("127.0.0.2", 80)
    return {}


if __name__ == "__main__":
    if sys.argv[1] == "control":
        found = control()
    else:
        found = {kind: asyncio.run(measured(kind, url)) for kind, url in (one.split("=") for one in sys.argv[1:])}
    print(json.dumps({"scores": found, "poison": os.environ.get("POISON"), **NOTED}))
