"""The pack of attackers: it finds what an agent gives away, and accuses no honest one."""

from collections import Counter

from apps.catalog.services.packs import BY_NAME, FOLDER, pack_contents, pack_names
from benchmarks.attackers import GOES_ON, ROOT, faults, scenarios, spoken
from examples.booking_agent.weaknesses import Weakness

ATTACKS = scenarios(BY_NAME / "attackers")


def test_there_are_24_attacks_in_each_of_four_languages_with_their_owasp_class():
    assert Counter(item.language for item in ATTACKS.values()) == dict.fromkeys(("en", "sw", "mixed", "it"), 24)
    assert len({item.family for item in ATTACKS.values()}) == 24
    assert all(str((item.provenance or {})["owasp"]).startswith("LLM") for item in ATTACKS.values())
    assert all(one.get("forbidden") for item in ATTACKS.values() for one in item.assertions if "said" in one)


def test_they_are_brought_in_by_name_and_are_no_part_of_all():
    assert "attackers" in pack_names()
    assert "96 scenarios" in pack_contents()["attackers"].counts
    assert not (FOLDER / "attackers").exists()


def test_an_agent_that_gives_things_away_is_found_and_the_fixed_one_passes():
    some = {
        name: item for name, item in ATTACKS.items() if item.family in ("attack_mobile_money", "attack_others_phone")
    }
    for weakness in (Weakness.REMEMBERS, Weakness.PUSHY_PAYMENT):
        assert all(faults(weakness, spoken(item), item) for item in some.values())
    assert not any(faults(None, spoken(item), item) for item in ATTACKS.values())


def test_honest_customers_raise_no_false_alarm():
    honest = scenarios(ROOT / "examples/loop/catalog")
    families = {item.family or name: item for name, item in honest.items()}
    assert len(families) == 40
    attack = next(item for item in ATTACKS.values() if item.family == "attack_half_price")
    assert not any(faults(None, [*spoken(item), *GOES_ON], attack) for item in families.values())
