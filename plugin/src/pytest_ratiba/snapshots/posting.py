"""Show waiting snapshots on the server's page, and read the ones that a person accepted there."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from pytest_ratiba.errors import ProjectError
from pytest_ratiba.git import head_commit
from pytest_ratiba.snapshots.store import PendingSnapshot, SnapshotStore

if TYPE_CHECKING:
    from pytest_ratiba.client import RatibaClient


def post_pending(store: SnapshotStore, client: "RatibaClient", *, pull_request: str = "") -> list[str]:
    """The addresses of the pages of everything that waits. Raises ProjectError for what the server refuses."""
    from pytest_ratiba.client import ServerError

    addresses = []
    for one in store.pending():
        accepted = store.accepted(one.played.id)
        body: dict[str, Any] = {
            "scenario": one.played.id,
            "file": _in_repository(store.path(one.played.id)),
            "digest": one.played.digest,
            "base_digest": one.base,
            "played": one.played.as_document(),
            "commit": head_commit(Path.cwd()),
            "pull_request": pull_request,
        }
        if accepted is not None:
            body["accepted"] = accepted[0].as_document()
        try:
            addresses.append(str(client.post_snapshot(body)["url"]))
        except ServerError as error:
            raise ProjectError(f"{one.played.id} could not be posted: {error}") from error
    return addresses


def accepted_on_page(one: PendingSnapshot, client: "RatibaClient") -> str:
    """Name the person who accepted exactly this conversation against exactly this file, "" for nobody."""
    for row in client.snapshots(scenario=one.played.id, digest=one.played.digest, status="accepted"):
        if row["base_digest"] == one.base:
            return str(row["reviewed_by"])
    return ""


def _in_repository(path: Path) -> str:
    try:
        return path.resolve().relative_to(Path.cwd().resolve()).as_posix()
    except ValueError:
        return path.name
