"""A criterion is written by its name or by its title of any language; what is stored is the name."""

import pytest

from apps.catalog.configs.domain.criterion_aliases import CriterionNames, alias_of
from apps.catalog.configs.queries.versions import resolve_config
from apps.catalog.configs.services.versions import create_draft, update_draft
from apps.catalog.files.services.importing import import_catalog_text
from apps.catalog.files.services.packs import load_pack
from apps.catalog.models import EvaluatorConfigVersion, Scenario
from apps.catalog.scenarios.services.releasing import create_candidate
from apps.core.errors import BadInput
from tests.catalog.samples import NOW, content

NAMES = CriterionNames(
    {
        "brevita_risposte": {"en": "Short replies", "it": "Risposte brevi"},
        "chiusura": {"en": "Closes well"},
        "closing": {"en": "Closes well"},
        "prezzo_chiaro": {"it": "È chiaro il prezzo?"},
        "closes_here": {},
    }
)
BY_TITLE = """
evaluator_configs:
  - name: mine
    versions:
      - number: 1
        status: published
        criteria:
          core: [short_replies, swali_moja_kwa_wakati, natural_tone]
          domain: []
          weights: {short_replies: 2}
          blocking: [natural_tone]
        pass_marks: {natural_tone: 7}
        llm_config: {judge: {provider: offline, model: offline-rules}}
scenarios:
  - id: price
    goal: Ask the price.
    must_not: [{criterion: clear_price, below: 6}]
"""


def test_a_title_that_several_have_is_refused_with_their_names():
    with pytest.raises(BadInput, match="write chiusura or closing") as refused:
        NAMES.name_of("closes_well")
    assert refused.value.code == "ambiguous_criterion"


def test_one_criterion_in_two_spellings_is_refused(tenant):
    load_pack("service-booking", at=NOW)
    with pytest.raises(BadInput, match="stands twice"):
        create_draft(config="mine", content=content("short_replies", "brevita_risposte"))


def test_a_name_goes_before_a_title_and_what_nobody_is_called_stays_as_it_is():
    assert NAMES.name_of("closing") == "closing"
    assert [NAMES.name_of(one) for one in ("nowhere", "", "__", "closes_here")] == ["nowhere", "", "__", "closes_here"]


@pytest.mark.parametrize("written", ["short_replies", "Short replies", "risposte_brevi", "SHORT_REPLIES"])
def test_a_criterion_is_known_by_its_title_of_any_language(written):
    assert NAMES.name_of(written) == "brevita_risposte"
    assert alias_of("È chiaro il prezzo?") == "è_chiaro_il_prezzo"


def test_a_file_calls_criteria_by_their_titles_and_names_are_stored(tenant):
    load_pack("service-booking", at=NOW)
    import_catalog_text(text=BY_TITLE, file="mine.yaml", at=NOW)
    snapshot = resolve_config("mine")
    assert [(c.name, c.weight, c.pass_mark, c.blocking) for c in snapshot.criteria] == [
        ("brevita_risposte", 2.0, 6.0, False),
        ("una_domanda_per_turno", 1.0, 6.0, False),
        ("tono_naturale", 1.0, 7.0, True),
    ]
    assert Scenario.objects.get(slug="price").must_not == [{"criterion": "chiarezza_prezzo", "below": 6.0}]
    again = import_catalog_text(text=BY_TITLE, file="mine.yaml", at=NOW)
    assert not any(again.created.values())
    assert not any(again.updated.values())


def test_a_draft_and_a_candidate_do_so_too(tenant):
    load_pack("service-booking", at=NOW)
    made = create_draft(config="mine", content=content("clear_price"))
    update_draft(version_id=made, content=content("clear_price", "malipo_salama"))
    stored = EvaluatorConfigVersion.objects.get(pk=made)
    assert stored.criteria["domain"] == ["chiarezza_prezzo", "sicurezza_pagamento"]
    made = create_candidate(
        slug="pay",
        goal="Pay.",
        persona="",
        must_not=[{"criterion": "safe_payment", "below": 6}],
        provenance={"by": "x"},
    )
    assert Scenario.objects.get(pk=made).must_not[0]["criterion"] == "sicurezza_pagamento"
