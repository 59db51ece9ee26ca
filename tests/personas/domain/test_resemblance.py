"""How alike two personas are: a measure one can follow, checked on the personas that are shipped."""

from itertools import combinations
from pathlib import Path

import yaml
from hypothesis import given
from hypothesis import strategies as st

from apps.personas.domain.resemblance import TOO_ALIKE, most_alike, pairs_of, resemblance
from tests.guards.source import ROOT

texts = st.text(alphabet="abc Āàé'1", max_size=60)
AMINA = (
    "Amina, 34, runs a small tailoring shop in Kisumu and books her braids in the lunch break. She counts every "
    "shilling, asks twice what it costs, and wants to hear that nothing is added later."
)


@given(one=texts, other=texts)
def test_it_is_symmetric_bounded_and_whole_for_the_same_words(one, other):
    left, right = pairs_of(one, {}), pairs_of(other, {})
    assert resemblance(left, right) == resemblance(right, left)
    assert 0.0 <= resemblance(left, right) <= 1.0
    assert not left or resemblance(left, left) == 1.0


def test_another_name_age_and_town_make_no_other_persona():
    other = AMINA.replace("Amina", "Grace").replace("34", "29").replace("Kisumu", "Nakuru")
    share = resemblance(pairs_of(AMINA, {}, name="Amina"), pairs_of(other, {}, name="Grace"))
    assert share >= 0.7 > TOO_ALIKE


def test_the_shipped_personas_are_far_from_each_other():
    packs = [yaml.safe_load(path.read_text()) for path in Path(ROOT, "apps/catalog/packs").glob("*/personas.yaml")]
    personas = [one for pack in packs for one in pack["personas"] if not one["name"].startswith("default-")]
    assert len(personas) >= 8
    pairs = [pairs_of(one["text"], one.get("spec") or {}, name=one["name"]) for one in personas]
    worst = max(resemblance(one, other) for one, other in combinations(pairs, 2))
    assert worst < 0.12


def test_behaviours_count_too_and_the_nearest_is_named():
    spec = {"behaviours": [{"instruction": "asks for the price before anything else is said"}]}
    existing = {"far": pairs_of("A quiet man who likes tea.", {}), "near": pairs_of("", spec)}
    name, share = most_alike(pairs_of("", spec), existing)
    assert (name, share) == ("near", 1.0)
    assert most_alike(pairs_of("", spec), {}) == ("", 0.0)
