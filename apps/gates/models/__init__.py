"""The tables of gates."""

from apps.gates.models.floors import GateAcceptance, GateFloor
from apps.gates.models.own_versions import GateOwnVersions
from apps.gates.models.prevented import PreventedFailure
from apps.gates.models.pull_requests import PullRequestGate
from apps.gates.models.snapshots import SnapshotReview

__all__ = ["GateAcceptance", "GateFloor", "GateOwnVersions", "PreventedFailure", "PullRequestGate", "SnapshotReview"]
