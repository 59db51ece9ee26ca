"""A hold-out is not measured outside its trials: no run of a draft plays it, however its scenarios are named."""

import uuid

import pytest

from apps.core.errors import BadInput
from apps.core.identities import uuids_among
from apps.core.subject import Subject
from apps.evaluations.requests.services.battles import battle_run
from apps.improvement.holdout.domain.parts import Part
from apps.improvement.models import FamilyPart, PromptDraft
from apps.runs.models import Conversation
from tests.improvement.trial_rows import NOW, make_world

pytestmark = pytest.mark.usefixtures("tenant")


def test_a_draft_that_is_played_outside_a_trial_leaves_the_hold_out_alone() -> None:
    version = PromptDraft.objects.get(pk=make_world()).version.version
    FamilyPart.objects.filter(family__in=["family-00", "family-01"]).update(part=Part.TRAIN)
    run = battle_run(agent="booker", scenarios="all", prompt=version, now=NOW)
    names = {spec["scenario"] for spec in Conversation.objects.filter(run=run).values_list("spec", flat=True)}
    assert names == {"s00", "s01"}
    for named in (["s02"], ["s00", "s05"]):
        with pytest.raises(BadInput) as refused:
            battle_run(agent="booker", scenarios=named, prompt=version, now=NOW)
        assert refused.value.code == "sealed_scenarios"


def test_a_draft_that_is_only_named_as_the_subject_leaves_it_alone_too() -> None:
    """An agent that is a prompt plays the version that its run's subject names."""
    version = PromptDraft.objects.get(pk=make_world()).version.version
    FamilyPart.objects.filter(family="family-00").update(part=Part.TRAIN)
    subject = Subject(prompt_version=version)
    run = battle_run(agent="booker", scenarios="all", subject=subject, now=NOW)
    (conversation,) = Conversation.objects.filter(run=run)
    assert conversation.spec["scenario"] == "s00"
    with pytest.raises(BadInput) as refused:
        battle_run(agent="booker", scenarios=["s01"], subject=subject, now=NOW)
    assert refused.value.code == "sealed_scenarios"


def test_the_live_prompt_and_a_released_draft_play_everything() -> None:
    draft = PromptDraft.objects.get(pk=make_world())
    PromptDraft.objects.filter(pk=draft.pk).update(status="released")
    for prompt in ("", draft.version.version):
        run = battle_run(agent="booker", scenarios="all", prompt=prompt, now=NOW)
        assert Conversation.objects.filter(run=run).count() == 12


def test_an_id_is_found_in_every_spelling_that_a_lookup_takes() -> None:
    one = uuid.uuid4()
    for text in (str(one), one.hex, str(one).upper(), f"{{{one}}}", f"urn:uuid:{one}"):
        assert uuids_among([text]) == [one]
    assert uuids_among(["", "None", "x" * 36]) == []
