"""What a model was asked for."""

from enum import StrEnum


class Purpose(StrEnum):
    JUDGE = "judge"
    REASK = "reask"
    SIMULATOR = "simulator"
    DRY_RUN = "dry_run"
