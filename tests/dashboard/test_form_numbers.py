"""A number in a form is the number that was written, to its last digit."""

import uuid

import pytest
from django.http import QueryDict

from apps.core.errors import BadInput
from apps.dashboard.prompts.domain.optimization_request import read_optimization
from apps.dashboard.prompts.domain.playground_request import read_playground
from apps.dashboard.prompts.domain.rollout_request import read_rollout
from apps.dashboard.prompts.domain.trial_request import read_trial
from apps.dashboard.results.domain.start_request import read_start

ID = uuid.UUID(int=1)


def form(**fields: str) -> QueryDict:
    post = QueryDict(mutable=True)
    post.update(fields)
    return post


def trial(**fields: str) -> object:
    return read_trial(form(config="probe", **fields))


def start(**fields: str) -> object:
    return read_start(form(kind="battle", **fields), may_judge=True)


def rollout(**fields: str) -> object:
    return read_rollout(form(role="booking", canary="booking@1", **fields).dict())


def playground(**fields: str) -> object:
    return read_playground(form(conversation=str(ID), **fields))


def optimization(**fields: str) -> object:
    return read_optimization(ID, form(**fields))


@pytest.mark.parametrize("read", [trial, start, optimization])
def test_repeats_behind_zeros_are_not_cut_to_four_digits(read) -> None:
    with pytest.raises(BadInput, match="Repeats is a number from 1 to"):
        read(repeats="00019999")
    assert read(repeats="0002").repeats == 2


@pytest.mark.parametrize(
    "read, field, sentence",
    [
        (start, "max_turns", "Most messages is a whole number, or empty."),
        (rollout, "percentage", "Percentage is a whole number, not 'five'."),
        (rollout, "hours", "Hours is a whole number, not 'five'."),
        (playground, "replies", "replies is a whole number."),
        (optimization, "drafts", "Drafts is a whole number."),
    ],
)
def test_a_word_is_refused_in_the_words_of_its_form(read, field, sentence) -> None:
    for text in ("five", "٥", "²"):
        with pytest.raises(BadInput) as refused:
            read(**{field: text})
        assert refused.value.message == sentence.replace("five", text)
        assert refused.value.pointer == f"/{field}"
