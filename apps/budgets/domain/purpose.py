"""The purposes for which models are asked."""

from enum import StrEnum


class Purpose(StrEnum):
    """Purpose of a model call.

    `cross_check` and `panel` are second opinions on a judgement, `pairwise` asks which of two is better, `check` tries
    a judge on conversations with known answers, or a provider with one question, `metric` measures one with a metric of
    its own scale, `simulator_review` says whether a simulated customer played its part, `persona_generation` writes
    personas, `persona_variety` tells how many different people a set of them holds, `persona_validation` rates them and
    judges their probe dialogues, `agent` is the agent under test where it is a prompt and a model, `gate` asks whether
    a replayed reply does what the golden session's did at this step, `proposal` writes one section of a prompt anew,
    `playground` answers a kept conversation with a prompt that a person tries, `mode_grouping` puts people's notes
    together that tell of the same failure, `report_summary` says in a few sentences what a run's report holds.
    """

    JUDGE = "judge"
    REASK = "reask"
    SIMULATOR = "simulator"
    DRY_RUN = "dry_run"
    CROSS_CHECK = "cross_check"
    PANEL = "panel"
    PAIRWISE = "pairwise"
    CHECK = "check"
    ANALYZER = "analyzer"
    METRIC = "metric"
    SIMULATOR_REVIEW = "simulator_review"
    PERSONA_GENERATION = "persona_generation"
    PERSONA_VARIETY = "persona_variety"
    PERSONA_VALIDATION = "persona_validation"
    AGENT = "agent"
    GATE = "gate"
    PROPOSAL = "proposal"
    PLAYGROUND = "playground"
    MODE_GROUPING = "mode_grouping"
    REPORT_SUMMARY = "report_summary"
