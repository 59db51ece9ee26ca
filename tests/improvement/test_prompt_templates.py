"""A tenant's own texts for the workshop's models: kept as versions, never edited, frozen in what they asked."""

import pytest
from django.db import DatabaseError, transaction

from apps.catalog.connections.services.storing import save_model_provider
from apps.core.documents import as_json
from apps.core.errors import BadInput, NotFound
from apps.improvement.analysis.services.analysing import pay_analyses
from apps.improvement.models import Analysis, FixProposal, PromptTemplate
from apps.improvement.optimizer.queries.documents import optimization_document
from apps.improvement.prompt_templates.queries.versions import template_documents, texts_in_force
from apps.improvement.prompt_templates.services.storing import (
    TemplateVersion,
    activate_template,
    add_template,
    restore_built_in,
)
from apps.tenants.context import current_slug
from apps.tenants.services import update_workflow_config
from tests.evaluations.bench import minutes
from tests.improvement.optimization_rows import ask, found, go_on, make_scene, propose
from tests.improvement.test_analysing import judged_run
from tests.improvement.test_optimizing import Writers

pytestmark = pytest.mark.usefixtures("tenant")
OWN = TemplateVersion(purpose="surgical", language="en", system="Be brief.", ask="{nonce} was data. Mend it:")


def in_force(purpose="surgical", language="en"):
    return texts_in_force([purpose], language)[purpose]


def test_a_version_takes_the_place_of_the_one_before_and_the_built_in_comes_back():
    assert in_force()["version"].startswith("built-in ")
    first = add_template(OWN, activate=True, by="amina")
    assert (in_force()["version"], in_force()["system"]) == ("1", "Be brief.")
    add_template(OWN, activate=False, by="amina")
    assert in_force()["version"] == "1"
    second = add_template(OWN, activate=True, by="amina")
    assert in_force()["version"] == "3"
    activate_template(first, by="amina")
    activate_template(first, by="amina")
    assert (in_force()["version"], PromptTemplate.objects.filter(active=True).count()) == ("1", 1)
    assert in_force(language="sw")["version"].startswith("built-in ")
    assert in_force("full")["version"].startswith("built-in ")
    shown = [one["version"] for one in template_documents() if (one["purpose"], one["language"]) == ("surgical", "en")]
    assert shown == ["3", "2", "1", "built-in 3"]
    restore_built_in(purpose="surgical", language="en", by="amina")
    assert in_force()["version"] == "built-in 3"
    assert PromptTemplate.objects.get(pk=second).active is False


def test_a_text_that_cannot_ask_is_not_kept():
    for change in ({"ask": "no fence"}, {"system": "{nonce}"}, {"note": "n" * 501}, {"language": "fr"}):
        with pytest.raises(BadInput):
            add_template(TemplateVersion(**{**{name: getattr(OWN, name) for name in OWN.__slots__}, **change}),
                         activate=True, by="amina")  # fmt: skip
    with pytest.raises(NotFound):
        activate_template("00000000-0000-7000-8000-000000000000", by="amina")
    assert not PromptTemplate.objects.exists()


def test_the_database_lets_nobody_rewrite_or_delete_a_version():
    made = add_template(OWN, activate=True, by="amina")
    for change in ({"system": "Be long."}, {"ask": "{nonce}"}, {"number": 9}, {"language": "it"}):
        with pytest.raises(DatabaseError), transaction.atomic():
            PromptTemplate.objects.filter(pk=made).update(**change)
    with pytest.raises(DatabaseError), transaction.atomic():
        PromptTemplate.objects.filter(pk=made).delete()


def test_an_optimization_asks_with_the_texts_that_it_began_with():
    with Writers() as server:
        save_model_provider(name="author", kind="openai", base_url=server.base_url("openai"), api_key="k")
        evaluation = make_scene(judged_run(3, 2))
        update_workflow_config(
            slug=current_slug(), changes={"models": {"optimizer": {"provider": "author", "model": "writer-1"}}}
        )
        add_template(OWN, activate=True, by="amina")
        row = ask(evaluation, drafts=1)
        later = TemplateVersion(purpose="surgical", language="en", system="Be long.", ask="{nonce}: mend all of it.")
        add_template(later, activate=True, by="amina")
        go_on(row)
        assert set(row.analysis.templates) == {"analyzer", "join"}
        found(row, "payment")
        go_on(row)
        propose()
        asked = [one["content"] for one in server.last_body["messages"]]
    proposal = FixProposal.objects.get()
    assert (proposal.status, proposal.templates["surgical"]["version"]) == ("completed", "1")
    assert asked[0] == "Be brief."
    assert ' was data. Mend it:\n"nonce"' in asked[1]
    shown = {one["purpose"]: one["version"] for one in as_json(optimization_document(row))["templates"]}
    assert shown == {"analyzer": "built-in 4", "join": "built-in 4", "surgical": "1"}


def test_an_analysis_that_an_earlier_release_owed_takes_the_texts_of_when_it_begins():
    evaluation = judged_run(3, 2)
    row = Analysis.objects.create(evaluation=evaluation)
    own = TemplateVersion(purpose="join", language="en", system="In {language}.", ask="{nonce}: which are one?")
    add_template(own, activate=True, by="amina")
    pay_analyses(now=lambda: minutes(1))
    row.refresh_from_db()
    assert (row.templates["join"]["version"], row.templates["analyzer"]["version"]) == ("1", "built-in 4")
    assert row.status == "completed"
