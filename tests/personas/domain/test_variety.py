"""The variety of a set of personas as one figure."""

from apps.personas.domain.resemblance import pairs_of
from apps.personas.domain.variety import variety_of

TEXTS = {
    "amina": "A nurse who works nights and wants braids before her sister's wedding.",
    "otieno": "A retired driver, patient, asks every price twice and pays in cash.",
    "njeri": "A student with little money who changes her mind about the day.",
}


def test_three_different_people_are_various_and_a_copy_is_named():
    sets = {name: pairs_of(text, {}) for name, text in TEXTS.items()}
    various = variety_of(sets)
    assert various is not None
    assert various.figure > 0.9
    copied = variety_of(sets | {"amina-2": pairs_of(TEXTS["amina"], {})})
    assert copied is not None
    assert copied.as_json()["closest"] == ["amina", "amina-2"]
    assert copied.share == 1.0
    assert copied.figure < 0.6


def test_one_persona_has_no_variety():
    assert variety_of({"amina": pairs_of(TEXTS["amina"], {})}) is None
