"""Neither another family name nor another id makes fresh what trials played and people read."""

from collections.abc import Callable

import pytest

from apps.catalog.models import Scenario
from apps.core.errors import Conflict
from apps.improvement.drafts.queries.families import hold_out_set
from apps.improvement.drafts.queries.hold_out import hold_out_document, untried_families
from apps.improvement.drafts.services.placing_families import place_new_families
from apps.improvement.models import FamilyPart
from tests.improvement.test_steering_trials import another, decided, gain
from tests.improvement.trial_rows import NOW, ask, make_families, make_world

pytestmark = pytest.mark.usefixtures("tenant")


def worn_set() -> None:
    """Twelve sealed families with words of their own, looked at three times."""
    make_world()
    for number, row in enumerate(Scenario.objects.order_by("slug")):
        word = f"{chr(97 + number) * 5} {chr(98 + number) * 6} {chr(99 + number) * 7} {chr(100 + number) * 4}"
        Scenario.objects.filter(pk=row.pk).update(opening=f"{word}?", goal=f"Ask for {word[::-1]}.")
    place_new_families(now=NOW)
    for word in ("every", "any", "one"):
        decided(another(word), gain(1.0))


def parts() -> dict[str, str]:
    return dict(FamilyPart.objects.values_list("family", "part"))


def refused() -> str:
    with pytest.raises(Conflict) as raised:
        ask(another("some"))
    return raised.value.code


def test_a_worn_hold_out_is_not_fresh_under_other_family_names() -> None:
    worn_set()
    for row in Scenario.objects.all():
        Scenario.objects.filter(pk=row.pk).update(family=f"{row.family}b")
    assert hold_out_document().parts == {"train": 12, "selection": 0, "hold_out": 0}
    assert refused() == "no_hold_out"
    place_new_families(now=NOW)
    assert {parts()[f"family-{number:02}b"] for number in range(12)} == {"train"}
    assert untried_families() == []


@pytest.mark.parametrize(
    "spelled",
    [lambda text: text.replace("e", "e\u200b"), lambda text: text.replace("a", "а").replace("e", "е"),
     lambda text: " ".join(reversed(text.split())), lambda text: text.replace("o", "0").replace("e", "3"),
     lambda text: text.replace(" ", "_"), lambda text: text + " " + " ".join(f"more{n} words{n}" for n in range(30))],
    ids=["unseen", "cyrillic", "backwards", "digits", "joined", "appended"],
)  # fmt: skip
def test_nor_in_letters_that_look_alike_backwards_or_with_much_said_besides(spelled: Callable[[str], str]) -> None:
    worn_set()
    for row in Scenario.objects.all():
        Scenario.objects.create(slug=f"copy-{row.slug}", family=f"copy-{row.slug}", persona=row.persona, language="en",
                                goal=spelled(row.goal), opening=spelled(row.opening))  # fmt: skip
    Scenario.objects.filter(slug__startswith="s").delete()
    assert refused() == "no_hold_out"


def test_nor_with_another_greeting() -> None:
    worn_set()
    for row in Scenario.objects.all():
        Scenario.objects.create(slug=f"copy-{row.slug}", family=f"copy-{row.slug}", persona=row.persona, language="en",
                                goal=row.goal, opening="Good morning, is anybody there to help me?")  # fmt: skip
    Scenario.objects.filter(slug__startswith="s").delete()
    assert refused() == "no_hold_out"


def test_nor_as_copies_with_another_id_and_a_word_more() -> None:
    worn_set()
    for row in Scenario.objects.all():
        Scenario.objects.create(
            slug=f"copy-{row.slug}", family=f"copy-{row.slug}", persona=row.persona, language="en",
            goal=row.goal.upper(), opening=f"{row.opening} please",
        )  # fmt: skip
    Scenario.objects.filter(slug__startswith="s").delete()
    assert refused() == "no_hold_out"
    assert hold_out_set().families == 0


def test_families_of_other_words_are_fresh() -> None:
    worn_set()
    for slug in make_families(12, first=20):
        Scenario.objects.filter(slug=slug).update(opening=f"My parcel {slug} never came, who brings it and when?")
    place_new_families(now=NOW)
    assert hold_out_set().families > 0


def test_a_sealed_family_that_is_given_a_scenario_of_train_goes_to_train() -> None:
    make_world()
    FamilyPart.objects.filter(family="family-00").update(part="train")
    place_new_families(now=NOW)
    Scenario.objects.filter(slug="s00").update(family="family-01")
    place_new_families(now=NOW)
    assert (parts()["family-01"], parts()["family-02"]) == ("train", "hold_out")


def test_a_sealed_scenario_that_moves_into_train_wears_its_family() -> None:
    make_world()
    FamilyPart.objects.filter(family="family-00").update(part="train")
    place_new_families(now=NOW)
    Scenario.objects.filter(slug="s01").update(family="family-00")
    place_new_families(now=NOW)
    assert parts()["family-01"] == "train"


def test_a_sealed_family_with_another_name_stays_in_its_set() -> None:
    make_world()
    place_new_families(now=NOW)
    Scenario.objects.filter(slug="s03").update(family="haircuts")
    place_new_families(now=NOW)
    row = FamilyPart.objects.get(family="haircuts")
    assert (row.part, row.set_number, row.follows) == ("hold_out", 1, "family-03")


def test_what_did_not_change_is_compared_with_nothing(django_assert_max_num_queries) -> None:
    make_world()
    place_new_families(now=NOW)
    with django_assert_max_num_queries(22):  # each sets the schema first
        assert place_new_families(now=NOW) == 0
