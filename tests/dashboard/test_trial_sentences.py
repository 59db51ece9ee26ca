"""A trial's verdict for people: what came of it, one reason, no statistics."""

import pytest

from apps.dashboard.domain.trial_sentences import NOTHING, trial_in_words

TITLES = {"brevita_risposte": "Short replies"}


def decided(verdict: str, estimate: float | None, *codes: str, **more: object) -> dict[str, object]:
    return {
        "verdict": verdict,
        "estimate": estimate,
        "codes": codes,
        "blocked_criteria": (),
        "stopped_early": False,
    } | more


@pytest.mark.parametrize(
    "decision, sentence",
    [
        ({}, ""),
        (decided("not_shown", None), NOTHING),
        (
            decided("not_shown", -0.05, "too_few_differ", "no_hold_out"),
            "Not better (−0.05). Too little differs to tell.",
        ),
        (decided("not_shown", 0.3, "may_be_chance"), "Not shown to be better (+0.30). It may be chance."),
        (decided("better", 0.84, "gain_shown"), "Better (+0.84)."),
        (
            decided("blocked", -1.2, "criterion_worse", blocked_criteria=["brevita_risposte"]),
            "Blocked (−1.20). Clearly worse: Short replies.",
        ),
        (decided("not_shown", 0.1, "a_new_code"), "Not shown to be better (+0.10)."),
    ],
)
def test_the_verdict_comes_first_and_one_reason_after_it(decision: dict[str, object], sentence: str) -> None:
    assert trial_in_words(decision, "hold_out", TITLES) == sentence


def test_a_part_that_proves_nothing_says_so() -> None:
    told = trial_in_words(decided("better", 0.84, stopped_early=True), "selection", TITLES)
    assert told == (
        "On the selection, which proves nothing: better (+0.84). Stopped early: it would not have scored higher."
    )


def test_a_decision_of_earlier_code_is_told_by_what_it_has() -> None:
    assert trial_in_words({"verdict": "better", "estimate": 0.5}, "hold_out", TITLES) == "Better (+0.50)."
    assert trial_in_words({"verdict": "blocked", "estimate": -1.5}, "hold_out", TITLES) == "Blocked (−1.50)."
