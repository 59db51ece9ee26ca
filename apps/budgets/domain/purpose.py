"""What a model was asked for."""

from enum import StrEnum


class Purpose(StrEnum):
    """`cross_check` and `panel` are second opinions on a judgement, `pairwise` asks which of two is better, `check`
    tries a judge on conversations with known answers."""

    JUDGE = "judge"
    REASK = "reask"
    SIMULATOR = "simulator"
    DRY_RUN = "dry_run"
    CROSS_CHECK = "cross_check"
    PANEL = "panel"
    PAIRWISE = "pairwise"
    CHECK = "check"
    ANALYZER = "analyzer"
